"""Answers to lesson 08 as people write them, right and wrong, in many styles, and what the check says."""

from __future__ import annotations

import inspect
import math
import textwrap
from typing import Any

import numpy as np
import pytest
import torch
from handed_out import ANSWERS, GIVEN
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)

from helpers.exercises import evaluate
from helpers.exercises.catalogue import exercises, of_lesson
from helpers.exercises.engine.tensors import as_arrays
from helpers.exercises.kinds import Mend, Table, Write
from helpers.exercises.lesson_08.torch_blind_test import ONE_COPY_EACH, SONG
from helpers.exercises.lesson_08.torch_polarity import layer_of_known_numbers
from helpers.pytorch.attention import attention, causal_mask, fused_attention

HEADS = {
    "torch-attention": "queries, keys, values, mask",
    "torch-weights": "in_proj_weight",
    "torch-polarity": "layer, x, causal, real",
    "torch-corner": "queries, keys, values",
    "torch-layout": "queries, keys, values, n_heads",
    "torch-dropout": "queries, keys, values, share, training",
    "torch-batch-first": "x, in_proj_weight, n_heads",
}
SHORT = {  # for what many answers share
    "MASKED": "scores.masked_fill(~mask, -math.inf)",
    "MAKE": "nn.MultiheadAttention(x.shape[-1], n_heads, bias=False",
    "SCORES": "queries @ keys.mT / math.sqrt(queries.shape[-1])",
    "SDPA": "F.scaled_dot_product_attention",
    "SPLIT": "view(b, n, n_heads, w // n_heads)",
    "WITH_WEIGHTS": "layer.in_proj_weight = nn.Parameter(in_proj_weight)",
}


