"""What a wrong program is told. The programs are in `wrong/`; what each is told is in `golden/errors.txt`.

`pytest --bless` writes that file anew. In it, line numbers count from the first line of the program.
"""

from __future__ import annotations

import ast
import math
import operator as op
import pickle
import re
import traceback
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from paths import TESTS

import rose
from rose.errors import RoseError, is_ours
from tests.wrong import (
    arrays,
    calls,
    control,
    debugging,
    decisions,
    declarations,
    derivatives,
    dragging,
    escapes,
    foreign,
    functionals,
    functions,
    implicits,
    jets,
    layers,
    linear_algebra,
    loops,
    maps,
    mathematics,
    meanings,
    pythons,
    randoms,
    rules,
    searches,
    single,
    sizes,
    solvers,
    structs,
    sums,
    syntax,
    transforms,
    values,
    vectors,
)

Program = Callable[[], Any]

GOLDEN = TESTS / "golden" / "errors.txt"


def programs(module: ModuleType) -> dict[str, Program]:
    """The wrong programs of a module, in order: its functions without parameters."""
    there = [f for f in vars(module).values() if hasattr(f, "__code__") and f.__module__ == module.__name__]
    return {f"{name_of(module)}: {f.__name__.replace('_', ' ')}": f for f in there if not f.__code__.co_argcount}


