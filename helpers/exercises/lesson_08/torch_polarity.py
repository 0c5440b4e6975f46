"""torch-polarity, lesson 08: the course's masks for nn.MultiheadAttention."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_08.shared import TENSORS, WHOSE_TRUE, Step, same
from helpers.validation import Array


def layer_of_known_numbers(d_model: int, n_heads: int, start: int) -> nn.MultiheadAttention:
    """d_model, n_heads -> a layer (batch_first) whose parameters are known, drawn from no dice."""
    with torch.random.fork_rng(devices=[]):
        layer = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
    with torch.no_grad():
        for place, parameter in enumerate(layer.parameters()):
            known = numbers(*parameter.shape, start=start + 500 * place, dtype=np.float32)
            parameter.copy_(torch.from_numpy(known) / 2)
    return layer


def causal_layer(layer: Any, x: Tensor, causal: Tensor, real: Tensor) -> Tensor:
    """A layer, x, two masks of the course -> the layer's output."""
    output, _ = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)
    return output


def _call(layer: Any, x: Tensor, future: Any, padding: Any, _causal: Tensor, _real: Tensor) -> Tensor:
    output, _ = layer(x, x, x, attn_mask=future, key_padding_mask=padding)
    return output


def _layer_by_choices(
    layer: Any, x: Tensor, causal: Tensor, real: Tensor, *, future: Step = torch.logical_not,
    padding: Step = torch.logical_not, call: Step = _call, into: Step = same, out: Step = same,
) -> Tensor:  # fmt: skip
    output = call(layer, into(x, real), future(causal), padding(real), causal, real)
    return out(output, real)


def _left_away(_mask: Tensor) -> None:
    return None


def _in_one_mask(
    join: Callable[[Tensor, Tensor], Tensor], for_heads: Callable[[Tensor, int], Tensor]
) -> Step:
    """Both masks as one, of shape (B·H, n, n)."""

    def call(layer: Any, x: Tensor, _future: Any, _padding: Any, causal: Tensor, real: Tensor) -> Tensor:
        may_not = join(~causal, ~real[:, None, :])
        output, _ = layer(x, x, x, attn_mask=for_heads(may_not, layer.num_heads))
        return output

    return call


def _head_by_head(mask: Tensor, n_heads: int) -> Tensor:
    return mask.repeat_interleave(n_heads, dim=0)


def _sentence_by_sentence(mask: Tensor, n_heads: int) -> Tensor:
    return mask.repeat(n_heads, 1, 1)


def _layer_probe(
    kind: str, d_model: int, n_heads: int, n: int, lengths: Sequence[int], start: int, hard: bool = False
) -> Probe:
    inputs = {
        "layer": layer_of_known_numbers(d_model, n_heads, start),
        "x": numbers(len(lengths), n, d_model, start=start + 77, dtype=np.float32),
        "causal": np.tri(n, dtype=bool),
        "real": np.arange(n) < np.array(lengths)[:, None],
    }
    return Probe(kind, inputs, hard, TENSORS)


def _output_of_real_tokens(inputs: Mapping[str, Any], output: Array, call: Any) -> str:
    layer, x, causal, real = inputs.values()
    for sentence, length in enumerate(real.sum(axis=-1)):
        if length < real.shape[1]:
            changed = x.copy()
            changed[sentence, length:] += 3
            again = call(layer, changed, causal, real)
            moved = None if again is None or again.shape != output.shape else abs(again - output)
            if moved is not None and moved[sentence, :length].max() > 1e-4:
                return f"Changing the padding of sentence {sentence} moves the output of its real tokens."
    return ""


TURN = (
    "In nn.MultiheadAttention True means *may not* attend, the other way round than in this course and in "
    "scaled_dot_product_attention. `~mask` turns it."
)


def bug(layer: nn.MultiheadAttention, x: Tensor, causal: Tensor, real: Tensor) -> Tensor:
    """A layer, (B, n, d_model), (n, n), (B, n) -> output, wrong: there True means "may not attend"."""
    output, _ = layer(x, x, x, attn_mask=causal, key_padding_mask=real)
    return output


def my_causal_layer(layer: nn.MultiheadAttention, x: Tensor, causal: Tensor, real: Tensor) -> Tensor:
    """layer, (B, n, d_model), (n, n), (B, n) -> output (B, n, d_model); True in a mask = may attend."""
    output, _ = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)
    return output


