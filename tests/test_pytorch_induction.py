"""The small transformer of lesson 12: its task, its forward pass beside a slow one, and that it learns."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)

from helpers.datasets import load_learning
from helpers.pytorch import induction
from helpers.pytorch.induction import (
    LENGTH,
    LONGEST,
    N_SYMBOLS,
    SHORTEST,
    AttentionOnly,
    Sequences,
    accuracy_of,
    held_out,
    loss_of,
    one_thread,
    rate_at,
    repeated_sequences,
    train,
)
from helpers.pytorch.inside import (
    copying_circuit,
    cut_path,
    followers,
    induction_scores,
    look_only_at,
    matching_circuit,
    other_weights,
    previous_token_scores,
    share_moved,
)

pytestmark = pytest.mark.filterwarnings("error")
FEW_STEPS = 5


@pytest.fixture(scope="module")
def trained() -> AttentionOnly:
    """The model of the lesson: two layers, the first start."""
    model = AttentionOnly(seed=0)
    train(model, seed=0)
    return model


@pytest.fixture(scope="module")
def tests() -> Sequences:
    return held_out()


def rough(**settings: object) -> AttentionOnly:
    """An untrained model with large numbers, so that its weights are far from even."""
    model = AttentionOnly(seed=3, **settings)  # type: ignore[arg-type]
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" not in name:
                parameter.mul_(9.0)
        if settings.get("quiet_key"):
            model.blocks[0].k_quiet.add_(0.7)
    return model


# --- the task


def test_a_sequence_starts_again_after_its_period() -> None:
    given = repeated_sequences(np.random.default_rng(4), 50)
    assert given.tokens.shape == (50, LENGTH + 1)
    assert set(given.periods.tolist()) <= set(range(SHORTEST, LONGEST + 1))
    for tokens, period in zip(given.tokens.tolist(), given.periods.tolist(), strict=True):
        assert len(set(tokens[:period])) == period
        assert tokens[period:] == tokens[:-period]
        assert max(tokens) < N_SYMBOLS


def test_guessable_is_what_a_copy_before_it_tells() -> None:
    given = repeated_sequences(np.random.default_rng(6), 9)
    for row, known in enumerate(given.guessable.tolist()):
        for place, is_known in enumerate(known):
            seen = given.inputs[row, :place].tolist()
            assert is_known == (int(given.inputs[row, place]) in seen)
            if is_known:
                last = len(seen) - 1 - seen[::-1].index(int(given.inputs[row, place]))
                assert given.targets[row, place] == given.inputs[row, last + 1]


def test_loss_and_accuracy_count_only_what_can_be_known() -> None:
    given = repeated_sequences(np.random.default_rng(7), 5)
    logits = 30.0 * F.one_hot(given.targets, N_SYMBOLS).float()
    wrong = torch.where(given.guessable[..., None], logits, -logits)
    assert loss_of(wrong, given) < 1e-6
    assert accuracy_of(wrong, given) == 1.0
    assert loss_of(wrong, given, everywhere=True) > 1.0
    assert loss_of(torch.zeros_like(logits), given) == pytest.approx(math.log(N_SYMBOLS), rel=1e-5)


# --- the model


def slow_scores(model: AttentionOnly, tokens: Tensor) -> Tensor:
    """(n, length) -> the scores, token by token and head by head."""
    x = torch.stack(
        [torch.stack([model.symbols[t] + model.positions[p] for p, t in enumerate(row)]) for row in tokens]
    )
    for layer in model.blocks:
        d_head = layer.w_q.shape[1] // layer.n_heads
        rows, added = layer.norm(x), torch.zeros_like(x)
        for head in range(layer.n_heads):
            own = slice(head * d_head, (head + 1) * d_head)
            q, k, v = rows @ layer.w_q[:, own], rows @ layer.w_k[:, own], rows @ layer.w_v[:, own]
            for i in range(tokens.shape[1]):
                keys = k[:, : i + 1]
                if layer.quiet_key:
                    keys = torch.cat([layer.k_quiet[head].expand(len(k), -1, -1), keys], dim=1)
                scores = (keys @ q[:, i, :, None])[..., 0]
                if layer.scaled:
                    scores = scores / math.sqrt(d_head)
                weights = scores.softmax(dim=-1)[:, -(i + 1) :]
                added[:, i] += (weights[:, None] @ v[:, : i + 1])[:, 0] @ layer.w_o[own]
        x = x + added
    return model.norm(x) @ model.to_scores


@pytest.mark.parametrize(
    "settings",
    [{}, {"n_layers": 1}, {"scaled": False}, {"quiet_key": True}, {"n_heads": 2, "d_model": 24}],
    ids=str,
)
@torch.no_grad()
def test_both_ways_are_the_slow_one(settings: dict[str, object]) -> None:
    model = rough(**settings)
    tokens = repeated_sequences(np.random.default_rng(8), 3, 11).inputs
    expected = slow_scores(model, tokens)
    assert torch.allclose(model(tokens), expected, atol=2e-4)
    assert torch.allclose(model.trace(tokens).logits, expected, atol=2e-4)


@torch.no_grad()
def test_no_token_is_read_before_it_comes() -> None:
    model = rough()
    tokens = repeated_sequences(np.random.default_rng(9), 2, 13).inputs
    other = tokens.clone()
    other[:, 8:] = (other[:, 8:] + 5) % N_SYMBOLS
    assert torch.equal(model(tokens)[:, :8], model(other)[:, :8])


@torch.no_grad()
def test_a_head_that_is_replaced_is_replaced_and_no_other() -> None:
    model = rough()
    tokens = repeated_sequences(np.random.default_rng(10), 2, 13).inputs
    whole = model.trace(tokens)
    back = model.trace(tokens, {(0, 2): whole.mixed[0][:, 2]})
    assert torch.equal(back.logits, whole.logits)
    off = model.trace(tokens, {(0, 2): 0.0})
    assert (off.mixed[0][:, 2] == 0).all()
    assert torch.equal(off.mixed[0][:, [0, 1, 3]], whole.mixed[0][:, [0, 1, 3]])
    model.blocks[0].w_o[2 * 16 : 3 * 16] = 0  # the same, done to the weights
    assert torch.allclose(off.logits, model(tokens), atol=2e-4)


@torch.no_grad()
def test_a_path_is_cut_for_the_readers_that_are_named() -> None:
    model = rough()
    tokens = repeated_sequences(np.random.default_rng(11), 2, 13).inputs
    off = {(0, head): 0.0 for head in range(4)}
    assert torch.allclose(cut_path(model, tokens, off, []), model(tokens), atol=2e-4)
    readers = ("queries", "keys", "values")
    assert not torch.allclose(cut_path(model, tokens, off, readers), model(tokens), atol=1e-2)
    x = model.embed(tokens)
    first, second = model.blocks
    whole = x + first(x)
    expected = model.read_out(whole + second(x))  # layer 1 reads embeddings alone
    assert torch.allclose(cut_path(model, tokens, off, readers), expected, atol=2e-4)
    for reader in readers:
        assert not torch.allclose(cut_path(model, tokens, off, [reader]), model(tokens), atol=1e-3)
    direct = model.read_out(x + second(whole))  # only what layer 0 adds to the output itself is gone
    assert torch.allclose(cut_path(model, tokens, off, ["output"]), direct, atol=2e-4)
    assert torch.allclose(
        cut_path(model, tokens, off, [*readers, "output"]), model.trace(tokens, off).logits, atol=2e-4
    )
    with pytest.raises(ValueError, match=r"readers must be of queries, keys, values, output; got colours"):
        cut_path(model, tokens, off, ["colours"])
    with pytest.raises(ValueError, match="this model has 1"):
        cut_path(AttentionOnly(1), tokens, off, ["keys"])


@torch.no_grad()
def test_all_the_weight_of_a_query_on_one_key() -> None:
    model = rough()
    tokens = repeated_sequences(np.random.default_rng(11), 2, 13).inputs
    length = tokens.shape[-1]
    keys = torch.tensor(np.random.default_rng(3).integers(0, np.arange(1, length + 1), tokens.shape))
    x = model.embed(tokens)
    x = x + model.blocks[0](x)
    _, _, values, _ = model.blocks[1].heads(x, x, x)
    mixed = torch.eye(length)[keys][:, None] @ values  # weights of 0 and 1, the same for every head
    expected = model.trace(tokens, {(1, head): mixed[:, head] for head in range(mixed.shape[1])}).logits
    found = look_only_at(model, tokens, keys)
    assert torch.allclose(found, expected, atol=1e-5)
    assert not torch.allclose(found, model(tokens), atol=1e-2)
    keys[1, 4] = 5
    with pytest.raises(ValueError, match="query 4 can look at keys 0 to 4; got 5"):
        look_only_at(model, tokens, keys)
    keys[1, 4] = -1
    with pytest.raises(ValueError, match="query 4 can look at keys 0 to 4; got -1"):
        look_only_at(model, tokens, keys)
    with pytest.raises(ValueError, match=r"the shape of tokens, \(2, 13\); got \(13,\)"):
        look_only_at(model, tokens, keys[0])
    with pytest.raises(ValueError, match="without a quiet key; this model has one"):
        look_only_at(AttentionOnly(quiet_key=True), tokens, keys)


def test_the_answer_does_not_hang_on_which_copy_is_read(trained: AttentionOnly, tests: Sequences) -> None:
    latest = (torch.arange(1, 49) - tests.periods[:, None]).clamp(min=0)
    assert accuracy_of(look_only_at(trained, tests.inputs, latest), tests) > 0.99
    assert accuracy_of(look_only_at(trained, tests.inputs, (latest - 1).clamp(min=0)), tests) < 0.1


def test_scores_of_maps_that_are_known() -> None:
    tokens = torch.tensor([[4, 9, 4, 9, 4]])
    assert followers(tokens)[0].int().tolist() == [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 1, 0, 1, 0],
    ]
    given = Sequences(torch.tensor([[4, 9, 4, 9, 4, 9]]), torch.tensor([2]))
    back = torch.eye(5).roll(1, 0)[None, None]
    assert previous_token_scores(back).tolist() == [1.0]
    assert induction_scores(back, given).tolist() == [1.0]  # with a period of 2 both are the same key
    assert induction_scores(torch.eye(5)[None, None], given).tolist() == [0.0]
    even = torch.full((1, 1, 5, 5), 0.2)
    assert induction_scores(even, given)[0] == pytest.approx((0.2 + 0.2 + 0.4) / 3)


@torch.no_grad()
def test_circuits_are_what_a_head_does_to_one_symbol() -> None:
    model = rough()
    first, second = model.blocks
    head, symbol, other = 1, 5, 17
    own = slice(16, 32)
    mixed = second.norm(model.symbols[symbol]) @ second.w_v[:, own]
    assert torch.allclose(
        copying_circuit(model, head)[symbol], mixed @ second.w_o[own] @ model.to_scores, atol=1e-3
    )
    wrote = first.norm(model.symbols[symbol]) @ first.w_v @ first.w_o
    key = second.norm(wrote) @ second.w_k[:, own]
    query = second.norm(model.symbols[other]) @ second.w_q[:, own]
    assert float(matching_circuit(model, head)[other, symbol]) == pytest.approx(float(query @ key), rel=1e-3)


@pytest.mark.parametrize(("n_keys", "d_v"), [(30, 4), (11, 3), (7, 5), (4, 1), (3, 3), (1, 2)])
def test_other_weights_give_the_same_output_on_few_keys(n_keys: int, d_v: int) -> None:
    rng = np.random.default_rng(n_keys)
    weights, values = rng.random(n_keys), rng.standard_normal((n_keys, d_v))
    weights /= weights.sum()
    moved = other_weights(weights, values)
    np.testing.assert_allclose(moved @ values, weights @ values, atol=1e-12)
    assert moved.sum() == pytest.approx(1)
    assert moved.min() >= 0
    assert np.count_nonzero(moved) == min(n_keys, d_v + 1)
    assert (np.abs(moved - weights).sum() > 1e-6) == (n_keys > d_v + 1)


def test_the_same_values_everywhere_leave_two_keys_of_three_at_most() -> None:
    moved = other_weights(np.array([0.5, 0.3, 0.2]), np.ones((3, 1)))
    assert np.count_nonzero(moved > 1e-9) <= 2
    assert moved.sum() == pytest.approx(1)


def test_weights_move_the_same_way_whichever_sign_a_processor_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a singular value decomposition only the directions are certain."""
    rng = np.random.default_rng(1)
    weights, values = rng.random(9), rng.standard_normal((9, 2))
    moved, svd = other_weights(weights, values), np.linalg.svd
    monkeypatch.setattr(np.linalg, "svd", lambda of: tuple(-part for part in svd(of)))
    np.testing.assert_array_equal(other_weights(weights, values), moved)