@pytest.fixture(autouse=True)
def one_thread():
    """Small products only wait for a second one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def written(name: str, body: str) -> Any:
    """An exercise's name, the learner's lines -> their function, with what the notebook has imported."""
    body = textwrap.dedent(body).strip()
    for word, lines in SHORT.items():
        body = body.replace(word, lines)
    space: dict[str, Any] = {
        "math": math,
        "torch": torch,
        "nn": nn,
        "F": F,
        "attention": attention,
        "fused_attention": fused_attention,
        "causal_mask": causal_mask,
    }
    exec(f"def answer({HEADS[name]}):\n" + textwrap.indent(body, "    "), space)
    return space["answer"]


RIGHT = {
    "torch-attention": [
        """
        scores = SCORES
        weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1).nan_to_num()
        return weights @ values, weights
        """,
        """
        scores = torch.einsum("...id,...jd->...ij", queries, keys) * queries.size(-1) ** -0.5
        scores = torch.where(mask, scores, float("-inf"))
        weights = scores.softmax(-1)
        weights = torch.where(weights.isnan(), 0.0, weights)
        return torch.einsum("...ij,...jd->...id", weights, values), weights
        """,
        """
        d = queries.shape[-1]
        scores = (queries / d**0.25) @ (keys / d**0.25).transpose(-1, -2)
        weights = F.softmax(scores + torch.where(mask, 0.0, -math.inf), dim=-1)
        weights = weights * mask.any(-1, keepdim=True)
        return torch.nan_to_num(weights) @ values, torch.nan_to_num(weights)
        """,
        """
        output = SDPA(queries, keys, values, attn_mask=mask)
        weights = SDPA(queries, keys, torch.eye(keys.shape[-2], dtype=keys.dtype), attn_mask=mask)
        return output, weights
        """,
        """
        scores = torch.matmul(queries, keys.transpose(-2, -1)).div(queries.shape[-1] ** 0.5)
        has = mask.any(dim=-1, keepdim=True)
        weights = F.softmax(scores.masked_fill(mask.logical_not(), -1e9), dim=-1).masked_fill(~has, 0)
        return [weights @ values, weights]
        """,
        """
        import numpy as np
        from helpers.attention import attention as numpy_attention
        return numpy_attention(queries.numpy(), keys.numpy(), values.numpy(), mask.numpy())
        """,
        """
        def one(q, k, v, m):
            out = torch.zeros(len(q), v.shape[-1], dtype=q.dtype)
            ws = torch.zeros(len(q), len(k), dtype=q.dtype)
            for i in range(len(q)):
                open_keys = m[i].nonzero().flatten()
                if len(open_keys) == 0:
                    continue
                s = torch.stack([q[i] @ k[j] for j in open_keys]) / math.sqrt(q.shape[-1])
                e = torch.exp(s - s.max())
                ws[i, open_keys] = e / e.sum()
                out[i] = ws[i] @ v
            return out, ws
        shape = torch.broadcast_shapes(mask.shape, (*queries.shape[:-1], keys.shape[-2]))
        m = mask.expand(shape)
        flat = [t.reshape(-1, *t.shape[-2:]) for t in (queries, keys, values, m)]
        results = [one(*each) for each in zip(*flat)]
        out = torch.stack([r[0] for r in results]).reshape(*queries.shape[:-1], values.shape[-1])
        return out, torch.stack([r[1] for r in results]).reshape(shape)
        """,
        """
        queries = queries.detach().clone().requires_grad_()
        scores = SCORES
        scores[~mask.expand(scores.shape)] = -torch.inf
        weights = scores.softmax(dim=-1).nan_to_num()
        return weights @ values, weights
        """,
        "return attention(queries, keys, values, mask)",
        """
        bias = torch.zeros(mask.shape, dtype=queries.dtype)
        bias.masked_fill_(mask.logical_not(), float("-inf"))
        w = queries @ keys.transpose(-2, -1) * (1 / math.sqrt(queries.size(-1)))
        w = torch.softmax(w + bias, dim=-1)
        w = torch.nan_to_num(w, nan=0.0)
        return w @ values, w
        """,
    ],
    "torch-weights": [
        """
        w_q, w_k, w_v = in_proj_weight.chunk(3)
        return w_q.T, w_k.T, w_v.T
        """,
        """
        d = in_proj_weight.shape[1]
        return in_proj_weight[:d].t(), in_proj_weight[d:2*d].t(), in_proj_weight[2*d:].t()
        """,
        "return in_proj_weight.T.chunk(3, dim=-1)",
        """
        d = in_proj_weight.shape[-1]
        return in_proj_weight.view(3, d, d).transpose(1, 2)
        """,
        """
        d = in_proj_weight.shape[-1]
        return [w.T.contiguous() for w in torch.split(in_proj_weight, d)]
        """,
        "return tuple(torch.hsplit(in_proj_weight.T, 3))",
        """
        import numpy as np
        return tuple(np.split(in_proj_weight.numpy().T, 3, axis=1))
        """,
        """
        d = in_proj_weight.shape[-1]
        return in_proj_weight.unflatten(0, (3, d)).mT.unbind(0)
        """,
        """
        d = in_proj_weight.shape[-1]
        w = nn.Parameter(in_proj_weight)
        return w[0:d, :].permute(1, 0), w[d:-d, :].permute(1, 0), w[-d:, :].permute(1, 0)
        """,
    ],
    "torch-polarity": [
        """
        output, _ = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)
        return output
        """,
        """
        may_not = causal.logical_not()
        return layer(x, x, x, attn_mask=may_not, key_padding_mask=real == False, need_weights=False)[0]
        """,
        """
        n = x.shape[1]
        m = nn.Transformer.generate_square_subsequent_mask(n)
        p = torch.zeros(real.shape).masked_fill(~real, -math.inf)
        return layer(x, x, x, attn_mask=m, key_padding_mask=p)[0]
        """,
        """
        may = causal & real[:, None, :]
        return layer(x, x, x, attn_mask=~may.repeat_interleave(layer.num_heads, 0))[0]
        """,
        """
        n = x.size(1)
        future = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
        return layer(x, x, x, key_padding_mask=~real, attn_mask=future, is_causal=True, need_weights=False)[0]
        """,
        """
        from helpers.pytorch.weights import from_torch
        return from_torch(layer)(x, mask=causal & real[:, None])
        """,
        """
        out, _ = layer(x, x, x, attn_mask=causal ^ True, key_padding_mask=real ^ True)
        return out
        """,
        """
        was = layer.training
        layer.eval()
        with torch.no_grad():
            output = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]
        layer.train(was)
        return output
        """,
        """
        with torch.inference_mode():
            future, padding = torch.logical_not(causal), torch.logical_not(real)
            return layer(x, x, x, attn_mask=future, key_padding_mask=padding)[0]
        """,
    ],
    "torch-corner": [
        """
        n, m = queries.shape[-2], keys.shape[-2]
        mask = torch.ones(n, m, dtype=torch.bool).tril(m - n)
        return SDPA(queries, keys, values, attn_mask=mask)
        """,
        "return fused_attention(queries, keys, values, causal=True)",
        """
        from torch.nn.attention.bias import causal_lower_right
        return SDPA(queries, keys, values, attn_mask=causal_lower_right(queries.size(-2), keys.size(-2)))
        """,
        """
        return attention(queries, keys, values, causal_mask(queries.shape[-2], keys.shape[-2]))[0]
        """,
        """
        n, m = queries.shape[-2], keys.shape[-2]
        full = torch.ones(m, m).tril().bool()
        return SDPA(queries, keys, values, full[m - n:])
        """,
        """
        n, m = queries.shape[-2], keys.shape[-2]
        pad = queries.new_zeros(*queries.shape[:-2], m - n, queries.shape[-1])
        return SDPA(torch.cat([pad, queries], -2), keys, values, is_causal=True)[..., m - n:, :]
        """,
        """
        n, m = queries.shape[-2], keys.shape[-2]
        if n == 1:
            return SDPA(queries, keys, values)
        i = torch.arange(n)[:, None] + m - n
        bias = torch.where(torch.arange(m) <= i, 0.0, -math.inf)
        return SDPA(queries, keys, values, attn_mask=bias)
        """,
        """
        scores = SCORES
        n, m = scores.shape[-2:]
        scores = scores.masked_fill(torch.ones(n, m).triu(m - n + 1).bool(), -math.inf)
        return scores.softmax(-1) @ values
        """,
    ],
    "torch-layout": [
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(1, 2) for t in (queries, keys, values))
        return SDPA(q, k, v).transpose(1, 2).reshape(b, n, w)
        """,
        """
        b, n, w = queries.shape
        q, k, v = (t.reshape(b, n, n_heads, -1).permute(0, 2, 1, 3) for t in (queries, keys, values))
        return SDPA(q, k, v).permute(0, 2, 1, 3).contiguous().view(b, n, w)
        """,
        """
        parts = zip(queries.chunk(n_heads, -1), keys.chunk(n_heads, -1), values.chunk(n_heads, -1))
        return torch.cat([SDPA(q, k, v) for q, k, v in parts], dim=-1)
        """,
        """
        d = queries.shape[-1] // n_heads
        q, k, v = (t.unflatten(-1, (n_heads, d)) for t in (queries, keys, values))
        s = torch.einsum('bihd,bjhd->bhij', q, k) / math.sqrt(d)
        return torch.einsum('bhij,bjhd->bihd', s.softmax(-1), v).flatten(2)
        """,
        """
        b, n, w = queries.shape
        d = w // n_heads
        cut = [t.reshape(b, n, n_heads, d).transpose(1, 2) for t in (queries, keys, values)]
        flat = [t.reshape(b * n_heads, n, d) for t in cut]
        scores = torch.baddbmm(torch.zeros(1), flat[0], flat[1].mT, beta=0, alpha=d**-0.5)
        out = scores.softmax(-1).bmm(flat[2])
        return out.view(b, n_heads, n, d).transpose(1, 2).reshape(b, n, w)
        """,
        """
        w = queries.shape[-1]
        one = torch.eye(w)
        rows = [t.transpose(0, 1) for t in (queries, keys, values)]
        out, _ = F.multi_head_attention_forward(
            *rows, w, n_heads, one.repeat(3, 1), None, None, None, False, 0.0, one, None
        )
        return out.transpose(0, 1)
        """,
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(1, 2) for t in (queries, keys, values))
        return SDPA(q, k, v).transpose(1, 2).view(b, n, w)
        """,
    ],
    "torch-dropout": [
        "return SDPA(queries, keys, values, dropout_p=share if training else 0.0)",
        """
        w = (SCORES).softmax(-1)
        return F.dropout(w, share, training) @ values
        """,
        """
        w = (SCORES).softmax(-1)
        if training and share > 0:
            kept = torch.rand(w.shape) >= share
            w = w * kept / (1 - share)
        return w @ values
        """,
        """
        drop = nn.Dropout(share)
        drop.train(training)
        w = (SCORES).softmax(-1)
        return drop(w) @ values
        """,
        "return SDPA(queries, keys, values, dropout_p=share * training)",
        "return fused_attention(queries, keys, values, dropout=share if training else 0.0)",
        """
        g = torch.Generator().manual_seed(int(torch.randint(10**6, ())))
        w = (SCORES).softmax(-1)
        if training:
            w = w * torch.bernoulli(torch.full_like(w, 1 - share), generator=g) / (1 - share)
        return w @ values
        """,
        """
        import numpy as np
        w = (SCORES).softmax(-1).numpy()
        if training:
            dice = np.random.default_rng(int(torch.randint(10**6, ())))
            w = w * (dice.random(w.shape) >= share) / (1 - share)
        return w @ values.numpy()
        """,
        """
        layer = nn.Dropout(p=share)
        if not training:
            layer.eval()
        return layer(F.softmax(queries @ keys.transpose(-2, -1) / queries.size(-1) ** 0.5, dim=-1)) @ values
        """,
    ],
    "torch-batch-first": [
        """
        layer = MAKE, batch_first=True)
        WITH_WEIGHTS
        return layer(x, x, x, average_attn_weights=False)[1]
        """,
        """
        layer = MAKE)
        WITH_WEIGHTS
        x = x.transpose(0, 1)
        _, weights = layer(x, x, x, average_attn_weights=False)
        return weights
        """,
        """
        q, k, _ = (x @ in_proj_weight.T).chunk(3, dim=-1)
        q, k = (t.unflatten(-1, (n_heads, -1)).transpose(1, 2) for t in (q, k))
        return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
        """,
        """
        from helpers.pytorch.weights import from_torch
        layer = MAKE)
        WITH_WEIGHTS
        return from_torch(layer).with_weights(x)[1]
        """,
        """
        layer = MAKE)
        WITH_WEIGHTS
        layer.batch_first = True
        layer.eval()
        return layer(x, x, x, need_weights=True, average_attn_weights=False)[1]
        """,
        """
        layer = MAKE, batch_first=True)
        layer.load_state_dict({'in_proj_weight': in_proj_weight, 'out_proj.weight': torch.eye(x.shape[-1])})
        return torch.stack([layer(s, s, s, average_attn_weights=False)[1] for s in x])
        """,
    ],
}

# Each is the one mistake, or the two, that the check names.
NAMED = [
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT for t in (queries, keys, values))
        return SDPA(q.transpose(1, 2), k.transpose(1, 2), v).reshape(b, n, w)
        """,
        ("not-swapped-back", "values-otherwise"),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        MASKED
        weights = scores.softmax(-1)
        return weights @ values, weights
        """,
        ("mask-ignored",),
    ),
    (
        "torch-attention",
        """
        scores = queries @ keys.T / math.sqrt(queries.shape[-1])
        weights = MASKED.softmax(-1).nan_to_num()
        return weights @ values, weights
        """,
        ("all-axes-reversed",),
    ),
    (
        "torch-attention",
        """
        scores = queries @ keys.t() / math.sqrt(queries.shape[-1])
        weights = MASKED.softmax(-1).nan_to_num()
        return weights @ values, weights
        """,
        ("one-matrix-only",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = MASKED.softmax(-1)
        return weights @ values, weights
        """,
        ("no-key-nan",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = F.softmax(MASKED).nan_to_num()
        return weights @ values, weights
        """,
        ("no-dim",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = F.softmax(MASKED, dim=1)
        return weights @ values, weights
        """,
        ("dim-1",),
    ),
    (
        "torch-attention",
        """
        eye = torch.eye(keys.shape[-2], dtype=keys.dtype)
        return (SDPA(queries, keys, values, attn_mask=~mask), SDPA(queries, keys, eye, attn_mask=~mask))
        """,
        ("inverted",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        return SDPA(queries, keys, values, attn_mask=mask), scores.softmax(-1)
        """,
        ("weights-before-the-mask",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        return SDPA(queries, keys, values, attn_mask=mask), MASKED.softmax(-1)
        """,
        ("weights-still-nan",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = (scores + mask.float()).softmax(-1)
        return weights @ values, weights
        """,
        ("mask-added",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = (scores + mask.float().log()).softmax(-1)
        return weights @ values, weights
        """,
        ("no-key-nan",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = scores.masked_fill(~mask, 1e-9).softmax(-1)
        return weights @ values, weights
        """,
        ("score-0",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = scores.masked_fill(mask == 0, -1e9).softmax(-1)
        return weights @ values, weights
        """,
        ("minus-a-billion",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        bias = torch.zeros(scores.shape).masked_fill(~mask, -math.inf)
        weights = (scores + bias).softmax(-1)
        return weights @ values, weights
        """,
        ("no-key-nan",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        scores = scores / math.sqrt(queries.shape[-1])
        weights = MASKED.softmax(-1).nan_to_num()
        return weights @ values, weights
        """,
        ("divided-by-d_k",),
    ),
    (
        "torch-attention",
        """
        scores = queries @ keys.mT
        weights = scores.masked_fill(mask, -math.inf).softmax(-1)
        return weights @ values, weights
        """,
        ("inverted", "never-scaled"),
    ),
    (
        "torch-attention",
        """
        scores = queries @ keys.mT
        weights = MASKED.softmax(-1)
        return weights @ values, weights
        """,
        ("no-key-nan", "never-scaled"),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        w = MASKED.softmax(-1)
        weights = torch.where(w.isnan(), 1 / keys.shape[-2], w)
        return weights @ values, weights
        """,
        ("minus-a-billion",),
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        w = MASKED.softmax(-1)
        return (w @ values).nan_to_num(), w
        """,
        ("weights-still-nan",),
    ),
    ("torch-weights", "return in_proj_weight.chunk(3)", ("not-transposed",)),
    ("torch-weights", "return in_proj_weight.chunk(3, dim=1)", ("cut-by-columns",)),
    ("torch-weights", "return [w.T for w in in_proj_weight.chunk(3, dim=1)]", ("cut-by-columns",)),
    ("torch-weights", "return in_proj_weight.T.chunk(3)", ("cut-by-columns",)),
    (
        "torch-weights",
        """
        d = in_proj_weight.shape[-1]
        l = nn.Linear(d, 3 * d)
        l.weight = nn.Parameter(in_proj_weight)
        return l.weight.chunk(3)
        """,
        ("not-transposed",),
    ),
    (
        "torch-weights",
        """
        k, q, v = in_proj_weight.chunk(3)
        return q.T, k.T, v.T
        """,
        ("other-order",),
    ),
    (
        "torch-weights",
        """
        a, b, c = in_proj_weight.chunk(3)
        return c.T, b.T, a.T
        """,
        ("other-order",),
    ),
    (
        "torch-weights",
        """
        d = in_proj_weight.shape[-1]
        w = in_proj_weight.view(d, 3, d)
        return w[:, 0].T, w[:, 1].T, w[:, 2].T
        """,
        ("every-third-row",),
    ),
    (
        "torch-weights",
        """
        d = in_proj_weight.shape[-1]
        return in_proj_weight.view(3, d, d)
        """,
        ("not-transposed",),
    ),
    (
        "torch-weights",
        """
        q, k, v = in_proj_weight.chunk(3)
        return q.T, k, v
        """,
        ("some-not-transposed",),
    ),
    (
        "torch-weights",
        """
        n = in_proj_weight.shape[0]
        return in_proj_weight[0:n//3].T, in_proj_weight[n//3:n].T, in_proj_weight[n//3*2:n].T
        """,
        ("shared-rows",),
    ),
    (
        "torch-weights",
        """
        q, k, v = in_proj_weight.chunk(3)
        return q.T, q.T, v.T
        """,
        ("one-taken-twice",),
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=causal, key_padding_mask=~real)[0]",
        ("future-unturned",),
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=~causal, key_padding_mask=real)[0]",
        ("padding-unturned",),
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=(~causal).float(), key_padding_mask=(~real).float())[0]",
        ("future-added", "padding-added"),
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=causal.T, key_padding_mask=~real)[0]",
        ("transposed-not-turned",),
    ),
    (
        "torch-polarity",
        """
        out = layer(x, x, x, attn_mask=causal, key_padding_mask=real)[0]
        return torch.nan_to_num(out)
        """,
        ("both-unturned",),
    ),
    (
        "torch-polarity",
        """
        m = ~(causal & real[:, None])
        return layer(x, x, x, attn_mask=m.repeat(layer.num_heads, 1, 1))[0]
        """,
        ("sentences-mixed-up",),
    ),
    ("torch-polarity", "return layer(x, x, x, attn_mask=~causal)[0]", ("padding-open",)),
    ("torch-polarity", "return layer(x, x, x, key_padding_mask=~real)[0]", ("future-open",)),
    (
        "torch-polarity",
        """
        out = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]
        return out * real.unsqueeze(-1)
        """,
        ("padding-rows-zeroed",),
    ),
    (
        "torch-polarity",
        """
        m = nn.Transformer.generate_square_subsequent_mask(x.size(1))
        return layer(x, x, x, attn_mask=m, key_padding_mask=real)[0]
        """,
        ("padding-unturned",),
    ),
    (
        "torch-polarity",
        """
        m = torch.zeros(causal.shape).masked_fill(causal, -math.inf)
        return layer(x, x, x, attn_mask=m, key_padding_mask=~real)[0]
        """,
        ("future-unturned",),
    ),
    ("torch-corner", "return SDPA(queries, keys, values)", ("everything-open",)),
    (
        "torch-corner",
        "return SDPA(queries, keys, values, is_causal=queries.shape[-2] > 1)",
        ("upper-left-unless-one",),
    ),
    (
        "torch-corner",
        "return SDPA(queries, keys, values, is_causal=queries.shape[-2] == keys.shape[-2])",
        ("open-unless-square",),
    ),
    (
        "torch-corner",
        """
        n, m = queries.shape[-2], keys.shape[-2]
        return SDPA(queries, keys, values, attn_mask=torch.ones(n, m).tril(m - n))
        """,
        ("mask-added",),
    ),
    (
        "torch-corner",
        """
        n, m = queries.shape[-2], keys.shape[-2]
        return SDPA(queries, keys, values, attn_mask=torch.ones(n, m).tril().bool())
        """,
        ("upper-left",),
    ),
    (
        "torch-corner",
        """
        n, m = queries.shape[-2], keys.shape[-2]
        mask = torch.ones(n, m).tril(m - n).bool()
        return SDPA(queries, keys, values, attn_mask=mask, is_causal=True)
        """,
        ("upper-left",),
    ),
    (
        "torch-corner",
        """
        n, m = queries.shape[-2], keys.shape[-2]
        mask = torch.ones(n, m).triu(m - n + 1).bool()
        return SDPA(queries, keys, values, attn_mask=mask)
        """,
        ("inverted",),
    ),
    (
        "torch-corner",
        """
        n, m = queries.shape[-2], keys.shape[-2]
        mask = torch.ones(n, m).tril(n - m).bool()
        return SDPA(queries, keys, values, attn_mask=mask)
        """,
        ("offset-turned",),
    ),
    (
        "torch-corner",
        """
        n = queries.shape[-2]
        return SDPA(queries, keys[..., -n:, :], values[..., -n:, :], is_causal=True)
        """,
        ("cache-forgotten",),
    ),
    (
        "torch-corner",
        "return SDPA(queries.flip(-2), keys.flip(-2), values.flip(-2), is_causal=True).flip(-2)",
        ("other-triangle",),
    ),
    (
        "torch-corner",
        """
        n, m = queries.shape[-2], keys.shape[-2]
        out = []
        for i in range(n):
            seen = slice(i + m - n)
            out.append(SDPA(queries[..., i:i+1, :], keys[..., seen, :], values[..., seen, :]))
        return torch.cat(out, -2)
        """,
        ("own-token-hidden",),
    ),
    (
        "torch-corner",
        """
        m = nn.Transformer.generate_square_subsequent_mask(keys.shape[-2])[: queries.shape[-2]]
        return SDPA(queries, keys, values, attn_mask=m)
        """,
        ("upper-left",),
    ),
    (
        "torch-corner",
        """
        n, m = queries.shape[-2], keys.shape[-2]
        s = queries @ keys.mT
        return s.masked_fill(~causal_mask(n, m), -math.inf).softmax(-1) @ values
        """,
        ("never-scaled",),
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(1, 2) for t in (queries, keys, values))
        return SDPA(q, k, v).reshape(b, n, w)
        """,
        ("not-swapped-back",),
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.view(b, n_heads, n, w // n_heads) for t in (queries, keys, values))
        return SDPA(q, k, v).view(b, n, w)
        """,
        ("one-reshape",),
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.view(b, n_heads, n, w // n_heads) for t in (queries, keys, values))
        return SDPA(q, k, v).transpose(1, 2).reshape(b, n, w)
        """,
        ("one-reshape",),
    ),
    ("torch-layout", "return SDPA(queries, keys, values)", ("no-heads",)),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT for t in (queries, keys, values))
        return SDPA(q, k, v).transpose(1, 2).reshape(b, n, w)
        """,
        ("swapped-only-after",),
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.view(b, n, w // n_heads, n_heads).permute(0, 3, 1, 2) for t in (queries, keys, values))
        return SDPA(q, k, v).permute(0, 2, 3, 1).reshape(b, n, w)
        """,
        ("every-nth-column",),
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(1, 2) for t in (queries, keys, values))
        return SDPA(q, k, v, is_causal=True).transpose(1, 2).reshape(b, n, w)
        """,
        ("causal-too",),
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(0, 1) for t in (queries, keys, values))
        return SDPA(q, k, v).transpose(0, 1).reshape(b, n, w)
        """,
        ("heads-attended",),
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(1, 2) for t in (queries, keys, values))
        return SDPA(q, k, v, scale=w**-0.5).transpose(1, 2).reshape(b, n, w)
        """,
        ("root-d_model",),
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(1, 2) for t in (queries, keys, values))
        return SDPA(q, k, v, scale=n_heads / w).transpose(1, 2).reshape(b, n, w)
        """,
        ("scaled-twice",),
    ),
    (
        "torch-layout",
        """
        parts = zip(queries.chunk(n_heads, -1), keys.chunk(n_heads, -1), values.chunk(n_heads, -1))
        return torch.stack([SDPA(q, k, v) for q, k, v in parts], dim=-1).flatten(-2)
        """,
        ("merged-entry-by-entry",),
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.mT.reshape(b, n_heads, w // n_heads, n).mT for t in (queries, keys, values))
        return SDPA(q, k, v).reshape(b, n, w)
        """,
        ("not-swapped-back",),
    ),
    ("torch-dropout", "return SDPA(queries, keys, values)", ("never-drops",)),
    (
        "torch-dropout",
        "return SDPA(queries, keys, values, dropout_p=0.0 if training else share)",
        ("other-way-round",),
    ),
    (
        "torch-dropout",
        "return SDPA(queries, keys, values, dropout_p=1 - share if training else 0.0)",
        ("share-kept",),
    ),
    ("torch-dropout", "return F.dropout(SDPA(queries, keys, values), share, training)", ("on-output",)),
    ("torch-dropout", "return SDPA(queries, keys, F.dropout(values, share, training))", ("on-values",)),
    (
        "torch-dropout",
        """
        s = SCORES
        return F.dropout(s, share, training).softmax(-1) @ values
        """,
        ("on-scores",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        return nn.Dropout(share)(w) @ values
        """,
        ("always-drops",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        return F.dropout(w, share) @ values
        """,
        ("always-drops",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        return F.dropout(w, training=training) @ values
        """,
        ("half-always",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        if training:
            w = w * (torch.rand_like(w) > share)
        return w @ values
        """,
        ("not-enlarged",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        if training:
            w = w * (torch.rand_like(w) > share)
        return w / (1 - share) @ values
        """,
        ("shrunk-when-not-training",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        if training:
            return (w * (torch.rand_like(w) > share)) @ values
        return w * (1 - share) @ values
        """,
        ("not-enlarged", "shrunk-when-not-training"),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        if training and share:
            w = w * (torch.rand_like(w) > share) / share
        return w @ values
        """,
        ("divided-by-the-share",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        if training and share:
            w = w * (torch.rand_like(w) < share) / (1 - share)
        return w @ values
        """,
        ("share-is-what-is-kept",),
    ),
    (
        "torch-dropout",
        "return SDPA(queries, keys, values, dropout_p=0.5 if training else 0)",
        ("half-always",),
    ),
    (
        "torch-dropout",
        """
        w = (queries @ keys.mT).softmax(-1)
        return F.dropout(w, share, training) @ values
        """,
        ("never-scaled",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        if training:
            w = w * (torch.rand(w.shape[-1]) >= share) / (1 - share)
        return w @ values
        """,
        ("keys-dropped",),
    ),
    (
        "torch-dropout",
        """
        with torch.no_grad():
            return SDPA(queries, keys, values, dropout_p=share)
        """,
        ("always-drops",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        d = nn.Dropout(share)
        d.eval()
        return d(w) @ values
        """,
        ("never-drops",),
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        if training:
            w = w * (torch.rand(*w.shape[:-1], 1) >= share) / (1 - share)
        return w @ values
        """,
        ("queries-dropped",),
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE, batch_first=True)
        WITH_WEIGHTS
        return layer(x, x, x)[1]
        """,
        ("averaged",),
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE)
        WITH_WEIGHTS
        return layer(x, x, x, average_attn_weights=False)[1]
        """,
        ("batch-attended",),
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE, batch_first=True)
        WITH_WEIGHTS
        x = x.transpose(0, 1)
        return layer(x, x, x, average_attn_weights=False)[1]
        """,
        ("batch-attended",),
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE, batch_first=True)
        WITH_WEIGHTS
        w = layer(x, x, x)[1]
        return w[:, None].repeat(1, n_heads, 1, 1)
        """,
        ("mean-repeated",),
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE)
        WITH_WEIGHTS
        b, n, d = x.shape
        x = x.reshape(n, b, d)
        return layer(x, x, x, average_attn_weights=False)[1]
        """,
        ("reshaped-into-place",),
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE)
        WITH_WEIGHTS
        x = x.transpose(0, 1)
        return layer(x, x, x, average_attn_weights=False)[1].transpose(0, 1)
        """,
        ("heads-first",),
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE, batch_first=True)
        layer.in_proj_weight = nn.Parameter(torch.cat([w.T for w in in_proj_weight.chunk(3)]))
        return layer(x, x, x, average_attn_weights=False)[1]
        """,
        ("not-transposed",),
    ),
    (
        "torch-batch-first",
        """
        q, k, _ = (x @ in_proj_weight.T).chunk(3, -1)
        q, k = (t.unflatten(-1, (n_heads, -1)).transpose(1, 2) for t in (q, k))
        return (q @ k.mT / math.sqrt(x.shape[-1])).softmax(-1)
        """,
        ("root-d_model",),
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE)
        WITH_WEIGHTS
        return torch.stack([layer(s, s, s)[1] for s in x])
        """,
        ("averaged",),
    ),
]
# No mistake is named: what the text says instead.
TOLD = [
    (
        "torch-attention",
        """
        d_k = queries.shape[-1]
        scores = queries @ keys.mT / torch.sqrt(d_k)
        weights = MASKED.softmax(-1).nan_to_num()
        return weights @ values, weights
        """,
        "For a plain number: d_k**0.5",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = (scores + (1 - mask) * -1e9).softmax(-1)
        return weights @ values, weights
        """,
        "`~mask` turns True and False round",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = MASKED.softmax(-1).nan_to_num()
        return weights @ values
        """,
        "one tensor alone, and 2 are asked for: output, weights",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = MASKED.softmax(-1).nan_to_num()
        return weights
        """,
        "one tensor alone, and 2 are asked for",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = torch.softmax(MASKED)
        return weights @ values, weights
        """,
        "dim=-1 is the last",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = scores.masked_fill(~mask.unsqueeze(1), -math.inf).softmax(-1).nan_to_num()
        return weights @ values, weights
        """,
        "The shape of weights should be (2, 3); yours is (2, 2, 3)",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        weights = F.dropout(MASKED.softmax(-1).nan_to_num(), 0.1)
        return weights @ values, weights
        """,
        "each query should spend exactly 1",
    ),
    (
        "torch-attention",
        """
        queries /= math.sqrt(queries.shape[-1])
        scores = queries @ keys.mT
        weights = MASKED.softmax(-1).nan_to_num()
        return weights @ values, weights
        """,
        "queries no longer holds the numbers",
    ),
    (
        "torch-attention",
        """
        import numpy as np
        scores = SCORES
        scores = np.where(mask, scores, -np.inf)
        weights = F.softmax(scores, dim=-1)
        return weights @ values, weights
        """,
        "A NumPy array came in between",
    ),
    (
        "torch-attention",
        """
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        weights = MASKED.softmax(-1).nan_to_num()
        return weights @ values, weights
        """,
        "Counted from the end, −1 and −2",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        if mask:
            scores = MASKED
        weights = scores.softmax(-1)
        return weights @ values, weights
        """,
        "`if` and `not` need one True or False",
    ),
    (
        "torch-attention",
        """
        scores = queries @ keys.transpose(0, 2, 1) / math.sqrt(queries.shape[-1])
        weights = scores.softmax(-1)
        return weights @ values, weights
        """,
        "`permute` takes the new order",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        return {'output': scores, 'weights': scores}
        """,
        "a dictionary alone",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        w = MASKED.softmax(-1).nan_to_num()
        return w @ values, w, scores
        """,
        "a tuple of 3 things, and 2 are asked for",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        w = MASKED.softmax(-1).nan_to_num()
        return w @ values, None
        """,
        "returned None in the place of weights",
    ),
    (
        "torch-attention",
        """
        scores = SCORES
        w = MASKED
        return torch.softmax(w @ values, -1), w.softmax(-1)
        """,
        "A result is nan",
    ),
    (
        "torch-weights",
        """
        d = in_proj_weight.shape[-1]
        return in_proj_weight[:d-1].T, in_proj_weight[d:2*d-1].T, in_proj_weight[2*d:].T
        """,
        "The shape of w_q should be (3, 3); yours is (3, 2)",
    ),
    ("torch-weights", "return in_proj_weight.T", "one tensor alone, and 3 are asked for: w_q, w_k, w_v"),
    (
        "torch-weights",
        """
        q, k, v = in_proj_weight.chunk(3)
        return q.T, k.T
        """,
        "a tuple of 2 things",
    ),
    (
        "torch-weights",
        "return [torch.linalg.inv(w) for w in in_proj_weight.chunk(3)]",
        "wrong numbers on 4 of 4 inputs",
    ),
    ("torch-weights", "return [w.T for w in in_proj_weight.split(3)]", "Right only on: d_model 3"),
    ("torch-polarity", "return layer(x, x, x, key_padding_mask=~real, is_causal=True)[0]", "It makes none"),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=1 - causal, key_padding_mask=1 - real)[0]",
        "`~mask` turns",
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)",
        "Return the one that the task asks for, alone",
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[1]",
        "yours is (2, 3, 3)",
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=not causal, key_padding_mask=not real)[0]",
        "`~mask` turns each entry round",
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=-causal, key_padding_mask=~real)[0]",
        "no number to calculate with",
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=~(causal & real[:, None]))[0]",
        "key_padding_mask takes (B, n)",
    ),
    (
        "torch-polarity",
        "return layer(x, x, x, attn_mask=~real, key_padding_mask=~causal)[0]",
        "attn_mask is a table of queries by keys",
    ),
    (
        "torch-polarity",
        "return SDPA(x, x, x, attn_mask=causal & real[:, None])",
        "right shape, wrong numbers",
    ),
    (
        "torch-polarity",
        """
        causal.logical_not_()
        real.logical_not_()
        return layer(x, x, x, attn_mask=causal, key_padding_mask=real)[0]
        """,
        "causal and real no longer hold",
    ),
    (
        "torch-polarity",
        """
        x = x.transpose(0, 1)
        return layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]
        """,
        "x is (B, n, d_model), as it comes",
    ),
    (
        "torch-corner",
        """
        m = keys.shape[-2]
        mask = torch.ones(m, m).tril().bool()
        return SDPA(queries, keys, values, attn_mask=mask)
        """,
        "n_queries rows",
    ),
    (
        "torch-corner",
        "return SDPA(queries, keys.flip(-2), values.flip(-2), is_causal=True)",
        "wrong numbers on 5 of 5",
    ),
    (
        "torch-corner",
        """
        n = queries.shape[-2]
        return values[..., -n:, :]
        """,
        "wrong numbers on 5 of 5",
    ),
    (
        "torch-corner",
        """
        n, m = queries.shape[-2], keys.shape[-2]
        return SDPA(queries, keys, values, attn_mask=torch.ones(n, m, dtype=torch.int).tril(m - n))
        """,
        "Whole numbers are no mask",
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT for t in (queries, keys, values))
        return SDPA(q.transpose(1, 2), k, v).transpose(1, 2).reshape(b, n, w)
        """,
        "The size of tensor a",
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(1, 2) for t in (queries, keys, values))
        return SDPA(q, k, v).transpose(1, 2)[:, :, :1]
        """,
        "yours is (2, 3, 1, 2)",
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(2, 3) for t in (queries, keys, values))
        return SDPA(q, k, v).transpose(2, 3).reshape(b, n, w)
        """,
        "it is not read",
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(1, 2) for t in (queries, keys, values))
        return SDPA(q, k, v).mean(1)
        """,
        "Right only on: two sentences of 5 tokens, one head",
    ),
    (
        "torch-layout",
        """
        parts = list(zip(queries.chunk(n_heads, -1), keys.chunk(n_heads, -1), values.chunk(n_heads, -1)))
        return torch.cat([SDPA(q, k, v) for q, k, v in reversed(parts)], dim=-1)
        """,
        "Right only on: two sentences of 5 tokens, one head",
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        q, k, v = (t.SPLIT.transpose(0, 2, 1, 3) for t in (queries, keys, values))
        return SDPA(q, k, v).transpose(0, 2, 1, 3).reshape(b, n, w)
        """,
        "`permute` takes the new order",
    ),
    (
        "torch-layout",
        """
        b, n, w = queries.shape
        d = w // n_heads
        q = queries.view(b, n, n_heads, d).transpose(1, 2)
        k, v = keys[..., :d], values[..., :d]
        return SDPA(q, k[:, None].expand_as(q), v[:, None].expand_as(q)).transpose(1, 2).reshape(b, n, w)
        """,
        "Right only on",
    ),
    (
        "torch-dropout",
        "return SDPA(F.dropout(queries, share, training), keys, values)",
        "did not all grow by one factor",
    ),
    (
        "torch-dropout",
        """
        if training:
            return SDPA(queries, keys, values, dropout_p=share)
        """,
        "Does every path end in `return`",
    ),
    (
        "torch-dropout",
        """
        w = (SCORES).softmax(-1)
        return F.alpha_dropout(w, share, training) @ values
        """,
        "did not all grow by one factor",
    ),
    (
        "torch-dropout",
        """
        torch.manual_seed(0)
        return SDPA(queries, keys, values, dropout_p=share)
        """,
        "weights are still dropped",
    ),
    (
        "torch-dropout",
        """
        import random
        w = (SCORES).softmax(-1)
        if training:
            w = w * random.random() / (1 - share)
        return w @ values
        """,
        "two different results",
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE, batch_first=True)
        WITH_WEIGHTS
        return layer(x, x, x, need_weights=False)[1]
        """,
        "Does every path end in `return`? And with need_weights=False",
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE, batch_first=True)
        WITH_WEIGHTS
        return layer(x, x, x, average_attn_weights=False)[0]
        """,
        "yours is (2, 3, 4)",
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE)
        WITH_WEIGHTS
        w = layer(x, x, x, average_attn_weights=False)[1]
        return w.transpose(0, 2)
        """,
        "yours is (2, 2, 3, 2)",
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE)
        WITH_WEIGHTS
        return layer(x, x, x, batch_first=True)[1]
        """,
        "belongs to the making of the layer",
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE, batch_first=True, average_attn_weights=False)
        WITH_WEIGHTS
        return layer(x, x, x)[1]
        """,
        "belongs to the call of the layer",
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE, batch_first=True)
        return layer(x, x, x, average_attn_weights=False)[1]
        """,
        "the one that is given is not used",
    ),
    (
        "torch-batch-first",
        """
        layer = nn.MultiheadAttention(x.shape[-1], 1, bias=False, batch_first=True)
        WITH_WEIGHTS
        return layer(x, x, x, average_attn_weights=False)[1]
        """,
        "yours is (2, 1, 3, 3)",
    ),
    (
        "torch-batch-first",
        """
        q, k, _ = (x @ in_proj_weight.T).chunk(3, -1)
        return (q @ k.mT / math.sqrt(q.shape[-1] // n_heads)).softmax(-1)
        """,
        "yours is (2, 3, 3)",
    ),
    (
        "torch-batch-first",
        """
        layer = MAKE, batch_first=True)
        WITH_WEIGHTS
        return layer(x, x, x, average_attn_weights=False)[1].mean(0)
        """,
        "yours is (2, 3, 3)",
    ),
    (
        "torch-batch-first",
        """
        layer = nn.MultiheadAttention(x.shape[-1], n_heads, dropout=0.1, bias=False, batch_first=True)
        WITH_WEIGHTS
        return layer(x, x, x, average_attn_weights=False)[1]
        """,
        "each should sum to 1",
    ),
]