EXERCISE = Mend(
    name="torch-polarity",
    answer=my_causal_layer,
    bug=bug,
    task="The course's masks for nn.MultiheadAttention.",
    given="both-unturned",
    symptom="take one real token, alone. Its only key is itself, and both masks say True: may attend. What "
    "does the layer make of that True?",
    call="my_causal_layer(layer, x, causal, real)",
    right=causal_layer,
    recipe=_layer_by_choices,
    probes=(
        _layer_probe("two sentences of 2 and 3 tokens", 4, 2, 3, [2, 3], 11),
        _layer_probe("two sentences of 5 and 3 tokens", 6, 3, 5, [5, 3], 31),
        _layer_probe("three sentences of 7, 2 and 4 tokens", 8, 2, 7, [7, 2, 4], 51),
        _layer_probe("two sentences without padding", 6, 2, 4, [4, 4], 71),
        _layer_probe("two sentences of one and 6 tokens", 9, 3, 6, [1, 6], 91),
    ),
    properties=(Property("padding", "the padding moves no output of a real token", _output_of_real_tokens),),
    axes=("query", "entry"),
    mistakes=(
        Mistake(
            "both-unturned",
            "both masks were handed over as they are",
            TURN,
            WHOSE_TRUE,
            also=[
                {
                    "future": same,
                    "padding": same,
                    "call": lambda layer, x, f, p, c, r: _call(layer, x, f, p, c, r).nan_to_num(0.0),
                }
            ],
            future=same,
            padding=same,
        ),
        Mistake(
            "future-unturned",
            "the causal mask was handed over as it is: each query reads the future alone",
            TURN,
            WHOSE_TRUE,
            future=same,
        ),
        Mistake(
            "padding-unturned",
            "the padding mask was handed over as it is: the real tokens are hidden, the padding is read",
            TURN,
            WHOSE_TRUE,
            padding=same,
        ),
        Mistake(
            "future-open",
            "no query was kept from the future",
            "attn_mask hides it. (`is_causal=True` is a hint about that mask, and makes none.)",
            WHOSE_TRUE,
            future=_left_away,
        ),
        Mistake(
            "padding-open",
            "the padding was read",
            "key_padding_mask hides it, where True means: this key is padding.",
            WHOSE_TRUE,
            padding=_left_away,
        ),
        Mistake(
            "future-added",
            "the causal mask was handed over as numbers, which are *added* to the scores",
            "1 or 0 more hides nothing. Hand over True and False, or 0 and −∞.",
            WHOSE_TRUE,
            also=[{"future": lambda causal: causal.float()}],
            future=lambda causal: (~causal).float(),
        ),
        Mistake(
            "padding-added",
            "the padding mask was handed over as numbers, which are *added* to the scores",
            "1 or 0 more hides nothing. Hand over True and False, or 0 and −∞.",
            WHOSE_TRUE,
            also=[{"padding": lambda real: real.float()}],
            padding=lambda real: (~real).float(),
        ),
        Mistake(
            "transposed-not-turned",
            "each token's own key is hidden, and all later ones are (triu(0), or a transposed mask)",
            "Then no query reads itself, and the first reads nothing. True should stand above the diagonal "
            "only, where `causal` is False.",
            WHOSE_TRUE,
            also=[{"future": lambda causal: torch.ones_like(causal).triu()}],
            future=lambda causal: causal.T,
        ),
        Mistake(
            "one-token-ahead",
            "each query reads the next token as well",
            "For this layer True hides, from the first diagonal above the main one: triu(diagonal=1).",
            WHOSE_TRUE,
            future=lambda causal: torch.ones_like(causal).triu(2),
        ),
        Mistake(
            "past-hidden",
            "the past was hidden, and not the future",
            "Query i may attend to the keys j ≤ i. For this layer True hides: the upper triangle, above the "
            "diagonal, should be True.",
            WHOSE_TRUE,
            future=lambda causal: (~causal).T,
        ),
        Mistake(
            "hidden-by-both-only",
            "a key was hidden only where it is padding *and* in the future",
            "Among masks where True hides, one True is enough: join them by `|`. (`&` joins masks where True "
            "allows.)",
            WHOSE_TRUE,
            also=[{"call": _in_one_mask(torch.logical_and, _sentence_by_sentence)}],
            call=_in_one_mask(torch.logical_and, _head_by_head),
        ),
        Mistake(
            "sentences-mixed-up",
            "the mask of one sentence was used for a head of another",
            "A mask with three axes has shape (B·n_heads, n, n), with the heads of a sentence one after the "
            "other: repeat_interleave(n_heads, dim=0), not repeat.",
            WHOSE_TRUE,
            call=_in_one_mask(torch.logical_or, _sentence_by_sentence),
        ),
        Mistake(
            "padding-rows-zeroed",
            "the output of the padding became 0",
            "Nobody reads these rows, and nobody asked for that: they are queries like others here. The mask "
            "is about keys.",
            WHOSE_TRUE,
            also=[{"out": lambda output, real: output.nan_to_num(0.0) * real[..., None]}],
            out=lambda output, real: output * real[..., None],
        ),
        Mistake(
            "tokens-zeroed",
            "the padding tokens were set to 0 before they went in",
            "A token of zeros still has keys and values (the biases), and gets its share of weight. Hide it "
            "by the mask.",
            WHOSE_TRUE,
            also=[{"into": lambda x, real: x * real[..., None], "padding": _left_away}],
            into=lambda x, real: x * real[..., None],
        ),
    ),
    hints=(
        "Read the manual of nn.MultiheadAttention at attn_mask: what does True mean there?",
        "Both masks of the course say who *may* attend; both of the layer's say who may not.",
        "`~causal` and `~real`.",
    ),
    explain="`~` turns True and False round. Two polarities within one library: scaled_dot_product_attention "
    "would take the masks as they are.",
    reread=WHOSE_TRUE,
)