@torch.no_grad()
@pytest.mark.parametrize("layer", [0, 1])
def test_the_share_that_is_moved_is_that_of_the_last_query(layer: int, tests: Sequences) -> None:
    model, few = rough(), tests.inputs[:2]
    x = model.embed(few)
    if layer:
        x = x + model.blocks[0](x)
    block = model.blocks[layer]
    values = (block.norm(x) @ block.w_v)[..., 16:32].double().numpy()
    weights = model.trace(few).weights[layer][:, 1, -1].double().numpy()
    moved = [other_weights(one, given) for one, given in zip(weights, values, strict=True)]
    expected = np.mean([np.abs(new - one).sum() / 2 for new, one in zip(moved, weights, strict=True)])
    assert share_moved(model, few, layer, 1) == pytest.approx(float(expected), abs=1e-4)
    assert 0 <= expected <= 1


# --- training


def test_the_same_seed_gives_the_same_model_and_another_another() -> None:
    one, same, other = AttentionOnly(seed=1), AttentionOnly(seed=1), AttentionOnly(seed=2)
    histories = [train(model, seed, FEW_STEPS) for model, seed in ((one, 1), (same, 1), (other, 2))]
    assert histories[0] == histories[1] != histories[2]
    assert torch.equal(one.symbols, same.symbols)


