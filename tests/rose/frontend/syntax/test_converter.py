"""Plain branches and loops under `@fn(syntax=True)`: what they are equal to, and what is refused."""

from __future__ import annotations

import ast
import functools
import linecache
import random
import struct
import traceback
from typing import Any

import numpy as np
import pytest
from syntax_programs import PAIRS

import rose
from rose import Bool, Real, Vec, fn
from rose.errors import is_ours
from rose.frontend.syntax import converter
from rose.host.interpreter import run
from rose.host.marshal import plain, present

each = pytest.mark.parametrize("name", PAIRS)


def bits(x: Any) -> list[bytes]:
    return [struct.pack("<d", y) for y in np.ravel(np.asarray(x, float))]


def answers(f: rose.Fn[..., Any], x: Any) -> list[bytes]:
    """What `f` gives compiled, which is what it gives interpreted."""
    (t,) = f.types
    compiled = bits(f(x))
    assert compiled == bits(present(run(f.func, plain(x, t)), f.result))
    return compiled


@each
def test_a_program_gives_the_bits_of_the_one_written_by_hand(name: str):
    it = PAIRS[name]
    ours = rose.fn([it.type], Real, syntax=True)(it.plain)
    theirs = rose.fn([it.type], Real)(it.by_hand)
    for derive in (lambda f: f, rose.grad, rose.hessian):
        f, g = derive(ours), derive(theirs)
        for x in it.points:
            assert answers(f, x) == answers(g, x), x


def test_there_are_many_programs():
    assert len(PAIRS) >= 40


# what stays as it is


@each
def test_without_syntax_the_same_code_is_the_error_that_it_was(name: str):
    f = rose.fn([PAIRS[name].type], Real)(PAIRS[name].plain)
    if name in FINE_WITHOUT:
        _ = f.func
        return
    with pytest.raises((rose.RoseError, UnboundLocalError)):
        _ = f.func


FINE_WITHOUT = {"a_while_of_pythons", "only_an_accumulator", "a_list_as_state"}  # the last one is traced, once


def test_a_function_keeps_its_name_its_text_and_its_globals():
    def f(x: Real) -> Real:
        """What it does."""
        global_there = Bool
        return x if x > 0.0 and global_there is Bool else -x

    made = fn(syntax=True)(f)
    assert (made.name, made.__name__, made.__doc__, made.__module__) == ("f", "f", "What it does.", __name__)
    assert made.__qualname__ == f.__qualname__
    assert made.body.__globals__ is f.__globals__
    assert made.body.__annotations__ == f.__annotations__
    assert made.loc.code.co_firstlineno == f.__code__.co_firstlineno
    assert made(-3.0) == 3.0


def test_a_closure_reads_the_cells_of_the_original():
    scale = 2.0

    @fn(syntax=True)
    def f(x: Real) -> Real:
        return x * scale if x > 0.0 else x

    scale = 3.0
    assert f(2.0) == 6.0


def test_lambdas_are_rewritten():
    f = rose.fn([Real], Real, syntax=True)(lambda x: x if 0.0 < x < 1.0 or not x < 5.0 else -x)
    assert [f(x) for x in (0.5, 2.0, 7.0)] == [0.5, -2.0, 7.0]


def test_syntax_false_is_as_without():
    @fn(syntax=False)
    def f(x: Real) -> Real:
        return x if x > 0.0 else -x

    with pytest.raises(rose.TypeMismatch, match=r"rose\.select"):
        _ = f.func


def test_decorators_may_stand_above():
    @functools.cache
    def kept(f: Any) -> Any:
        return f

    @kept
    @fn(syntax=True)
    def f(x: Real) -> Real:
        return x if x > 0.0 else -x

    assert f(-2.0) == 2.0


class Scaled:
    def __init__(self, k: float) -> None:
        self.__k = k

    def f(self) -> Any:
        @fn(syntax=True)
        def scaled(x: Real) -> Real:
            return x * self.__k if x > 0.0 else x

        return scaled

    def plain(self, x: Any) -> Any:
        if x > 0.0:
            return x * self.__k
        return x


def test_methods_and_private_names():
    assert Scaled(3.0).f()(2.0) == 6.0
    of_class = rose.fn([{"_Scaled__k": Real}, Real], Real, syntax=True)(Scaled.plain)
    with pytest.raises(AttributeError):  # a dict has no attributes, but the name is that of the class
        _ = of_class.func


