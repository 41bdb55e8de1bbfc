"""`rose check` and what is behind it: what is wrong is found, kinks are told apart, and what is right is not blamed."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from random_programs import program

import rose
from rose import Bool, Fin, Real, Vec, testing
from rose.derivatives.gradients import pullback
from rose.testing import examine

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


@pytest.mark.parametrize("seed", range(30))
def test_a_random_program_is_not_blamed(seed: int):
    report = examine(program(random.Random(seed).randrange).run()["main"], 4)
    assert report.ok, report


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
    report = examine(f)
    assert (report.ok, report.points) == (True, 0)
    assert said in report.notes[0]


def test_what_is_printed_is_not_shown(capsys: pytest.CaptureFixture[str]):
    assert examine(noted).ok
    assert capsys.readouterr().out == ""


# the checks themselves


def test_modes_that_disagree_are_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(testing, "pullback", lambda f: pullback(real(lambda x: rose.sin(x) * 1.0000001)))
    report = examine(real(rose.sin))
    assert not report.ok
    assert "reverse mode" in report.wrong[0]


def test_a_module_of_other_bits_is_found(monkeypatch: pytest.MonkeyPatch):
    module = testing.plain
    monkeypatch.setattr(testing, "plain", lambda x, t: math.nextafter(module(x, t), 9.0) if t is Real else module(x, t))
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


@pytest.mark.slow
def test_the_command_says_what_was_found_of_each_function(check: Any):
    code, out, err = check("model.py:good,bent", "--size", "n=4")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [lines[0], lines[2]] == ["good: ok", "bent: ok"]
    assert lines[1].startswith("  at 10 points, forward and reverse mode differ by ")
    assert "a kink, with slopes" in lines[4]


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