def test_scores_begin_with_a_small_spread(tests: Sequences) -> None:
    model = AttentionOnly(seed=0)
    rows = model.embed(tests.inputs)
    q, k, _, _ = model.blocks[0].heads(rows, rows, rows)
    assert float(q.detach().std()) == pytest.approx(0.02 * math.sqrt(64), rel=0.1)
    assert float((q @ k.mT).detach().std()) == pytest.approx(0.16**2 * math.sqrt(16), rel=0.1)


def test_torch_is_left_as_it_was() -> None:
    threads, state = torch.get_num_threads(), torch.random.get_rng_state()
    with torch.no_grad():
        train(AttentionOnly(1), steps=1)
        assert not torch.is_grad_enabled()
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.random.get_rng_state(), state)
    with pytest.raises(RuntimeError, match="on purpose"), one_thread():
        raise RuntimeError("on purpose")
    assert torch.get_num_threads() == threads
    with pytest.raises(ValueError, match="steps must be at least 1; got 0"):
        train(AttentionOnly(1), steps=0)


def test_the_rate_rises_stays_and_falls() -> None:
    rates = [rate_at(step, 300) for step in range(1, 301)]
    assert max(rates) == rates[99] == rates[200] == induction.PEAK_RATE
    assert 0 < rates[0] < rates[50] < rates[99]
    assert rates[250] > rates[299] > 0


