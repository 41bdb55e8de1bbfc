"""The certificate of a package: what is checked when it is compiled, what is not, and that a wrong gradient ends it."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

import rose
from rose import Bool, Real, Vec, fn
from rose.cli import commands
from rose.cli.certificate import LARGEST_FUNCTION, WrongDerivative, certify

n = rose.dim("n")


@fn
def usual(x: Vec[3], k: Real) -> Real:
    return rose.sum(rose.sin(x[i] * k) for i in rose.range(3))


def wrongly(slope: Callable[[Any], Any]) -> Any:
    """A square with a derivative by hand."""

    @fn
    def square(x: Real) -> Real:
        return x * x

    @square.jvp
    def rule(x: rose.Dual) -> rose.Dual:
        return rose.Dual(x.re * x.re, slope(x.re) * x.du)

    return square


def long(f: Any, turns: int) -> Any:
    return rose.fn([Real], Real)(lambda x: rose.scan(lambda i, y: 0.5 * y + 0.25 * f(y), x / 8, turns))


def found(f: Any) -> dict[str, Any]:
    return certify({"f": f})["functions"]["f"]


def test_what_is_found_of_a_usual_function():
    made = certify({"usual": usual, "grad": rose.grad(usual)})
    assert made["seed"] == 0
    assert list(made["functions"]) == ["usual", "grad"]
    for x in made["functions"].values():
        assert x == {**x, "ok": True, "points": 10, "kinks": [], "notes": []}
        assert 0.0 <= x["adjoint"] < 1e-12
        assert 0.0 < x["differences"] < 1e-6
    assert certify({"usual": usual, "grad": rose.grad(usual)}) == made == json.loads(json.dumps(made))


def test_a_wrong_rule_is_no_certificate():
    assert found(wrongly(lambda x: 2 * x))["ok"]
    for slope in (lambda x: 2.001 * x, lambda x: -2 * x, lambda x: 0 * x):
        with pytest.raises(WrongDerivative) as e:
            certify({"usual": usual, "square": wrongly(slope)})
        assert "square: WRONG" in str(e.value)
        assert "usual" not in str(e.value)
        assert e.value.reports["usual"].ok


def test_a_long_loop_is_checked_by_the_module_alone():
    right = found(long(wrongly(lambda y: 2 * y), 30_000))
    assert right["ok"]
    assert 1 <= right["points"] <= 3
    assert right["differences"] < 1e-6
    assert right["notes"][-1].endswith("instructions, so the interpreter took no part in this")
    with pytest.raises(WrongDerivative):
        found(rose.fn([Real], Real)(lambda x: wrongly(lambda y: 3 * y)(x) + 0.0 * long(usual_of_one, 30_000)(x)))


@fn
def usual_of_one(x: Real) -> Real:
    return rose.sin(x)


@pytest.mark.slow
def test_where_there_is_no_time_for_differences_it_is_said():
    made = found(long(usual_of_one, 2_500_000))
    assert made["points"] >= 1
    assert made["adjoint"] < 1e-8
    assert "differences take too long" in made["notes"][0]


def test_what_takes_too_long_is_not_checked():
    made = found(long(usual_of_one, 200_000_000))
    assert (made["ok"], made["points"]) == (True, 0)
    assert made["notes"][0].startswith("not checked: an evaluation takes ")


def test_a_loop_that_may_not_end_is_bounded():
    grown = rose.fn([Real], Real)(
        lambda x: rose.while_loop(lambda s: s[1] > 0.5, lambda s: (rose.sin(s[0]), s[1] + 1.0), (x, x))[0]
    )
    start = time.process_time()
    made = found(grown)
    assert time.process_time() - start < 20
    assert made["ok"]


def test_what_is_too_large_is_not_checked():
    def body(x: Any) -> Any:
        for _ in range(LARGEST_FUNCTION):
            x = x * 0.999 + 1.0
        return x

    (note,) = found(rose.fn([Real], Real)(body))["notes"]
    assert re.fullmatch(r"not checked: with all that it calls it has 4\d,\d{3} instructions", note)


def test_host_functions():
    called = list[float]()

    @rose.opaque(name="page.only", pure=True)
    def page_only(x: Real) -> Real:
        raise NotImplementedError

    @rose.opaque(name="page.told")
    def told(x: Real) -> Real:
        called.append(cast("float", x))
        return x

    (note,) = found(rose.fn([Real], Real)(lambda x: page_only(x) * x))["notes"]
    assert note == "not checked: a host function raises NotImplementedError"
    (note,) = found(rose.fn([Real], Real)(lambda x: told(x) * x))["notes"]
    assert note == "not checked: page.told is a host function with an effect"
    assert not called


def test_functions_of_any_size_and_without_derivatives():
    @fn
    def of_any_size(x: Vec[n]) -> Real:
        return rose.prod(x[i] for i in rose.range(n))

    @fn
    def negated(b: Bool) -> Bool:
        return ~b

    assert found(of_any_size)["points"] == 10
    assert found(negated) == {**found(negated), "ok": True, "points": 0}
    assert found(negated)["notes"] == ["it has no derivative: the module is compared with the interpreter"]


# the command


MODEL = """
import rose
from rose import Dual, Real, Vec, fn