def each(answers: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, body) for name, bodies in answers.items() for body in bodies]


@pytest.mark.parametrize(("name", "body"), each(RIGHT))
def test_right_in_any_style(name, body):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "right", feedback.text


@pytest.mark.parametrize(("name", "body", "mistakes"), NAMED)
def test_a_wrong_answer_is_named(name, body, mistakes):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "wrong"
    assert feedback.named == (mistakes,), feedback.text


@pytest.mark.parametrize(("name", "body", "said"), TOLD)
def test_a_wrong_answer_without_a_name_is_told_what_is_wrong(name, body, said):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "wrong"
    assert feedback.named == ()
    assert said in " ".join(feedback.text.split())


MAPS = "q, k, _ = (x @ in_proj_weight.T).chunk(3, -1)\n"
MAPS += "q, k = (t.unflatten(-1, (n_heads, -1)).transpose(1, 2) for t in (q, k))\n"
MAPS += "scores = q @ k.mT / math.sqrt(q.shape[-1])\n"
EMPTIED = "weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0)\nreturn weights @ values, weights"
CUT = "b, n, w = queries.shape\nq, k, v = (t.SPLIT.transpose(1, 2) for t in (queries, keys, values))\n"
DRAW = "w = (SCORES).softmax(-1)\nif training:\n    w = "


