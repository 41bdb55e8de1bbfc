"""The rules of the house that a program can check: sizes of files, a test file for each module,
imports at the top, no leftovers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT, TESTS

FILES = sorted([*(ROOT / "rose").rglob("*.py"), *(ROOT / "wasm_backend").rglob("*.py")])
LAZY = {  # modules that may import inside a function, and what
    "rose/bridges/frameworks.py": "JAX and PyTorch, which only who calls it needs",
    "rose/build.py": "the back end, which only compiling needs",
    "rose/cli/answers.py": "what renders Markdown, which few requests need",
    "rose/cli/jax_programs.py": "JAX, which only who asks for it needs",
    "rose/differentiation/jacobians.py": "Jacobians of complex numbers, which few programs need",
    "rose/errors/advice.py": "what finds similar names, for one that is wrong",
    "rose/frontend/decorators.py": "what rewrites syntax, which only who asks for it needs",
    "rose/frontend/documentation.py": "what reads docstrings, which few look at",
    "rose/frontend/pickling.py": "what reads a pickle by value",
    "rose/hooks.py": "the rooms above, for those below",
    "wasm_backend/libm/link.py": "functions of two numbers at once, which only vectorised loops call",
    "wasm_backend/lower.py": "what vectorises, which only who asks for it needs",
    "wasm_backend/runtime/cache_directory.py": "what makes the directory, once",
    "wasm_backend/runtime/callables.py": "map, which needs NumPy, and pickle",
    "wasm_backend/runtime/code_cache.py": "digests, and what tells versions, which only large modules need",
    "wasm_backend/runtime/places.py": "arrays, which need NumPy",
    "rose/ir/digest.py": "what hashes, which small functions do without",
    "rose/ir/libm/library.py": "what reads its file, which few programs need",
    "rose/module_key.py": "what hashes, which small functions do without",
    "rose/optimise/instruments.py": "the printer, which only who asks to be told needs",
}
LONGEST_FILE = 600
LONGER: dict[str, str] = {}  # files that may be longer, and why
# functions that call themselves for each operand, though there may be exponentially many paths: why theirs are few
FEW_PATHS = {
    "rose/autodiff/prove_linear.py:_is_zero": "as many as a value of the type has items",
    "rose/autodiff/residuals.py:_again": "a limit, from which each operation takes its cost",
    "rose/autodiff/residuals.py:_is_free": "the operands of what is cheap are indices, or a vector of another block",
    "rose/frontend/ranges.py:_matches": "a memo, `seen`",
    "rose/ir/sizes.py:_is_multiple": "a size is as short as its program writes it",
    "rose/ir/text/bindings.py:bind": "a tree, as it is written",
    "rose/ir/text/literals.py:_type": "a tree, as it is written",
    "rose/ir/text/literals.py:_holds": "a tree, as it is written",
    "rose/optimise/jam_analysis.py:has_again": "a memo, `again`",
    "rose/optimise/map_fusion.py:rebuilt": "`indices`, which was asked before, has a depth",
    "rose/optimise/outlining.py:_reachable": "all operands but one are literals",
    "rose/optimise/outlining.py:read": "all operands but one are literals",
    "rose/optimise/recomputation.py:_again": "as many as a value of the type has items",
}
UNTESTED = {"rose/__main__.py", "rose/version.py"}  # modules of which there is nothing to test


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


EXPORTING = {"errors", "ir", "ir/libm", "fft", "functional", "implicit", "interpretations", "lib", "linalg", "nn"}
EXPORTING |= {"optim", "random", "special", "stats", "testing"}  # rooms whose __init__ is no map
EXPORTING = {"rose/__init__.py", *[f"rose/{room}/__init__.py" for room in EXPORTING]}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree(path)))


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """The trees go when all rules were asked for: the garbage collector would go through them in all other tests."""
    yield
    tree.cache_clear()
    nodes.cache_clear()


def functions(path: Path) -> list[ast.FunctionDef]:
    return [n for n in nodes(path) if isinstance(n, ast.FunctionDef)]


def breaking(rule: Callable[[Path], Any], files: Iterable[Path] = FILES) -> dict[str, Any]:
    """The files of which a rule says something: each with what it says."""
    return {name(path): said for path in files if (said := rule(path))}


def defines(path: Path) -> bool:
    """Whether a file defines something: most `__init__.py` do not."""
    return any([isinstance(n, (ast.FunctionDef, ast.ClassDef)) for n in tree(path).body])


def unit_tests(path: Path) -> Path:
    """The test file of a module."""
    return TESTS / path.relative_to(ROOT).with_name(f"test_{path.stem.strip('_')}.py")


def test_every_module_has_its_test_file():
    modules = [path for path in FILES if path.name != "__init__.py" or defines(path)]
    without = {name(path) for path in modules if not unit_tests(path).exists()} - UNTESTED
    assert sorted(without) == []


def test_every_test_file_has_its_module():
    tests = [path for room in ("rose", "wasm_backend") for path in (TESTS / room).rglob("test_*.py")]
    assert sorted({name(path) for path in tests} - {name(unit_tests(path)) for path in FILES}) == []


def test_no_file_is_too_long():
    lines = {path: len(path.read_text().splitlines()) for path in FILES}
    assert breaking(lambda path: lines[path] > LONGEST_FILE and lines[path]).keys() == LONGER.keys()


def test_no_function_is_longer_than_60_lines():
    lines: Callable[[ast.FunctionDef], int] = lambda f: (f.end_lineno or 0) - f.lineno + 1
    assert breaking(lambda path: [f"{f.name}: {lines(f)}" for f in functions(path) if lines(f) > 60]) == {}


def test_imports_stand_at_the_top():
    imports = (ast.Import, ast.ImportFrom)
    inside = breaking(lambda path: [f.name for f in functions(path) for n in ast.walk(f) if isinstance(n, imports)])
    assert inside.keys() <= LAZY.keys()


def test_the_init_of_a_room_is_a_map():
    rooms = [path for path in FILES if path.name == "__init__.py"]
    assert breaking(lambda path: len(tree(path).body) > 1, rooms).keys() == EXPORTING


LIBRARIES = {"fft", "implicit", "lib", "linalg", "nn", "optim", "random", "special", "stats"}  # where `Any` is rare


def parameters(path: Path) -> list[ast.arg]:
    """The parameters of all functions in a file, without `self`."""
    found = [f.args for f in functions(path)]
    every = [p for a in found for p in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg)]
    return [p for p in every if p is not None and p.arg not in ("self", "cls")]


@pytest.mark.parametrize("room", sorted(LIBRARIES))
def test_parameters_of_the_libraries_have_types_that_say_something(room: str):
    """Else the checker finds there only that names exist: once, between half and three quarters were `Any`."""
    every = [p for path in FILES if path.parent == ROOT / "rose" / room for p in parameters(path)]
    unknown = [p for p in every if isinstance(p.annotation, ast.Name) and p.annotation.id == "Any"]
    assert len(unknown) <= 0.05 * len(every)


def calls_itself(f: ast.FunctionDef) -> bool:
    """Whether a function calls itself, or hands itself on, as `map(f, ...)` does."""
    found = [x for n in ast.walk(f) if isinstance(n, ast.Call) for x in (n.func, *n.args)]
    return not {f.name, f"self.{f.name}"}.isdisjoint(map(ast.unparse, found))


def test_no_function_calls_itself_for_what_a_function_calls():
    """There are exponentially many paths of calls, and long ones: `reachable` and `memoised` see each function once."""
    is_over: Callable[[ast.FunctionDef], bool] = lambda f: (
        f.name != "callees" and any([isinstance(n, ast.Name) and n.id == "callees" for n in ast.walk(f)])
    )
    assert breaking(lambda path: [f.name for f in functions(path) if is_over(f) and calls_itself(f)]) == {}


def mentions(x: ast.expr, names: set[str]) -> bool:
    return any([isinstance(n, ast.Name) and n.id in names for n in ast.walk(x)])


def mentions_operands(x: ast.expr, names: set[str]) -> bool:
    """Whether an expression has the operands of an instruction in it, or one of these names."""
    return mentions(x, names) or any([isinstance(n, ast.Attribute) and n.attr == "args" for n in ast.walk(x)])


def calls_for_each_operand(f: ast.FunctionDef) -> list[ast.Call]:
    """The calls of a function by itself that are done for each of some operands."""
    own, names = {f.name, f"self.{f.name}"}, set[str]()
    loops = [n for n in ast.walk(f) if isinstance(n, (ast.For, ast.comprehension))]
    for n in [*loops, *loops]:  # one may go over what another names
        if mentions_operands(n.iter, names):
            names |= {x.id for x in ast.walk(n.target) if isinstance(x, ast.Name)}
    calls = [n for n in ast.walk(f) if isinstance(n, ast.Call)]
    mapped = [n for n in calls if ast.unparse(n.func) == "map" and ast.unparse(n.args[0]) in own]
    return [
        *[n for n in calls if ast.unparse(n.func) in own and any([mentions(a, names) for a in n.args])],
        *[n for n in mapped if mentions_operands(n.args[1], names)],
    ]


def has_depth(call: ast.Call) -> bool:
    """Whether a call counts: `f(x, depth - 1)`."""
    return any([isinstance(x, ast.BinOp) and isinstance(x.right, ast.Constant) for x in call.args])


def test_no_function_calls_itself_for_each_operand_without_a_depth():
    """A value has exponentially many paths to what it is computed from: a walk has a memo, and is a loop."""
    found: set[str] = set()
    for path in FILES:
        for f in functions(path):
            if not all(map(has_depth, calls_for_each_operand(f))):
                found.add(f"{name(path)}:{f.name}")
    assert found == set(FEW_PATHS)


LIMITED = ("rose/optimise/", "rose/autodiff/", "wasm_backend/codegen/", "wasm_backend/simd/")
NO_LIMITS = {  # numbers there that are no limits: what they are
    "rose/optimise/map_fusion.py:_NEVER": "an infinite cost",
    "rose/optimise/unroll_and_jam.py:LANES": "what the pass does",
    "wasm_backend/codegen/heap.py:HEADER": "the format of a block of memory",
    "wasm_backend/codegen/patterns.py:CALL": "the format of a module",
    "wasm_backend/codegen/patterns.py:HEAD": "the format of a module",
}


def numbers(path: Path) -> list[str]:
    """The names that a module gives to numbers."""
    assigned = [n for n in tree(path).body if isinstance(n, (ast.Assign, ast.AnnAssign)) and n.value]
    found = [n for n in assigned if all([isinstance(x, ast.Constant | OPERATORS) for x in ast.walk(n.value)])]
    targets = [x for n in found for x in (n.targets if isinstance(n, ast.Assign) else [n.target])]
    values = [x.value for n in found for x in ast.walk(n.value) if isinstance(x, ast.Constant)]
    return [ast.unparse(x) for x in targets if all([isinstance(y, (int, float)) for y in values])]


OPERATORS = ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop


def test_limits_stand_with_their_reasons_in_costs():
    """In each of the two `costs.py`, once, by a name that tells it from all others: no `LARGEST`, no `MOST`."""
    there = [path for path in FILES if name(path).startswith(LIMITED) and path.name != "costs.py"]
    assert {f"{name(path)}:{constant}" for path in there for constant in numbers(path)} == set(NO_LIMITS)


def test_every_module_says_what_it_is_for():
    assert breaking(lambda path: not ast.get_docstring(tree(path))) == {}


def test_nothing_is_left_for_later():
    words = ("TO" + "DO", "FIX" + "ME", "X" * 3)
    assert breaking(lambda path: any([word in path.read_text() for word in words])) == {}


def test_the_parts_of_loops_are_read_by_name():
    """`loop_of(v).index`, `.states`, `.following`, `.elements`: see `rose/ir/views.py`."""
    outside = [path for path in FILES if not name(path).startswith("rose/ir/")]
    assert breaking(lambda path: [ast.unparse(n) for n in nodes(path) if _counts_parts(n)], outside) == {}


def _counts_parts(n: ast.AST) -> bool:
    """Whether an expression is `x.params[0]`, `x.params[1:]`, `x.attr.code` and the like."""
    match n:
        case ast.Subscript(ast.Attribute(attr="params"), ast.Constant(0) | ast.Slice(ast.Constant(1), None)):
            return True
        case ast.Attribute(ast.Attribute(attr="attr"), "params" | "results" | "code" | "parent"):
            return True
        case ast.Subscript(ast.Attribute(attr="results"), ast.Slice(lower, upper)):
            return any([isinstance(k, ast.Call) for k in (lower, upper)])
        case ast.AnnAssign(annotation=ast.Name("Block"), value=ast.Attribute(attr="attr")):
            return True
        case _:
            return False
