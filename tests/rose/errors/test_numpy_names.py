"""Math and NumPy on traced values: a function says what to write instead, and a number works as one of Python's."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import math
import operator as op
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import rose
from rose.errors import RoseError
from rose.errors.numpy_names import INSTEAD
from rose.frontend.arrays.attributes import ATTRIBUTES
from rose.frontend.arrays.ufuncs import MEANINGS
from rose.frontend.values import is_traced
from rose.frontend.vocabulary import VOCABULARY, numpys_name
from tests.support.public_names import assert_there

HERE = {"math": math, "np": np, "linalg": np.linalg}
ARGUMENTS = ("x", "v", "x, y", "v, v", "x, 2.0", "2.0, x", "[x, y]", "[x, y], [x, y]", "[1.0, 2.0], v", "m", "m, v")
# what reads or writes files or settings, or runs for long
OTHERS = {"fromfile", "fromregex", "genfromtxt", "info", "load", "loadtxt", "printoptions", "save", "savetxt", "savez",
          "savez_compressed", "set_printoptions", "set_string_function", "setbufsize", "seterr", "seterrcall",
          "show_config", "show_runtime", "source", "test"}  # fmt: skip
KNOWN = {*MEANINGS, *ATTRIBUTES, *[theirs for row in VOCABULARY for theirs in row.numpys]}
_count = itertools.count()


def functions(module: ModuleType) -> list[str]:
    there = [k for k in dir(module) if not k.startswith("_") and callable(getattr(module, k))]
    return [k for k in there if not isinstance(getattr(module, k), type) and k not in OTHERS]


NAMES = [f"{m}.{f}" for m, module in HERE.items() for f in functions(module)]


def written(expression: str) -> tuple[str, Callable[..., Any]]:
    """A function of one expression, in a file of its own."""
    text, file, scope = (
        f"def program(x, y, v, m):\n    return {expression}\n",
        f"<program {next(_count)}>.py",
        dict(HERE),
    )
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), scope)
    return file, scope["program"]


def is_certain(name: str) -> bool:
    """True for what always asks for a number; other functions may catch our error, or ask for something else."""
    module, _, f = name.partition(".")
    return module == "math" or f in INSTEAD or isinstance(getattr(HERE[module], f), np.ufunc)


def told(name: str) -> tuple[list[tuple[str, RoseError]], list[str]]:
    """What each way to call a function raises, and the ways that raise nothing.

    `x` and `y` are Reals, `v` is a vector, `m` a matrix.
    """
    found: list[tuple[str, RoseError]] = []
    given: list[str] = []
    module, _, short = name.partition(".")

    @rose.fn
    def f(x: rose.Real, y: rose.Real, v: rose.Vec[2], m: rose.Vec[2, rose.Vec[2]]) -> rose.Real:
        for arguments in ARGUMENTS:
            file, program = written(f"{name}({arguments})")
            try:
                made = program(x, y, v, m)
            except RoseError as e:
                found.append((file, e))
            except Exception:  # NumPy's own, of arguments that never fit
                continue
            else:
                works = module != "math" and numpys_name(getattr(HERE[module], short)) in KNOWN
                given.append(arguments)
                assert works or not is_certain(name) or is_traced(made), arguments
        return 0.0

    with contextlib.suppress(RoseError):  # the first that was caught: it is raised again
        _ = f.func
    return found, given


NOT_CALLED_SO = {
    "math.remainder", "np.array", "np.asarray",  # the second argument of the two is a type of elements
    # these have hints of operators, which NumPy calls of each object
    "np.bitwise_and", "np.bitwise_or", "np.bitwise_xor", "np.divmod", "np.floor_divide", "np.cross", "linalg.cross",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_a_function_of_another_library_says_what_to_write_instead(name: str):
    found, given = told(name)
    assert found or given or not is_certain(name)
    for file, e in found:
        assert str(e).splitlines()[1] == f"  at {file}:2"
        assert len(str(e).splitlines()) == 5
    hints = {e.hint for _, e in found}
    short = name.partition(".")[2]
    if found and not given and short in INSTEAD and name not in NOT_CALLED_SO:
        assert f"write {INSTEAD[short]} in its place" in hints
    assert_there(" ".join(hints))


def test_what_is_to_be_written_instead_is_there():
    for text in INSTEAD.values():
        assert_there(text)


def test_each_function_of_rose_that_another_library_has_is_named():
    theirs = {n.partition(".")[2] for n in NAMES}
    ours = {n for n in rose.__all__ if n in theirs} - {"vec", "cond"}  # these have nothing to do with NumPy's
    assert ours <= INSTEAD.keys() | {row.name for row in VOCABULARY}  # NumPy's own take traced values
    assert all(f"rose.{n}(" in INSTEAD[n] for n in ours if n not in {row.name for row in VOCABULARY})


def test_each_function_of_the_language_is_named_for_some_function():
    language = """sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh
        atanh pow cbrt hypot erf erfc gamma lgamma min max clip sign floor ceil trunc round fmod copysign sigmoid
        logsumexp select abs sum prod dot norm cross matmul transpose""".split()
    named = {ours for text in INSTEAD.values() for ours in re.findall(r"rose\.(\w+)", text)}
    assert set(language) <= named


# `//` is exact where the quotient is rounded up to a whole number, and `ldexp` takes an integer
UFUNCS = {k: getattr(np, k) for k in INSTEAD.keys() - {"floor_divide", "ldexp"} if hasattr(np, k)}
SCALAR = [k for k, f in UFUNCS.items() if isinstance(f, np.ufunc) and f.nout == 1 and f.signature is None]
OF_REALS = sorted([k for k in SCALAR if not re.search(r"[&|^~]", INSTEAD[k])])
NEARLY = {"fmax": math.nan, "fmin": math.nan, "heaviside": math.nan}  # where the answer is another


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OF_REALS)
def test_what_is_to_be_written_instead_is_the_same_function(name: str):
    theirs = getattr(np, name)
    arguments = "x, y"[: 3 * theirs.nin - 2]
    ours = INSTEAD[name].partition(", which")[0].replace("(...)", f"({arguments})")
    result = rose.Bool if theirs(*[0.5] * theirs.nin).dtype == bool else rose.Real
    f = rose.fn([rose.Real, rose.Real], result)(lambda x, y: eval(ours, {"rose": rose, "math": math, "x": x, "y": y}))
    points = [-2.5, -1.0, -0.3, 0.0, 0.7, 2.0, 3.5, math.inf, math.nan]
    for x, y in itertools.product([x for x in points if str(x) != str(NEARLY.get(name))], [-1.5, 0.4, 2.0]):
        expected = float(theirs(*[x, y][: theirs.nin]))
        assert f(x, y) == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), (x, y)


# what works

NUMBERS = [np.float64(2), np.float32(2), np.int64(2), np.uint8(2), np.array(2.0)]
ARITHMETIC = [op.add, op.sub, op.mul, op.truediv, op.mod, op.pow, op.lt, op.le, op.gt, op.ge, op.eq, op.ne]


@pytest.mark.parametrize("f", ARITHMETIC, ids=lambda f: f.__name__)
@pytest.mark.parametrize("k", NUMBERS, ids=lambda k: f"{type(k).__name__} {k.dtype}")
def test_a_number_of_numpys_stands_on_either_side_of_an_operator(f: Callable[[Any, Any], Any], k: Any):
    result = rose.Bool if f in ARITHMETIC[6:] else rose.Real
    left = rose.fn([rose.Real], result)(lambda x: f(k, x))
    right = rose.fn([rose.Real], result)(lambda x: f(x, k))
    for x in (0.5, 2.0, 3.5):
        assert left(x) == f(2.0, x)
        assert right(x) == f(x, 2.0)


@pytest.mark.parametrize("f", [op.and_, op.or_, op.xor], ids=lambda f: f.__name__)
@pytest.mark.parametrize("k", [False, True])
def test_a_truth_value_of_numpys_stands_on_either_side_of_an_operator(f: Callable[[Any, Any], Any], k: bool):
    left = rose.fn([rose.Bool], rose.Bool)(lambda c: f(np.bool_(k), c))
    right = rose.fn([rose.Bool], rose.Bool)(lambda c: f(c, np.bool_(k)))
    for c in (False, True):
        assert left(c) is right(c) is f(k, c)


def test_a_truth_value_of_numpys_is_a_condition():
    f = rose.fn([rose.Real], rose.Real)(lambda x: rose.select(np.bool_(True), x, 0.0))
    g = rose.fn([rose.Real], rose.Vec[2, rose.Bool])(lambda x: [np.bool_(True), x > 0.0])
    assert f(3.0) == 3.0
    assert list(g(-1.0)) == [True, False]


def test_an_array_multiplies_a_vector():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    f = rose.fn([rose.Vec[2]], rose.Vec[2])(lambda v: a @ v)
    g = rose.fn([rose.Vec[2]], rose.Vec[2])(lambda v: v @ a)
    assert list(f([1.0, 10.0])) == [21.0, 43.0]
    assert list(g([1.0, 10.0])) == [31.0, 42.0]


def test_divmod_of_an_index():
    f = rose.fn([rose.Fin[7]], rose.Vec[2])(lambda i: list(divmod(i, 3)))
    assert list(f(5)) == [1.0, 2.0]


def test_a_value_can_be_printed_and_has_no_other_parts():
    def body(x: Any) -> Any:
        assert str(x) == repr(x)
        assert str(x).startswith("<traced Real")
        assert not hasattr(x, "tolist")
        return x

    assert rose.fn([rose.Real], rose.Real)(body)(1.0) == 1.0
