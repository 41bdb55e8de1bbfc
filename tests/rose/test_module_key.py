"""The key of a module: another one for each thing that changes its bytes, and the same for what does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from file_programs import program

import rose
from rose import Dual, Real, Vec, fn, module_key
from rose.build import DTYPES
from rose.host.effects import TAPE_LIMIT
from rose.ir.types import single

PROGRAM = """
import rose
from rose import Dual, Real, Vec, fn, struct

TABLE = [0.5, 1.5, 2.5]
@struct
class Point:
    x: Real
    y: Real

@fn
def inner(x: Real, k: Real) -> Real:
    return rose.sin(x) * k + 0.0

@fn
def ruled(x: Real) -> Real:
    return x * x
@ruled.jvp
def rule(x):
    return Dual(x.re * x.re, 2.0 * x.re * x.du)

@fn
def f(p: Point, v: Vec[3]) -> Real:
    rose.assert_(p.x < 100.0, "large")
    rose.print("x = {}", p.x)
    w = rose.while_loop(lambda s: s < p.y, lambda s: s + v[0], p.x, max_iter=50)
    y = rose.scan(lambda i, s: s * 0.5 + v[0] * p.x, w, 8, checkpoint="sqrt")
    return ruled(y) + inner(p.x, 2.0) - rose.sum(v[i] * rose.constant(Vec[3], TABLE)[i] for i in rose.range(3))

g = rose.grad(f)
"""
CHANGES = {  # a text, and what stands in its place: all are of one program
    "a literal": ("* k + 0.0", "* k + 1.0"),
    "the sign of a zero": ("* k + 0.0", "* k - 0.0"),
    "the last bit of a literal": ("0.5, 1.5, 2.5", "0.5, 1.5000000000000002, 2.5"),
    "an operation": ("rose.sin", "rose.cos"),
    "the order of operands": ("v[0] * p.x", "p.x * v[0]"),
    "an argument": ("inner(p.x, 2.0)", "inner(p.y, 2.0)"),
    "a branch": ("- rose.sum", "+ rose.sum"),
    "the body of a rule": ("2.0 * x.re * x.du", "3.0 * x.re * x.du"),
    "a rule": ("@ruled.jvp\n", ""),
    "what has a rule": ("ruled(y)", "y * y"),
    "the size of a type": ("v: Vec[3]", "v: Vec[4]"),
    "the length of a loop": ("rose.range(3)", "rose.range(2)"),
    "the length of a scan": ("w, 8", "w, 9"),
    "how a scan is differentiated": (', checkpoint="sqrt"', ""),
    "the limit of a loop": ("max_iter=50", "max_iter=51"),
    "no limit of a loop": (", max_iter=50", ""),
    "a field": ("    y: Real\n", "    y: Real\n    z: Real\n"),
    "the name of a struct": ("Point", "Place"),
    "the name of a parameter": ("v: Vec[3]) -> Real:\n", "u: Vec[3]) -> Real:\n    v = u\n"),
    "the name of a function": ("inner", "other"),
    "an assertion": ('"large"', '"too large"'),
    "no assertion": ('rose.assert_(p.x < 100.0, "large")', "pass"),
    "what is printed": ('"x = {}"', '"x={}"'),
    "how it is printed": ('"x = {}"', '"x = {:.3f}"'),
    "two failures in two lines": ('rose.assert_(p.x < 100.0, "large")', 'rose.assert_(p.x < 100.0, "large"); pass'),
}
DERIVED = {  # what is compiled, in the place of `rose.grad(f)`
    "the function": "f",
    "another transform": "rose.value_and_grad(f)",
    "another parameter": "rose.grad(f, 1)",
    "a list of one parameter": "rose.grad(f, [0])",
    "a list of two": "rose.grad(f, [0, 1])",
    "forward mode": "rose.jacfwd(f)",
    "reverse mode": "rose.jacrev(f)",
    "either": "rose.jacobian(f)",
    "twice": "rose.jacobian(rose.grad(f, 1), 1)",
    "twice, in another parameter": "rose.jacobian(rose.grad(f, 1), 0)",
    "a product": "rose.hvp(f)",
    "a derivative of two arguments": "rose.jvp(f)",
    "of an order": "rose.directional(f, 2, 1)",
    "of another order": "rose.directional(f, 3, 1)",
    "under another name": "fn([Point, Vec[3]], Point)(lambda p, v: rose.grad(f)(p, v))",
}
LIMITS = TAPE_LIMIT, 2**20
OPTIONS: list[Any] = [(dtype, simd, limit) for dtype in DTYPES for simd in (False, True) for limit in LIMITS]


@pytest.fixture(autouse=True)
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also small functions have keys, and the files are never too new."""
    monkeypatch.setattr(module_key, "WORTH", 0)
    monkeypatch.setattr(module_key, "sources", lambda: "files")