def name_of(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


MODULES = (decisions, foreign, values, mathematics, vectors, escapes, declarations, functions, loops, maps, sums,
           structs, derivatives, rules, calls, single, control, debugging, syntax, sizes, dragging, searches,
           solvers, arrays, functionals, linear_algebra, implicits, jets, layers, meanings, randoms,
           transforms)  # fmt: skip
TABLE = {name: f for module in MODULES for name, f in programs(module).items()}
PYTHONS = programs(pythons)


def test_no_file_of_wrong_programs_is_left_out():
    files = {p.stem for p in Path(__file__).parent.glob("*.py")} - {"__init__", "test_errors"}
    assert files == {name_of(m) for m in (*MODULES, pythons)}


def raised(program: Program) -> Exception:
    """What a program raises; one that gives a function is traced."""
    try:
        made = program()
        if isinstance(made, rose.Fn):
            _ = made.func
    except Exception as e:
        return e
    raise AssertionError("it raises nothing")


@cache
def error(name: str) -> RoseError:
    e = raised(TABLE[name])
    assert isinstance(e, RoseError), f"{type(e).__name__}: {e}"
    return e


@cache
def first_lines(file: str) -> list[int]:
    """The lines at which what stands outermost in a file begins."""
    return [node.lineno for node in ast.parse(Path(file).read_text(encoding="utf-8")).body]


def relative(text: str, file: str) -> str:
    """A message with the name of the file for its path, and lines that count from the first of the program."""

    def line(number: str) -> str:
        starts = [k for k in first_lines(file) if k <= int(number)]
        return f"+{int(number) - starts[-1]}" if starts else number

    name = Path(file).name
    text = re.sub(rf"{re.escape(file)}:(\d+)", lambda m: f"{name}:{line(m[1])}", text)
    return re.sub(r"at line (\d+)", lambda m: f"at line {line(m[1])}", text)


def told(name: str) -> str:
    e = error(name)
    return relative(f"{type(e).__name__}: {e}", TABLE[name].__code__.co_filename)


def document() -> str:
    return "\n\n".join([f"--- {name}\n{told(name)}" for name in TABLE]) + "\n"


@pytest.mark.slow
def test_each_program_is_told_what_the_golden_file_says(bless: bool):
    if bless:
        GOLDEN.write_text(document(), encoding="utf-8")
    expected = GOLDEN.read_text(encoding="utf-8").split("\n\n--- ")
    for ours, theirs in zip(document().split("\n\n--- "), expected, strict=True):
        assert ours == theirs


# what holds for every message


def is_short_and_says_what_to_write_instead(name: str) -> None:
    lines = str(error(name)).splitlines()
    assert 3 <= len(lines) <= 12
    assert max(map(len, lines)) <= 160
    assert lines[1].startswith("  at ")
    assert re.fullmatch(r"  hint: \S.{7,}", lines[-1])
    assert not lines[-1].endswith(".") or lines[-1].endswith(", ...")


def points_at_an_expression_of_the_user(name: str) -> None:
    if name.endswith("source that cannot be had"):
        assert "  at <string>:" in str(error(name))
        return
    _, at, excerpt, caret, _ = str(error(name)).splitlines()
    file, _, number = at.removeprefix("  at ").rpartition(":")
    assert file == TABLE[name].__code__.co_filename
    line = Path(file).read_text(encoding="utf-8").splitlines()[int(number) - 1]
    assert excerpt.strip() in line
    marked = [c for c, mark in zip(excerpt, caret, strict=False) if mark == "^"]
    assert set(caret) == {" ", "^"}
    assert len(marked) == caret.count("^")
    assert marked[0] != " "
    assert marked[-1] != " "


def has_frames_of_the_user_alone(name: str) -> None:
    assert not [f.filename for f in traceback.extract_tb(error(name).__traceback__) if is_ours(f.filename)]


def can_be_pickled(name: str) -> None:
    e = error(name)
    copy = pickle.loads(pickle.dumps(e))
    assert (type(copy), str(copy), copy.hint) == (type(e), str(e), e.hint)


LAWS = (
    is_short_and_says_what_to_write_instead,
    points_at_an_expression_of_the_user,
    has_frames_of_the_user_alone,
    can_be_pickled,
)


@pytest.mark.parametrize("name", TABLE)
def test_an_error_is_one_that_a_user_can_read_and_hand_on(name: str):
    for law in LAWS:
        law(name)


@pytest.mark.parametrize("name", PYTHONS)
def test_what_python_refuses_is_refused_where_the_user_wrote_it(name: str):
    e = raised(PYTHONS[name])
    assert isinstance(e, (TypeError, AttributeError, KeyError))
    frames = traceback.extract_tb(e.__traceback__)
    assert not is_ours(frames[-1].filename)
    assert PYTHONS[name].__code__.co_filename in [f.filename for f in frames]


def test_each_kind_is_one_of_pythons_too():
    assert issubclass(rose.TypeMismatch, TypeError)
    assert issubclass(rose.OutOfRange, IndexError)
    assert issubclass(rose.NotLinear, TypeError)
    assert issubclass(rose.NotDifferentiable, TypeError)
    assert issubclass(rose.TooLarge, MemoryError)
    kinds = [k for k in vars(rose.errors).values() if isinstance(k, type) and issubclass(k, Exception)]
    assert all(issubclass(k, (RoseError, rose.UnrolledLoop)) for k in kinds)


# what is not an error, though it nearly is


def test_an_exception_of_the_user_comes_through_with_frames_of_the_user_alone():
    def helper(x: Any) -> Any:
        raise LookupError("mine")

    @rose.fn
    def g(x: rose.Real) -> rose.Real:
        return helper(x)

    @rose.fn
    def f(v: rose.Vec[2]) -> rose.Real:
        return rose.sum(g(v[i]) for i in rose.range(2))

    for run in (lambda: f.func, lambda: f([1.0, 2.0]), lambda: rose.grad(f)([1.0, 2.0])):
        with pytest.raises(LookupError, match=r"^'?mine'?$") as e:
            run()
        assert [t.name for t in e.traceback][-4:] == ["f", "<genexpr>", "g", "helper"]
        assert not any(is_ours(str(t.path)) for t in e.traceback[1:])


@pytest.mark.slow
def test_after_an_error_everything_works_as_before():
    broken = (
        "decisions: an if",
        "loops: a break",
        "loops: two loops side by side",
        "functions: a factory that never ends",
    )
    for name in broken:
        assert isinstance(error(name), RoseError)

    @rose.fn
    def f(v: rose.Vec[3]) -> rose.Real:
        return rose.sum(v[i] * v[i] for i in rose.range(3))

    assert f([1.0, 2.0, 3.0]) == 14.0


def test_a_function_that_failed_can_be_tried_again():
    limit: list[Any] = []

    @rose.fn
    def f(x: rose.Real) -> rose.Real:
        return x * limit[0]

    with pytest.raises(IndexError):
        f(2.0)
    limit.append(3.0)
    assert f(2.0) == 6.0


def test_all_frames_stay_if_they_are_asked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_TRACEBACK", "full")
    frames = traceback.extract_tb(raised(TABLE["decisions: an if"]).__traceback__)
    assert [Path(f.filename).parent.name == "frontend" for f in frames].count(True) > 3


def test_a_mistake_of_ours_keeps_all_frames():
    scope: dict[str, Any] = {}
    file = Path(rose.__file__).with_name("broken.py")
    exec(compile("def broken():\n    raise AssertionError", str(file), "exec"), scope)
    with pytest.raises(AssertionError) as e:
        rose.errors.edge(scope["broken"])()
    assert len(e.traceback) == 3


def test_a_location_is_found_without_any_source():
    scope: dict[str, Any] = {}
    exec("import rose\n\n@rose.fn\ndef f(x: rose.Real) -> rose.Real:\n    return x if x else 0.0\n", scope)
    with pytest.raises(rose.TypeMismatch) as e:
        _ = scope["f"].func
    assert str(e.value.loc) == "<string>:5"
    assert e.value.loc is not None
    assert e.value.loc.excerpt() == ""


# what was silently wrong in the original


def test_the_zeros_are_two():
    f = rose.fn([], rose.Vec[3])(lambda: [0.0, -0.0, 0.0])
    assert [str(x) for x in f()] == ["0.0", "-0.0", "0.0"]


@pytest.mark.slow
def test_a_list_is_read_when_it_is_used():
    xs = [1.0, 2.0]

    @rose.fn
    def f(i: rose.Fin[2]) -> rose.Vec[2]:
        first = rose.constant(rose.Vec[2], xs)[i]
        xs[0] = 5.0
        return [first, rose.constant(rose.Vec[2], xs)[i]]

    assert list(f(0)) == [1.0, 5.0]


@pytest.mark.slow
def test_a_select_shields_what_it_does_not_take():
    f = rose.fn([rose.Real], rose.Real)(lambda x: rose.select(x > 0.0, rose.sqrt(x), 0.0))
    assert (f(0.0), rose.grad(f)(0.0), rose.grad(f)(-1.0)) == (0.0, 0.0, 0.0)


def test_a_host_function_may_call_a_compiled_one():
    @rose.fn
    def double(v: rose.Vec[2]) -> rose.Vec[2]:
        return [2.0 * v[0], 2.0 * v[1]]

    @rose.opaque
    def again(x: rose.Real) -> rose.Real:
        return float(double([x, x])[0])

    @rose.fn
    def f(v: rose.Vec[2]) -> rose.Vec[2]:
        w = double(v)
        y = again(v[0])
        return [w[0] + y, w[1] + y]

    assert list(f([1.0, 10.0])) == [4.0, 22.0]


def test_an_affine_rule_and_a_late_one_are_refused():
    for name in ("a rule that is affine", "a rule with a constant tangent", "a rule given too late"):
        assert isinstance(error(f"rules: {name}"), RoseError)


# sizes at which a compiler breaks


def test_hundreds_of_functions_may_need_one_another():
    @rose.fn
    def f(x: rose.Real) -> rose.Real:
        return x + 1.0

    for _ in range(350):
        f = calls.next_of(f)
    assert f(0.0) == 2.0**350


@pytest.mark.slow
def test_a_thousand_and_one_parameters_are_no_matter():
    n = 1001
    f = rose.fn([rose.Real] * n, rose.Real)(lambda *xs: rose.sum([x * float(k) for k, x in enumerate(xs)]))
    assert f(*[1.0] * n) == n * (n - 1) / 2


def test_a_struct_may_have_thousands_of_members():
    names = [f"x{k}" for k in range(3000)]
    t = dict.fromkeys(names, rose.Real)
    f = rose.fn([t], rose.Real)(lambda p: p["x0"] + p["x2999"])
    assert rose.grad(f)(dict.fromkeys(names, 1.0))["x2999"] == 1.0


def test_names_may_be_anything():
    @rose.fn
    def constructor(größe: rose.Real, then: rose.Real, __proto__: rose.Real) -> rose.Real:
        return größe + then * __proto__

    assert constructor(1.0, 2.0, 3.0) == rose.compile(constructor)(1.0, 2.0, 3.0) == 7.0


# nothing that a user gives breaks us from inside


@rose.struct
class Point:
    x: rose.Real
    y: rose.Real


@rose.fn
def square(x: rose.Real) -> rose.Real:
    return x * x


def things() -> list[Any]:
    """Whatever somebody may give."""
    return [
        None, "a", 1.5, -1, 0, True, [1.0], [], [[1], [2, 3]], {}, {"x": 1.0}, {1: 2}, object(), lambda x: x, print,
        np.zeros(3), np.zeros((2, 2)), np.float32(1), np.array(1), rose.Real, rose.Vec, rose.Vec[3], Point, int,
        slice(0, 1), Point(1.0, 2.0), Point("a", None), rose.Dual(1.0, 2.0), square, rose.grad(square), range(3),
        (x for x in [1.0]), 10**400, 10**5000, math.nan, 1j, Decimal(1), b"x", set(), (1.0, 2.0), rose, rose.range,
    ]  # fmt: skip


def traced() -> list[Any]:
    """Whatever a traced function has in its hands."""
    x, point = rose.constant(rose.Real, 1.0), rose.constant(Point, [1.0, 2.0])
    kinds = [(rose.Vec[3], [1.0] * 3), (rose.Bool, True), (rose.Fin[3], 1), (rose.Vec[2, rose.Fin[3]], [0, 1])]
    sums = [rose.accum(0.0), rose.accum([0.0, 1.0]), rose.accum(point)]
    return [x, point, *[rose.constant(t, v) for t, v in kinds], *sums, rose.vjp(square)(x), rose.Dual(x, x)]


def our_mistake(f: Callable[..., Any], *args: Any) -> str | None:
    """What is wrong with how `f` refuses what it is given, if it does."""
    try:
        made = f(*args)
        if isinstance(made, rose.Fn):
            _ = made.func
    except RoseError as e:
        lines = str(e).splitlines()
        fine = e.loc is not None and not is_ours(e.loc.position()[0]) and len(lines) <= 12 and e.hint
        return None if fine and max(map(len, lines)) < 250 else f"{args}: {e}"
    except Exception as e:
        inside = any(is_ours(f.filename) for f in traceback.extract_tb(e.__traceback__))
        return f"{args}: {type(e).__name__}: {e}" if inside else None
    return None


FUNCTIONS = [rose.fn, rose.opaque, rose.struct, rose.vec, rose.sum, rose.prod, rose.min, rose.max, rose.dot, rose.accum,
             rose.select, rose.constant, rose.stop_gradient, rose.abs, square, square.jvp]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: getattr(f, "__name__", "jvp"))