def test_what_is_watched_is_kept() -> None:
    history = train(AttentionOnly(1), steps=45, watch=lambda model, _: {"layers": len(model.blocks)})
    assert history.steps == [20, 40, 45]
    assert history.found["layers"] == [1, 1, 1]
    assert history.first("layers", 1) == 20
    assert history.first("layers", 2) is None


@torch.no_grad()
def test_the_model_of_the_lesson_learns_and_needs_the_path_by_the_keys(
    trained: AttentionOnly, tests: Sequences
) -> None:
    whole = trained.trace(tests.inputs)
    assert accuracy_of(whole.logits, tests) >= 0.99
    assert induction_scores(whole.weights[1], tests).min() > 0.9
    assert induction_scores(whole.weights[0], tests).max() < 0.1
    means = {(0, head): whole.mixed[0][:, head].mean(dim=(0, 1)) for head in range(4)}
    kept = {
        name: accuracy_of(cut_path(trained, tests.inputs, means, [name]), tests)
        for name in ("queries", "values", "output")
    }
    assert min(kept.values()) > 0.95
    assert accuracy_of(cut_path(trained, tests.inputs, means, ["keys"]), tests) < 0.2


def test_the_leader_makes_up_its_mind_after_the_answers_are_right() -> None:
    drawn = load_learning()["two layers"][0]
    early = drawn["pictures"]["early"]
    answers = next(i for i, x in enumerate(drawn["accuracies"]) if x >= 0.5)
    assert early[answers] < 0.5 < early[-1]
    assert early[0] == pytest.approx(np.mean([1 / n for n in range(2, 26)]), abs=0.01)  # even weights


