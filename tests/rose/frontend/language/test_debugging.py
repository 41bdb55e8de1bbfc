"""`rose.print` and `rose.assert_`: compiled, interpreted, in JavaScript, and in derivatives of any order."""

from __future__ import annotations

import dataclasses
import functools
import math
import pickle
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from harness import same

import rose
from rose import Bool, Dual, Fin, Fn, Real, Unit, Vec, fn
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.ir.check import check
from wasm_backend.runtime import handles

Capture = pytest.CaptureFixture[str]


@rose.struct
class Point:
    x: Real
    y: Real


@dataclasses.dataclass
class Mixed:
    flag: Bool
    k: Fin[7]
    p: Point


class Pair(NamedTuple):
    first: Real
    rest: Vec[2]


def of(params: list[Any], result: Any, body: Callable[..., Any]) -> Fn[..., Any]:
    return rose.fn(params, result)(body)


def both(f: Fn[..., Any], *args: Any, capsys: Capture) -> list[str]:
    """What `f` prints, compiled; it is the same interpreted, and so is the result."""
    capsys.readouterr()
    made = f(*args)
    printed = capsys.readouterr().out
    assert same(plain(made, f.result), run(check(f.func), *args))
    assert capsys.readouterr().out == printed
    return printed.splitlines()


NUMBERS = [0.0, -0.0, 1.0, -2.5, 0.1, 1 / 3, 1e15, 1e16, 123456789012345680.0, 1e21, 1e22, 1e-4, 1.5e-5, 1e-7, 5e-324]
NUMBERS += [1.7976931348623157e308, math.inf, -math.inf, math.nan, 2.5e-310, -1e100]


def of_all_types() -> tuple[Fn[..., Any], list[Any]]:
    """A function that prints its parameters, and arguments."""

    def body(x: Any, v: Any, i: Any, p: Any, m: Any, pair: Any, d: Any, u: Any) -> Any:
        rose.print("{} {} {} {}", x, v, i, ~(x < 0.0))
        rose.print("{}|{}|{}|{}|{}|{}", p, m, pair, d, u, (x, i))
        rose.print("{:.3f} {:.0f} {:.12e} {{}} {} {:.2f} {}", x, x * 3.0, x / 7.0, [v, v], 2, (x,))
        return x

    types = [Real, Vec[3], Fin[9], Vec[2, Point], Mixed, Pair, {"a": Real, "b": Bool}, Unit]
    points = [Point(1.0, 2.0), Point(-0.5, 1e300)]
    args = [0.1, [1.0, math.nan, -0.0], 8, points, Mixed(True, 3, points[0]), Pair(1.0, [2.0, 3.0])]
    return of(types, Real, body), [*args, {"a": 1.0, "b": False}, None]


def test_values_of_all_types_are_printed_as_python_writes_them(capsys: Capture):
    f, args = of_all_types()
    assert both(f, *args, capsys=capsys) == [
        "0.1 [1.0, nan, -0.0] 8 True",
        "[Point(x=1.0, y=2.0), Point(x=-0.5, y=1e+300)]|Mixed(flag=True, k=3, p=Point(x=1.0, y=2.0))"
        "|Pair(first=1.0, rest=[2.0, 3.0])|{'a': 1.0, 'b': False}|None|(0.1, 8)",
        "0.100 0 1.428571428571e-02 {} [[1.0, nan, -0.0], [1.0, nan, -0.0]] 2.00 (0.1,)",
    ]


def test_numbers_are_printed_as_repr_has_them(capsys: Capture):
    f = of([Real], Unit, lambda x: rose.print("{}", x))
    for x in NUMBERS:
        assert both(f, x, capsys=capsys) == [repr(x)]


def test_what_python_knows_is_written_when_the_function_is_traced(capsys: Capture):
    f = of([Real], Unit, lambda x: rose.print("{} {:>4} {} {}", "x", 3, x, [1, "a"]))
    assert both(f, 2, capsys=capsys) == ["x    3 2.0 [1, 'a']"]
    rose.print("outside {} {:.1f}", 1, 2.0)
    assert capsys.readouterr().out == "outside 1 2.0\n"