def test_whatever_a_function_is_given_it_does_not_break_inside(f: Callable[..., Any]):
    outside = [our_mistake(f, x) for x in things()] + [our_mistake(f, x, y) for x in things() for y in things()[::5]]
    inside: list[str | None] = []

    @rose.fn
    def around() -> rose.Real:
        everything = [*traced(), *things()]
        inside.extend([our_mistake(f, x) for x in everything])
        inside.extend([our_mistake(f, x, y) for x in traced() for y in everything])
        inside.extend([our_mistake(f, y, x) for x in traced() for y in everything])
        inside.extend([our_mistake(f, x, y, z) for x in traced()[:4] for y in everything for z in traced()[:4]])
        return 1.0

    assert our_mistake(lambda: around) is None
    assert len(inside) > 1000
    assert [x for x in outside + inside if x is not None] == []


OPERATORS = [op.add, op.sub, op.mul, op.truediv, op.floordiv, op.mod, op.pow, op.lt, op.le, op.eq, op.ne, op.and_,
             op.or_, op.xor, op.getitem, op.iadd, op.isub, op.imul, op.contains]  # fmt: skip


@pytest.mark.parametrize("f", OPERATORS, ids=lambda f: f.__name__)
def test_whatever_an_operator_is_given_it_does_not_break_inside(f: Callable[..., Any]):
    found: list[str | None] = []

    @rose.fn
    def around() -> rose.Real:
        for x in traced():
            for y in [*traced(), *things()]:
                found.extend([our_mistake(f, x, y), our_mistake(f, y, x)])
        return 1.0

    assert our_mistake(lambda: around) is None
    assert len(found) > 1000
    assert [x for x in found if x is not None] == []


@pytest.mark.parametrize("k", range(7))
def test_whatever_a_compiled_function_is_given_it_does_not_break_inside(k: int):
    types = [rose.Real, rose.Vec[3], Point, rose.Fin[3], rose.Bool, rose.Dual, rose.Vec[2, Point]]
    good = [1.0, [1.0, 2.0, 3.0], Point(1.0, 2.0), 1, True, rose.Dual(1.0, 2.0), [Point(1.0, 2.0)] * 2]
    f = rose.fn(types, rose.Real)(lambda *xs: xs[0])
    assert f(*good) == 1.0
    assert [x for y in things() if (x := our_mistake(f, *good[:k], y, *good[k + 1 :])) is not None] == []
