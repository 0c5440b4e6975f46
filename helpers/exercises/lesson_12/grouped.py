"""grouped, lesson 12: more heads of queries than of keys and values: neighbouring heads share."""

from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_12.shared import Step, moves
from helpers.softmax import softmax
from helpers.streaming import grouped_query_attention
from helpers.validation import Array

FEWER = "12: Fewer keys than queries"


def _grouped(queries: Array, keys: Array, values: Array) -> Array:
    return grouped_query_attention(queries, keys, values)[0]


def _by_runs(head: int, n_heads: int, n_kv_heads: int) -> int:
    return head // (n_heads // n_kv_heads)


def _one_head(queries: Array, keys: Array, values: Array) -> Array:
    return attention(queries, keys, values)[0]


def _grouped_by_choices(
    queries: Array, keys: Array, values: Array, *, read: Step = _by_runs, read_values: Step | None = None,
    of_heads: Step = lambda n_heads, n_kv_heads: n_heads, attend: Step = _one_head, join: Step = np.stack,
    gather: Step = lambda array, of_head: array[of_head],
) -> Any:  # fmt: skip
    n_kv_heads = len(keys)
    outputs = []
    for head in range(of_heads(len(queries), n_kv_heads)):
        of_keys = read(head, len(queries), n_kv_heads)
        of_values = of_keys if read_values is None else read_values(head, len(queries), n_kv_heads)
        outputs.append(attend(queries[head], gather(keys, of_keys), gather(values, of_values)))
    return join(outputs)


def _in_turns(head: int, n_heads: int, n_kv_heads: int) -> int:
    return head % n_kv_heads


def _grouped_probe(
    kind: str, n_heads: int, n_kv_heads: int, sizes: tuple[int, int], d_v: int, start: int
) -> Probe:
    n_queries, n_keys = sizes
    return Probe(
        kind,
        {
            "queries": numbers(n_heads, n_queries, 4, start=start),
            "keys": numbers(n_kv_heads, n_keys, 4, start=start + 300),
            "values": numbers(n_kv_heads, n_keys, d_v, start=start + 500),
        },
    )


_RUNS = (
    "Neighbouring heads share: one run of heads reads one head of keys, the next run the next one. All runs "
    "are "
    "equally long."
)


def _reads_its_run(inputs: Any, output: Array, call: Any) -> str:
    n_heads, n_kv_heads = len(inputs["queries"]), len(inputs["keys"])
    if output.shape[:1] != (n_heads,):
        return ""
    for kv_head in range(n_kv_heads):
        moved = moves(inputs, call, "values", kv_head)
        if moved is None:
            return ""
        for head in range(n_heads):
            should = _by_runs(head, n_heads, n_kv_heads)
            if moved[head] and should != kv_head:
                run = n_heads // n_kv_heads
                share = f"{run} neighbours share one" if run > 1 else "every head has its own"
                return (
                    f"The output of head {head} moves with head {kv_head} of the values; it should read head "
                    f"{should}: here {share}."
                )
    return ""


def bug(queries: Array, keys: Array, values: Array) -> Array:
    """(n_heads, n_queries, d_k), (n_kv_heads, n_keys, d_k) and d_v -> output, wrong: heads share in turns."""
    n_heads, n_kv_heads = len(queries), len(keys)
    outputs = []
    for head in range(n_heads):
        shared = head % n_kv_heads
        output, _ = attention(queries[head], keys[shared], values[shared])
        outputs.append(output)
    return np.stack(outputs)


def my_grouped_attention(queries: Array, keys: Array, values: Array) -> Array:
    """(n_heads, n_queries, d_k), (n_kv_heads, n_keys, d_k), the same with d_v -> output of every head."""
    n_heads, n_kv_heads = len(queries), len(keys)
    outputs = []
    for head in range(n_heads):
        shared = head // (n_heads // n_kv_heads)
        output, _ = attention(queries[head], keys[shared], values[shared])
        outputs.append(output)
    return np.stack(outputs)


