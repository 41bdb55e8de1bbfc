"""The digest of functions: each part of one is in it, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest

import rose
from rose import Bool, Real, Vec, fn
from rose.autodiff.prove_linear import assume_linear
from rose.host.effects import Assertion, Printer
from rose.ir import Block, Branch, Func, Opaque, Origin, Value, While, building, types
from rose.ir.callgraph import make_branch, make_linear, make_while
from rose.ir.digest import Digest, Unknown
from rose.ir.forms import Form
from rose.ir.func import Body, Kind, Linear, Marks
from rose.ir.lengths import NORM
from rose.ir.ops import add, mul
from rose.ir.sizes import dim, opened
from rose.ir.types import Fin, Single, Stack, Tan, Type, tuple_of
from rose.optimise.dead_code import remove_dead_code


def digest(*fs: Func) -> str:
    made = Digest()
    for f in fs:
        made.function(f)
    return made.hexdigest()


def func(*types: Type, of: Callable[..., Any] = lambda b, *xs: xs[0], name: str = "f", **about: Any) -> Func:
    with building(name, **about) as b:
        return b.func(of(b, *[b.param(t, f"x{k}") for k, t in enumerate(types)]))


def of_literal(x: Any, t: Type) -> Func:
    return func(Real, of=lambda b, _: b.const(x, t))


def marked(**marks: Any) -> Func:
    made = func(Real)
    made.mark(**marks)
    return made


IDENTITY, TWICE = func(Real), func(Real, of=lambda b, x: add(x, x))
TEST = func(Real, of=lambda b, x: b.const(True, Bool))
STEP, HALF = (func(Real, of=lambda b, x, k=k: b.tuple([mul(x, b.const(k, Real))])) for k in (2.0, 0.5))


def host(impl: Any, *, pure: bool = False) -> Func:
    with building("host") as b:
        b.param(Real, "x")
    return Func("host", b.root, rose.Unit, pure=pure, kind=Opaque(impl))


def assertion(message: str) -> Func:
    return host(Assertion(message, IDENTITY.params[0].loc))


DIFFERENT: dict[str, list[Func]] = {  # no two functions of one row have the same digest
    "literals": [of_literal(x, Real) for x in (0.0, -0.0, 1.0, float("nan"), float("inf"), 1.0000000000000002)],
    "kinds of literals": [of_literal(1, Fin(2)), of_literal(True, Bool), of_literal(1.0, Real), of_literal(1, Fin(3))],
    "vectors": [
        of_literal((0.0, 1.0), Vec[2]),
        of_literal((-0.0, 1.0), Vec[2]),
        of_literal((0, 1), types.Vec(2, Fin(2))),
    ],
    "types": [func(t) for t in (Real, Bool, Tan, Single, Fin(2), Fin(3), Vec[2], Vec[2, Vec[1]], Stack(Real))],
    "tuples": [func(t) for t in (tuple_of(), tuple_of(Real), tuple_of(tuple_of(Real)), tuple_of(Real, Real))],
    "operands": [func(Real, Real, of=lambda b, x, y, k=k: add(*[(x, y), (y, x), (x, x)][k])) for k in range(3)],
    "operations": [func(Real, Real, of=lambda b, x, y, op=op: op(x, y)) for op in (add, mul)],
    "results": [func(Real, Real, of=lambda b, x, y, k=k: [x, y][k]) for k in range(2)],
    "names": [func(Real, name=name) for name in ("f", "g", "")],
    "calls": [func(Real, of=lambda b, x, g=g: b.call(g, [x])) for g in (IDENTITY, TWICE)],
    "marks": [IDENTITY, *[marked(**{k: v}) for k in ("jvp", "linear") for v in (IDENTITY, TWICE)]],
    "more marks": [IDENTITY, marked(sized=True), marked(primal=TWICE), marked(remat=True), marked(refused=("no", ""))],
    "recomputed": [marked(remat=True, primal=g) for g in (IDENTITY, TWICE)],
    "origins": [func(Real, origin=o) for o in (None, NORM, Origin("library"), Origin("jvp"), Origin("jvp", IDENTITY))],
    "histories": [func(Real, origin=Origin("bwd", func(Real, origin=Origin(by)))) for by in ("jvp", "jet")],
    "branches": [make_branch("f", *both) for both in ((IDENTITY, TWICE), (TWICE, IDENTITY), (TWICE, TWICE))],
    "loops": [make_while("f", TEST, step, most) for step in (STEP, HALF) for most in (None, 1, 2)],
    "linear functions": [make_linear("f", *both) for both in ((IDENTITY, TWICE), (TWICE, IDENTITY))],
    "what prints": [host(Printer(pieces, [Real], [""])) for pieces in (["a", ""], ["", "a"], ["a", "b"])],
    "how it prints": [host(Printer(["", ""], [t], [spec])) for t in (Real, Vec[1]) for spec in ("", ".3f")],
    "what asserts": [assertion("one"), assertion("other"), host(Printer(["one"], [], []))],
    "purity": [host(Printer([""], [], []), pure=pure) for pure in (False, True)],
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_what_differs_has_another_digest(what: str):
    fs = DIFFERENT[what]
    assert len({digest(f) for f in fs}) == len(fs)
    assert [digest(f) for f in fs] == [digest(f) for f in fs]


def looped(n: int, inner: int, factor: float) -> Func:
    @fn
    def f(v: Vec[4]) -> Real:
        return rose.sum(rose.sum(factor * v[j] for j in rose.range(inner)) for _ in rose.range(n))

    return f.func


def test_what_is_in_loops_is_in_the_digest():
    programs = [(3, 4, 0.5), (2, 4, 0.5), (3, 3, 0.5), (3, 4, 0.25)]
    assert len({digest(looped(*p)) for p in programs}) == 4
    assert digest(looped(3, 4, 0.5)) == digest(looped(3, 4, 0.5))


def structs(name: str, *fields: str) -> Any:
    return rose.struct(type(name, (), {"__annotations__": dict.fromkeys(fields, Real)}))


def test_a_reshape_is_told_by_its_types():
    def flat(n: int, m: int) -> Func:
        return fn([Vec[n, m]], Vec[n * m])(lambda x: rose.ravel(rose.sin(x))).func

    assert digest(flat(2, 3)) == digest(flat(2, 3)) and digest(flat(2, 3)) != digest(flat(3, 2))


def test_structs_are_told_by_name_and_fields_and_by_which_are_the_same():
    point, other, place = structs("Point", "x", "y"), structs("Point", "x", "y"), structs("Place", "x", "y")
    of: Callable[..., str] = lambda *types: digest(fn([*types], Real)(lambda p, q: p.x).func)
    assert of(point, point) == of(other, other) != of(point, other)
    assert len({of(p, p) for p in (point, place, structs("Point", "x", "z"), structs("Point", "x", "y", "z"))}) == 4


def test_what_was_derived_and_swept_before_is_not_in_it():
    f = fn([Real], Real)(lambda x: rose.sin(x) * x)
    before = digest(f.func)
    rose.grad(f)(0.5)
    assert digest(f.func) == before and f.func.differentiated


def test_a_rule_may_call_its_function():
    f = fn([Real], Real)(lambda x: rose.exp(x))
    without = digest(f.func)

    @f.jvp
    def _(x: Any) -> Any:
        return rose.Dual(f(x.re), f(x.re) * x.du)

    assert digest(f.func) != without and digest(f.func) == digest(f.func)


def test_a_function_that_is_linear_as_its_maker_says_has_its_word_in_the_digest():
    one, other = (func(Real, of=lambda b, x: add(x, x)) for _ in range(2))
    assert digest(one) == digest(other)
    assume_linear(one, make_linear("f", TWICE, TWICE))
    assert digest(one) != digest(other)


@pytest.mark.parametrize("impl", [lambda x: None, print], ids=["a function of the user's", "of Python's"])
def test_what_the_host_evaluates_has_none(impl: Any):
    with pytest.raises(Unknown):
        digest(host(impl))


def test_a_size_that_a_call_tells_has_none():
    n = opened(dim("n"))
    for f in (func(types.Vec(n, Real)), func(Fin(n))):
        with pytest.raises(Unknown):
            digest(f)


def test_an_operation_that_is_not_of_the_table_has_none():
    f = func(Real, of=lambda b, x: add(x, x))
    f.body.code[0].op = replace(add)
    with pytest.raises(Unknown):
        digest(f)


def test_places_are_in_order():
    f, made = looped(3, 4, 0.5), Digest()
    made.function(f)
    assert made.places[0] is f.params[0].loc and len(made.places) > made.count > 3
    straight = Digest()
    straight.function(TWICE)
    assert straight.places == [TWICE.params[0].loc, TWICE.body.code[0].loc] and straight.functions == {TWICE: 0}


def test_dead_code_is_not_in_it_whoever_took_it_off():
    one, other = (func(Real, of=lambda b, x: (add(x, x), mul(x, x))[1]) for _ in range(2))
    assert len(one.body.code) == 2 and remove_dead_code(other) is other and len(other.body.code) == 1
    digests = [Digest(remove_dead_code) for _ in range(2)]
    for f, made in zip((one, other), digests, strict=True):
        made.function(f)
    assert digests[0].hexdigest() == digests[1].hexdigest() == digest(other) and len(digests[0].places) == 2


def test_each_part_of_the_ir_is_in_it_or_does_not_change_what_is_made():
    """A new part wants an answer: a row in `DIFFERENT`, or a name in the second set."""
    parts: list[tuple[Any, set[str], set[str]]] = [
        (
            Func,
            {"body", "kind", "marks", "name", "origin", "pure", "result"},
            {"differentiated", "inventory", "memo", "users"},
        ),
        (Marks, {"jvp", "linear", "primal", "refused", "remat", "sized"}, set()),
        (Origin, {"by", "derived_from"}, set()),
        (Value, {"args", "attr", "op", "type"}, {"block", "loc"}),
        (Block, {"code", "params", "results"}, {"known", "parent"}),
        (Form, {"fields", "is_dict", "name"}, {"cls", "get", "make", "other", "types", "written"}),
        (Printer, {"pieces", "specs", "types"}, set()),
    ]
    for of, known, other in parts:
        kinds = ("_fields", "__dataclass_fields__", "__slots__")  # of a named tuple, of a dataclass, of another class
        names = next((getattr(of, k) for k in kinds if hasattr(of, k)), vars(Printer([""], [], [])))
        assert {*names} == known | other, of
    assert {*get_args(Kind)} == {Body, Branch, Linear, Opaque, While}