def test_without_a_warm_up_the_flat_part_is_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(induction, "WARM_UP", 1)
    accuracies = train(AttentionOnly(seed=0), steps=180).found["accuracy"]  # every 20 steps
    assert accuracies[2] < 0.1 < 0.3 < accuracies[4]  # steps 60 and 100


def test_one_layer_does_not_learn_it(tests: Sequences) -> None:
    history = train(AttentionOnly(1, seed=1), seed=1)
    assert max(history.found["accuracy"]) <= 0.25


def test_the_record_says_so_of_five_starts() -> None:
    record = load_learning()
    assert {kind: len(runs) for kind, runs in record.items()} == dict.fromkeys(record, 5)
    for run in record["two layers"]:
        assert run["enough at"] <= 300
        assert run["accuracies"][-1] >= 0.99
        others = [run["path cut"][reader] for reader in ("queries", "values", "output")]
        assert run["path cut"]["keys"] < 0.2 < 0.95 < min(others)
        assert max(run["all off"]) < 0.2
        assert np.argmin(run["one off"]) == np.argmax(run["previous"])  # the leader, of layer 0
        assert np.argmax(run["one off losses"]) == np.argmax(run["previous"])
        assert run["leader looks back until"] in (22, 23, 24)
        assert run["one left"][0][np.argmax(run["previous"])] > 0.9 > np.sort(run["one left"][0])[-2]
        assert max(run["early"]) > 0.8
        # Where it stops too early, the answers that only the keys behind it could give are wrong.
        assert (run["mistakes"]["late keys only"] > 5) == (run["leader looks back until"] < 24)
        assert run["mistakes"]["all"] - run["mistakes"]["late keys only"] <= 3
        assert run["patched"]["layer 1, all"][1] > 0.95 < run["patched"]["layer 1, one"][0]
        assert max(run["patched"]["layer 0, all"]) < 0.1
        assert min(run["one left"][1]) > 0.7
        moved = run["moved"]
        assert moved["induction"]["last query"] < 0.05 < 0.3 < moved["spare"]["last query"]
        assert moved["spare"]["last row read"] < 0.1 < 0.3 < moved["untrained"]["last row read"]
    assert max(max(run["accuracies"]) for run in record["one layer"]) <= 0.25
    for run in record["every token"]:
        assert run["first key"]["first round"] > 0.5 > 0.1 > run["first key"]["repeat"]
    for longest in (16, 20):
        runs = record[f"periods up to {longest}"]
        assert [run["leader looks back until"] for run in runs] == [longest] * 5


def test_the_answers_need_the_keys_before_the_leader_has_made_up_its_mind() -> None:
    drawn = load_learning()["two layers"][0]
    at = drawn["steps"].index(140)
    assert drawn["pictures"]["early"][at] < 0.5 < drawn["accuracies"][at]
    assert max(drawn["pictures"]["keys cut"]) < 0.1


def test_what_the_first_key_gives_is_read_in_every_start() -> None:
    record = load_learning()
    for run in record["every token"]:
        read = run["read at the first key"]
        guess = math.log(N_SYMBOLS)
        whole, mean, out = (read[x] for x in ("nothing changed", "first key: its mean", "first key out"))
        control = read["another key out (control)"]
        assert read["first key alone"]["loss"] <= whole["loss"] < guess < mean["loss"] < guess + 0.1
        assert out["loss"] > guess + 1
        assert whole["first symbol"] > 0.03 > 0.02 > mean["first symbol"]
        assert read["first key out, old spread"]["loss"] == pytest.approx(mean["loss"], abs=0.02)
        assert control["loss"] < guess
        assert control["accuracy"] < 0.5 < 0.99 < out["accuracy"]
    assert min(run["guesses seen"] for run in record["one layer"]) > 0.99
