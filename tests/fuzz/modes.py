"""Laws of the ways to run a program: passes one by one, single precision, SIMD, batches, threads, and matrices."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from harness import Module, bits, reals, same
from limits import short_products
from random_programs import Program

import rose
from rose.frontend.function import Opaque
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.ir import Func
from rose.ir.check import check
from rose.ir.text.printer import show
from rose.ir.types import Real, Tuple, Type, Vec
from rose.optimise.pipeline import NAMES, PASSES, Instruments, optimised
from rose.optimise.single_precision import to_single

from .batch import fitting
from .derivatives import AnyFn, close, flat, gradients, mixed, pulled_back

LARGEST = 8  # numbers of a program whose Hessian is asked for in every way


def is_smooth(p: Program) -> bool:
    return p.result.real and any([True for x, t in zip(p.args[0], p.types, strict=True) for _ in reals(x, t)])


def point(p: Program, k: int = 0) -> tuple[float, ...]:
    return tuple([y for a, t in zip(p.args[k], p.types, strict=True) for y in reals(a, t)])


def derived(p: Program) -> tuple[dict[str, Func], dict[str, list[Any]]]:
    """The function and its pullback, with arguments for each."""
    f: AnyFn = p.run()["main"]
    funcs, args = {"f": f.func}, {"f": [list(xs) for xs in p.args]}
    if is_smooth(p):
        funcs["back"] = pulled_back(f).func
        args["back"] = [[*xs, mixed(xs, p.result)] for xs in p.args]
    return funcs, args


def law_of_passes(p: Program) -> None:
    """Each pass alone, and all but each, keep every bit; and those that short nests are too short for."""
    funcs, args = derived(p)
    wanted = {k: [run(f, *xs) for xs in args[k][:2]] for k, f in funcs.items()}
    rng = random.Random(p.source)
    for name in rng.sample(PASSES, 4):
        for without in ((name,), tuple([k for k in PASSES if k != name])):
            for k, f in optimised(funcs, asked=Instruments(without, verifies=True)).items():
                for xs, want in zip(args[k][:2], wanted[k], strict=True):
                    got = run(f, *xs)
                    assert same(got, want), (name, k, without, got, want)
    rule = rng.choice(NAMES)
    module = Module(optimised(funcs, asked=Instruments((rule,))))
    with short_products():
        other = Module(optimised(funcs, simd=True), simd=True)
    for k in funcs:
        assert same(module[k](*args[k][0]), wanted[k][0]), f"without {rule}"
        assert same(other[k](*args[k][0]), wanted[k][0]), "with the loops of short nests interchanged"


def law_of_simd(p: Program) -> None:
    """Two iterations at once have the same bits."""
    funcs, args = derived(p)
    module = Module(optimised(funcs, simd=True), simd=True)
    for k, f in funcs.items():
        for xs in args[k]:
            got, want = module[k](*xs), run(f, *xs)
            assert same(got, want), (k, got, want)


def law_of_single_precision(p: Program) -> None:
    """A module in single precision has the bits of the interpreter."""
    funcs, args = derived(p)
    single = {k: to_single(f) for k, f in funcs.items()}
    module = Module(optimised(single), single=True)
    for k, f in single.items():
        for xs in args[k]:
            given = [plain(fitting(x), q.type) for x, q in zip(xs, f.params, strict=True)]
            got, want = module[k](*given), run(f, *given)
            assert same(got, want), (k, got, want)


def law_of_text(p: Program) -> None:
    """The text of a function is parsed to a function of the same text, and of the same bits."""
    scope = p.run()
    text = show(scope["main"].func)
    host = {f.name: f.body for f in scope.values() if isinstance(f, Opaque) and f"def {f.name}(" in text}
    again = list(rose.parse(text, host=host).values())[-1].func
    assert show(again) == text
    if "near(" not in p.source and "turned(" not in p.source:  # which give a struct of the program's, not of the text's
        assert same(run(again, *p.args[0]), run(scope["main"].func, *p.args[0]))


def law_of_batches(p: Program) -> None:
    """A batch of calls, in one thread or in two, and what a user gets of one call, have the same bits."""
    if not is_smooth(p):
        return
    n = len(point(p))
    f = flat(p.run()["main"], rose, p, n)
    module = rose.compile({"f": f, "g": rose.grad(f)})
    points = [point(p, k) for k in (0, 1, 2)] * 5
    for name, of in (("f", f), ("g", rose.grad(f))):
        one = [run(of.func, x) for x in points[:3]] * 5
        for threads in (None, 2):
            many = module[name].map(np.array(points).reshape(15, n), threads=threads)
            assert bits(many.tolist()) == bits(one), (name, threads)
        assert same(plain(module[name](points[1]), of.result), one[1])


def law_of_hessians(p: Program) -> None:
    """Of a Hessian: dense = sparse = forward over reverse = reverse over reverse, and it is symmetric."""
    if not is_smooth(p) or len(point(p)) > LARGEST:
        return
    x, n = point(p), len(point(p))
    f = flat(p.run()["main"], rose, p, n)
    g = rose.grad(f)
    sparse = rose.hessian(f, sparse=True)
    funcs = {
        "dense": rose.hessian(f).func, "forward": rose.jacfwd(g).func, "reverse": rose.jacrev(g).func,
        "sparse": sparse.func,
    }  # fmt: skip
    module = Module(optimised(funcs))
    dense, *others = [module[k](x) for k in ("dense", "forward", "reverse")]
    scale = max([abs(y) for row in dense for y in row])
    rows, cols, values, _ = module["sparse"](x)
    found = dict(zip(zip(rows, cols, strict=True), values, strict=True))
    ruled = p.tags["custom jvp"] or p.tags["derivative rule"]  # what a user gives may be the derivative of nothing
    for i in range(n):
        for j in range(n):
            if not ruled:
                close(dense[i][j], dense[j][i], scale)
            for other in (others[0][i][j], others[1][i][j], found.get((i, j), 0.0)):
                close(dense[i][j], other, scale)


def law_of_structs(p: Program) -> None:
    """The gradient in structs is the gradient in one vector of their numbers."""
    if not is_smooth(p):
        return
    f: AnyFn = p.run()["main"]
    n = len(point(p))
    one = rose.grad(flat(f, rose, p, n))
    weights = (math.cos(k) for k in count())
    ct = map_plain(lambda: next(weights), p.result, mixed(p.args[0], p.result))
    module = Module(optimised({"back": pulled_back(f).func, "one": check(one.func)}))
    for xs in p.args[:1]:
        got = list(gradients(module["back"](*xs, ct)[1], p.types))
        wanted = module["one"](tuple([y for a, t in zip(xs, p.types, strict=True) for y in reals(a, t)]))
        scale = max(map(abs, wanted))
        for a, b in zip(got, wanted, strict=True):
            close(a, b, scale)


def map_plain(leaf: Callable[[], float], t: Type, x: Any) -> Any:
    """The plain value with `leaf()` in the place of each Real."""
    if isinstance(t, Vec):
        return tuple([map_plain(leaf, t.elem, y) for y in x])
    if isinstance(t, Tuple):
        return tuple([map_plain(leaf, s, y) for s, y in zip(t.items, x, strict=True)])
    return leaf() if t is Real else x