def key(named: Any, options: Any = ("f64", False, TAPE_LIMIT)) -> str:
    made = module_key.module_key(named if isinstance(named, dict) else {"f": named}, options)
    assert made is not None
    return made.name


def keys(text: str, folder: Path) -> set[str]:
    """The keys of the function of a program, and of its gradient."""
    scope = program(text, folder)
    return {key(scope["f"]), key(scope["g"])}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_in_a_program_changes_the_keys(change: str, tmp_path: Path):
    old, new = CHANGES[change]
    assert old in PROGRAM
    first, second = keys(PROGRAM, tmp_path), keys(PROGRAM.replace(old, new), tmp_path)
    assert len(first) == len(second) == 2
    assert first.isdisjoint(second) == (change != "two failures in two lines")


def test_each_transform_has_its_key_and_it_is_the_same_again(tmp_path: Path):
    found: set[str] = set()
    for text in ("rose.grad(f)", *DERIVED.values()):
        scope, again = program(PROGRAM, tmp_path), program(PROGRAM, tmp_path)
        made = key(eval(text, scope))
        assert made == key(eval(text, again)) and made not in found
        found.add(made)


def test_each_option_and_each_name_has_its_key(tmp_path: Path):
    f, g = (program(PROGRAM, tmp_path)[k] for k in "fg")
    named: list[Any] = [{"f": f}, {"h": f}, {"f": f, "g": g}, {"g": g, "f": f}, {"f": g, "g": f}]
    assert len({key(of) for of in named}) == len(named)
    assert len({key(f, options) for options in OPTIONS}) == len(OPTIONS)
    assert key(f, ("f64", True, 1)) != key(f, ("f64", "relaxed", 1))


def test_no_derivative_is_made_for_a_key(tmp_path: Path):
    scope = program(PROGRAM, tmp_path)
    for text in ("rose.grad(f)", "rose.jacobian(rose.grad(f, 1), 1)", "rose.hvp(f)", "rose.value_and_grad(f, [0, 1])"):
        derived = eval(text, scope)
        key(derived)
        assert not derived.is_traced


def test_lines_that_move_keep_the_key_and_lines_that_part_do_not(tmp_path: Path):
    assert keys("\n\n# a comment\n" + PROGRAM, tmp_path) == keys(PROGRAM, tmp_path)
    one = "\n@fn\ndef f(x: Real) -> Real:\n    {}\n    return x\ng = rose.grad(f)\n"
    asserts = [f'rose.assert_(x < {k}.0, "large")' for k in (1, 2)]
    head = "import rose\nfrom rose import Real, fn\n"
    same, apart = [head + one.format(by.join(asserts)) for by in ("; ", "\n    ")]
    assert keys(same, tmp_path).isdisjoint(keys(apart, tmp_path))


def test_a_class_of_another_module_has_the_key(tmp_path: Path):
    other = PROGRAM.replace("class Point:", "class Point:\n    def twice(self): return 2.0 * self.x\n")
    assert keys(other, tmp_path) == keys(PROGRAM, tmp_path)


def test_a_table_of_the_program_is_in_the_key():
    def of(table: Any) -> str:
        return key(rose.grad(fn([Real], Real)(lambda x: x * rose.sum(table))))

    one = np.arange(4.0)
    assert of(one) == of(np.arange(4.0)) != of(one + 1.0)


