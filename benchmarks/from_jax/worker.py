"""A function in a process of its own: `python -m benchmarks.from_jax.worker WHAT FILE NAME` prints a line of JSON.

check   value, gradient and product with the Hessian beside JAX's; bytes; what an equation costs
calls   the processor's time of a call of the compiled gradient, and of `jax.jit`'s
ours    when the first value and gradient of ours is there
jax     when JAX's is
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from .model import entry

Row = dict[str, Any]
ROUNDS, SAMPLE = 7, 0.02  # of calls: seconds of each


def numbers(tree: Any) -> Iterator[Any]:
    """The arrays of what a module gives: of structs in the order of their fields."""
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (tuple, list)) else ():
        yield from numbers(part)
    if tree is not None and not isinstance(tree, (dict, tuple, list)):
        yield np.asarray(tree, float).reshape(-1)


def flat(parts: Any) -> Any:
    return np.concatenate([np.asarray(x, float).reshape(-1) for x in parts])


def apart(found: Any, right: Any) -> float:
    """How far our numbers are from JAX's, relative to the largest of these."""
    a, b = flat(numbers(found)), flat(jax.tree.leaves(right))
    with np.errstate(invalid="ignore"):
        far = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
    largest = np.abs(b[np.isfinite(b)]).max(initial=0.0)
    return min(float(np.nan_to_num(far.max(initial=0.0) / (largest or 1.0), nan=np.inf)), 1e99)


def direction(x: Any) -> Any:
    """A tangent of a pytree."""
    leaves, tree = jax.tree.flatten(x)
    rng = np.random.default_rng(9)
    return jax.tree.unflatten(tree, [rng.normal(size=np.shape(v)) for v in leaves])


def equations(jaxpr: Any) -> int:
    """The equations of a jaxpr and of those in it."""
    from rose.bridges.jaxprs import inner

    return sum(1 + sum(equations(j) for j in inner(e)) for e in jaxpr.eqns)


class Check:
    """Each thing in turn: what fails is written into the row, and the others are tried."""

    def __init__(self, f: Callable[[Any], Any], x: Any) -> None:
        self.f, self.x, self.v = f, x, direction(x)
        self.row: Row = {"errors": {}}

    def tried(self, what: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except (Exception, RecursionError) as error:
            self.row["errors"][what] = f"{type(error).__name__}: {error}"[:600]
            return None

    def compared(self, what: str, ours: Callable[[], Any], right: Any) -> None:
        """How far ours is, where there are both."""
        found = self.tried(what, ours)
        if found is not None and right is not None:
            self.row[what] = apart(found, right)

    def run(self) -> Row:
        import rose

        f, x, v, row = self.f, self.x, self.v, self.row
        value = self.tried("JAX", lambda: jax.jit(f)(x))
        gradient = self.tried("JAX, gradient", lambda: jax.jit(jax.grad(f))(x))
        product = lambda of: jax.jit(lambda x: jax.jvp(of(f), (x,), (v,))[1])(x)
        hessian = None if gradient is None else self.tried("JAX, Hessian product", lambda: product(jax.grad))
        forward = gradient is None or hessian is None  # JAX has no reverse mode, or none that has a derivative
        right = gradient if gradient is not None else self.tried("JAX, forward", lambda: jax.jit(jax.jacfwd(f))(x))
        if forward:
            hessian = self.tried("JAX, forward twice", lambda: product(jax.jacfwd))
        g = self.tried("import", self.imported)
        if g is None:
            return row
        self.compared("value", lambda: rose.compile(g)(x), value)
        self.compared("gradient", lambda: rose.compile(rose.grad(g))(x), right)
        self.compared("Hessian product", lambda: rose.compile(rose.hvp(g))(x, v), hessian)
        if gradient is not None:
            theirs = lambda: rose.compile(rose.from_jax(jax.grad(f), x, names=["x"]))(x)
            self.compared("JAX's gradient", theirs, gradient)
        self.tried("bytes", self.weighed)
        return row

    def imported(self) -> Any:
        """The function, traced; what JAX itself took is not ours."""
        import rose

        theirs, make = [0.0], jax.make_jaxpr

        def timed(*args: Any, **how: Any) -> Any:
            made = make(*args, **how)

            def of(*xs: Any) -> Any:
                began = time.process_time()
                found = made(*xs)
                theirs[0] += time.process_time() - began
                count = equations((found[0] if isinstance(found, tuple) else found).jaxpr)
                self.row["equations"] = max(count, self.row.get("equations", 0))
                return found

            return of

        rose.from_jax(lambda x: x * 2.0, 1.0).func  # noqa: B018  what is imported once
        jax.make_jaxpr = timed
        try:
            began = time.process_time()
            g = rose.from_jax(self.f, self.x, names=["x"])
            g.func  # noqa: B018  traces it
            spent = time.process_time() - began
        finally:
            jax.make_jaxpr = make
        self.row["us per equation"] = 1e6 * (spent - theirs[0]) / max(self.row["equations"], 1)
        return g

    def weighed(self) -> None:
        import rose

        for what, of in {"value": lambda g: g, "gradient": rose.grad}.items():
            began = time.perf_counter()
            wasm = rose.compile(of(rose.from_jax(self.f, self.x, names=["x"]))).wasm
            self.row[f"compiling {what}, s"] = time.perf_counter() - began
            self.row[f"{what}, bytes gz"] = len(gzip.compress(wasm, 9))


def calls(f: Callable[[Any], Any], x: Any) -> Row:
    """Microseconds of the processor, of all threads of the process."""
    import rose

    ours = rose.compile(rose.grad(rose.from_jax(f, x, names=["x"])))
    theirs, there = jax.jit(jax.grad(f)), jax.tree.map(jax.numpy.asarray, x)
    mine = jax.tree.map(np.asarray, x)
    ways: dict[str, Callable[[], Any]] = {
        "ours": lambda: ours(mine),
        "JAX": lambda: jax.block_until_ready(theirs(there)),
    }

    def spent(way: Callable[[], Any], n: int) -> float:
        began = time.process_time()
        for _ in range(n):
            way()
        return (time.process_time() - began) / n

    counts = {name: max(1, int(SAMPLE / max(min(spent(way, 1) for _ in range(3)), 1e-6))) for name, way in ways.items()}
    rounds = [{name: spent(way, counts[name]) for name, way in ways.items()} for _ in range(ROUNDS)]
    row: Row = {f"{name}, us": 1e6 * statistics.median(r[name] for r in rounds) for name in ways}
    return row | {"calls over JAX": statistics.median(r["ours"] / r["JAX"] for r in rounds)}


def first(f: Callable[[Any], Any], x: Any, began: float, ours: bool) -> Row:
    """Seconds from before the function is made until its value and gradient are there."""
    if ours:
        import rose

        found = rose.value_and_grad(rose.from_jax(f, x, names=["x"]))(x)
        return {"value": float(found[0]), "s": time.perf_counter() - began}
    value, _ = jax.block_until_ready(jax.jit(jax.value_and_grad(f))(x))
    return {"value": float(value), "s": time.perf_counter() - began}


def main(what: str, file: str, key: str) -> None:
    jax.config.update("jax_enable_x64", True)
    f, x = entry(file, key).make()
    began = time.perf_counter()
    if what == "check":
        row = Check(f, x).run()
    elif what == "calls":
        row = calls(f, x)
    else:
        row = first(f, x, began, what == "ours")
    print(json.dumps(row))


main(*sys.argv[1:])
