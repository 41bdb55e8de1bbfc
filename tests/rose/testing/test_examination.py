"""`rose check` and what is behind it: what is wrong is found, kinks are told apart, and what is right is not blamed."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from operations import plant
from pairs import seeds
from random_programs import program

import rose
from rose import Bool, Fin, Real, Vec
from rose.differentiation.gradients import pullback
from rose.ir import OPS
from rose.ir.types import tuple_of
from rose.testing import examination, examine
from wasm_backend.codegen.expressions import Expressions

n = rose.dim("n")


def real(body: Any) -> rose.Fn[..., Any]:
    return rose.fn([Real], Real)(body)


@rose.struct
class Ball:
    at: Vec[2]
    mass: Real
    on: Bool
    cell: Fin[4]


@rose.fn
def bounced(b: Ball, i: Fin[2], up: Bool) -> Ball:
    at = rose.vec(rose.cos(b.at[j]) * b.mass + b.at[i] for j in rose.range(2))
    return Ball(at, rose.select(up, b.mass, b.at[1]), ~b.on, b.cell)


@rose.fn
def shares(v: Vec[n]) -> Vec[n]:
    total = rose.sum(rose.exp(v[i]) for i in rose.range(n))
    return rose.vec(rose.exp(v[i]) / total for i in rose.range(n))


@rose.fn([Vec[4, Fin[3]], Vec[3], rose.Unit, {"a": Real, "b": Vec[0]}], tuple[Real, Bool])
def gathered(k: Any, w: Any, u: Any, d: Any) -> Any:
    return rose.sum(w[k[i]] * d["a"] for i in rose.range(4)), w[0] > 0


@rose.fn
def root(x: Real) -> Real:
    return rose.while_loop(lambda y: abs(y * y - x) > 1e-12 * x, lambda y: 0.5 * (y + x / y), 0.5 * (1 + x))


@rose.fn
def noted(x: Real) -> Real:
    rose.print("x is {}", x)
    rose.assert_(x > 0, "it is positive")
    return x * x


RIGHT = [
    bounced, shares, gathered, root, noted, rose.grad(root), rose.jvp(shares), pullback(bounced),
    real(lambda x: rose.log(x) * rose.sqrt(x)), real(lambda x: 1e9 + 1e-3 * x), real(lambda x: 1e-9 * rose.sin(x)),
    real(lambda x: 1e5 * rose.sin(1e4 * x)), real(lambda x: abs(x - 1e-4) + abs(x + 1e-6)),
    real(lambda x: rose.floor(1000 * x) + x), real(lambda x: rose.round(1e6 * x) * 1e-6 + 1e-9 * x),
    rose.fn([Vec[0], Real], Vec[0])(lambda v, x: v), real(lambda x: rose.cbrt(x)), real(lambda x: rose.acos(x)),
]  # fmt: skip


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.name)
def test_what_is_right_is_not_blamed(f: Any):
    for seed in range(3):
        report = examine(f, 10, seed)
        assert report.ok, report
        assert report.points == 10
        assert report.adjoint < 1e-11
        assert report.differences < 1e-6


@pytest.mark.parametrize("seed", seeds(12, 30))
def test_a_random_program_is_not_blamed(seed: int):
    report = examine(program(random.Random(seed).randrange).run()["main"], 4)
    assert all(["at this point alone" in said for said in report.wrong]), report


def ruled(factor: float, body: Any = lambda x: x * x, slope: Any = lambda x: 2 * x) -> Any:
    f = real(body)

    @f.jvp
    def _(d: Any) -> Any:
        return rose.Dual(body(d.re), factor * slope(d.re) * d.du)

    return f


def test_a_rule_that_is_wrong_by_little_is_found_also_in_what_calls_it():
    assert examine(ruled(1.0)).ok
    for factor in (1.01, 0.999, -1.0, 0.0, 1.0001):
        large = ruled(factor, lambda x: 1e4 + x * x)
        for g in (large, *calling(ruled(factor))):
            report = examine(g)
            assert not report.ok
            assert "by differences" in str(report)


def calling(f: Any) -> list[Any]:
    """It, and functions that call it."""
    scanned = real(lambda x: x + rose.scan(lambda _, s: 0.1 * f(s), x, 3))
    vector = rose.fn([Vec[n]], Vec[n])(lambda v: rose.vec(f(v[i]) + v[0] for i in rose.range(n)))
    return [f, scanned, vector]


def test_a_rule_that_is_wrong_on_one_side_is_found():
    f = ruled(1.0, abs, lambda x: rose.select(x > 0, 1.0, 1.0))
    assert not examine(f).ok
    assert examine(ruled(1.0, abs, rose.sign)).ok


def test_a_rule_of_an_opaque_function_is_checked_where_it_raises_nothing():
    def made(factor: float) -> Any:
        @rose.opaque
        def log(x: Real) -> Real:
            return math.log(x)

        @log.jvp
        def _(d: Any) -> Any:
            return rose.Dual(log(d.re), factor * d.du / d.re)

        return log

    report = examine(made(1.0))
    assert (report.ok, report.points) == (True, 10)
    assert not examine(made(1.001)).ok


KINKS = [
    (lambda x: rose.relu(x), "a kink, with slopes"), (lambda x: rose.select(x > 0, 3 * x, -x), "a kink, with slopes"),
    (lambda x: rose.select(x > 0, 1.0, 0.0), "a jump; derivative 0"), (lambda x: rose.sqrt(x), "not finite"),
    (lambda x: rose.relu(x) - rose.relu(-x), "a kink"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "said"), KINKS)
def test_a_kink_is_told_and_is_not_wrong(body: Any, said: str):
    report = examine(real(lambda x: 3 * body(x)))
    assert report.ok
    assert len(report.kinks) == 1
    assert report.kinks[0].startswith("at x = 0.0: ")
    assert said in report.kinks[0]


def test_at_a_kink_half_of_both_slopes_is_what_differences_say():
    for body in (abs, lambda x: rose.max([x, 2 * x])):
        report = examine(real(body))
        assert (report.ok, report.kinks) == (True, [])


def test_a_constant_of_derivatives_is_told():
    report = examine(real(lambda x: x * rose.stop_gradient(x)))
    assert report.ok
    assert "stop_gradient" in report.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize(("f", "said"), [
    (rose.fn([Bool], Bool)(lambda b: ~b), "no derivative"),
    (rose.fn([Fin[0]], Real)(lambda i: 1.0), "index of nothing"),
    (real(lambda x: rose.log(-1.0 - x * x)), "no point was found"),
    (real(lambda x: rose.while_loop(lambda s: s != s + 1.0, lambda s: s + 1.0, x)), "many iterations"),
], ids=["Bool", "Fin[0]", "log of less than 0", "endless"])  # fmt: skip
def test_what_cannot_be_checked_is_told(f: Any, said: str):
    report = examine(f, patience=30_000)
    assert (report.ok, report.points) == (True, 0)
    assert said in report.notes[0]


def test_what_is_printed_is_not_shown(capsys: pytest.CaptureFixture[str]):
    assert examine(noted).ok
    assert capsys.readouterr().out == ""


# points where comparisons flip


def cosine(wrong: Any) -> Any:
    """A sine, with 7 as its derivative where `wrong` holds."""
    return ruled(1.0, rose.sin, lambda x: rose.select(wrong(x), 7.0, rose.cos(x)))


@rose.fn([Fin[50], Real], Real)
def chosen(i: Any, x: Any) -> Any:
    return rose.sin(x)


@chosen.jvp
def _(i: Any, x: Any) -> Any:
    return rose.Dual(rose.sin(x.re), rose.select(i == 17, 7.0, rose.cos(x.re)) * x.du)


@rose.fn([Real, Real], Real)
def product(x: Any, y: Any) -> Any:
    return x * y


@product.jvp
def _(x: Any, y: Any) -> Any:
    return rose.Dual(x.re * y.re, rose.select(x.re == y.re, 9.0, y.re) * x.du + x.re * y.du)


beyond, at_a_quarter = cosine(lambda x: x > 5.0), cosine(lambda x: x == 0.25)
HOLES = {
    "at 0": cosine(lambda x: x == 0.0), "at a constant": at_a_quarter, "beyond a constant": beyond, "at a tie": product,
    "an expression": cosine(lambda x: 2 * x - 1 == 7.0), "a curve": cosine(lambda x: rose.exp(x) > 60.0),
    "far away": cosine(lambda x: x > 1e6), "below": cosine(lambda x: x < -1234.5), "an index": chosen,
    "a little": ruled(1.0, lambda x: x * x, lambda x: 2 * x + rose.select(x > 300.0, x - 300.0, 0.0)),
    "in a loop": rose.fn([Vec[4]], Real)(lambda v: rose.sum(beyond(v[i]) for i in rose.range(4))),
    "in an arm": real(lambda x: rose.cond(x > 0, lambda: at_a_quarter(x), lambda: x)),
    "before a while": real(lambda x: rose.while_loop(lambda s: s < 2, lambda s: s + 1, beyond(x) * 0.1)),
    "one point of a select": real(lambda x: rose.select(x == 0.5, 0.5, x)),
    "a limit as a constant": real(lambda x: rose.select(x == 0.0, 1.0, rose.expm1(x) / x)),
    "of order 2": ruled(1.0, lambda x: x * x, lambda x: rose.select(x == 0.0, 0.0, 2 * x)),
    "a slope of a kink": ruled(1.0, abs, lambda x: rose.select(x == 0.0, 2.0, rose.sign(x))),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLES)
def test_a_derivative_that_is_wrong_where_a_comparison_flips_is_found(name: str):
    for seed in (0, 1):
        assert not examine(HOLES[name], 10, seed).ok


SPECIAL = [
    (lambda x: abs(x - 3.0) * 2, None), (lambda x: rose.clip(x, 1.0, 2.0), None),
    (lambda x: rose.relu(x - 3.0), "at x = 3.0: a kink, with slopes 0 and "),
    (lambda x: rose.sqrt(x - 2.0), "at x = 2.0: the derivative is not finite"),
    (lambda x: rose.select(x > 1e6, x * x, x), "at x = 1000000.0: a jump"),
    (lambda x: rose.relu(x) ** 2, "at x = 0.0: a kink of order 2, with second derivatives 0 and "),
    (lambda x: abs(x) * x, "at x = 0.0: a kink of order 2, with second derivatives -"),
    (lambda x: rose.max(x, 0.0) ** 2 + rose.max(-x, 0.0) ** 2, "at x = 0.0: a kink of order 2"),
    (lambda x: rose.pow(rose.norm([x]), 2.0), None),
    (lambda x: 3 * rose.relu(x) - 3 * rose.relu(-x), ", by convention"),
    (lambda x: rose.norm([x, x]) ** 2, None), (lambda x: abs(x) ** 2, None),
]  # fmt: skip


@pytest.mark.parametrize(("body", "said"), SPECIAL)
def test_kinks_of_both_orders_are_told_wherever_they_are(body: Any, said: str | None):
    report = examine(real(body))
    assert (report.ok, len(report.kinks)) == (True, int(said is not None)), report
    assert said is None or said in report.kinks[0]


def test_comparisons_that_were_not_seen_both_ways_are_told():
    never = examine(real(lambda x: rose.select(x * x < -1.0, 5.0, x)))
    assert (never.ok, never.notes) == (True, [f"the comparison at line {line_of('x * x < -1.0')} was never true"])
    always = examine(real(lambda x: rose.cond(x * x > -1.0, lambda: x, lambda: rose.select(x > 3.0, 5.0, x))))
    assert [note[-10:] for note in always.notes] == ["ever false", "never seen"]
    assert examine(real(lambda x: rose.select(x > 77.7, x, x * x) % 3.0)).notes == []


def test_what_there_was_no_time_for_is_told():
    def steps(x: Any) -> Any:
        for k in range(30):
            x = rose.select(x > 10.0 * k, 0.5 * x, x)
        return x

    report = examine(real(steps), 5)
    assert report.ok
    assert "1 comparison was not examined where both sides are equal" in report.notes
    by_module = examine(real(lambda x: rose.select(x > 1.0, x, 1.0)), interpreted=False)
    assert by_module.notes == ["the interpreter took no part: no comparison was looked at"]


def line_of(text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(k for k, line in enumerate(lines, 1) if text in line)


# the checks themselves


def test_modes_that_disagree_are_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examination, "pullback", lambda f: pullback(real(lambda x: rose.sin(x) * 1.0000001)))
    report = examine(real(rose.sin))
    assert not report.ok
    assert "reverse mode" in report.wrong[0]


def test_a_rule_with_another_value_is_found():
    f = real(lambda x: x * x)

    @f.jvp
    def _(x: Any) -> Any:
        return rose.Dual(1.01 * x.re * x.re, 2.0 * x.re * x.du)

    report = examine(f)
    assert not report.ok
    assert "and in the derivative" in report.wrong[0]


def test_a_module_of_other_bits_is_found(monkeypatch: pytest.MonkeyPatch):
    module = examination.plain
    monkeypatch.setattr(
        examination, "plain", lambda x, t: math.nextafter(module(x, t), 9.0) if t is Real else module(x, t)
    )
    report = examine(real(lambda x: x * x))
    assert not report.ok
    assert "in the module" in report.wrong[0]


def test_the_points_are_those_of_the_seed():
    same, other = [examine(shares, 5, seed) for seed in (1, 1)], examine(shares, 5, 2)
    assert str(same[0]) == str(same[1])
    assert same[0].differences != other.differences
    assert examine(shares, 5, 1, {"n": 7}).points == 5


# the command

PROGRAM = """
import rose
from rose import Real, Vec, fn