def test_inner_functions_are_marked_by_themselves():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        @fn(syntax=True)
        def g(y: Real) -> Real:
            if y > 0.0:
                return y * x
            return y

        if x > 1.0:
            return g(x)
        return g(-x)

    assert [f(x) for x in (2.0, 0.5)] == [4.0, -0.5]
    assert [rose.grad(f)(x) for x in (2.0, 0.5)] == [4.0, -1.0]


def test_a_function_that_calls_itself_is_refused_as_before():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        return f(x - 1.0) if x > 0.0 else x

    with pytest.raises(rose.RoseError, match="f calls itself"):
        _ = f.func


def test_bools_are_combined_and_returned():
    @fn(syntax=True)
    def f(x: Real) -> Bool:
        return 0.0 < x < 1.0 or (not x < 5.0 and x != 7.0)

    assert [f(x) for x in (0.5, 2.0, 6.0, 7.0)] == [True, False, True, False]


def test_the_right_side_is_evaluated_only_where_it_is_needed():
    asked: list[float] = []

    @rose.opaque
    def ask(x: Real) -> Real:
        asked.append(x)
        return x

    @fn(syntax=True)
    def f(x: Real) -> Real:
        return 1.0 if x > 0.0 and ask(x) > 1.0 else 0.0

    assert [f(x) for x in (-1.0, 0.5, 2.0)] == [0.0, 0.0, 1.0]
    assert asked == [0.5, 2.0]


def test_an_effect_in_a_branch_happens_where_it_is_taken():
    seen: list[float] = []

    @rose.opaque
    def see(x: Real) -> Real:
        seen.append(x)
        return x

    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            see(x)
        k = 0
        while k < x:
            see(-x)
            k += 1
        return x

    assert [f(x) for x in (-1.0, 2.0)] == [-1.0, 2.0]
    assert seen == [2.0, -2.0, -2.0]


def test_what_python_decides_is_decided_once():
    count: list[int] = []

    def test(x: Any) -> bool:
        count.append(1)
        return len(count) < 3

    @fn(syntax=True)
    def f(x: Real) -> Real:
        while test(x):
            x = x * 2.0
        if test(x) or x is None:
            raise AssertionError
        return x

    assert (f(1.0), len(count)) == (4.0, 4)


def test_lists_made_in_a_branch_may_change_there():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            row = []
            for k in range(3):
                row.append(x * k)
            row[0] = x
            y = rose.sum(row)
        else:
            y = x
        return y

    assert [f(x) for x in (2.0, -1.0)] == [8.0, -1.0]


# errors


def broken(x: Real) -> Real:
    if x > 0.0:
        y = x * 2.0
        while y > 1.0:
            y = y + undefined(y)  # noqa: F821
        x = y
    return x


def test_a_traceback_shows_the_lines_of_the_user():
    with pytest.raises(NameError) as e:
        _ = fn(syntax=True)(broken).func
    frames = traceback.extract_tb(e.value.__traceback__)
    first = broken.__code__.co_firstlineno
    assert [(f.name, f.lineno) for f in frames[-1:]] == [("broken", first + 4)]
    assert not [f for f in frames[1:] if is_ours(f.filename)]
    assert frames[-1].line == "y = y + undefined(y)  # noqa: F821"


def test_after_an_error_everything_works_as_before():
    for _ in range(2):
        with pytest.raises(NameError):
            _ = fn(syntax=True)(broken).func
        assert not rose.ir.is_tracing()
    assert fn(syntax=True)(good)(27.0) == 111.0


def good(n: Real) -> Real:
    k = 0
    while n != 1.0:
        n = n / 2.0 if n % 2.0 == 0.0 else 3.0 * n + 1.0
        k += 1
    return k


def test_an_error_of_the_user_that_is_caught_there_is_no_matter():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        try:
            k = {}["a"]
        except KeyError:
            k = 2.0
        if x > 0.0:
            return x * k
        return x

    assert f(1.0) == 2.0


def test_every_statement_and_expression_of_pythons_is_understood_or_refused():
    kinds = {k.__name__ for base in (ast.stmt, ast.expr) for k in base.__subclasses__()}
    assert kinds <= converter.UNDERSTOOD | {*converter.REFUSED}
    assert not converter.UNDERSTOOD & {*converter.REFUSED}


