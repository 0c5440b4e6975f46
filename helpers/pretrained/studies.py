"""What lesson 15 asks of the two models. Each question can be answered from what was kept, without them."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from helpers.attention import attention
from helpers.datasets import load_real_model
from helpers.masking import causal_mask
from helpers.pretrained.language import LanguageModel, Parts, attend
from helpers.pretrained.layers import share_heads
from helpers.pretrained.models import FETCH, files_of
from helpers.pretrained.reader import Reading, SentenceReader
from helpers.pretrained.remembered import Absent, Answers, NoAnswerError, remembered
from helpers.pretrained.suspects import SUSPECTS
from helpers.pretrained.watching import (
    Heads,
    Marks,
    Recorder,
    Watcher,
    induction,
    means_of,
    measured,
    plain_weights,
    repeats,
    weights_by,
)
from helpers.pretrained.writing import parts_with, scores_of, surprise, write
from helpers.validation import Array


class Gaps(NamedTuple):
    """Largest differences from a second implementation.

    after_layer: of the stream, in each row as a share of the row's largest entry; scores: of the scores.
    """

    after_layer: Array
    scores: float


Writer = LanguageModel | Absent
Reader = SentenceReader | Absent
LENGTH = 25  # of a random sequence that is repeated
_known_means: WeakKeyDictionary[LanguageModel, dict[int, Array]] = WeakKeyDictionary()  # by n_sequences
NEAR = 2e-2  # losses of broken models hang on sums that come out otherwise on another processor
KEPT_IN = np.float16  # the shipped heads and maps
PROMPT = "Once upon a time, a little girl found a"
TEXT = (
    "Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to "
    "do: "
    "once or twice she had peeped into the book her sister was reading, but it had no pictures or "
    "conversations in it."
)  # the beginning of Lewis Carroll's book, 1865: half of its first sentence
MAPS_OF = "The old captain told the young sailor a long story, and the old captain"


def open_model(name: str, new: dict[str, Any] | None = None) -> Any:
    """A name -> the model; where its files are not here, `Absent`, which has the answers that were kept."""
    files = files_of(name)
    answers = Answers(load_real_model(), new)
    if files is None:
        return Absent(name, answers)
    model: Any = LanguageModel(files[0]) if name == "smollm2" else SentenceReader(*files)
    model.answers = answers
    return model


def which_way(*models: Any) -> str:
    """Models -> a sentence: whether this run works things out, or shows what was kept."""
    if any(isinstance(model, Absent) for model in models):
        return (
            "The models are not here, so this run shows what they answered when the lesson was made.\n"
            f"Everything below runs. To work it out anew: {FETCH} (176 MB), then run this lesson again."
        )
    return "The models are here: everything below is worked out now."


def generate(
    model: Writer, prompt: str, n_tokens: int = 20, *, cached: bool = True, **parts: Callable[..., Any]
) -> str:
    """A model, a prompt -> the text that follows: each time the token with the largest score.

    `attention=my_attention`, or any other field of Parts, replaces that part of the model. Without the model
    an attention of yours is compared with those whose texts were kept, on queries and keys of one layer.
    """
    if isinstance(model, Absent) and parts.keys() == {"attention"}:
        parts = {"attention": known_by_behaviour(model, parts["attention"])}
    return _generate(model, prompt, n_tokens, cached, parts)


def attempt(model: Writer, prompt: str, n_tokens: int, function: Callable[..., Any]) -> str:
    """A learner's attention -> the text that the model writes with it, or a sentence that says why none."""
    try:
        return prompt + generate(model, prompt, n_tokens, attention=function)
    except NoAnswerError as error:
        return str(error)
    except Exception as error:  # whatever a learner's function does
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:160]
        return f"The model stopped in your function ({reason}). The check of lesson 05 says more."


def diagnosis(said: str) -> str:
    """What the checker says of an answer -> the sentence that names the mistake, on one line."""
    found = re.search(r"\bYour? [^.]*\.", " ".join(said.split()))
    return found[0] if found else said.splitlines()[0]


@remembered()
def _generate(
    model: LanguageModel, prompt: str, n_tokens: int, cached: bool, parts: dict[str, Callable[..., Any]]
) -> str:
    return model.tokenizer.decode(write(model, prompt, n_tokens, parts_with(**parts), cached).tokens)