n = rose.dim("n")


@fn
def good(v: Vec[n]) -> Real:
    return rose.sum(rose.sin(v[i]) for i in rose.range(n))


@fn
def bent(x: Real) -> Real:
    return rose.relu(x)


@fn
def bad(x: Real) -> Real:
    return x ** 3


@bad.jvp
def _(d):
    return rose.Dual(d.re ** 3, 3 * d.re * d.du)


@fn
def broken(x: Real) -> Real:
    return x if x > 0 else -x
"""


@pytest.fixture
def check(tmp_path: Path):
    (tmp_path / "model.py").write_text(PROGRAM, encoding="utf-8")

    def command(*args: str) -> tuple[int, str, str]:
        got = subprocess.run(
            [sys.executable, "-m", "rose", "check", *args], cwd=tmp_path, capture_output=True, text=True, timeout=60,
            env={"PYTHONPATH": str(Path(rose.__file__).parents[1]), "NO_COLOR": "1"},
        )  # fmt: skip
        return got.returncode, got.stdout, got.stderr

    return command


# second derivatives in the module


@pytest.mark.parametrize("f", [bounced, shares, gathered, root], ids=lambda f: f.name)
def test_second_derivatives_are_compared_with_the_interpreter(f: Any):
    report = examine(f)
    assert report.ok and report.twice == examination.TWICE


def test_a_module_that_is_wrong_in_a_second_derivative_alone_is_found(monkeypatch: pytest.MonkeyPatch):
    """The bug is planted: the interpreter has another negation, which is in the derivative of the cosine."""
    plant(monkeypatch, OPS["neg"], eval=lambda x: 1e-9 - x)
    wrong = examine(real(rose.sin)).wrong[0]
    assert "jvp(vjp(" in wrong and "in the module" in wrong
    assert examine(real(rose.sin), twice=0).ok


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_a_fault_of_the_code_generator_in_one_place_of_a_second_derivative_is_told(
    n: int, monkeypatch: pytest.MonkeyPatch
):
    """Subtraction number n of a function has its operands swapped; value and first derivatives have one at most."""
    seen, number = Counter[Expressions](), Expressions.number

    def swapped(self: Expressions, v: rose.ir.Value, /) -> None:
        seen[self] += v.op is OPS["sub"]
        if v.op is not OPS["sub"] or seen[self] != n:
            return number(self, v)
        for a in reversed(v.args):
            self.push(a)
        return self.c("f64.sub")

    for name in ("number", "compute"):
        monkeypatch.setattr(Expressions, name, swapped)
    f = real(lambda x: rose.log(x * x + 1.0) / (x * x + 2.0))
    (wrong,) = examine(f).wrong[:1]
    assert re.search(r"(jvp|vjp)\(vjp\(.*is \S+ in the module, \S+ in the interpreter$", wrong)
    assert examine(f, twice=0).ok


def test_a_cotangent_has_the_indices_of_what_it_is_the_cotangent_of():
    """Those of a sparse matrix are its pattern: the module gives no others."""
    f = rose.fn([Vec[3]], Real)(lambda x: x[0] * x[1] + x[1] * x[2])
    for g in (rose.hessian(f, sparse=True), rose.fn([Real], tuple_of(Real, Fin[9]))(lambda x: (x * x, 7))):
        report = examine(g)
        assert report.ok and report.twice == examination.TWICE


def test_what_is_long_in_its_second_derivatives_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examination, "LONG", 3)
    report = examine(shares)
    assert (report.ok, report.twice) == (True, 0)
    assert report.notes == ["second derivatives are long: the module is not compared with the interpreter"]


def test_what_has_no_second_derivative_says_so():
    @rose.opaque
    def slope(x: Real) -> Real:
        return 2.0 * x

    square = real(lambda x: x * x)
    square.jvp(lambda x: rose.Dual(x.re * x.re, slope(x.re) * x.du))
    (note,) = examine(square).notes
    assert note.startswith("it has no second derivative: ")


@pytest.mark.slow
def test_the_command_says_what_was_found_of_each_function(check: Any):
    code, out, err = check("model.py:good,bent", "--size", "n=4")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [lines[0], lines[3]] == ["good: ok", "bent: ok"]
    assert lines[1].startswith("  at 10 points, forward and reverse mode differ by ")
    assert lines[2].startswith("  at 2 of them, second derivatives have the bits")
    assert "a kink, with slopes" in lines[6]


@pytest.mark.slow
def test_the_command_fails_for_a_wrong_rule(check: Any):
    code, out, _ = check("model.py:good,bad")
    assert code == 3
    assert "bad: WRONG\n  at x = " in out
    code, out, _ = check("model.py:bad,good", "--json", "--points", "4", "--seed", "7")
    found = json.loads(out)
    assert code == 3
    assert [(k, r["ok"], r["points"]) for k, r in found.items()][1] == ("good", True, 4)
    assert found["bad"]["wrong"]


@pytest.mark.slow
def test_the_command_fails_for_a_wrong_program_and_a_wrong_command(check: Any):
    code, out, err = check("model.py")
    assert (code, out) == (1, "")
    assert "x if x > 0 else -x" in err
    assert check("model.py:none")[0] == 2
    for size in ("n=x", "m=3"):
        assert check("model.py:good", "--size", size)[0] == 2
    assert check("model.py:good", "--points", "0")[0] == 2