def test_the_source_must_be_what_runs(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "changed.py"
    file.write_text("from rose import Real\n\ndef f(x: Real) -> Real:\n    return x if x > 0.0 else -x\n")
    scope: dict[str, Any] = {"__name__": "changed"}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    file.write_text("from rose import Real\n\ndef f(x: Real) -> Real:\n    return x if x > 1.0 else -x\n")
    with pytest.raises(rose.RoseError, match="the source of f is not what runs"):
        fn(syntax=True)(scope["f"])


def test_vectors_come_out_of_branches_and_loops():
    @fn(syntax=True)
    def f(v: Vec[2]) -> Vec[2]:
        if v[0] > 0.0:
            return [v[1], v[0]]
        return v

    assert [list(f(v)) for v in ([1.0, 2.0], [-1.0, 2.0])] == [[2.0, 1.0], [-1.0, 2.0]]
    assert rose.jacobian(f)([1.0, 2.0]).tolist() == [[0.0, 1.0], [1.0, 0.0]]


# programs at random, which Python itself runs on numbers


class Writer:
    """Writes a program of assignments, branches and loops over the variables a, b, c and x."""

    def __init__(self, seed: int) -> None:
        self.r, self.loops = random.Random(seed), 0

    def number(self, depth: int = 2) -> str:
        r = self.r
        if depth == 0 or r.random() < 0.3:
            return r.choice(["a", "b", "c", "x", "0.5", "-1.5", "2"])
        kind = r.randrange(6)
        one, two = self.number(depth - 1), self.number(depth - 1)
        if kind == 0:
            return f"({one} if {self.test(1)} else {two})"
        return f"({one} {r.choice('+-*')} {two})"

    def test(self, depth: int = 2) -> str:
        r = self.r
        if depth == 0 or r.random() < 0.4:
            symbols = [r.choice(["<", "<=", ">", "!="]) for _ in range(r.choice([1, 1, 2]))]
            return self.number(1) + "".join([f" {s} {self.number(1)}" for s in symbols])
        if r.random() < 0.2:
            return f"not ({self.test(depth - 1)})"
        return f"({self.test(depth - 1)} {r.choice(['and', 'or'])} {self.test(depth - 1)})"

    def body(self, depth: int, looping: bool) -> list[str]:
        return [line for _ in range(self.r.randint(1, 3)) for line in self.statement(depth, looping)]

    def statement(self, depth: int, looping: bool) -> list[str]:
        r, kind = self.r, self.r.random()
        if depth == 0 or kind < 0.4:
            target, value = r.choice("abc"), f"clip({self.number()})"
            if r.random() < 0.2:
                return [f"a, c = clip({self.number()}), {target}"]
            return [f"{target} {r.choice(['=', '='])} {value}"]
        inner = lambda loop: ["    " + line for line in self.body(depth - 1, loop)]
        if kind < 0.75:
            lines = [f"if {self.test()}:", *inner(looping)]
            if r.random() < 0.3:
                lines += [f"elif {self.test()}:", *inner(looping)]
            if r.random() < 0.5:
                lines += ["else:", *inner(looping)]
            if not looping and r.random() < 0.4:
                lines += [f"if {self.test()}:", f"    return clip({self.number()})"]
            return lines
        self.loops += 1
        k = f"k{self.loops}"
        if kind < 0.88:
            return [f"{k} = 0", f"while {k} < 3 and {self.test(1)}:", *inner(True), f"    {k} = {k} + 1"]
        each = r.choice(["each", "range"])
        return [f"for {k} in {each}(3):", *inner(True), f"    b = clip(b + {k})"]

    def text(self) -> str:
        return (
            "\n    ".join(["def f(x):", "a, b, c = x, 1, 0.25", *self.body(3, False), "return clip(a + b * c)"]) + "\n"
        )


def made(text: str, name: str, **scope: Any) -> Any:
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


def clipped(y: float) -> float:
    return min(max(y, -100.0), 100.0)


@pytest.mark.parametrize("seed", range(60))
def test_a_program_at_random_is_what_python_does(seed: int):
    text = Writer(seed).text()
    python = made(text, f"<python {seed}>", each=range, clip=clipped)
    f = rose.fn([Real], Real, syntax=True)(
        made(text, f"<program {seed}>", each=rose.range, clip=lambda y: rose.clip(y, -100.0, 100.0))
    )
    for x in (-2.0, -0.5, 0.25, 1.0, 3.0):
        assert f(x) == python(x), text