@pytest.mark.parametrize(
    ("name", "body", "mistake"),
    [
        (
            "torch-attention",
            "e = torch.exp(SCORES) * mask\nw = e / (e.sum(-1, keepdim=True) + 1e-9)\nreturn w @ values, w",
            "no-row-max",
        ),
        (
            "torch-attention",
            "e = torch.exp(SCORES) * mask\nw = (e / e.sum(-1, keepdim=True)).nan_to_num()\n"
            "return w @ values, w",
            "no-row-max",
        ),
        ("torch-attention", f"scores = SCORES\nweights = MASKED.softmax(-2)\n{EMPTIED}", "over-queries"),
        ("torch-attention", f"scores = SCORES\nweights = MASKED.softmax(0)\n{EMPTIED}", "dim-0"),
        ("torch-attention", f"scores = SCORES\nweights = MASKED.softmax(1)\n{EMPTIED}", "dim-1"),
        (
            "torch-attention",
            f"weights = (SCORES).masked_fill(~mask, 0.0).softmax(-1)\n{EMPTIED}",
            "score-0",
        ),
        (
            "torch-attention",
            f"weights = (SCORES).masked_fill(~mask, -10.0).softmax(-1)\n{EMPTIED}",
            "minus-a-little",
        ),
        ("torch-attention", f"weights = (SCORES).softmax(-1)\n{EMPTIED}", "mask-ignored"),
        (
            "torch-weights",
            "d = in_proj_weight.shape[1]\nreturn tuple(in_proj_weight.T.reshape(3, d, d))",
            "reshaped-after-turning",
        ),
        (
            "torch-polarity",
            "future = torch.ones_like(causal).triu(2)\n"
            "return layer(x, x, x, attn_mask=future, key_padding_mask=~real)[0]",
            "one-token-ahead",
        ),
        (
            "torch-layout",
            "b, n, w = queries.shape\nd = w // n_heads\n"
            "q, k, v = (t.reshape(b, n, d, n_heads).transpose(1, 2) for t in (queries, keys, values))\n"
            "return SDPA(q, k, v).transpose(1, 2).reshape(b, n, w)",
            "d_head-for-n_heads",
        ),
        (
            "torch-layout",
            CUT + "v = values.SPLIT\nreturn SDPA(q, k, v).transpose(1, 2).reshape(b, n, w)",
            "values-otherwise",
        ),
        (
            "torch-layout",
            CUT + "v = values.reshape(b, n_heads, n, w // n_heads)\n"
            "return SDPA(q, k, v).transpose(1, 2).reshape(b, n, w)",
            "values-otherwise",
        ),
        ("torch-layout", CUT + "return SDPA(q, k, v).transpose(1, 2)", "never-merged"),
        ("torch-layout", CUT + "return SDPA(q, k, v)", "never-merged"),
        (
            "torch-dropout",
            DRAW + "w * (torch.rand_like(w) >= share) / share\nreturn w @ values",
            "divided-by-the-share",
        ),
        (
            "torch-dropout",
            DRAW + "w * (torch.rand(w.shape[-2:]) >= share) / (1 - share)\nreturn w @ values",
            "one-draw-for-a-stack",
        ),
        (
            "torch-dropout",
            "w = (SCORES).softmax(-1)\nif training:\n"
            "    places = torch.rand_like(w).argsort(-1)[..., :int(share * w.shape[-1])]\n"
            "    w = w.scatter(-1, places, 0) / (1 - share)\nreturn w @ values",
            "as-many-each",
        ),
        (
            "torch-dropout",
            "w = F.dropout((SCORES).softmax(-1), share, training)\n"
            "return (w / w.sum(-1, keepdim=True)) @ values",
            "shared-again",
        ),
        (
            "torch-dropout",
            "return (SCORES).softmax(-1) * F.dropout(torch.ones(keys.shape[-2]), share, training) @ values",
            "keys-dropped",
        ),
        (
            "torch-dropout",
            "torch.manual_seed(0)\nreturn SDPA(queries, keys, values, dropout_p=share * training)",
            "same-draw-each-call",
        ),
        (
            "torch-dropout",
            "g = torch.Generator().manual_seed(0)\n"
            + DRAW
            + "w * (torch.rand(w.shape, generator=g) >= share) / (1 - share)\nreturn w @ values",
            "same-draw-each-call",
        ),
        ("torch-batch-first", MAPS + "return scores.softmax(-2)", "over-queries"),
        ("torch-batch-first", MAPS + "return scores.softmax(1)", "over-heads"),
    ],
)
def test_what_learners_wrote_is_named_alone(name, body, mistake):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "wrong"
    assert feedback.named == ((mistake,),), feedback.text


