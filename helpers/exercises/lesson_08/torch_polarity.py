"""torch-polarity, lesson 08: the course's masks for nn.MultiheadAttention."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property, alike
from helpers.exercises.lesson_08.shared import TENSORS, WHOSE_TRUE
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


def _layer_probe(
    kind: str,
    d_model: int,
    n_heads: int,
    n: int,
    lengths: Sequence[int],
    start: int,
    hard: bool = False,
    window: int | None = None,
) -> Probe:
    """`window`: how many tokens a query may attend to, its own being the last; None for all before it."""
    causal = np.tri(n, dtype=bool)
    inputs = {
        "layer": layer_of_known_numbers(d_model, n_heads, start),
        "x": numbers(len(lengths), n, d_model, start=start + 77, dtype=np.float32),
        "causal": causal if window is None else causal & ~np.tri(n, k=-window, dtype=bool),
        "real": np.arange(n) < np.array(lengths)[:, None],
    }
    return Probe(kind, inputs, hard, TENSORS)


ONES = np.ones((1, 1, 4), dtype=np.float32)


def _output_of_real_tokens(inputs: Mapping[str, Any], output: Array, call: Any) -> str:
    layer, x, causal, real = inputs.values()
    for sentence, length in enumerate(real.sum(axis=-1)):
        if length < real.shape[1]:
            changed = x.copy()
            changed[sentence, length:] += 3
            again = call(layer, changed, causal, real)
            moved = None if not alike(again, output) else abs(again - output)
            if moved is not None and moved[sentence, :length].max() > 1e-4:
                return f"Changing the padding of sentence {sentence} moves the output of its real tokens."
    return ""


def my_causal_layer(layer: nn.MultiheadAttention, x: Tensor, causal: Tensor, real: Tensor) -> Tensor:
    """layer, (B, n, d_model), (n, n), (B, n) -> output (B, n, d_model); True in a mask = may attend."""
    output, _ = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)
    return output


def head_by_head(layer: nn.MultiheadAttention, x: Tensor, hidden: Tensor) -> Any:
    """A layer, x, (B, n, n) -> its results: the mask of a sentence for each of its heads."""
    return layer(x, x, x, attn_mask=hidden.repeat_interleave(layer.num_heads, dim=0))


def sentence_by_sentence(layer: nn.MultiheadAttention, x: Tensor, hidden: Tensor) -> Any:
    """A layer, x, (B, n, n) -> its results, with the masks in the wrong order."""
    return layer(x, x, x, attn_mask=hidden.repeat(layer.num_heads, 1, 1))


EDITS = Edits(
    my_causal_layer,
    {
        "future": "~causal",
        "padding": "~real",
        "call": "layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)",
    },
)
WORDS = {
    "turn": "In nn.MultiheadAttention True means *may not* attend, the opposite of this course and of "
    "scaled_dot_product_attention. `~mask` turns it round.",
    "added": "Adding 1 or 0 hides nothing. Pass True and False, or 0 and −∞.",
}
MISTAKES = EDITS.mistakes(
    """
both-unturned
    both masks go in as they are
    {turn}
    | future => causal; padding => real
    | future => causal; padding => real; result => it.nan_to_num(0.0)

future-unturned
    the causal mask goes in as it is, so each query reads only what it may not
    {turn}
    | future => causal

padding-unturned
    the padding mask goes in as it is, so the real tokens are hidden and the padding is read
    What holds for attn_mask holds for key_padding_mask too: True means *may not* attend. `~mask` turns it
    round.
    | padding => real

future-open
    nothing hides the future from the queries
    attn_mask hides it. (`is_causal=True` is only a hint about that mask. It does not make one.)
    | future => None

padding-open
    you read the padding
    key_padding_mask hides it, where True means: this key is padding.
    | padding => None

future-added
    you passed the causal mask as numbers, which are *added* to the scores
    {added}
    | future => it.float()
    | future => causal.float()

padding-added
    you passed the padding mask as numbers, which are *added* to the scores
    {added}
    | padding => it.float()
    | padding => real.float()

