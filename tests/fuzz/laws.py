"""Laws that hold for every program: each is a function of one, and fails with an assertion."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from harness import Module, reals, same
from random_programs import Program
from second_semantics import Meaning, along, lift, number, untraced
from untaken_branches import Replace, Watch, as_constant, as_nasty

import rose
from rose.autodiff.jvp import full_mask, jvp
from rose.host.interpreter import run
from rose.host.marshal import plain, present
from rose.ir import Func
from rose.ir.check import check
from rose.optimise.dead_arguments import remove_dead_arguments
from rose.optimise.pipeline import optimised

from .derivatives import (
    WAYS,
    AnyFn,
    backwards,
    close,
    direction,
    flat,
    forwards,
    gradients,
    inner,
    lift_all,
    mixed,
    pairs,
    pulled_back,
    size,
    steps,
    twin,
)  # fmt: skip

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


ORDERS = ("j", "v", "l", "g", "jj", "jv", "vj", "vv", "lv", "vl")
THIRD = ("vvv", "vvj", "vjv", "jvv", "vjj", "jvj", "jjv", "jjj")


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