def test_a_rule_of_a_derivative_is_in_the_key_of_what_is_made_of_it(tmp_path: Path):
    def derived(slope: float | None) -> Any:
        g = rose.grad(fn([Real], Real)(lambda x: x * x * x))
        if slope is not None:
            g.jvp(lambda x: Dual(3.0 * x.re * x.re, slope * x.re * x.du))
        return g

    made = [key(rose.grad(derived(slope))) for slope in (None, 6.0, 7.0)]
    assert len(set(made)) == 3
    assert key(rose.grad(derived(7.0))) == made[2]


def test_sizes_are_in_the_key():
    n = rose.dim("n")

    @fn
    def f(v: Vec[n]) -> Real:
        return rose.sum(v) * v[0]

    @fn
    def of_three(v: Vec[3]) -> Real:
        return rose.sum(v) * v[0]

    of = {key({"f": g}) for g in (f.at(n=3), f.at(n=4), of_three)}
    assert len(of) == 3  # a function of any size has derivatives of its own
    assert key(rose.jacobian(f).at(n=3)) != key(rose.jacobian(f).at(n=4))


@rose.opaque
def host(x: Real) -> Real:
    return 2.0 * x


UNKNOWN: dict[str, Callable[[], Any]] = {
    "an opaque function": lambda: fn([Real], Real)(lambda x: host(x) + 1.0),
    "every size": lambda: _any_size().at(n=rose.ir.sizes.opened(rose.dim("n"))),
    "an error of the program": lambda: fn([Real], Real)(lambda x: x + "1"),  # pyright: ignore
}


def _any_size() -> Any:
    n = rose.dim("n")
    return fn([Vec[n]], Real)(lambda v: rose.sum(v) * 0.5)


@pytest.mark.parametrize("what", UNKNOWN)
def test_some_functions_have_no_key(what: str):
    assert module_key.module_key({"f": UNKNOWN[what]()}, ()) is None


def test_a_short_function_has_no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module_key, "WORTH", 10)
    short, long = (fn([Real], Real)(lambda x, n=n: [x := x * x + k for k in range(n)][-1]) for n in (2, 9))
    assert module_key.module_key({"f": short}, ()) is None and module_key.module_key({"f": long}, ()) is not None


def test_the_types_of_what_is_exported():
    f = fn([Real, Vec[2]], Real)(lambda x, v: x * v[0])
    assert module_key.exported({"f": f}, "f64") == {"f": [Real, Vec[2], Real]}
    assert module_key.exported({"f": f}, "f32") == {"f": [single(Real), single(Vec[2]), single(Real)]}


# the files of the compiler


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler of two files, in the place of ours."""
    monkeypatch.undo()  # of `everything`
    for name in ("one.py", "inner/two.py", "inner/__pycache__/two.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("first")
    monkeypatch.setattr(module_key, "find_spec", lambda name: of_folder(tmp_path))
    monkeypatch.setattr(module_key, "BEGUN", module_key.BEGUN + 1e6)
    return tmp_path


def of_folder(path: Path) -> Any:
    class Spec:
        submodule_search_locations = (str(path),)

    return Spec


def told() -> str | None:
    module_key.sources.cache_clear()
    return module_key.sources()


def test_a_file_of_the_compiler_that_changes_changes_the_key_whatever_its_time_says(tree: Path):
    before, about = told(), (tree / "inner/two.py").stat()
    assert before is not None and told() == before
    (tree / "inner/two.py").write_text("other")  # as long
    os.utime(tree / "inner/two.py", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert told() not in (before, None)
    with_two = told()
    (tree / "three.py").write_text("first")
    assert told() not in (before, with_two, None)


def test_what_python_compiled_is_no_file_of_the_compiler(tree: Path):
    before = told()
    (tree / "inner/__pycache__/two.pyc").write_text("other")
    assert told() == before


def test_there_is_no_key_where_a_file_is_newer_than_what_runs(tree: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module_key, "BEGUN", (tree / "one.py").stat().st_ctime + 1.0)
    assert told() is None


def test_there_is_no_key_where_files_cannot_be_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.undo()
    monkeypatch.setattr(module_key, "find_spec", lambda name: of_folder(tmp_path / "archive.zip"))
    assert told() is None
    module_key.sources.cache_clear()