n = rose.dim("n")

@fn
def loss(x: Real, y: Real) -> Real:
    return rose.sin(x) * y

@fn
def square(x: Real) -> Real:
    return x * x

@square.jvp
def rule(x: Dual) -> Dual:
    return Dual(x.re * x.re, SLOPE * x.re * x.du)

@fn
def line(x: Vec[n]) -> Real:
    return rose.dot(x, x)
"""


def compiled(folder: Path, slope: float, *options: str) -> int:
    """The exit code of `rose compile`."""
    (folder / "model.py").write_text(MODEL.replace("SLOPE", str(slope)))
    target = f"{folder / 'model.py'}:{'loss,square,line' if '--dynamic' in options else 'loss,square'}"
    with pytest.raises(SystemExit) as e:
        commands.main(["compile", target, "-o", str(folder / "out"), "-q", "--force", *options], prog_name="rose")
    return cast("int", e.value.code or 0)


def certificate(folder: Path) -> Any:
    return json.loads((folder / "out" / "model.json").read_text())["certificate"]


def test_a_package_has_its_certificate(tmp_path: Path):
    assert compiled(tmp_path, 2) == 0
    assert list(certificate(tmp_path)["functions"]) == ["loss", "square"]
    assert all(x["ok"] and x["points"] == 10 for x in certificate(tmp_path)["functions"].values())
    first = (tmp_path / "out" / "model.json").read_bytes()
    assert compiled(tmp_path, 2) == 0
    assert (tmp_path / "out" / "model.json").read_bytes() == first
    assert compiled(tmp_path, 2, "--hessian", "--grad") == 0
    assert list(certificate(tmp_path)["functions"]) == ["loss", "square", "grad_loss", "grad_square"]


def test_a_wrong_gradient_is_not_packaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert compiled(tmp_path, 3) == 3
    assert not (tmp_path / "out").exists()
    err = capsys.readouterr().err
    assert err.startswith("Error: nothing is written, as a derivative is wrong\nsquare: WRONG\n")
    assert "loss" not in err
    assert compiled(tmp_path, 3, "--no-check") == 0
    assert certificate(tmp_path) is None


def test_a_certificate_of_functions_of_any_size(tmp_path: Path):
    assert compiled(tmp_path, 2, "--dynamic") == 0
    assert certificate(tmp_path)["functions"]["line"]["points"] == 10


def test_strip_leaves_out_names_and_map(tmp_path: Path):
    assert compiled(tmp_path, 2, "--strip") == 0
    assert not (tmp_path / "out" / "model.wasm.map").exists()
    stripped = (tmp_path / "out" / "model.wasm").read_bytes()
    assert compiled(tmp_path, 2, "--no-check") == 0
    assert (tmp_path / "out" / "model.wasm.map").exists()
    assert (tmp_path / "out" / "model.wasm").read_bytes().startswith(stripped)


def test_a_check_changes_no_other_file(tmp_path: Path):
    assert compiled(tmp_path, 2) == 0
    checked = {f.name: f.read_bytes() for f in (tmp_path / "out").iterdir()}
    assert compiled(tmp_path, 2, "--no-check") == 0
    unchecked = {f.name: f.read_bytes() for f in (tmp_path / "out").iterdir()}
    assert {k for k in checked if checked[k] != unchecked[k]} == {"model.json"}