EXERCISE = Mend(
    name="grouped",
    answer=my_grouped_attention,
    bug=bug,
    task="More heads of queries than of keys and values: neighbouring heads share.",
    call="my_grouped_attention(queries, keys, values)",
    right=_grouped,
    recipe=_grouped_by_choices,
    given="in-turns",
    symptom="with six heads of queries and two of keys, list `shared` for the heads 0 to 5. Head 1 "
    "should read the same keys as head 0.",
    probes=(
        _grouped_probe("six heads share two", 6, 2, (3, 5), 7, start=91),
        _grouped_probe("six heads share three", 6, 3, (2, 5), 7, start=92),
        _grouped_probe("eight heads share two", 8, 2, (3, 5), 6, start=93),
        _grouped_probe("nine heads share three", 9, 3, (2, 5), 6, start=94),
        _grouped_probe("every head has its own keys", 3, 3, (2, 5), 6, start=95),
    ),
    axes=("head", "query", "entry"),
    properties=(Property("shares", "each head reads the values of its run", _reads_its_run),),
    mistakes=(
        Mistake(
            "in-turns",
            "the heads take turns: head h reads head h % n_kv_heads",
            f"{_RUNS} Weights that were trained with one way of sharing give something else with the other.",
            FEWER,
            read=_in_turns,
        ),
        Mistake(
            "divided-by-heads",
            "the head's number was divided by the number of heads of keys",
            f"{_RUNS} Does the number you divide by say how long a run is, or how many runs there are?",
            FEWER,
            also=[
                {"read": lambda head, n, kv: min(head // kv, kv - 1)},
                {"read": lambda head, n, kv: head // kv % kv},
            ],
            read=lambda head, n, kv: head // kv,
        ),
        Mistake(
            "group-in-turns",
            "the remainder was taken, by the length of a run",
            f"{_RUNS} % gives the place within a run. Which run is it?",
            FEWER,
            also=[
                {"read": lambda head, n, kv: head % (n // kv) % kv},
                {"read": lambda head, n, kv: min(head % (n // kv), kv - 1)},
            ],
            read=lambda head, n, kv: head % (n // kv),
        ),
        Mistake(
            "run-inverted",
            "the length of a run was calculated the wrong way round: n_kv_heads // n_heads",
            "There are more heads of queries than of keys, and the smaller number // the larger one is 0.",
            FEWER,
            read=lambda head, n, kv: head // (kv // n),
        ),
        Mistake(
            "length-of-the-example",
            "a run has the same length in every input: the number of the example",
            "The example has runs of 3. With other numbers of heads a run has another length.",
            FEWER,
            also=[
                {"read": lambda head, n, kv: min(head // 3, kv - 1)},
                {"read": lambda head, n, kv: head // 3 % kv},
                {"read": lambda head, n, kv: head // 2},
                {"read": lambda head, n, kv: min(head // 2, kv - 1)},
            ],
            read=lambda head, n, kv: head // 3,
        ),
        Mistake(
            "all-heads-pooled",
            "every head reads the keys of all heads, one behind the other",
            f"Each head reads a single head of keys and of values. {_RUNS}",
            FEWER,
            gather=lambda array, of_head: array.reshape(-1, array.shape[-1]),
        ),
        Mistake(
            "heads-averaged",
            "every head reads the mean of all heads of keys",
            f"Each head reads a single head of keys and of values. {_RUNS}",
            FEWER,
            gather=lambda array, of_head: array.mean(axis=0),
        ),
        Mistake(
            "next-run",
            "every head reads the head of keys of the next run",
            _RUNS,
            FEWER,
            read=lambda head, n, kv: (head // (n // kv) + 1) % kv,
        ),
        Mistake(
            "heads-out-of-order",
            "the heads' outputs stand in another order",
            "Output h belongs to head h of the queries.",
            FEWER,
            join=lambda outputs: np.stack(outputs[::-1]),
        ),
        Mistake(
            "head-as-it-is",
            "head h reads head h, and there are not so many",
            _RUNS,
            FEWER,
            read=lambda head, n, kv: head,
        ),
        Mistake(
            "last-for-the-rest",
            "the first heads have keys of their own, and the rest share the last head",
            _RUNS,
            FEWER,
            read=lambda head, n, kv: min(head, kv - 1),
        ),
        Mistake(
            "one-for-all",
            "every head reads the same head of keys",
            f"That is right where there is one head of keys only (multi-query). {_RUNS}",
            FEWER,
            also=[{"read": lambda head, n, kv: kv - 1}],
            read=lambda head, n, kv: 0,
        ),
        Mistake(
            "turned-round",
            "the heads of keys were handed out from the last to the first",
            _RUNS,
            FEWER,
            read=lambda head, n, kv: kv - 1 - head // (n // kv),
        ),
        Mistake(
            "off-by-one",
            "the heads were counted from 1",
            f"The first head has the number 0. {_RUNS}",
            FEWER,
            read=lambda head, n, kv: (head + 1) // (n // kv),
            also=[
                {"read": lambda head, n, kv: min((head + 1) // (n // kv), kv - 1)},
                {"read": lambda head, n, kv: max(head - 1, 0) // (n // kv)},
            ],
        ),
        Mistake(
            "true-division",
            "/ gives a float, and an index must be a whole number",
            f"// divides and drops the remainder. {_RUNS}",
            FEWER,
            also=[{"read": lambda head, n, kv: head // (n / kv)}],
            read=lambda head, n, kv: head / (n // kv),
        ),
        Mistake(
            "rounded",
            "the number of the run was rounded to the nearest, not down",
            f"// drops the remainder. {_RUNS}",
            FEWER,
            also=[{"read": lambda head, n, kv: min(-(-head * kv // n), kv - 1)}],
            read=lambda head, n, kv: min(round(head / (n // kv)), kv - 1),
        ),
        Mistake(
            "values-in-turns",
            "the keys are shared in runs, and the values still in turns",
            "A key and its value belong together: both come from the same head.",
            FEWER,
            read_values=_in_turns,
        ),
        Mistake(
            "keys-in-turns",
            "the values are shared in runs, and the keys still in turns",
            "A key and its value belong together: both come from the same head.",
            FEWER,
            read=_in_turns,
            read_values=_by_runs,
        ),
        Mistake(
            "fewer-heads-out",
            "only as many heads came out as there are heads of keys",
            "Every head of queries has an output of its own: n_heads of them.",
            FEWER,
            of_heads=lambda n, kv: kv,
            also=[{"of_heads": lambda n, kv: kv, "read": lambda head, n, kv: head}],
        ),
        Mistake(
            "heads-joined",
            "the heads' outputs were joined into one long matrix",
            "The heads have an axis of their own, the first one: np.stack makes it.",
            FEWER,
            also=[{"join": lambda outputs: np.concatenate(outputs, axis=-1)}],
            join=np.concatenate,
        ),
        Mistake(
            "heads-last",
            "the axis of heads stands in the wrong place",
            "The shape is (n_heads, n_queries, d_v): np.stack(outputs), along the first axis.",
            FEWER,
            also=[{"join": lambda outputs: np.stack(outputs, axis=-1)}],
            join=lambda outputs: np.stack(outputs, axis=1),
        ),
        Mistake(
            "heads-added",
            "the heads' outputs were added or averaged",
            "Each head keeps its own output: np.stack puts them one behind the other.",
            FEWER,
            also=[{"join": lambda outputs: np.mean(outputs, axis=0)}],
            join=lambda outputs: np.sum(outputs, axis=0),
        ),
        Mistake(
            "tuple-kept",
            "the two results of attention were kept together",
            "attention returns output and weights as one tuple. Take them apart first: output, _ = "
            "attention(...).",
            FEWER,
            attend=attention,
        ),
        Mistake(
            "weights-returned",
            "the weights came back, not the output",
            "attention returns two things, output and weights: the first is asked for.",
            FEWER,
            attend=lambda queries, keys, values: attention(queries, keys, values)[1],
        ),
        Mistake(
            "not-scaled",
            "the scores were not divided by √d_k",
            "The helper attention divides by √d_k.",
            FEWER,
            attend=lambda queries, keys, values: softmax(queries @ keys.T) @ values,
        ),
    ),
    hints=(
        "How many heads of queries share one head of keys? With six and two it is three.",
        "The heads 0, 1, 2 make the first run, the heads 3, 4, 5 the second. Which operation makes 0, 0, "
        "0, 1, 1, 1 of 0, 1, 2, 3, 4, 5?",
        "Whole-number division by the length of a run: head // (n_heads // n_kv_heads).",
    ),
    explain="np.repeat(keys, n_heads // n_kv_heads, axis=0) lays the keys out in the same way (np.tile "
    "would not). grouped_query_attention in helpers/streaming.py does it without copying a key.",
    reread=FEWER,
)
