"""Laws that hold for every program, on random ones.

`ROSE_FUZZ=2000` runs as many programs for each law; otherwise it is a few dozen, always the same.
"""

from __future__ import annotations

import hashlib
import math
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from harness import Module, bits, reals, same
from hypothesis import HealthCheck, Phase, given, seed, settings
from paths import ROOT, TESTS
from random_programs import Program, programs
from second_semantics import Meaning, along, lift, number, untraced
from shrinker import shrunk, statements
from untaken_branches import Replace, Watch, as_constant, as_nasty

import rose
from rose.autodiff.jvp import full_mask, jvp
from rose.frontend.function import Fn
from rose.host.interpreter import run
from rose.host.marshal import plain, present
from rose.ir import OPS, Func
from rose.ir.check import check
from rose.ir.types import Real, Tuple, Type, Unit, Vec, tuple_of
from rose.optimise.dead_arguments import remove_dead_arguments
from rose.optimise.pipeline import optimised

MANY = int(os.environ.get("ROSE_FUZZ", "0"))
# Parts of each law's programs, which can run beside one another: of these one is quick.
PARTS = [0, *[pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 3)]]
SEEN: Counter[str] = Counter()
AnyFn = Fn[..., Any]


@pytest.fixture(scope="module", autouse=True)
def statistics() -> Iterator[None]:
    """What the programs were made of: to be seen with `pytest -s`."""
    yield
    width = max([len(tag) for tag in SEEN], default=0)
    print("\n" + "\n".join([f"{tag:{width}} {n}" for tag, n in sorted(SEEN.items())]))


