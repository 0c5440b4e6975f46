"""Every way in which PyTorch runs helpers.pytorch.attention: compiled, autocast, on the meta device."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pytest
import torch
from samples import N_KEYS
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch_samples import BATCH, D_MODEL, N_HEADS, close, make, on_one_thread, padding, rows

from helpers.pytorch.attention import (
    MultiHeadAttention,
    attention,
    fused_attention,
)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    yield from on_one_thread()


CALLS: dict[str, tuple[bool, bool, bool]] = {  # context?, mask?, causal?
    "itself": (False, False, False),
    "itself, causal": (False, False, True),
    "a context, padding, causal": (True, True, True),
}


def call_of(kind: str, dtype: torch.dtype = torch.float32) -> tuple[Any, ...]:
    crossed, masked, causal = CALLS[kind]
    context = rows(BATCH, N_KEYS, D_MODEL, start=30.0, dtype=dtype) if crossed else None
    n_keys = N_KEYS if crossed else 5
    mask = padding(3, n_keys, n_keys=n_keys) if masked else None
    return rows(BATCH, 5, D_MODEL, dtype=dtype), context, mask, causal


def assert_compiles(backend: str, kinds: list[str]) -> None:
    torch.compiler.reset()
    module = make(torch.float32)
    # fullgraph: a piece that cannot be compiled is an error and not a detour through Python.
    compiled = torch.compile(module, fullgraph=True, backend=backend)
    shown = torch.compile(module.with_weights, fullgraph=True, backend=backend)
    for kind in kinds:
        x, *others = call_of(kind)
        x.requires_grad_()
        expected = module(x, *others)
        close(compiled(x, *others), expected.detach(), 1e-5)
        close(shown(x, *others)[0], expected.detach(), 1e-5)
        (gradient,) = torch.autograd.grad(compiled(x, *others).sum(), x)
        close(gradient, torch.autograd.grad(expected.sum(), x)[0], 1e-4)


# Compiled code runs on Python 3.13.0 as elsewhere, only more slowly: torch warns of that on this one release.
slow_on_3_13_0 = pytest.mark.filterwarnings("ignore:Guards may run slower on Python 3.13.0:RuntimeWarning")


@slow_on_3_13_0
@pytest.mark.parametrize(("backend", "kinds"), [("eager", list(CALLS)), ("aot_eager", list(CALLS)[2:])])
def test_it_compiles_in_one_piece(backend: str, kinds: list[str]) -> None:
    assert_compiles(backend, kinds)


def has_compiler() -> bool:
    return any(shutil.which(name) for name in ("g++", "clang++"))


@pytest.mark.skipif(not has_compiler(), reason="torch.compile's inductor needs a C++ compiler: none is here")
# Its command to the linker names PyTorch's folder without quotation marks.
@pytest.mark.skipif(
    " " in torch.__file__, reason="inductor cannot link where PyTorch's path has a space in it"
)
# PyTorch's own inductor still uses a part of PyTorch that warns of its end.
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@slow_on_3_13_0
def test_it_compiles_to_machine_code() -> None:
    torch.compiler.reset()
    module = make(torch.float32)
    compiled = torch.compile(module, fullgraph=True)
    given = call_of("a context, padding, causal")
    with torch.no_grad():
        close(compiled(*given), module(*given), 1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("kind", CALLS)
def test_autocast_computes_in_half_precision(kind: str, dtype: torch.dtype) -> None:
    module, given = make(torch.float32), call_of(kind)
    exact = module(*given)
    with torch.autocast("cpu", dtype):
        output = module(*given)
        shown, weights = module.with_weights(*given)
        queries = given[0].to(dtype)  # a half-precision tensor meets a float32 one: allowed here only
        attention(queries, given[0], given[0])
        fused_attention(queries, given[0], given[0])
    assert output.dtype == shown.dtype == dtype
    assert weights.isfinite().all()
    eps = torch.finfo(dtype).eps
    for found in (output, shown):
        assert found.dtype == dtype
        assert 0 < (found - exact).abs().max() < 10 * eps
    output.float().sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in module.parameters())


@pytest.mark.parametrize("kind", CALLS)
def test_on_the_meta_device_there_are_shapes_and_no_numbers(kind: str) -> None:
    module = MultiHeadAttention(D_MODEL, N_HEADS, d_out=11, device="meta")
    given: list[Any] = [part.to("meta") if isinstance(part, Tensor) else part for part in call_of(kind)]
    output, (shown, weights) = module(*given), module.with_weights(*given)
    assert {output.device.type, shown.device.type, weights.device.type} == {"meta"}
    n_keys = 5 if given[1] is None else N_KEYS
    assert output.shape == shown.shape == (BATCH, 5, 11)
    assert weights.shape == (BATCH, N_HEADS, 5, n_keys)


class LargestTensor(TorchDispatchMode):
    """How many numbers the largest tensor has that any step makes while this is on."""

    numbers = 0

    def __torch_dispatch__(
        self, step: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        made = step(*args, **(kwargs or {}))
        sizes = [part.numel() for part in tree_leaves(made) if isinstance(part, Tensor)]
        self.numbers = max([self.numbers, *sizes])
        return made


def largest_tensor(run: Callable[[], object]) -> int:
    with LargestTensor() as largest:
        run()
    return largest.numbers


def test_the_fused_path_never_makes_an_n_by_n_tensor() -> None:
    n, d_model = 300, 16
    module, x = MultiHeadAttention(d_model, 2), torch.zeros(1, n, d_model)
    rows_alone = n * d_model
    for causal in (False, True):
        assert largest_tensor(partial(module, x, causal=causal)) == rows_alone
        assert largest_tensor(module(x, causal=causal).sum().backward) == rows_alone
        assert largest_tensor(partial(module.with_weights, x, causal=causal)) == 2 * n * n
    assert largest_tensor(lambda: module(x, mask=padding(200, n_keys=n))) == rows_alone
    # A step of decoding: one query and many keys, of which none lies in the future.
    assert largest_tensor(lambda: module(x[:, -1:], x, causal=True)) == rows_alone