def known_by_behaviour(model: Absent, attention_part: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a learner's -> the helper, or the suspect, that gives the same on a layer of the model.

    Raises NoAnswerError where none does: what it would write is not known without the model.
    """
    known = [attend, *(each.broken for each in SUSPECTS.values() if each.part == "attention")]
    if attention_part in known:
        return attention_part
    inputs = inputs_of(model)
    for candidate in known:
        if all(_alike(attention_part(*each), candidate(*each)) for each in inputs):
            return candidate
    raise NoAnswerError(
        "without the model nobody knows what this function would write: it is none of those that were kept. "
        f"Run {FETCH}, then this again"
    )


def inputs_of(model: Writer) -> list[tuple[Array, Array, Array, Array]]:
    """A model -> what its attention is given in one layer: a whole text, and its last token alone."""
    heads = heads_of(model, MAPS_OF, 18)
    n_heads, n, _ = heads.queries.shape
    keys, values = (share_heads(each, n_heads) for each in (heads.keys, heads.values))
    last = heads.queries[:, -1:]
    return [(heads.queries, keys, values, causal_mask(n)), (last, keys, values, causal_mask(1, n))]


def _alike(found: Any, expected: Array) -> bool:
    output = found[0] if isinstance(found, tuple) else found
    return np.shape(output) == expected.shape and bool(np.allclose(output, expected, atol=1e-4))


class Losses(NamedTuple):
    """How surprised a model is by a text, in nats per token: in one pass, and through the cache.

    gap is the largest difference of a score between the two.
    """

    in_one_pass: float
    cached: float
    gap: float


@remembered(NEAR)
def loss(model: Writer, text: str, **parts: Callable[..., Any]) -> float:
    """A model, a text -> nats per token: how surprised it is by each next token, on average."""
    assert isinstance(model, LanguageModel)
    tokens = model.tokenizer.encode(text)
    return float(surprise(scores_of(model, tokens[:-1], parts_with(**parts)), tokens).mean(dtype=np.float64))


@remembered()
def loss_as_in_the_file(model: Writer, text: str) -> float:
    """A model, a text -> nats per token with the weights as they stand in the file, not rounded to int8."""
    assert isinstance(model, LanguageModel)
    exact = LanguageModel(model.path, "file")
    tokens = exact.tokenizer.encode(text)
    return float(surprise(scores_of(exact, tokens[:-1], Parts()), tokens).mean(dtype=np.float64))


@remembered(NEAR, kind=Losses)
def losses(model: Writer, text: str, first: int, **parts: Callable[..., Any]) -> Losses:
    """A model, a text -> its loss in one pass, and with `first` tokens at once and then one by one."""
    assert isinstance(model, LanguageModel)
    tokens, chosen = model.tokenizer.encode(text), parts_with(**parts)
    both = [scores_of(model, tokens[:-1], chosen, each) for each in (None, first)]
    full, cached = (float(surprise(scores, tokens).mean(dtype=np.float64)) for scores in both)
    return Losses(full, cached, float(abs(both[0] - both[1]).max()))


@remembered(kind=Gaps)
def reference_gaps(model: Writer) -> Gaps:
    """A model -> how far its numbers lie from those of another implementation, after every layer."""
    assert isinstance(model, LanguageModel)
    kept = {
        name: model.answers.kept[f"reference.{name}"] for name in ("tokens", "columns", "stream", "scores")
    }
    columns, recorder = kept["columns"], Recorder()
    scores = model(kept["tokens"].tolist(), None, Parts(stream=recorder))[:, columns]
    expected, found = kept["stream"][1:], np.array(recorder.seen)[..., columns]
    # By row: one token's entries are so large that a share of them would hide an error in all the others.
    after = (abs(found - expected).max(axis=2) / abs(expected).max(axis=2)).max(axis=1)
    return Gaps(after.astype(np.float32), float(abs(scores - kept["scores"]).max()))


@remembered(kind=Marks)
def head_marks(model: Writer, text: str, **parts: Callable[..., Any]) -> Marks:
    """A model, a text -> what each of its heads looks at, on average: (n_layers, n_heads) of each mark."""
    assert isinstance(model, LanguageModel)
    found = measured(model, model.tokenizer.encode(text), parts_with(**parts))
    return Marks(*(mark.astype(np.float32) for mark in found))


@remembered(NEAR)
def maps_of(model: Writer, text: str, heads: Sequence[tuple[int, int]], **parts: Callable[..., Any]) -> Array:
    """A model, a text of n tokens, heads (layer, head) -> (len(heads), n, n): the weights of these heads."""
    assert isinstance(model, LanguageModel)
    chosen, watcher = parts_with(**parts), Watcher()
    model(model.tokenizer.encode(text), None, chosen._replace(watch=watcher), last=True)
    found = []
    for layer, head in heads:
        queries, keys, _, mask = watcher.seen[layer]
        found.append(weights_by(chosen.attention, queries, keys, mask)[head])
    return np.array(found, KEPT_IN).astype(np.float32)


@remembered()
def largest_entries(model: Writer, text: str, layer: int) -> Array:
    """A model, a text, a layer -> (n,): the largest entry of each token's row of the stream after it."""
    assert isinstance(model, LanguageModel)
    recorder, tokens = Recorder(), model.tokenizer.encode(text)
    scores_of(model, tokens, Parts(stream=recorder))
    return np.asarray(abs(recorder.seen[layer]).max(axis=-1), np.float32)


@remembered(kind=Heads)
def heads_of(model: Writer, text: str, layer: int) -> Heads:
    """A model, a text, a layer -> the tokens, and the queries, keys and values of its heads, rotated."""
    assert isinstance(model, LanguageModel)
    watcher, tokens = Watcher(), model.tokenizer.encode(text)
    scores_of(model, tokens, Parts(watch=watcher))
    queries, keys, values, _ = watcher.seen[layer]
    run = model.sizes.n_heads // model.sizes.n_kv_heads
    shown = tuple(model.tokenizer.decode([token]) for token in tokens)
    return Heads(
        shown, *(each.astype(KEPT_IN).astype(np.float32) for each in (queries, keys[::run], values[::run]))
    )


@remembered()
def loss_on_repeats(
    model: Writer,
    n_sequences: int = 5,
    heads_off: frozenset[tuple[int, int]] = frozenset(),
    means: bool = False,
) -> Array:
    """A model -> (n_sequences,) nats per token in the second round of random sequences.

    Heads that are off give 0; with `means`, what they give on average over all tokens of these sequences,
    both rounds, in the whole model.
    """
    assert isinstance(model, LanguageModel)
    sequences = repeats(n_sequences, LENGTH)
    instead = {head: _means(model, n_sequences)[head] for head in heads_off} if means else {}
    found = []
    for tokens in sequences:
        scores = model(tokens[:-1], None, Parts(heads_off=heads_off, instead=instead))[LENGTH - 1 :]
        shifted = scores - scores.max(axis=-1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        found.append(-logs[np.arange(LENGTH), tokens[LENGTH:]].mean())
    return np.array(found, np.float32)


def _means(model: LanguageModel, n_sequences: int) -> Array:
    known = _known_means.setdefault(model, {})
    if n_sequences not in known:
        known[n_sequences] = means_of(model, [each[:-1] for each in repeats(n_sequences, LENGTH)])
    return known[n_sequences]


class Copying(NamedTuple):
    """Where each head looks in the second round of a repeated sequence, (n_layers, n_heads) each.

    copied: the weight on the token that came next in the first round; first: on the first token of all.
    """

    copied: Array
    first: Array


@remembered(kind=Copying)
def copying(model: Writer, heads_off: frozenset[tuple[int, int]] = frozenset()) -> Copying:
    """A model -> what each of its heads does on a random sequence that is written twice."""
    assert isinstance(model, LanguageModel)
    watcher = Watcher()
    scores_of(model, repeats(1, LENGTH)[0], Parts(watch=watcher, heads_off=heads_off))
    maps = np.array([plain_weights(queries, keys, mask) for queries, keys, _, mask in watcher.seen.values()])
    copied = np.array([induction(weights, LENGTH) for weights in maps], np.float32)
    return Copying(copied, maps[:, :, LENGTH:, 0].mean(axis=-1).astype(np.float32))


@remembered(kind=Reading)
def read(model: Reader, sentence: str) -> Reading:
    """A model, a sentence -> its tokens, their vectors after every layer, the maps of all heads."""
    assert isinstance(model, SentenceReader)
    reading = model(sentence, attention)
    vectors, weights = (each.astype(KEPT_IN).astype(np.float32) for each in reading[1:])
    return Reading(reading.tokens, vectors, weights)
