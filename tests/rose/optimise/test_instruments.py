"""The door of all steps: what is left out, told, timed and verified, from the trace on."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, Vec, fn
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearize import linearize
from rose.autodiff.vector_mode import vector_mode
from rose.ir import Func, is_call
from rose.ir.callgraph import instructions, reachable
from rose.optimise.instruments import Instruments, asked, instrumented, leaves_out, run, run_all
from rose.optimise.pipeline import optimised


def arrays() -> Func:
    return fn([Vec[9], Vec[9]], Real)(lambda x, y: rose.sum(x * y + x)).func


def kernel() -> rose.Fn[..., Any]:
    """A kernel in a double sum, whose cosine depends on one index: it is called, and its logarithm stays the same."""
    one = fn([Real, Real], Real)(lambda a, b: rose.log(a) * a * rose.cos(b))
    row = lambda a, y: rose.sum(one(a, y[j]) for j in rose.range(20))
    return fn([Vec[20], Vec[20]], Real)(lambda x, y: rose.sum(row(x[i], y) for i in rose.range(20)))


def story(make: Any, *without: str) -> list[str]:
    """The steps that changed a function, in order."""
    found: list[str] = []
    with instrumented(Instruments(without, tell=lambda name, f: found.append(name))):
        make()
    return found


def test_the_story_of_a_gradient_begins_with_the_trace():
    told = story(lambda: rose.grad(kernel()).func)
    assert list(dict.fromkeys(told)) == ["trace", "stage", "move-invariants", "jvp", "unzip", "transpose"]


def waves(x: Any) -> Any:
    return rose.vec(rose.sin(x[i]) for i in rose.range(40))


def test_linearisation_and_vector_mode_are_told():
    f = fn([Vec[40]], Vec[40])(waves).func
    d = jvp(f, full_mask(f)).func
    assert "linearize" in story(lambda: linearize(d))
    assert story(lambda: vector_mode(d, 3)) == ["vector-mode"]


@pytest.mark.parametrize("name", ["stage", "distribute", "move-invariants"])
def test_what_is_left_out_before_derivation_is_not_told(name: str):
    assert name not in story(lambda: rose.grad(kernel()).func, name)


def test_maps_stay_where_fusion_is_left_out():
    loops = lambda f: sum([v.op.name == "for" for v in instructions(f.body)])
    fused = arrays()
    with instrumented(Instruments(("fuse-maps",))):
        assert loops(arrays()) > loops(fused) == 1


def test_long_functions_stay_where_outlining_is_left_out():
    long = fn([Real], Real)(lambda x: sum([rose.sin(x * k) for k in range(3000)], x)).func
    is_cut = lambda asked: any(map(is_call, optimised({"f": long}, asked=asked)["f"].body.code))
    assert is_cut(Instruments()) and not is_cut(Instruments(("outline",)))


def test_what_moved_without_a_rule_is_not_taken_for_what_moves_with_it():
    f = kernel()
    _ = f.func
    told = story(lambda: rose.compile(f), "stage")
    assert "stage" not in told
    assert "stage" in story(lambda: rose.compile(f))


def test_dead_parts_stay_where_they_are_left_out():
    pair = fn([Real], tuple[Real, Real])(lambda x: (x * x, rose.log(x)))
    f = fn([Real], Real)(lambda x: pair(x)[0])
    assert "live-parts" in story(lambda: rose.grad(f).func)
    assert "live-parts" not in story(lambda: rose.grad(f).func, "live-parts")


def test_a_jacobian_says_that_it_writes_its_function_out():
    f = fn([Vec[6]], Vec[6])(lambda x: rose.vec(x[i] * x[i] for i in rose.range(6)))
    assert "write-out" in story(lambda: rose.jacobian(f).func)
    assert "unroll" in story(lambda: rose.jacobian(fn([Vec[6]], Vec[6])(f)).func)


def test_times_are_those_of_all_stages_and_of_none_twice():
    by = Instruments()
    with instrumented(by):
        rose.compile(rose.grad(kernel()))
    assert {"trace", "move-invariants", "jvp", "sweep", "inline", "lower", "encode"} <= {*by.seconds}
    assert all([s >= 0.0 for s in by.seconds.values()])


def test_without_instruments_a_step_is_a_call():
    f = arrays()
    assert asked() is None or asked().verifies  # pyright: ignore[reportOptionalMemberAccess]
    assert run("fuse-maps", f, lambda g: g) is f
    assert not leaves_out("fuse-maps")


def test_a_step_over_a_program_tells_what_is_new_and_verifies_it():
    f, g, told = arrays(), arrays(), list[Func]()

    def forget(funcs: Any) -> dict[str, Func]:
        g.body.code.clear()
        return {"f": g}

    with instrumented(Instruments(tell=lambda name, h: told.append(h))):
        assert run_all("dead-arguments", {"f": f}, lambda funcs: {"f": g}) == {"f": g}
    assert told == [h for h in reachable(g)]
    with instrumented(Instruments(verifies=True)), pytest.raises(AssertionError, match="used before it is defined"):
        run_all("dead-arguments", {"f": f}, forget)