def test_every_third_row_is_named_however_it_came_about():
    rows = [f"in_proj_weight[{start}::3]" for start in range(3)]
    answer = written("torch-weights", f"return {', '.join(rows)}")
    feedback = evaluate("torch-weights", answer)
    assert feedback.named == (("turned-by-reshape",),)
    assert "Every third row was taken, and nothing was turned" in " ".join(feedback.text.split())
    turned = written("torch-weights", f"return {', '.join(f'{row}.T' for row in rows)}")
    assert evaluate("torch-weights", turned).named == (("every-third-row",),)


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("torch-weights", "in_proj_weight.t_()\n"
         "return in_proj_weight.chunk(3, dim=1)", "axes of in_proj_weight"),
        ("torch-corner", "queries.unsqueeze_(0)\n"
         "return fused_attention(queries[0], keys, values, causal=True)",
         "axes of queries are others"),
        ("torch-corner", "out = fused_attention(queries, keys, values, causal=True)\n"
         "keys.transpose_(-2, -1)\nreturn out", "axes of keys are others"),
        ("torch-polarity", "layer.eval()\n"
         "return layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]",
         "layer.training is False, and it was True"),
        ("torch-polarity", "layer.batch_first = False\ny = x.transpose(0, 1)\n"
         "return layer(y, y, y, attn_mask=~causal, key_padding_mask=~real)[0].transpose(0, 1)",
         "layer.batch_first is False, and it was True"),
        ("torch-polarity", "out = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]\n"
         "with torch.no_grad():\n    layer.in_proj_weight.zero_()\nreturn out",
         "layer.in_proj_weight holds other numbers"),
    ],
)  # fmt: skip
def test_what_a_call_leaves_changed_is_told(name, body, said):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "wrong"
    assert feedback.properties == ("input left unchanged",)
    assert said in " ".join(feedback.text.split())