def busy(x: Any) -> Any:
    rose.print("start {}", x)
    total = rose.accum(0.0)
    for i in rose.range(3):
        rose.print("turn {}", i)
        rose.assert_(x + i > 0.0, "x + i is above 0")
        total += x * x * i
    bend = rose.cond(
        x > 1.0, lambda: (rose.print("large"), rose.sqrt(x))[1], lambda: (rose.print("small {}", x), x * x)[1]
    )

    def turn(i: Any, s: Any) -> Any:
        rose.print("scan {} {}", i, s)
        return s * x

    rose.print("unused {}", rose.sqrt(x))
    return total.value + bend * rose.scan(turn, 1.0, 2)


def forward(f: Fn[..., Any]) -> Fn[..., Any]:
    return of([Real], Real, lambda x: rose.jvp(f)(Dual(x, 1.0)).du)


def hessian(f: Fn[..., Any]) -> Fn[..., Any]:
    whole = of([Vec[2]], Real, lambda v: f(v[0]) * v[1])
    return of([Real], Real, lambda x: rose.hessian(whole)([x, 1.0])[0][0])


def lines(x: float) -> list[str]:
    turns = [f"turn {i}" for i in range(3)]
    arm = "large" if x > 1.0 else f"small {x}"
    return [f"start {x}", *turns, arm, f"unused {math.sqrt(x)}", "scan 0 1.0", f"scan 1 {x}"]


DERIVED: dict[str, Callable[[Fn[..., Any]], Fn[..., Any]]] = {
    "the value": lambda f: f,
    "jvp": forward,
    "vjp": lambda f: of([Real], Real, lambda x: rose.vjp(f)(x).grad(1.0)),
    "grad": rose.grad,
    "value_and_grad": rose.value_and_grad,
    "grad of grad": lambda f: rose.grad(rose.grad(f)),
    "forward over reverse": lambda f: forward(rose.grad(f)),
    "reverse over forward": lambda f: rose.grad(forward(f)),
    "hessian": hessian,
    "jacobian": rose.jacfwd,
    "three times": lambda f: rose.grad(rose.grad(rose.grad(f))),
}


@pytest.mark.parametrize("name", DERIVED)
def test_in_a_derivative_all_is_printed_once_and_in_order(name: str, capsys: Capture):
    f = DERIVED[name](of([Real], Real, busy))
    silent = DERIVED[name](of([Real], Real, quiet))
    for x in (0.5, 2.25):
        assert both(f, x, capsys=capsys) == lines(x)
        assert same(f(x), silent(x))


def quiet(x: Any) -> Any:
    """What `busy` computes."""
    total = rose.accum(0.0)
    for i in rose.range(3):
        total += x * x * i
    bend = rose.cond(x > 1.0, lambda: rose.sqrt(x), lambda: x * x)
    return total.value + bend * rose.scan(lambda i, s: s * x, 1.0, 2)


@pytest.mark.parametrize("name", DERIVED)
def test_an_assertion_stops_every_derivative_and_the_next_call_works(name: str):
    f = DERIVED[name](of([Real], Real, busy))
    right = f(2.25)
    for call in (f, functools.partial(run, f.func)):
        for _ in range(2):
            with pytest.raises(rose.AssertionFailed) as caught:
                call(-0.5)
            assert isinstance(caught.value, AssertionError)
            assert 'rose.assert_(x + i > 0.0, "x + i is above 0")' in str(caught.value)
            assert same(f(2.25), right)


def test_an_assertion_in_an_arm_holds_for_that_arm_only():
    f = of([Real], Real, lambda x: rose.cond(x > 0.0, lambda: x, lambda: (rose.assert_(x < -1.0, "far"), x * x)[1]))
    for g in (f, rose.grad(f), rose.grad(rose.grad(f))):
        assert g(0.5) == run(g.func, 0.5)
        assert g(-2.0) == run(g.func, -2.0)
        with pytest.raises(rose.AssertionFailed, match="far"):
            g(-0.5)


def test_an_assertion_may_be_in_what_a_checkpoint_evaluates_again():
    def turn(i: Any, s: Any) -> Any:
        rose.assert_(s < 100.0, "s is small")
        return s * s

    f = rose.grad(of([Real], Real, lambda x: rose.scan(turn, x, 6, checkpoint="sqrt")))
    plainly = rose.grad(of([Real], Real, lambda x: rose.scan(turn, x, 6)))
    assert same(f(1.01), plainly(1.01)) and same(f(1.01), run(f.func, 1.01))
    with pytest.raises(rose.AssertionFailed, match="s is small"):
        f(2.0)


