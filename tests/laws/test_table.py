"""Laws of the table: each row is tested by being there."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from harness import Module, same

import rose
from rose import ir
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearize import linearize
from rose.autodiff.transpose import transpose
from rose.errors import Loc
from rose.host.interpreter import run
from rose.ir import OPS, Func, Op
from rose.ir.types import Bool, Fin, Real, Tan, Type

pytestmark = pytest.mark.whole
NUMBERS = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.75, 5e-324, -5e-324, 2.2e-308, 1e300, -1e300, 1.7e308,
    math.inf, -math.inf, math.nan,
]  # fmt: skip
TRUTHS = [False, True]
INDICES = [0, 1, 2, 5]
FLAT = {"sign", "floor", "ceil", "trunc", "round", "stop_gradient", "eq", "ne", "lt", "le", "not", "and", "or", "xor",
        "iadd", "imul", "idiv", "imod", "ifrom", "ibeyond", "ixor", "ilow", "ihigh", "ieq", "ilt", "ile", "real",
        "itrunc", "more", "reached"}  # fmt: skip
ROWS = [op for op in OPS.values() if op.wasm]
LITERAL_SECOND = {"idiv", "imod", "ifrom"}


def signatures(op: Op) -> list[tuple[Type, ...]]:
    """The types that a row accepts, with a literal where it asks for one."""
    found: list[tuple[Type, ...]] = []
    for count in (1, 2, 3):
        for types in itertools.product([Real, Tan, Bool, Fin(6)], repeat=count):
            with ir.building("x") as b:
                b.loc = Loc((lambda: None).__code__, -1)
                args = [b.param(t) for t in types]
                if op.name in LITERAL_SECOND and types == (Fin(6), Fin(6)):
                    args[1] = b.const(5, Fin(6))
                try:
                    accepted = op.type(*args) is not None
                except TypeError:  # another number of arguments
                    accepted = False
            if accepted:
                found.append(types)
    return found


def values(t: Type) -> list[Any]:
    return NUMBERS if t is Real else TRUTHS if t is Bool else INDICES


def plain(op: Op) -> list[tuple[Type, ...]]:
    return [s for s in signatures(op) if Tan not in s]


def row_func(op: Op, types: tuple[Type, ...]) -> Func:
    with ir.building(op.name) as b:
        b.loc = Loc((lambda: None).__code__, -1)
        args = [b.param(t, f"x{k}") for k, t in enumerate(types)]
        if op.name in LITERAL_SECOND:
            args[1] = b.const(5, Fin(6))
        return b.func(b.emit(op, tuple(args)))


def cases(op: Op, types: tuple[Type, ...]) -> list[tuple[Any, ...]]:
    columns = [values(t) for t in types]
    if op.name in LITERAL_SECOND:
        columns[1] = [5]
    return list(itertools.product(*columns))


@pytest.mark.parametrize("op", ROWS, ids=repr)
def test_wasm_computes_the_bits_of_eval(op: Op):
    for types in plain(op):
        f = row_func(op, types)
        module = Module({"f": f})["f"]
        for xs in cases(op, types):
            assert op.eval is not None
            assert same(module(*xs), op.eval(*xs)), (op, xs)
            assert same(run(f, *xs), op.eval(*xs)), (op, xs)


@pytest.mark.parametrize("op", ROWS, ids=repr)
def test_a_row_of_literals_folds_to_the_same_bits(op: Op):
    for types in plain(op):
        for xs in cases(op, types)[:400]:
            with ir.building("x") as b:
                b.loc = Loc((lambda: None).__code__, -1)
                v = b.emit(op, tuple([b.const(x, t) for x, t in zip(xs, types, strict=True)]))
            assert v.op is ir.CONST
            assert op.eval is not None
            assert same(v.attr, op.eval(*xs)), (op, xs)


@pytest.mark.parametrize("op", ROWS, ids=repr)
def test_a_simplification_keeps_every_bit(op: Op):
    """Each argument in turn is a literal, the others are not; or all arguments are the same value."""
    for types in plain(op):
        for k, t in enumerate(types):
            if t is not Real and t is not Bool:
                continue
            for literal in values(t):
                with ir.building("x") as b:
                    b.loc = Loc((lambda: None).__code__, -1)
                    args = [b.const(literal, t) if j == k else b.param(s) for j, s in enumerate(types)]
                    f = b.func(b.emit(op, tuple(args)))
                for xs in itertools.product(*[values(s) for j, s in enumerate(types) if j != k]):
                    whole = [*xs[:k], literal, *xs[k:]]
                    assert op.eval is not None
                    assert same(run(f, *xs), op.eval(*whole)), (op, whole)


def test_the_flat_rows_are_those_meant_to_be():
    assert {op.name for op in ROWS if op.jvp is None and op.name != "select"} == FLAT


@pytest.mark.parametrize("op", ROWS, ids=repr)
def test_a_row_that_accepts_a_tangent_can_be_transposed(op: Op):
    linear = [s for s in signatures(op) if Tan in s]
    assert not linear or op.transpose is not None or op.name == "select"


REGULAR = [0.3, 0.7, 1.3, 2.9, -0.4, -1.7, -2.2]


@pytest.mark.parametrize("op", [op for op in ROWS if op.jvp is not None], ids=repr)
def test_a_derivative_is_the_limit_of_differences(op: Op):
    for types in plain(op):
        f = row_func(op, types)
        d = jvp(f, full_mask(f)).func
        for xs in itertools.product(REGULAR, repeat=len(types)):
            z = run(f, *xs)
            if z != z or len(set(xs)) < len(xs):
                continue
            for k in range(len(xs)):
                pairs = [(x, float(j == k)) for j, x in enumerate(xs)]
                y, dy = run(d, *[z for pair in pairs for z in pair])
                assert same(y, z)
                h = 1e-6
                up, down = ([x + s * h * (j == k) for j, x in enumerate(xs)] for s in (1, -1))
                assert dy == pytest.approx((run(f, *up) - run(f, *down)) / (2 * h), rel=1e-6, abs=1e-6), (op, xs, k)


@pytest.mark.parametrize("op", [op for op in ROWS if op.transpose is not None], ids=repr)
def test_a_transpose_is_the_adjoint(op: Op):
    """<A d, ct> = <d, A^T ct>, for each signature with a tangent in it."""
    for types in [s for s in signatures(op) if Tan in s]:
        f = row_func(op, types)
        halves, (fwd, lin, signature) = transpose(f), linearize(f)
        xs = [1.7 if t is Real else True for t in types if t is not Tan]
        ds = [0.6 + 0.5 * k for k, t in enumerate(types) if t is Tan]
        of_primals = iter(xs)
        given = [None if t is Tan else next(of_primals) for t in types]
        _, tape = run(fwd, *xs)
        along = run(lin, *ds, *[given[k] for k in signature.residuals], tape)
        _, tape = run(halves.fwd, *xs)
        back = run(halves.bwd, *[given[k] for k in signature.residuals], 0.9, tape)
        assert along * 0.9 == pytest.approx(sum([d * g for d, g in zip(ds, back, strict=True)]))


@pytest.mark.parametrize(
    ("name", "f", "x", "value", "derivative"),
    [
        ("abs at 0", lambda x: abs(x), 0.0, 0.0, 0.0),
        ("abs at -0", lambda x: abs(x), -0.0, 0.0, 0.0),
        ("max at a tie", lambda x: rose.max(x, 1.0), 1.0, 1.0, 0.5),
        ("min at a tie", lambda x: rose.min(x, 1.0), 1.0, 1.0, 0.5),
        ("max of itself", lambda x: rose.max(x, x), 3.0, 3.0, 1.0),
        ("sign", lambda x: rose.sign(x), 0.0, 0.0, 0.0),
        ("floor", lambda x: rose.floor(x), 2.0, 2.0, 0.0),
        ("ceil", lambda x: rose.ceil(x), 2.0, 2.0, 0.0),
        ("round", lambda x: rose.round(x), 2.5, 2.0, 0.0),
        ("trunc", lambda x: rose.trunc(x), -1.5, -1.0, 0.0),
        ("sqrt at 0", lambda x: rose.sqrt(x), 0.0, 0.0, math.inf),
        ("x ** 0 at 0", lambda x: x**0, 0.0, 1.0, 0.0),
        ("x ** 2 at 0", lambda x: x**2, 0.0, 0.0, 0.0),
        ("x ** 1 at 0", lambda x: x**1, 0.0, 0.0, 1.0),
        ("select of an untaken sqrt", lambda x: rose.select(x > 0, rose.sqrt(x), 0.0), 0.0, 0.0, 0.0),
    ],
)
def test_the_conventions_at_the_kinks(name: str, f: Any, x: float, value: float, derivative: float):
    g = rose.fn([Real], Real)(f)
    assert rose.value_and_grad(g)(x) == (value, derivative)
    along = rose.jvp(g)(rose.Dual(x, 1.0))
    assert (along.re, along.du) == (value, derivative)


@pytest.mark.parametrize(
    "op", [OPS[n] for n in ("iadd", "imul", "idiv", "imod", "ifrom", "ibeyond", "ixor", "ilow", "ihigh")], ids=repr
)
def test_an_index_is_always_inside_its_type(op: Op):
    for n, m in itertools.product(range(1, 7), repeat=2):
        for k in range(1, m) if op.name in LITERAL_SECOND else [0]:
            with ir.building("x") as b:
                b.loc = Loc((lambda: None).__code__, -1)
                y = b.const(k, Fin(m)) if k else b.param(Fin(m))
                t = op.type(b.param(Fin(n)), y)
            if t is None:
                continue
            assert isinstance(t, Fin)
            assert op.eval is not None
            assert all([0 <= op.eval(i, j) < t.size for i in range(n) for j in ([k] if k else range(m))])