def test_a_generator_of_three_is_taken():
    assert evaluate("torch-weights", lambda w: (part.T for part in w.chunk(3))).status == "right"
    assert "of 4 things" in evaluate("torch-weights", lambda w: (part.T for part in w.chunk(9))).text


def test_an_output_and_none_is_told_so():
    text = evaluate("torch-dropout", lambda q, k, v, share, training: (v, None)).text
    assert "a tuple of 2 things, one of them None" in text


def test_whole_numbers_are_counted_exactly_and_texts_are_none():
    table = exercises()["torch-bytes"]
    assert isinstance(table, Table)
    right = {label: list(table.row(label)) for label in table.labels}
    for label in table.labels:
        one_more = {**right, label: [right[label][0] + 1, *right[label][1:]]}
        assert evaluate("torch-bytes", one_more).status == "wrong"
    text = evaluate("torch-bytes", {**right, 256: [str(right[256][0]), *right[256][1:]]}).text
    assert "leave the quotation marks away" in text
    for rows in (
        {label: torch.tensor(row, dtype=torch.float64) for label, row in right.items()},
        torch.tensor(list(right.values()), dtype=torch.float64),
    ):
        assert evaluate("torch-bytes", rows).status == "right"


def costs(change):
    """What a change of each row of costs gives: by label, the row."""
    table = exercises()["torch-bytes"]
    assert isinstance(table, Table)
    return {label: change(*table.row(label)) for label in table.labels}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda o, r, f, s, t: [o, r, f, round(s, 1), round(t, 1)],
            '"microseconds fused" was rounded too far',
        ),
        (lambda o, r, f, s, t: [o, r, f, round(s), round(t)], '"microseconds readable" was rounded too far'),
        (lambda o, r, f, s, t: [o, r, 2 * f, s, t], "each table both read and written"),
        (lambda o, r, f, s, t: [o, r, f / 2, s, t], "or two tables instead of four"),
        (lambda o, r, f, s, t: [o, r, f, s * 1e3, t * 1e3], "Those are nanoseconds"),
        (lambda o, r, f, s, t: [o, r, f, t, s], 'numbers that belong in "microseconds fused"'),
        (lambda o, r, f, s, t: [o, r, f, max(o / 2e6, r / 500e6), t], "The two limits changed places"),
        (lambda o, r, f, s, t: [o, r, f, s / 1e6, t], "n 256, microseconds readable: not 2.62e-06"),
        (
            lambda o, r, f, s, t: [5 * o, r, f, max(5 * o / 500e6, r / 2e6), max(5 * o / 500e6, f / 2e6)],
            'Your "microseconds fused" follows from your "operations": mend that first.',
        ),
        (
            lambda o, r, f, s, t: [o, 3 * r, f, 3 * s, t],
            'Your "microseconds readable" follows from your "bytes readable": mend that first.',
        ),
    ],
)
def test_what_is_said_of_costs(change, said):
    feedback = evaluate("torch-bytes", costs(change))
    assert feedback.status == "wrong"
    assert said in " ".join(feedback.text.split())


def test_a_missing_output_is_told_once():
    def left_out(o, r, f, s, t):
        return [o, r - f / 4, f - f / 4, s, t]

    assert evaluate("torch-bytes", costs(left_out)).text.count("The output is written as well.") == 1


def test_seconds_and_swapped_rows_of_the_timing_table_are_told():
    table = exercises()["torch-timing"]
    assert isinstance(table, Table)
    right = {label: table.row(label) for label in table.labels}
    seconds = {label: [cell / 1000 for cell in row] for label, row in right.items()}
    assert set(evaluate("torch-timing", seconds).named) == {(f"seconds-{letter}",) for letter in "abcd"}
    one, other, cpu = right
    swapped = {one: right[other], other: right[one], cpu: right[cpu]}
    assert "stand in other rows than asked" in " ".join(evaluate("torch-timing", swapped).text.split())