def test_a_checkpoint_looks_once_at_what_is_called_on_many_paths():
    def level(f: Any) -> Any:
        return of([Real], Real, lambda x: f(x) + f(2.0 * x))

    def leaf(x: Any) -> Any:
        rose.assert_(x > -1.0, "x is above -1")
        return x

    f = of([Real], Real, leaf)
    for _ in range(64):  # 2 ** 64 paths lead to the assertion
        f = level(f)
    g = of([Real], Real, lambda x: rose.scan(lambda i, s: f(s), x, 3, checkpoint="sqrt"))
    assert not g.func.pure


def test_assertions_of_one_line_share_their_message_and_each_has_its_own():
    @fn
    def f(v: Vec[4]) -> Real:
        for k in range(4):
            rose.assert_(v[k] > 0.0, f"element {k} is above 0")
        return rose.sum(v)

    module = rose.compile(f)
    assert module([1, 2, 3, 4]) == 10
    for k in range(4):
        with pytest.raises(rose.AssertionFailed, match=f"element {k} is"):
            module([1.0] * k + [0.0] * (4 - k))
    with pytest.raises(rose.AssertionFailed, match="element 0 is"):
        pickle.loads(pickle.dumps(module))([0, 0, 0, 0])


def test_a_pickled_module_says_where_it_was_asserted_and_prints(capsys: Capture):
    module = rose.compile(of([Real], Real, busy))
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(module))))
    assert again(2.25) == module(2.25)
    assert capsys.readouterr().out.splitlines() == lines(2.25) * 2
    with pytest.raises(rose.AssertionFailed, match=r"test_debugging.py:\d+\n.*rose.assert_") as caught:
        again(-0.5)
    assert pickle.loads(pickle.dumps(caught.value)).args == caught.value.args


def test_threads_assert_each_for_themselves():
    f = rose.grad(of([Real, Vec[50]], Real, guarded))
    _ = f(1.0, [1.0] * 50)

    def call(k: int) -> bool:
        try:
            return f(1.0, [1.0] * (k % 50) + [1.0 - k % 2] + [1.0] * (49 - k % 50)) == 50.0 and k % 2 == 0
        except rose.AssertionFailed:
            return k % 2 == 1

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(400)))


def guarded(x: Any, v: Any) -> Any:
    total = rose.accum(0.0)
    for i in rose.range(50):
        rose.assert_(v[i] > 0.0, "each is above 0")
        total += x * v[i]
    return total.value


def test_a_module_that_asserts_needs_nothing_from_outside():
    module = rose.compile(of([Real, Vec[50]], Real, guarded))
    assert b"opaque" not in module.wasm and b"print" not in module.wasm
    assert rose.compile(of([Real, Vec[50]], Real, guarded)).wasm == module.wasm


def test_an_assertion_outside_of_any_function_is_checked_at_once():
    rose.assert_(True, "fine")
    with pytest.raises(rose.AssertionFailed, match="wrong"):
        rose.assert_(False, "wrong")


def endless(x: Any) -> Any:
    """A loop of at most 5 turns, each of which is printed."""

    def turn(s: Any) -> Any:
        rose.print("turn {}", s)
        rose.assert_(s > -4.0, "s is above -4")
        return s * 2.0 + x

    return rose.while_loop(lambda s: (rose.print("test {}", s), s < 100.0)[1], turn, x, max_iter=5)


@pytest.mark.parametrize("name", DERIVED)
def test_a_while_loop_prints_and_fails_in_every_derivative(name: str, capsys: Capture):
    f = DERIVED[name](of([Real], Real, endless))
    assert both(f, 30.0, capsys=capsys) == ["test 30.0", "turn 30.0", "test 90.0", "turn 90.0", "test 210.0"]
    for call in (f, functools.partial(run, f.func), eagerly(f)):
        for x, kind, text in ((1.0, rose.TooLarge, FIVE), (-1.0, rose.AssertionFailed, "s is above -4")):
            with pytest.raises(kind, match=text) as caught:
                call(x)
            assert "test_debugging.py" in str(caught.value.loc)
            assert same(f(30.0), call(30.0))


