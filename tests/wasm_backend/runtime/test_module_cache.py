"""Modules on disk: what is found is what would be made, and says what it would say."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from control_programs import CASES
from file_programs import program

import rose
from rose import Real, build, fn, module_key
from rose.optimise.instruments import Instruments, instrumented
from rose.optimise.values import watching
from wasm_backend.runtime import module_cache
from wasm_backend.runtime.cache_directory import NAME, place

HEAD = """
import rose
from rose import Dual, Real, Vec, fn, struct
@struct
class Point:
    x: Real
    y: Real
"""
MODEL = (
    HEAD
    + """
@fn
def inner(x: Real, k: Real) -> Real:
    return rose.sin(x) * k + 0.5
@fn
def f(p: Point, v: Vec[3]) -> Real:
    return inner(p.x, p.y) * rose.sum(v[i] ** 2 for i in rose.range(3))
"""
)
FAILING = (
    HEAD
    + """
@fn
def f(x: Real) -> Real:
    rose.assert_(x < 100.0, "x is large")
    y = rose.while_loop(lambda s: s < x, lambda s: s + 1.0, 0.0, max_iter=50)
    z = rose.while_loop(lambda s: s < y, lambda s: s * 1.5 + x, 1.0, max_iter=50)
    return y * x + z
"""
)
LONG = (
    HEAD
    + """
@fn
def f(x: Real) -> Real:
    return rose.while_loop(lambda s: s >= 0.0, lambda s: s + x * x, x)
"""
)
PRINTING = (
    HEAD
    + """
@fn
def f(p: Point) -> Real:
    rose.print("p = {}", p)
    rose.print("x = {:.2f}", p.x)
    return p.x * p.y