def for_programs(law: Callable[[Program], None], few: int, part: int, budget: int = 60) -> None:
    """`law` holds for some programs; a small one that breaks it is shown."""
    failed: list[Program] = []

    @seed(part)
    @settings(
        max_examples=-(-MANY // len(PARTS)) or few,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(budget))
    def check_one(p: Program) -> None:
        SEEN.update([*p.tags, "programs"])
        failed.append(p)
        law(p)
        failed.clear()

    try:
        check_one()
    except Exception as e:
        if failed:
            e.add_note(f"seed {part}; a small program that fails so:\n{shrunk(failed[-1], law)}")
        raise


# What is compiled in the place of what was derived. Of small functions the first leaves one: the second runs alone.
FASTER = (optimised, remove_dead_arguments)


# the value


def law_of_values(p: Program) -> None:
    """The interpreter, WebAssembly before and after optimisation, and Python itself agree to the bit."""
    scope, other = p.run(), p.run(Meaning)
    f: Func = check(scope["main"].func)
    wanted = []
    for xs in p.args:
        value = untraced(other["main"](*xs), p.result)
        wanted.append((value, taken(other["LOG"])))
    follow(wanted, p, scope, lambda *xs: run(f, *xs))
    module = Module({"main": f})
    assert module.lowered.wasm == Module({"main": p.run()["main"].func}).lowered.wasm, "the same source, other bytes"
    follow(wanted, p, scope, module["main"])
    for faster in FASTER:
        fast = check(faster({"main": f})["main"])
        follow(wanted, p, scope, lambda *xs, fast=fast: run(fast, *xs))
        follow(wanted, p, scope, Module({"main": fast})["main"])
    check(f)


def follow(wanted: Sequence[Any], p: Program, scope: dict[str, Any], main: Callable[..., Any]) -> None:
    """Each list of arguments gives what is wanted, in whatever order, and has the same effects."""
    exact = not any(["inside" in tag for tag in p.tags])  # a derivative in the program may run parts of it again
    for k in (0, 1, 0, 2):
        value, log = wanted[k]
        got, done = main(*p.args[k]), taken(scope["LOG"])
        assert same(got, value), (got, value)
        assert not exact or same(done, log), (done, log)


def taken(log: list[Any]) -> list[Any]:
    out = list(log)
    log.clear()
    return out


def law_of_eager_runs(p: Program) -> None:
    """What runs at once, in Python, gives the bits of the interpreter, and has the same effects in the same order."""
    scope = p.run()
    main: AnyFn = scope["main"]
    for xs in p.args:
        with rose.eager():
            got = plain(main(*[present(x, t) for x, t in zip(xs, p.types, strict=True)]), p.result)
        seen = taken(scope["LOG"])
        assert same(got, run(main.func, *xs))
        done = taken(scope["LOG"])
        assert any(["inside" in tag for tag in p.tags]) or same(seen, done), (seen, done)


# first derivatives, of functions between any types


def law_of_first_derivatives(p: Program) -> None:
    """<J v, ct> = <v, J^T ct>, J v is as it should be, and a pullback gives the same each time."""
    if not p.result.real or not any([t.real for t in p.types]):
        return
    f: AnyFn = p.run()["main"]
    check(jvp(f.func, full_mask(f.func)).func)
    forward, back = rose.jvp(f), pulled_back(f)
    check(forward.func)
    check(back.func)
    xs, ds, ct = p.args[0], p.args[1], mixed(p.args[2], p.result)
    duals = [twin(x, d, t) for x, d, t in zip(xs, ds, p.types, strict=True)]
    interpreted = run(forward.func, *duals), run(back.func, *xs, ct)
    for faster in FASTER:
        funcs = faster({"forward": forward.func, "back": back.func})
        for made in funcs.values():
            check(made)
        module = Module(funcs)
        y, (ret, g, h) = module["forward"](*duals), module["back"](*xs, ct)
        assert same((y, (ret, g, h)), interpreted)
    assert same(g, h)
    value, tangent = ([z[k] for z in pairs(y, p.result)] for k in (0, 1))  # two lists
    assert same(value, list(reals(ret, p.result)))
    grads = list(gradients(g, p.types))
    assert len(p.types) == 1 or all([x is None for x, t in zip(g, p.types, strict=True) if not t.real])
    directions = [d for x, t in zip(ds, p.types, strict=True) for d in reals(x, t)]
    close(inner(tangent, reals(ct, p.result)), inner(directions, grads), scale=size(directions, grads))
    main = p.run(Meaning)["main"]
    there = [[lift_all(x, t) for x, t in zip(a, p.types, strict=True)] for a in (xs, ds)]
    wanted = list(reals(untraced(along(main, *there)[1], p.result), p.result))
    for got, want in zip(tangent, wanted, strict=True):
        close(got, want)


def pulled_back(f: AnyFn) -> AnyFn:
    """The value of `f`, and its gradient in all parameters, twice from one tape."""
    grads: Type = tuple_of(*[t if t.real else Unit for t in f.types])
    grads = grads.items[0] if isinstance(grads, Tuple) and len(f.types) == 1 else grads

    def body(*args: Any) -> Any:
        *xs, ct = args
        y, pull = rose.vjp(f)(*xs)
        return y, pull(ct), pull(ct)

    return rose.fn([*f.types, f.result], tuple_of(f.result, grads, grads))(body)


def lift_all(x: Any, t: Type) -> Any:
    """A plain value, as `meaning` holds it."""
    if isinstance(t, Tuple):
        parts = [lift_all(y, s) for y, s in zip(x, t.items, strict=True)]
        return tuple(parts) if t.form is None else t.form.make(parts)
    return [lift_all(y, t.elem) for y in x] if isinstance(t, Vec) else lift(x) if t is Real else x


def twin(x: Any, d: Any, t: Type) -> Any:
    """The plain value of a `Dual[t]`."""
    if isinstance(t, Vec):
        return tuple([twin(y, e, t.elem) for y, e in zip(x, d, strict=True)])
    if isinstance(t, Tuple):
        return tuple([twin(y, e, s) for y, e, s in zip(x, d, t.items, strict=True)])
    return (x, d) if t is Real else x


def pairs(y: Any, t: Type) -> Iterator[tuple[float, float]]:
    """The pairs in the plain value of a `Dual[t]`."""
    if isinstance(t, Vec):
        for z in y:
            yield from pairs(z, t.elem)
    elif isinstance(t, Tuple):
        for z, s in zip(y, t.items, strict=True):
            yield from pairs(z, s)
    elif t is Real:
        yield y


def gradients(g: Any, types: Sequence[Type]) -> Iterator[float]:
    for x, t in zip([g] if len(types) == 1 else g, types, strict=True):
        if t.real:
            yield from reals(x, t)


def mixed(xs: Any, t: Type) -> Any:
    """A cotangent of a `t`, of numbers that depend on `xs`."""
    rng = random.Random(repr(bits(xs)))

    def value(t: Type) -> Any:
        if isinstance(t, Vec):
            return tuple([value(t.elem) for _ in range(t.size)])
        if isinstance(t, Tuple):
            return tuple([value(s) for s in t.items])
        return rng.uniform(-1.0, 1.0) if t is Real else None if t is Unit else rng.randrange(getattr(t, "size", 2)) \
            if hasattr(t, "size") else False  # fmt: skip

    return value(t)


def inner(xs: Any, ys: Any) -> float:
    return math.fsum([x * y for x, y in zip(xs, ys, strict=True)])


def size(xs: Any, ys: Any) -> float:
    return math.fsum([abs(x * y) for x, y in zip(xs, ys, strict=True)])


def close(x: float, y: float, scale: float = 0.0, to: float = 1e-9) -> None:
    assert abs(x - y) <= to * (1.0 + scale + max(abs(x), abs(y))), (x, y)


# higher derivatives: every way to take them agrees


def law_of_higher_derivatives(p: Program, orders: Sequence[str]) -> None:
    """Derivatives along fixed directions, by compositions of `j` (forward) and `v` (reverse), compiled."""
    n = sum([1 for x, t in zip(p.args[0], p.types, strict=True) for _ in reals(x, t)])
    if not n or not p.result.real:
        return
    real = flat(p.run()["main"], rose, p, n)
    made: dict[str, AnyFn] = {"": real}
    for order in orders:
        for k in range(1, len(order) + 1):
            if order[:k] not in made:
                made[order[:k]] = WAYS[order[k - 1]](made[order[: k - 1]], direction(k, n))
    funcs = {name or "f": f.func for name, f in made.items()}
    for f in funcs.values():
        check(f)
    plain, funcs = Module(funcs), optimised(funcs)
    for f in funcs.values():
        check(f)
    module = Module(funcs)
    f = flat(p.run(Meaning)["main"], Meaning, p, n)
    x = [y for a, t in zip(p.args[0], p.types, strict=True) for y in reals(a, t)]
    scale, wanted = 0.0, list[float]()
    for k in range(max(map(len, made)) + 1):
        wanted.append(number(f([lift(y) for y in x])))
        scale = max(scale, abs(wanted[k]))
        f = steps(f, direction(k + 1, n))
    for name in funcs:
        order = "" if name == "f" else name
        assert same(module[name](tuple(x)), plain[name](tuple(x))), name
        close(module[name](tuple(x)), wanted[len(order)], scale, to=1e-8)


def direction(k: int, n: int) -> list[float]:
    return [math.cos(1.7 * k + 0.9 * j) for j in range(n)]


def forwards(f: AnyFn, u: Sequence[float]) -> AnyFn:
    n = len(u)
    return rose.fn([Vec(n, Real)], Real)(
        lambda x: rose.jvp(f)([rose.Dual(x[k], u[k]) for k in range(n)]).du
    )  # fmt: skip


def backwards(f: AnyFn, u: Sequence[float]) -> AnyFn:
    t = Vec(len(u), Real)
    return rose.fn([t], Real)(lambda x: rose.dot(rose.grad(f)(x), rose.constant(t, u)))


def linearized(f: AnyFn, u: Sequence[float]) -> AnyFn:
    t = Vec(len(u), Real)
    return rose.fn([t], Real)(lambda x: rose.linearize(f)(x)[1](rose.constant(t, u)))


def by_hvp(f: AnyFn, u: Sequence[float]) -> AnyFn:
    """The value along a gradient that is itself taken with a loop: `value_and_grad`, in the middle of a trace."""
    t = Vec(len(u), Real)
    return rose.fn([t], Real)(
        lambda x: rose.sum(rose.value_and_grad(f)(x)[1][i] * rose.constant(t, u)[i] for i in rose.range(len(u)))
    )


WAYS = {"j": forwards, "v": backwards, "l": linearized, "g": by_hvp}
ORDERS = ("j", "v", "l", "g", "jj", "jv", "vj", "vv", "lv", "vl")
THIRD = ("vvv", "vvj", "vjv", "jvv", "vjj", "jvj", "jjv", "jjj")


def steps(f: Any, u: Sequence[float]) -> Callable[..., Any]:
    """The derivative of a meaning along `u`."""
    return type(f)(lambda x: along(f, [x], [[lift(y) for y in u]])[1], f.types, Real)


def flat(main: Any, module: Any, p: Program, n: int) -> Any:
    """`main` from a vector of all its Reals to one: the sum of its Reals, each with a weight."""

    def body(x: Any) -> Any:
        it = iter(range(n))
        args = [rebuilt(a, t, lambda: x[next(it)]) for a, t in zip(p.args[0], p.types, strict=True)]
        out = [z * math.cos(k) for k, z in enumerate(parts(main(*args), p.result))]
        return sum(out[1:], out[0]) if out else x[0] * 0.0

    return module.fn([Vec(n, Real)], Real)(body)


def rebuilt(x: Any, t: Type, leaf: Callable[[], Any]) -> Any:
    if isinstance(t, Tuple):
        items = [rebuilt(y, s, leaf) for y, s in zip(x, t.items, strict=True)]
        return tuple(items) if t.form is None else t.form.make(items)
    return [rebuilt(y, t.elem, leaf) for y in x] if isinstance(t, Vec) else leaf() if t is Real else x


def parts(y: Any, t: Type) -> Iterator[Any]:
    """The Reals of what a program gives, traced or not."""
    if isinstance(t, Vec):
        for k in range(t.size if t.real else 0):
            yield from parts(y[k], t.elem)
    elif isinstance(t, Tuple):
        items = y if t.form is None else t.form.read(y)
        for z, s in zip(items, t.items, strict=True):
            yield from parts(z, s)
    elif t is Real:
        yield y


# arms that are not taken


def law_of_arms(p: Program, orders: Sequence[str]) -> None:
    """What an arm that is not taken holds changes no derivative: a constant, or infinities and nans."""
    n = sum([1 for x, t in zip(p.args[0], p.types, strict=True) for _ in reals(x, t)])
    if not n or not p.result.real or not any(["select" in tag or "cond" in tag for tag in p.tags]):
        return
    x = [y for a, t in zip(p.args[0], p.types, strict=True) for y in reals(a, t)]
    watch = Watch(Meaning)
    f = flat(p.run(watch)["main"], Meaning, p, n)
    for k in range(max(map(len, orders)) + 1):
        f([lift(y) for y in x])
        f = steps(f, direction(k + 1, n))
    found: list[dict[str, float]] = []
    for spoil in (as_constant, as_nasty):
        made: dict[str, AnyFn] = {"": flat(p.run(Replace(rose, watch, spoil))["main"], rose, p, n)}
        for order in orders:
            made[order] = WAYS[order[-1]](made[order[:-1]], direction(len(order), n))
        funcs = {name or "f": f.func for name, f in made.items()}
        module = Module(optimised(funcs))
        found.append({name: module[name](tuple(x)) for name in funcs})
    calm, spoiled = found
    for name, y in calm.items():
        assert y == spoiled[name] or (y != y and spoiled[name] != spoiled[name]), (name, y, spoiled[name])


# checkpoints: the same bits as without them, where reverse mode is there once

SCHEDULE = re.compile(r', checkpoint="\w+"(, snapshots=\d+)?')


def law_of_checkpoints(p: Program) -> None:
    n = sum([1 for x, t in zip(p.args[0], p.types, strict=True) for _ in reals(x, t)])
    if not n or not p.result.real or not SCHEDULE.search(p.source):
        return
    x = [y for a, t in zip(p.args[0], p.types, strict=True) for y in reals(a, t)]
    found: list[dict[str, Any]] = []
    for q in (p, p._replace(source=SCHEDULE.sub("", p.source))):
        f = flat(q.run()["main"], rose, q, n)
        v, j = backwards(f, direction(1, n)), forwards(f, direction(1, n))
        made = {"f": f, "v": v, "vj": forwards(v, direction(2, n)), "jv": backwards(j, direction(2, n))}
        module = Module({name: g.func for name, g in made.items()})
        found.append({name: module[name](tuple(x)) for name in made})
    for name, want in found[1].items():
        assert same(found[0][name], want), name


# the laws, on few or many programs


@pytest.mark.parametrize("part", PARTS)
def test_the_interpreter_and_the_module_give_the_same_bits(part: int):
    for_programs(law_of_values, 15, part)


@pytest.mark.parametrize("part", PARTS)
def test_what_runs_at_once_gives_the_same_bits(part: int):
    for_programs(law_of_eager_runs, 15, part)


@pytest.mark.parametrize("part", PARTS)
def test_forward_and_reverse_are_adjoint(part: int):
    for_programs(law_of_first_derivatives, 12, part)


@pytest.mark.parametrize("part", PARTS)
def test_every_composition_to_second_order_agrees(part: int):
    for_programs(lambda p: law_of_higher_derivatives(p, ORDERS), 5, part, budget=35)


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_every_composition_to_third_order_agrees(part: int):
    for_programs(lambda p: law_of_higher_derivatives(p, THIRD), 2, part, budget=20)


@pytest.mark.parametrize("part", PARTS)
def test_an_arm_that_is_not_taken_changes_no_derivative(part: int):
    for_programs(lambda p: law_of_arms(p, ("j", "v", "jv", "vj", "vv")), 5, part, budget=35)


@pytest.mark.parametrize("part", PARTS)
def test_checkpoints_change_no_bit_of_what_is_reversed_once(part: int):
    for_programs(law_of_checkpoints, 15, part)


# what is shown of a program that fails


@pytest.mark.slow
def test_a_program_that_fails_is_shown_with_three_statements_at_most(monkeypatch: pytest.MonkeyPatch):
    """The bug is planted: the interpreter has another `max`."""

    def law(p: Program) -> None:
        scope, meaning = p.run(), p.run(Meaning)
        assert same(run(scope["main"].func, *p.args[0]), untraced(meaning["main"](*p.args[0]), p.result))

    monkeypatch.setattr(OPS["max"], "eval", lambda x, y: x + y + 1e-3)
    with pytest.raises(AssertionError) as e:
        for_programs(law, 100, 0)
    shown = e.value.__notes__[-1]
    assert shown.startswith("seed 0; a small program")
    source = shown.partition(":\n")[2]
    assert "rose.max(" in source
    assert statements(source) <= 3


# bytes


def modules(count: int) -> Iterator[bytes]:
    """The bytes of some programs and of their gradients, always the same."""
    found: list[Program] = []
    for_programs(found.append, count, 99)
    for p in found[:count]:
        f: AnyFn = p.run()["main"]
        named: dict[str, AnyFn] = {"main": f}
        if p.result.real and any([t.real for t in p.types]):
            named["vjp"] = pulled_back(f)
        yield rose.compile(named).wasm


def digest() -> str:
    return hashlib.sha256(b"".join(modules(12))).hexdigest()


@pytest.mark.slow
def test_bytes_do_not_depend_on_hashes():
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT), str(TESTS / 'support')]}; import {__name__} as t; print(t.digest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONHASHSEED": seed_, "ROSE_FUZZ": "0"},
        ).stdout
        for seed_ in ("0", "1")
    }  # fmt: skip
    assert len(digests) == 1


@pytest.mark.slow
def test_a_validator_accepts_every_module(tmp_path: Path):
    if shutil.which("wasm-validate") is None:
        pytest.skip("wasm-validate (Debian's wabt) is not installed")
    for k, wasm in enumerate(modules(30)):
        file = tmp_path / f"{k}.wasm"
        file.write_bytes(wasm)
        subprocess.run(["wasm-validate", str(file)], check=True)