FIVE = "a loop was to end within 5 turns, and did not"


def eagerly(f: Fn[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        with rose.eager():
            return f(*args)

    return call


@fn
def thrifty(x: Real) -> Real:
    """Its derivative keeps more than a memory holds."""
    return rose.while_loop(lambda s: s[0] < 3e8, lambda s: (s[0] + 1.0, rose.sin(s[1])), (0.0, x))[1]


class SmallStore(handles.Store):
    """One whose memories cannot grow beyond 16 MiB."""

    def __init__(self, engine: handles.Engine) -> None:
        super().__init__(engine)
        self.set_limits(memory_size=2**24)


def test_memory_that_is_exhausted_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(handles, "Store", SmallStore)
    module = rose.compile({"grad": rose.grad(thrifty), "one": rose.grad(of([Real], Real, endless))})
    for made in (module, pickle.loads(pickle.dumps(module))):
        with pytest.raises(rose.TooLarge, match="the memory that reverse mode keeps for a loop is exhausted"):
            made.grad(1.0)
        with pytest.raises(rose.TooLarge, match=FIVE):
            made.one(1.0)
        assert made.one(30.0) == 7.0


def test_in_single_precision_numbers_are_printed_as_they_are(capsys: Capture):
    f = of([Real, Vec[2]], Real, lambda x, v: (rose.print("{} {:.3f} {}", x, x, v), x)[1])
    assert rose.compile(f, dtype="f32")(0.1, [0.5, 0.2]) == 0.10000000149011612
    assert capsys.readouterr().out == "0.10000000149011612 0.100 [0.5, 0.20000000298023224]\n"


SCRIPT = """
import init from "./index.js";
const { f, numbers, busy, grad, loop, exhausted } = await init();
const point = { x: 1, y: 2 };
const points = [point, { x: -0.5, y: 1e300 }];
f(0.1, [1, NaN, -0], 8, points, { flag: true, k: 3, p: point }, { first: 1, rest: [2, 3] }, { a: 1, b: false });
NUMBERS.forEach((x) => numbers(x));
for (const g of [busy, grad, loop])
  for (const x of [0.5, -0.5, 2.25, 30])
    try {
      g(x);
    } catch (error) {
      console.log(error instanceof Error, error.message);
    }
try {
  exhausted(1);
} catch (error) {
  console.log(error.message);
}
"""


def test_in_javascript_the_same_is_printed_and_asserted(tmp_path: Path, capsys: Capture):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    f, args = of_all_types()
    numbers = of([Real], Unit, lambda x: rose.print("{} {:.2f} {:.4e}", x, x, x))
    b, loop = of([Real], Real, busy), rose.grad(of([Real], Real, endless))
    module = rose.compile(
        {"f": f, "numbers": numbers, "busy": b, "grad": rose.grad(b), "loop": loop, "exhausted": rose.grad(thrifty)}
    )
    _ = module(*args)
    finite = [x for x in NUMBERS if abs(x) < 1e21]
    for x in finite:
        module.numbers(x)
    for g in (module.busy, module.grad, module.loop):
        for x in (0.5, -0.5, 2.25, 30.0):
            try:
                g(x)
            except rose.RoseError as e:
                print(f"true {e.message} (test_debugging.py:{str(e.loc).rpartition(':')[2]})")
    failures = module._lowered.failures  # pyright: ignore[reportPrivateUsage]
    (why,) = [x for x in failures if "exhausted" in x.message and x.loc is not None and x.loc.code is thrifty.loc.code]
    print(why.told())
    expected = capsys.readouterr().out
    files = module.save(tmp_path / "out", "made")
    assert "core.js" in [file.name for file in files]
    text = SCRIPT.replace("NUMBERS", "[" + ", ".join(map(repr, finite)) + "]").replace(
        "b: false })", "b: false }, undefined)"
    )
    (tmp_path / "out" / "page.mjs").write_text(text)
    command = ["node", "--wasm-max-mem-pages=256", "--disallow-code-generation-from-strings", "page.mjs"]
    done = subprocess.run(command, cwd=tmp_path / "out", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected
    assert str(Path(__file__).parent).encode() not in b"".join([file.read_bytes() for file in files])