def test_a_flag_beside_the_mask_does_what_the_flag_does():
    body = "n, m = queries.shape[-2], keys.shape[-2]\nmask = torch.ones(n, m).tril(m - n).bool()\n"
    body += "return SDPA(queries, keys, values, attn_mask=mask, is_causal=True)"
    feedback = evaluate("torch-corner", written("torch-corner", body))
    assert feedback.named == (("upper-left",),)
    assert "whatever mask is handed over with it" in " ".join(feedback.text.split())
    assert "n_keys − n_queries" not in feedback.text  # that is for the hints


# --- what the notebook says of the given functions, by hand

ONES = torch.ones(1, 1, 4)
TRUE = torch.tensor([[True]])


def test_the_examples_of_the_notebook():
    mask = torch.tensor([[True, True, False]])
    values = torch.tensor([[3.0], [6.0], [12.0]])
    output, weights = ANSWERS["torch-attention"](torch.zeros(1, 2), torch.ones(3, 2), values, mask)
    assert output.tolist() == [[4.5]]
    assert weights.tolist() == [[0.5, 0.5, 0.0]]

    three = ANSWERS["torch-weights"](torch.arange(12.0).reshape(6, 2))
    assert [w.tolist() for w in three] == [[[0, 2], [1, 3]], [[4, 6], [5, 7]], [[8, 10], [9, 11]]]

    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    assert GIVEN["torch-polarity"](layer, ONES, TRUE, TRUE).isnan().all()
    assert ANSWERS["torch-polarity"](layer, ONES, TRUE, TRUE).isfinite().all()

    values = torch.tensor([[[[3.0, 0], [6, 0], [12, 9]]]])
    step = torch.zeros(1, 1, 1, 2), torch.zeros(1, 1, 3, 2), values
    assert GIVEN["torch-corner"](*step).tolist() == [[[[3, 0]]]]
    assert torch.allclose(ANSWERS["torch-corner"](*step), torch.tensor([[[[7.0, 3.0]]]]))

    values = torch.tensor([[[0.0, 0.0], [4.0, 8.0]]])
    rows = torch.zeros(1, 2, 2), torch.zeros(1, 2, 2), values, 1
    assert GIVEN["torch-layout"](*rows).equal(values)
    assert ANSWERS["torch-layout"](*rows).tolist() == [[[2, 4], [2, 4]]]

    four = torch.zeros(1, 4), torch.zeros(4, 4), torch.eye(4), 0.5, False
    assert ANSWERS["torch-dropout"](*four).tolist() == [[0.25] * 4]
    assert set(GIVEN["torch-dropout"](*four).unique().tolist()) <= {0.0, 0.5}

    song = torch.zeros(2, 3, 4), torch.zeros(12, 4), 2
    assert GIVEN["torch-batch-first"](*song).shape == (3, 2, 2)
    assert torch.allclose(ANSWERS["torch-batch-first"](*song), torch.full((2, 2, 3, 3), 1 / 3))


@pytest.mark.parametrize("name", ["torch-polarity", "torch-batch-first"])
def test_a_half_mended_function_is_told_the_other_half(name):
    """Both given functions hold two mistakes; with one mended, the other alone is named."""
    halves = {
        "torch-polarity": [
            ("return layer(x, x, x, attn_mask=~causal, key_padding_mask=real)[0]", "padding-unturned"),
            ("return layer(x, x, x, attn_mask=causal, key_padding_mask=~real)[0]", "future-unturned"),
        ],
        "torch-batch-first": [
            ("layer = MAKE, batch_first=True)\nWITH_WEIGHTS\nreturn layer(x, x, x)[1]", "averaged"),
            (
                "layer = MAKE)\nWITH_WEIGHTS\nreturn layer(x, x, x, average_attn_weights=False)[1]",
                "batch-attended",
            ),
        ],
    }
    for body, left in halves[name]:
        assert evaluate(name, written(name, body)).named == ((left,),)


@pytest.mark.parametrize("name", [e.name for e in of_lesson("08") if isinstance(e, Mend)])
def test_a_given_function_is_wrong_on_most_of_the_inputs(name):
    exercise = exercises()[name]
    assert isinstance(exercise, Mend)
    text = evaluate(name, lambda *inputs: GIVEN[name](*inputs) + 0).text
    assert text.startswith(f"✗ {name}: your change gives the same results as the function as given.")
    wrong = 0
    for probe in exercise.probes:
        handed = [torch.tensor(v) if isinstance(v, np.ndarray) else v for v in probe.inputs.values()]
        got, right = (as_arrays(function(*handed)) for function in (GIVEN[name], exercise.right))
        wrong += got.shape != right.shape or not np.allclose(got, right, atol=1e-3)
    assert wrong >= len(exercise.probes) - 1


# --- dropout: whoever draws, and however, is right or wrong for sure


@pytest.mark.parametrize("seed", range(30))
def test_any_dice_are_accepted(seed):
    dice = np.random.default_rng(seed)

    def own_dice(queries, keys, values, share, training):
        weights = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
        if training:
            kept = torch.tensor(dice.random(tuple(weights.shape)) >= share)
            weights = weights * kept / (1 - share)
        return weights @ values

    assert evaluate("torch-dropout", own_dice).status == "right"


@pytest.mark.parametrize("less", [0.05, 0.1, 0.15])
def test_another_share_is_not(less):
    def another_share(queries, keys, values, share, training):
        return F.scaled_dot_product_attention(
            queries, keys, values, dropout_p=max(share - less, 0) if training else 0.0
        )

    assert evaluate("torch-dropout", another_share).status == "wrong"


def test_what_was_dropped_is_told_in_words():
    text = evaluate("torch-dropout", written("torch-dropout", "return SDPA(queries, keys, values)")).text
    assert "The share of weights that became 0, and the factor by which the others grew:" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["expected", "0.20", "1.25"] in lines
    assert ["got", "0.00", "1.00"] in lines


def test_a_pattern_in_what_was_dropped_is_told():
    patterns = {
        "torch.rand(weights.shape[-1])": "All queries lost the same keys.",
        "torch.rand(*weights.shape[:-1], 1)": "A query lost all its keys, or none.",
        "torch.rand(weights.shape) ** 1": "",
    }
    for drawn, said in patterns.items():
        lines = (
            "weights = (SCORES).softmax(-1)",
            "if training and share:",
            f"    weights = weights * ({drawn} > share) / 2",
            "return weights @ values",
        )
        text = evaluate("torch-dropout", written("torch-dropout", "\n".join(lines))).text
        assert said in text
        assert ("lost" in text) == bool(said)


# --- tensors in, tensors out


def test_the_function_gets_tensors_in_the_probes_dtype():
    seen: list[tuple[type, torch.dtype]] = []

    def looking(queries, keys, values, mask):
        seen.extend((type(each), each.dtype) for each in (queries, mask))
        return attention(queries, keys, values, mask)

    assert evaluate("torch-attention", looking).status == "right"
    assert set(seen) == {(Tensor, torch.float32), (Tensor, torch.float64), (Tensor, torch.bool)}


def test_arrays_and_lists_are_taken_with_a_note():
    def arrays(in_proj_weight):
        return tuple(np.split(in_proj_weight.numpy().T, 3, axis=1))

    def lists(in_proj_weight):
        return [w.T.tolist() for w in in_proj_weight.chunk(3)]

    for answer, said in (
        (arrays, "a tensor would have kept its device"),
        (lists, "the helpers return tensors"),
    ):
        feedback = evaluate("torch-weights", answer)
        assert feedback.status == "right"
        assert said in " ".join(feedback.text.split())
    assert "Its numbers count" not in evaluate("torch-weights", ANSWERS["torch-weights"]).text


def test_results_that_carry_gradients_are_taken():
    def with_gradients(queries, keys, values):
        return fused_attention(queries.clone().requires_grad_(), keys, values, causal=True)

    assert evaluate("torch-corner", with_gradients).status == "right"


def test_results_in_two_bytes_are_told_apart_from_wrong_ones():
    def coarse(queries, keys, values):
        return fused_attention(queries, keys, values, causal=True).bfloat16()

    def coarse_and_open(queries, keys, values):
        return F.scaled_dot_product_attention(queries, keys, values).bfloat16()

    def halved(queries, keys, values):
        return fused_attention(queries, keys, values, causal=True).half()

    for answer in (coarse, halved):
        feedback = evaluate("torch-corner", answer)
        assert feedback.status == "wrong"
        assert "right, up to rounding: your results hold 2 bytes a number" in feedback.text
    assert "up to rounding" not in evaluate("torch-corner", coarse_and_open).text


def test_a_tensor_without_numbers_is_told_so():
    feedback = evaluate("torch-corner", lambda q, k, v: torch.empty(q.shape, device="meta"))
    assert feedback.status == "wrong"
    assert "meta device has a shape and no numbers" in " ".join(feedback.text.split())