transposed-not-turned
    each token's own key is hidden, as well as all later ones (triu(0), or a transposed mask)
    Then no query reads itself, and the first reads nothing. True should stand above the diagonal only,
    where `causal` is False.
    | future => causal.T
    | future => torch.ones_like(causal).triu()

own-triangle
    you hid the future by a triangle of your own, whatever `causal` says
    `causal` may allow less than that: only the last few tokens, for example. Turn it round: ~causal.
    | future => torch.ones_like(causal).triu(1)

one-token-ahead
    each query reads the next token as well
    For this layer True hides, starting from the first diagonal above the main one: triu(diagonal=1).
    | future => torch.ones_like(causal).triu(2)

past-hidden
    you hid the past instead of the future
    Query i may attend to the keys j ≤ i. For this layer True hides: the upper triangle, above the
    diagonal, should be True.
    | future => it.T

hidden-by-both-only
    you hid a key only where it is padding *and* in the future
    Among masks where True hides, one True is enough: join them by `|`. (`&` joins masks where True
    allows.)
    | call => head_by_head(layer, x, ~causal & ~real[:, None])
    | call => sentence_by_sentence(layer, x, ~causal & ~real[:, None])

sentences-mixed-up
    you used the mask of one sentence for a head of another
    A mask with three axes has shape (B·n_heads, n, n), with the heads of a sentence one after the other:
    repeat_interleave(n_heads, dim=0), not repeat.
    | call => sentence_by_sentence(layer, x, ~causal | ~real[:, None])

padding-rows-zeroed
    you set the output of the padding to 0
    Nobody reads these rows, but the task does not ask for that: here they are queries like any other. The
    mask is about keys.
    | result => it * real[..., None]
    | result => it.nan_to_num(0.0) * real[..., None]

tokens-zeroed
    you set the padding tokens to 0 before they went in
    A token of zeros still has keys and values (the biases), and gets its share of weight. Hide it by the
    mask.
    | x => x * real[..., None]
    | x => x * real[..., None]; padding => None
""",
    WHOSE_TRUE,
    words=WORDS,
)
EXERCISE = Mend(
    name="torch-polarity",
    answer=my_causal_layer,
    bug=EDITS.bug("future => causal; padding => real"),
    task="The course's masks for nn.MultiheadAttention.",
    given="both-unturned",
    symptom="take one real token, alone. Its only key is itself, and both masks say True: may attend. What "
    "does the layer make of that True?",
    call="my_causal_layer(layer, x, causal, real)",
    right=my_causal_layer,
    recipe=EDITS.recipe(),
    probes=(
        _layer_probe("two sentences of 2 and 3 tokens", 4, 2, 3, [2, 3], 11),
        Probe(EXAMPLE, {**_layer_probe("", 4, 2, 1, [1], 3).inputs, "x": ONES}, True, TENSORS),
        _layer_probe("two sentences of 5 and 3 tokens", 6, 3, 5, [5, 3], 31),
        _layer_probe("three sentences of 7, 2 and 4 tokens", 8, 2, 7, [7, 2, 4], 51),
        _layer_probe("two sentences without padding", 6, 2, 4, [4, 4], 71),
        _layer_probe("a window of the last 3 tokens", 8, 4, 6, [6, 5], 81, window=3),
        _layer_probe("two sentences of one and 6 tokens", 9, 3, 6, [1, 6], 91),
        _layer_probe("one sentence", 4, 2, 3, [3], 111, hard=True),
        _layer_probe("two sentences of one token, d_model 1", 1, 1, 1, [1, 1], 121, hard=True),
    ),
    properties=(Property("padding", "the padding moves no output of a real token", _output_of_real_tokens),),
    axes=("query", "entry"),
    mistakes=MISTAKES,
    hints=(
        "Look up attn_mask in the manual of nn.MultiheadAttention: what does True mean there?",
        "Both masks of the course say who *may* attend; both of the layer's masks say who may not.",
        "`~causal` and `~real`.",
    ),
    explain="`~` turns True and False round. One library, two polarities: scaled_dot_product_attention "
    "would take the masks as they are.",
    reread=WHOSE_TRUE,
)