"""
)


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of which also small modules are."""
    monkeypatch.setenv("ROSE_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(module_key, "WORTH", 0)
    monkeypatch.setattr(module_cache, "WORTH", 0.0)
    monkeypatch.setattr(module_key, "sources", lambda: "files")
    return tmp_path / "kept" / NAME


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that grows by the name of each module that is made, and not found."""
    names, lowered = list[str](), build._lowered  # pyright: ignore[reportPrivateUsage]

    def counted(named: Any, *args: Any) -> Any:
        names.extend(named)
        return lowered(named, *args)

    monkeypatch.setattr(build, "_lowered", counted)
    return names


def found(text: str, call: str, folder: Path, moved: str | None = None) -> tuple[Any, Any]:
    """What is compiled of a program, and what is found of the same one, of which the lines may have moved."""
    one = rose.compile(eval(call, program(text, folder)))
    return one, rose.compile(eval(call, program(text if moved is None else moved, folder)))


CALLS = ["f", "rose.grad(f)", "rose.jacobian(rose.grad(f, 1), 1)", "rose.hvp(f)", "rose.value_and_grad(f, [0, 1])"]
OPTIONS: list[dict[str, Any]] = [
    {}, {"simd": True}, {"simd": "relaxed"}, {"dtype": "f32"}, {"tape_limit": 2**20}, {"finite": True},
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_what_is_found_is_what_is_made(call: str, options: dict[str, Any], tmp_path: Path, made: list[str]):
    one, other = (rose.compile(eval(call, program(MODEL, tmp_path)), **options) for _ in range(2))
    assert len(made) == 1 and one.wasm == other.wasm
    for a, b in ((one, other), (other, one)):
        assert repr(a) == repr(b) and a.pretty() == b.pretty() and str(a.signature) == str(b.signature)
    names = [k for k in one.files("made") if not k.endswith(".map")]
    assert [one.files("made")[k] for k in names] == [other.files("made")[k] for k in names]
    assert one.files("made")["made.wasm.map"] == other.files("made")["made.wasm.map"]


ORDERS: dict[str, Callable[[Any], Any]] = {"f": lambda f: f, "grad": rose.grad, "hvp": rose.hvp}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_whatever_is_found_is_what_is_made(case: Any, order: str):
    first, second = ({"f": ORDERS[order](case.fn)} for _ in range(2))
    keys = [module_key.module_key(named, ("f64", False, 2**30)) for named in (first, second)]
    assert keys[0] is not None and keys[1] is not None and keys[0].name == keys[1].name
    fresh, types = build.lowered(first), module_key.exported(second, "f64")
    module_cache.keep(*keys[0], types, fresh)
    stored = module_cache.stored(*keys[1], types)
    assert stored is not None and plain(stored) == plain(build.lowered(second)) == plain(fresh)


def plain(made: Any) -> Any:
    """A module, with its failures and stops as they are told."""
    failures = [(why.kind, why.message, why.loc, why.hint) for why in made.failures]
    stops = [(at, stop.where, stop.locals) for at, stop in made.stops]
    return made.wasm, made.signatures, made.imports, made.mathematics, failures, made.base, made.plain, stops


# what is of this process


def test_structs_are_of_the_classes_of_this_process(tmp_path: Path, made: list[str]):
    scope = [program(MODEL, tmp_path) for _ in range(2)]
    compiled = [rose.compile(of["g"] if "g" in of else rose.grad(of["f"])) for of in scope]
    results = [f(of["Point"](0.5, 2.0), [1.0, 2.0, 3.0]) for f, of in zip(compiled, scope, strict=True)]
    assert len(made) == 1 and scope[0]["Point"] is not scope[1]["Point"]
    assert [type(x) for x in results] == [of["Point"] for of in scope]
    assert (results[0].x, results[0].y) == (results[1].x, results[1].y)


@pytest.mark.parametrize(("call", "x"), [("f", 200.0), ("rose.grad(f)", 200.0), ("f", 70.0), ("rose.grad(f)", 70.0)])
def test_a_failure_tells_the_line_of_this_process(call: str, x: float, tmp_path: Path, made: list[str]):
    _, f = found(FAILING, call, tmp_path, "\n\n\n" + FAILING)
    assert len(made) == 1
    fresh = rose.compile(eval(call, program("\n\n\n" + FAILING + " ", tmp_path)), tape_limit=2**29)
    said = []
    for g in (f, fresh):
        with pytest.raises(rose.RoseError) as caught:
            g(x)
        said.append(str(caught.value))
    line = 14 if x > 100.0 else 15
    assert said[0] == said[1] and f"model.py:{line}" in said[0]


def test_a_loop_that_is_stopped_is_named_by_its_line_here(tmp_path: Path, made: list[str]):
    for k, text in enumerate([LONG, "\n\n" + LONG]):
        f = rose.compile(program(text, tmp_path)["f"], timeout=0.05)
        with pytest.raises(rose.TimedOut, match=f"model.py:{11 + 2 * k}"):
            f(1.0)
    assert len(made) == 1


def test_what_prints_is_found_too(tmp_path: Path, made: list[str], capsys: pytest.CaptureFixture[str]):
    scope = [program(PRINTING, tmp_path) for _ in range(2)]
    for of in scope:
        rose.compile(rose.grad(of["f"]))(of["Point"](0.5, 2.0))
    one, other = capsys.readouterr().out.split("p = ")[1:]
    assert len(made) == 1 and one == other == "Point(x=0.5, y=2.0)\nx = 0.50\n"


def test_a_rule_that_comes_too_late_is_refused_as_ever(tmp_path: Path, made: list[str]):
    for of in [program(MODEL, tmp_path) for _ in range(2)]:
        rose.compile(rose.grad(of["f"]))
        for name in ("f", "inner"):
            with pytest.raises(rose.RoseError, match=f"the derivative of {name} was already made"):
                of[name].jvp(lambda *duals: duals[0])
    assert len(made) == 1


def test_another_rule_makes_another_gradient(tmp_path: Path):
    rule = "@inner.jvp\ndef rule(x, k):\n    return Dual(inner(x.re, k.re), {} * x.du)\n"
    slopes = []
    for k in (1.0, 2.0, 1.0):
        text = MODEL.replace("@fn\ndef f", rule.format(k) + "@fn\ndef f")
        of = program(text, tmp_path)
        slopes.append(rose.compile(rose.grad(of["f"]))(of["Point"](0.5, 2.0), [1.0, 0.0, 0.0]).x)
    assert slopes == [1.0, 2.0, 1.0]


# when nothing is found


def test_checks_and_instruments_see_a_module_that_is_made(tmp_path: Path, made: list[str], monkeypatch: Any):
    found(MODEL, "rose.grad(f)", tmp_path)
    with watching() as witness:
        assert rose.compile(rose.grad(program(MODEL, tmp_path)["f"]))
    assert len(made) == 2 and witness.numbers > 0
    with instrumented(Instruments(without=["inline"])):
        rose.compile(rose.grad(program(MODEL, tmp_path)["f"]))
    monkeypatch.setattr(build, "CHECKS", True)
    rose.compile(rose.grad(program(MODEL, tmp_path)["f"]))
    assert len(made) == 4


def test_a_damaged_entry_is_made_again(directory: Path, tmp_path: Path, made: list[str]):
    one = rose.compile(program(MODEL, tmp_path)["f"])
    [entry] = [path for path in directory.iterdir() if len(path.name) == 64]
    good = entry.read_bytes()
    for bad in (b"", good[:50], good[:40] + bytes([good[40] ^ 1]) + good[41:]):
        entry.write_bytes(bad)
        assert rose.compile(program(MODEL, tmp_path)["f"]).wasm == one.wasm
        assert entry.read_bytes() == good
    assert len(made) == 4


def test_without_a_cache_every_module_is_made(tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", "")
    found(MODEL, "f", tmp_path)
    assert len(made) == 2 and place() is None


def test_what_is_made_at_once_is_not_stored(directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module_cache, "WORTH", 100.0)
    rose.compile(program(MODEL, tmp_path)["f"])
    assert not [path for path in directory.iterdir() if len(path.name) == 64]


@rose.opaque
def doubled(x: Real) -> Real:
    return 2.0 * x


def test_an_opaque_function_is_not_stored(directory: Path, made: list[str]):
    for _ in range(2):
        rose.compile(fn([Real], Real)(lambda x: doubled(x) + 1.0))
    assert len(made) == 2 and not directory.exists()


# one process


def test_what_was_called_is_compiled_already(made: list[str]):
    f = fn([Real, Real], Real)(lambda x, y: x * rose.sin(y) + 0.125)
    g = rose.grad(f)
    y = g(0.5, 0.25)
    module = rose.compile(g)
    assert len(made) == 1 and module(0.5, 0.25) == y and rose.compile(g)._lowered is module._lowered
    assert "sin" in module.files("made")["made.wasm.map"].decode() or len(made) == 2  # debug information is made anew
    rose.compile(g, tape_limit=2**20), rose.compile({"h": g})
    assert len(made) == 4


def test_a_module_is_shared_while_someone_has_it_also_where_none_is_stored(monkeypatch: Any, made: list[str]):
    monkeypatch.setattr(module_key, "module_key", lambda *_: None)
    f = fn([Real], Real)(lambda x: x * 0.375)
    module = rose.compile(f)
    assert rose.compile(f)._lowered is module._lowered and len(made) == 1
    [held] = [x for k, x in f.results.items() if k[0] == "module"]
    assert held().lowered is module._lowered
    monkeypatch.setenv("ROSE_CACHE", "")
    assert rose.compile(f)._lowered is not module._lowered and len(made) == 2


def test_machine_code_is_shared(monkeypatch: pytest.MonkeyPatch):
    f = fn([Real], Real)(lambda x: x * 0.625)
    code = [rose.compile(f).running._module.compiled()[1] for _ in range(2)]
    assert f(2.0) == 1.25 and code[0] is code[1]
    monkeypatch.setenv("ROSE_CACHE", "")
    assert rose.compile(f).running._module.compiled()[1] is not code[0]


# the next process

SECOND = """
import sys
import rose
from rose import module_key
module_key.sources = lambda: "files"
from rose import Real, Vec, fn
from rose.ir.progress import watched
def body(x, v):
    for k in range(200):
        x = x * v[k % 3] + 0.5
    return rose.sin(x)
f = fn([Real, Vec[3]], Real)(body)
slope, steps = rose.grad(f, [0, 1]), {}
with watched(lambda stage, of: steps.setdefault(stage)):
    print(slope(0.5, [0.25, 0.5, 0.75]))
print(*steps, "wasm_backend.lower" in sys.modules)
print(slope.is_traced, rose.compile(slope).wasm.hex())
"""


@pytest.mark.slow
def test_the_next_process_derives_and_optimises_and_lowers_nothing(directory: Path):
    run = lambda: subprocess.run([sys.executable, "-c", SECOND], check=True, capture_output=True, text=True).stdout
    first, second, third = (run().splitlines() for _ in range(3))
    assert first[0] == second[0] and second == third
    assert first[1] == "trace derive optimise lower True" and second[1] == "trace False"
    assert first[2].replace("True", "False") == second[2]


@pytest.mark.slow
def test_two_processes_at_once_have_the_same(directory: Path):
    two = [subprocess.Popen([sys.executable, "-c", SECOND], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    (one, _), (other, _) = (process.communicate() for process in two)
    assert one.splitlines()[0] == other.splitlines()[0] and [process.returncode for process in two] == [0, 0]
    assert not [*directory.glob("new-*")]