def test_writing_into_a_tensor_is_noticed():
    def in_place(queries, keys, values, n_heads):
        output = ANSWERS["torch-layout"](queries, keys, values, n_heads)
        keys.mul_(2)
        return output

    feedback = evaluate("torch-layout", in_place)
    assert feedback.status == "wrong"
    assert feedback.properties == ("input left unchanged",)


def test_a_layer_that_is_set_up_otherwise_stays_as_it_was():
    layer = exercises()["torch-polarity"].probes[0].inputs["layer"]  # type: ignore[attr-defined]

    def meddling(layer, x, causal, real):
        layer.eval()
        layer.batch_first = False
        with torch.no_grad():
            layer.in_proj_weight.zero_()
        return layer(x, x, x)[0]

    before = layer.in_proj_weight.detach().clone()
    assert evaluate("torch-polarity", meddling).status == "wrong"
    assert layer.training
    assert layer.batch_first
    assert layer.in_proj_weight.equal(before)


def test_torch_stays_as_it_was():
    def meddling(queries, keys, values):
        torch.softmax = torch.sigmoid  # type: ignore[assignment]
        F.scaled_dot_product_attention = None  # type: ignore[assignment]
        torch.manual_seed(3)
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        torch.set_num_threads(2)
        torch.rand(5)
        return queries

    def state():
        settings = torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_num_threads()
        return torch.softmax, F.scaled_dot_product_attention, settings, torch.get_rng_state().tolist()

    before = state()
    assert evaluate("torch-corner", meddling).status == "wrong"
    assert state() == before
    assert evaluate("torch-corner", ANSWERS["torch-corner"]).status == "right"
    assert state() == before


def test_a_layer_of_known_numbers_draws_nothing():
    before = torch.get_rng_state()
    one, other = (layer_of_known_numbers(4, 2, start=3) for _ in range(2))
    assert torch.get_rng_state().equal(before)
    assert all(a.equal(b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert not one.in_proj_weight[:4].equal(one.in_proj_weight[4:8])


# --- several results


def test_the_weights_are_shown_before_the_output_that_follows_from_them():
    text = evaluate("torch-attention", written("torch-attention", "weights = (SCORES).softmax(-1)\n"
                                               "return weights @ values, weights")).text  # fmt: skip
    assert "In weights, for query 0" in text
    assert "In output" not in text


def test_the_query_shown_is_one_that_is_wrong_by_more_than_rounding():
    def second_query_wrong(queries, keys, values, mask):
        output, weights = attention(queries, keys, values, mask)
        factors = torch.where(torch.arange(queries.shape[-2]) == 1, 0.5, 1 + 2e-5)[:, None]
        return output * factors, weights * factors

    assert "In weights, for query 1" in evaluate("torch-attention", second_query_wrong).text


def test_an_output_that_does_not_follow_from_the_weights_is_told():
    def unrelated(queries, keys, values, mask):
        output, weights = attention(queries, keys, values, mask)
        return output * 1.5, weights

    feedback = evaluate("torch-attention", unrelated)
    assert feedback.properties == ("one with the other",)
    assert "In output, for query 0" in feedback.text


def test_parts_of_another_shape_are_not_the_same_numbers():
    """A row of all numbers would be alike; the shapes are not."""

    def reshaped(queries, keys, values, mask):
        output, weights = attention(queries, keys, values, mask)
        return output.flatten(), weights

    feedback = evaluate("torch-attention", reshaped)
    assert feedback.status == "wrong"
    assert "The shape of output should be (2, 5); yours is (10,)" in " ".join(feedback.text.split())


# --- tables, by hand


def test_the_times_by_hand():
    table = exercises()["torch-timing"]
    assert isinstance(table, Table)
    assert {label: table.row(label) for label in table.labels} == {
        "laptop's GPU": [46, 0.2, 10, 9],
        "server's GPU": [92, 0.1, 5, 7],
        "CPU": [52, 50, 70, 50],
    }
    assert evaluate("torch-timing", {label: table.row(label) for label in table.labels}).status == "right"


def test_the_costs_by_hand():
    table = exercises()["torch-bytes"]
    assert isinstance(table, Table)
    assert table.row(1)[:3] == [2048, 4160, 4096]  # the notebook's example
    operations, readable, fused, slow, fast = table.row(2048)
    assert operations == 4 * 8 * 2048 * 2048 * 64 == 8_589_934_592
    assert fused == 4 * 2048 * 512 * 2 == 8_388_608
    assert readable == fused + 4 * 8 * 2048 * 2048 * 2 == 276_824_064
    assert slow == pytest.approx(138.412, abs=1e-3)  # the bytes decide: 276,824,064 / 2e6
    assert fast == pytest.approx(17.180, abs=1e-3)  # the operations decide: 8,589,934,592 / 500e6
    for n in table.labels:
        operations, readable, fused, slow, fast = table.row(n)
        assert slow == pytest.approx(readable / 2e6)
        assert (fast == pytest.approx(fused / 2e6)) == (n == 256)
    assert table.row(16384)[3] == pytest.approx(8623.489, abs=1e-3)  # 17,246,978,048 bytes
    assert table.row(16384)[0] / 500e6 == pytest.approx(1100, abs=1)


def test_a_time_that_follows_from_wrong_bytes_is_told_so():
    table = exercises()["torch-timing"]
    assert isinstance(table, Table)
    rows = {label: table.row(label) for label in table.labels}
    rows["CPU"] = [52, 0.1, 70, 50]
    feedback = evaluate("torch-timing", rows)
    assert feedback.status == "wrong"
    assert feedback.named == ()
    assert "machine CPU, B: not 0.1" in feedback.text
    assert "What does the clock see of a call" in " ".join(feedback.text.split())


# --- a test that cannot see


def outputs_both_ways(mask):
    song = torch.tensor(SONG)
    masks = (torch.as_tensor(mask) == way for way in (1, 0))
    return [F.scaled_dot_product_attention(song, song, song, attn_mask=each) for each in masks]


@pytest.mark.parametrize(
    "mask",
    [
        ONE_COPY_EACH,
        ONE_COPY_EACH.tolist(),
        torch.tensor(ONE_COPY_EACH).bool(),
        [[1, 1, 1, 0, 0, 0]] * 6,
        [[True, False, True, False, True, False]] * 6,
        np.indices((6, 6)).sum(0) % 2 == 0,
    ],
)
def test_a_mask_that_hides_its_polarity_is_right(mask):
    feedback = evaluate("torch-blind-test", mask)
    assert feedback.status == "right"
    assert "all different" in feedback.text
    assert torch.allclose(*outputs_both_ways(mask))


@pytest.mark.parametrize(
    ("mask", "name", "said"),
    [
        (np.tri(6), "no-hidden-key", "query 5 may attend to every key"),
        (np.tri(6, k=-1), "no-key", "query 0 may attend to no key"),
        (np.eye(6), "itself-alone", "query 0 reads: la. Turned round it reads: di da la di da."),
        (1 - np.eye(6), "read-different-words", "query 0 reads: di da la di da. Turned round it reads: la."),
        ([[1, 1, 0, 0, 0, 1]] * 5 + [[1, 1, 0, 0, 0, 0]], "read-different-words", "output of query 5"),
        ([[1, 0, 0, 1, 0, 0]] * 6, "both-copies-alike", "What would the opposite have to read"),
        (np.full((6, 6), 2), "not-0-or-1", "nothing else"),
        (ONE_COPY_EACH.T, "columns-for-rows", "transpose it"),
    ],
)
def test_a_mask_that_shows_its_polarity_is_told_where(mask, name, said):
    feedback = evaluate("torch-blind-test", mask)
    assert feedback.status == "wrong"
    assert feedback.named == ((name,),)
    assert said in " ".join(feedback.text.split())


def test_the_song_is_that_of_the_notebook():
    song = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [-1.0, 1.0, 0.5]]).repeat(2, 1)
    assert np.array_equal(SONG, song.numpy())


# --- the answers


@pytest.mark.parametrize("name", [e.name for e in of_lesson("08") if isinstance(e, Write)])
def test_an_answer_says_what_it_does(name):
    assert "->" in (inspect.getdoc(ANSWERS[name]) or "")
    assert evaluate(name, ANSWERS[name]).status == "right"


def test_the_answer_has_no_nan_in_its_gradients():
    """As `solution` claims: a row without a key spoils no gradient."""
    queries, keys, values = (torch.randn(n, 3, requires_grad=True) for n in (2, 4, 4))
    mask = torch.tensor([[True, False, True, True], [False] * 4])
    output, _ = ANSWERS["torch-attention"](queries, keys, values, mask)
    with pytest.warns(UserWarning, match="Anomaly Detection"):
        stops_at_nan = torch.autograd.detect_anomaly()  # even at one that is blanked later
    with stops_at_nan:
        output.sum().backward()
    assert all(each.grad is not None and each.grad.isfinite().all() for each in (queries, keys, values))
