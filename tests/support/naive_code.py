"""The module of some functions beside their naive one, which shares no local and no memory: the same bits.

Inside `beside()` each module that is lowered is compared so, at points that are drawn by the types of the parameters.
What cannot be run alone is counted as left out: a module that calls the host or is told its sizes, very large
arguments, and a call that goes on for too long.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import copysign, inf, nan, pi
from typing import Any

import wasmtime
from harness import Module, same

import wasm_backend.lower
from rose.ir import Func
from rose.ir.types import Bool, Fin, Single, Tuple, Type, Vec, count_leaves
from wasm_backend.abi.signature import Lowered

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, pi, inf, -inf, nan, 1e-300, -1e300, 5e-324)
DRAWS: tuple[Callable[[random.Random], float], ...] = (
    lambda rng: rng.gauss(0.0, 1.0),
    lambda rng: float(rng.randint(-2, 2)),
    lambda rng: rng.choice(SPECIAL),
)
MOST_SINGLE = 3.4e38
LARGEST = 4000  # numbers in the arguments and the result of a function that is called
FUEL = 5_000_000  # instructions of a call; the naive code of a program may take several times as many as the other


def _fuelled() -> wasmtime.Engine:
    config = wasmtime.Config()
    config.cranelift_opt_level = "none"
    config.consume_fuel = True
    return wasmtime.Engine(config)


class Fuelled(Module):
    """A module whose calls end."""

    engine = _fuelled()

    def new_store(self) -> wasmtime.Store:
        store = super().new_store()
        store.set_fuel(FUEL)  # of its start, which writes constants
        return store

    def run(self, name: str, args: tuple[Any, ...], fuel: int) -> Any:
        """The result; None of a call that traps, or takes more fuel."""
        self.store.set_fuel(fuel)
        try:
            return self.call(name, args)
        except (wasmtime.Trap, wasmtime.WasmtimeError):
            return None


def compare(exports: Mapping[str, Func], **options: Any) -> Counter[str]:
    """Compare both modules of these functions: how many modules, calls and numbers were, and what was left out."""
    told = Counter[str]()
    functions = {name: f for name, f in exports.items() if _is_small(f)}
    told["large functions"] += len(exports) - len(functions)
    if not functions:
        return told
    made = Fuelled(functions, **options)
    if made.lowered.imports or any([s.sizes for s in made.lowered.signatures.values()]):
        told["modules that need a host or sizes"] += 1
        return told
    naive = Fuelled(functions, **{**options, "naive": True, "simd": False})
    told["modules"] += 1
    for name, f in functions.items():
        rng = random.Random(name)
        for draw in DRAWS:
            args = tuple([drawn(p.type, rng, draw) for p in f.params])
            result = made.run(name, args, FUEL)
            if result is None:
                told["calls that trap or go on"] += 1
                continue
            wanted = naive.run(name, args, 40 * FUEL)
            assert same(result, wanted), f"{name}{args} is {result}, and {wanted} by naive code"
            told["calls"] += 1
            told["numbers"] += count_leaves(f.result)
    return told


def _is_small(f: Func) -> bool:
    types = [f.result, *[p.type for p in f.params]]
    return all([_is_fixed(t) for t in types]) and sum([count_leaves(t) for t in types]) <= LARGEST


def _is_fixed(t: Type) -> bool:
    """True for a type whose size is known, and that has a value."""
    if isinstance(t, Vec):
        return isinstance(t.size, int) and (t.size == 0 or _is_fixed(t.elem))
    if isinstance(t, Tuple):
        return all(map(_is_fixed, t.items))
    return not isinstance(t, Fin) or (isinstance(t.size, int) and t.size > 0)


def drawn(t: Type, rng: random.Random, draw: Callable[[random.Random], float]) -> Any:
    """A plain value of a type."""
    if isinstance(t, Vec):
        return tuple([drawn(t.elem, rng, draw) for _ in range(t.size)])
    if isinstance(t, Tuple):
        return tuple([drawn(s, rng, draw) for s in t.items])
    if isinstance(t, Fin):
        return rng.randrange(t.size)
    if t.empty or t is Bool:
        return None if t.empty else rng.random() < 0.5
    x = draw(rng)
    return copysign(inf, x) if t is Single and abs(x) > MOST_SINGLE else x


@contextmanager
def beside(told: Counter[str]) -> Iterator[None]:
    """Compare each module that is lowered meanwhile."""
    lower = wasm_backend.lower.lower

    def both(exports: Mapping[str, Func], **options: Any) -> Lowered:
        made = lower(exports, **options)
        exact = {**options, "origins": None, "simd": bool(options.get("simd"))}  # relaxed code has no bits to compare
        told.update(compare(exports, **exact))
        return made

    wasm_backend.lower.lower = both
    try:
        yield
    finally:
        wasm_backend.lower.lower = lower
