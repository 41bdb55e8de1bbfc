"""What the linear half reads: as little as possible goes on the tape."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.residuals import Residuals
from rose.autodiff.unzip import UnzippedBody, unzip
from rose.ir import FOR, Value
from rose.ir.types import tuple_of
from rose.testing import examine


def residuals(f: Any) -> Residuals:
    return unzipped(f).residuals


def unzipped(f: Any) -> UnzippedBody:
    of = unzip(jvp(f.func, full_mask(f.func)).func)
    assert isinstance(of, UnzippedBody)
    return of


def names(r: Residuals) -> list[str]:
    return [e.op.name for e in r.tapes[r.g.body] if isinstance(e, Value)]


def test_a_linear_function_has_none():
    r = residuals(rose.fn([Vec[3]], Real)(lambda v: rose.sum(2.0 * v[i] for i in rose.range(3))))
    assert not r.params and not any(r.tapes.values())


def test_a_parameter_is_passed_on_and_its_elements_are_recomputed():
    r = residuals(rose.fn([Vec[3]], Real)(lambda v: rose.sum(v[i] * v[i] for i in rose.range(3))))
    assert list(r.params.values()) == [0] and not any(r.tapes.values())


def test_what_is_costly_is_on_the_tape_once():
    assert names(residuals(rose.fn([Real], Real)(lambda x: rose.exp(x) * rose.exp(x)))) == ["exp"]


def test_a_loop_has_a_vector_for_what_its_iterations_read():
    r = residuals(rose.fn([Vec[3]], Real)(lambda v: rose.sum(rose.exp(v[i]) for i in rose.range(3))))
    (loop,) = [v for v in r.g.body.code if v.op is FOR]
    (inner,) = r.tapes[loop.attr]
    assert isinstance(inner, Value) and inner.op.name == "exp"
    assert list(r.tapes[r.g.body]) == [(loop, inner)]


def test_a_call_has_its_tape_and_what_its_linear_half_reads():
    f = rose.fn([Real, Real], Real)(lambda x, y: x * rose.exp(y))
    r = residuals(rose.fn([Real], Real)(lambda x: f(rose.sin(x), x)))
    (call,) = [e for e in r.tapes[r.g.body] if isinstance(e, tuple)]
    assert isinstance(call[0], Value) and call[1] is None and "sin" in names(r)


def test_the_conditions_that_a_choice_joins_are_there_for_masks():
    of = unzipped(
        rose.fn([Real], Real)(lambda x: rose.select((rose.sin(x) > 0.0) & (rose.cos(x) < 1.0), rose.sqrt(x), x))
    )
    assert of.signature.chooses and [name for name in names(of.residuals) if name in ("and", "lt")] == ["lt", "lt"]


def test_what_nothing_reads_is_known():
    """Nothing in a loop without iterations is read."""
    f = rose.fn([Real, Real, Real], Real)(lambda x, y, z: x + rose.sum(y * z for _ in rose.range(0)))
    signature = unzipped(f).signature
    assert [signature.g.params[k].attr for k in signature.unread] == ["dy", "dz"]


def test_what_a_callee_reads_of_a_tuple_is_handed_on_to_it():
    three = tuple_of(Real, Real, Real)
    h = rose.fn([three, Real], Real)(lambda p, y: rose.exp(p[1] * p[2] * y))
    g = rose.fn([three], Real)(lambda p: rose.sum(h(p, 0.5 * i) for i in rose.range(3)) + p[0])
    f = rose.fn([three], Real)(lambda p: rose.sum(g(p) * (k + 1.0) for k in rose.range(2)))
    assert list(unzipped(g).residuals.items.values()) == [{1: None, 2: None}]
    report = examine(f, points=2)
    assert report.ok and report.points, report


def test_the_span_of_a_loop_is_not_on_the_tape_if_it_is_made_of_indices():
    r = residuals(rose.fn([Vec[5]], Real)(lambda v: rose.sum(v[i] ** 2 for k in rose.range(5) for i in rose.range(k))))
    assert not any(r.tapes.values())


def test_a_literal_is_never_on_the_tape_however_deep_it_stands():
    def body(x: Any) -> Any:
        squares = lambda i: rose.scan(lambda k, s: s * s, x[i], rose.range(rose.min(i, i), rose.max(i, i) + 1))
        products = lambda j: rose.prod(squares(i) for i in rose.range(j - 1, -1, -1))
        return rose.sum(products(j) for j in rose.range(3))

    f = rose.fn([Vec[4]], Real)(body)
    assert rose.compile(rose.grad(f))([2.0, 3.0, 5.0, 7.0]).tolist() == [4.0 + 4.0 * 9.0, 4.0 * 6.0, 0.0, 0.0]


N = 5
THIN: dict[str, tuple[Any, list[str]]] = {  # a term of x[i] and x[j], and what a pair has on the tape
    "a difference": (lambda x, i, j: (x[i] - x[j]) ** 2, []),
    "beside what is costly": (lambda x, i, j: (s := rose.sqrt(1.0 + x[i] * x[j])) * (s + s), ["sqrt"]),
    "a vector of differences": (lambda x, i, j: rose.dot(v := [x[i] - x[j], x[i] + x[j]], v), []),
    "a comparison": (lambda x, i, j: rose.select(x[i] < x[j], x[i] * x[i], 0.0), []),
    "of an outer number": (lambda x, i, j: rose.exp(x[i]) * x[j] * x[j], ["exp"]),
    "many operations": (lambda x, i, j: (((x[i] + x[j]) * x[i] - x[j]) * x[j] + x[i]) ** 2, ["add"]),
    "a recurrence": (lambda x, i, j: rose.scan(lambda _, s: s * x[i] + x[j], x[j], 2), ["param"]),
}


def double_sum(term: Any) -> Any:
    return rose.fn([Vec[N]], Real)(lambda x: rose.sum(term(x, i, j) for i in rose.range(N) for j in rose.range(N)))


@pytest.mark.parametrize("name", THIN)
def test_what_takes_a_few_operations_is_not_on_the_tape(name: str):
    term, kept = THIN[name]
    r = residuals(double_sum(term))
    assert [e.op.name for tape in r.tapes.values() for e in tape if isinstance(e, Value)] == kept


@pytest.mark.parametrize("name", THIN)
def test_what_is_computed_again_is_the_same(name: str):
    report = examine(double_sum(THIN[name][0]), points=2)
    assert report.ok and report.points, report
