"""What the tests of the library share: a module of some functions, run over many points, and those points."""

import math
import random
import struct
from collections.abc import Sequence
from functools import cache

import wasmtime

from rose.ir.libm.library import SINGLE
from wasm_backend.binary.encoder import FUNC, I32, MEMORY, PAGE, Code, Module
from wasm_backend.binary.shapes import F32X4, F64X2
from wasm_backend.libm.link import link

INF, NAN = math.inf, math.nan
TWO = {"atan2", "pow", "hypot", "fmod"}  # the functions of two arguments


def is_single(name: str) -> bool:
    return name in SINGLE


def double_of(name: str) -> str:
    """The function of double precision that has the same meaning."""
    return name[:-1] if is_single(name) else name


def arity(name: str) -> int:
    return 2 if double_of(name) in TWO else 1


def module(names: Sequence[str], sweeps: bool = False, *, lanes: int = 1) -> bytes:
    """A module that exports these functions; and for each a `sweep`, that applies it to a row of points.

    With several lanes the sweep has the function for a vector of numbers, and takes vectors of points.
    """
    m, top = Module(), 16

    def reserve(size: int, align: int) -> int:
        nonlocal top
        at = -(-top // align) * align
        top = at + size
        return at

    linked = link(m, names, reserve)
    for name in linked.names:
        index = linked.index[name]
        m.export(name, FUNC, index)
        if sweeps:
            swept = sweep_vectors(m, name, linked.twice(name)) if lanes > 1 else sweep(m, name, index)
            m.export(f"sweep {name}", FUNC, swept)
    assert top < PAGE
    m.memory(8 if sweeps else 1)
    m.export("memory", MEMORY, 0)
    return m.finish()


def sweep(m: Module, name: str, index: int) -> int:
    """A function of (to, from, end): from there to the end, the results of what is stored at `from`."""
    to, at = 0, 1
    load, store, size = ("f32.load", "f32.store", 4) if is_single(name) else ("f64.load", "f64.store", 8)
    c = Code(3)
    c("loop"), c.get(to)
    for k in range(arity(name)):
        c.get(at), c(load, size * k)
    c("call", index), c(store, 0)
    return _next(m, c, size * arity(name), size)


def sweep_vectors(m: Module, name: str, index: int) -> int:
    """Likewise, of a function for a vector of numbers."""
    to, at, n, s = 0, 1, arity(name), F32X4 if is_single(name) else F64X2
    c = Code(3)
    c("loop"), c.get(to)
    for k in range(n):
        for lane in range(s.lanes):
            c.get(at), c(f"{s.float}.load", s.bytes * (k + lane * n))
            c(f"{s.floats}.replace_lane", lane) if lane else c(f"{s.floats}.splat")
    c("call", index), c("v128.store", 0)
    return _next(m, c, 16 * n, 16)


def _next(m: Module, c: Code, read: int, written: int) -> int:
    """The end of a loop that has read and written so many bytes."""
    to, at, end = 0, 1, 2
    c.get(at), c.i32_const(read), c("i32.add"), c.set(at)
    c.get(to), c.i32_const(written), c("i32.add"), c.tee(to), c.get(end), c("i32.lt_u"), c("br_if", 0), c("end")
    out = m.reserve(m.type([I32, I32, I32], []))
    m.define(out, c)
    return out


class Instance:
    """A module that runs."""

    def __init__(self, wasm: bytes) -> None:
        self.store = wasmtime.Store()
        self.exports = wasmtime.Instance(self.store, wasmtime.Module(self.store.engine, wasm), []).exports(self.store)

    def call(self, name: str, *xs: float) -> float:
        return self.exports[name](self.store, *xs)

    def over(self, name: str, points: Sequence[tuple[float, ...]]) -> list[float]:
        """The results at all of these points."""
        form, size = ("f", 4) if is_single(name) else ("d", 8)
        flat = [x for p in points for x in p]
        to = PAGE + size * len(flat)
        end = to + size * len(points)
        memory = self.exports["memory"]
        memory.write(self.store, struct.pack(f"<{len(flat)}{form}", *flat), PAGE)
        self.exports[f"sweep {name}"](self.store, to, PAGE, end)
        return list(struct.unpack(f"<{len(points)}{form}", memory.read(self.store, to, end)))


@cache
def instance(name: str) -> Instance:
    """A module of this function, and its sweep."""
    return Instance(module([name], sweeps=True))


def bits(x: float) -> str:
    """A number as its bits, so that `==` sees the sign of a zero; every nan is the same one."""
    return "nan" if x != x else struct.pack("<d", x).hex()


# points

PI = math.pi
_LIMITS = [
    0.0, 5e-324, 2.2250738585072009e-308, 2.2250738585072014e-308, 1.7976931348623157e308, INF, 1e-45, 1.1754944e-38,
    3.4028234663852886e38, 1.0, 2.0, 0.5, 4503599627370496.0, 9007199254740992.0, 9007199254740993.0, 1e22, 1e300,
]  # fmt: skip
BORDERS = [
    *[k * PI / 4 for k in range(1, 25)], *map(float, range(1, 41)), *[k + 0.5 for k in range(8)], 709.782712893384,
    745.1332191019411, 708.3964185322641, 1024.0, 1022.0, 1074.0, 88.72283935546875, 103.97208404541016, 128.0,
    149.0, 150.0, 171.6243769563027, 184.0, 35.04010009765625, 22.0, 20.0, 18.714973875118524, 6.0, 28.0, 1e-8,
    2e-26, 0.84375, 1.25, 1 / 0.35, 0.4375, 0.6875, 1.1875, 2.4375, 0.34657359, 1.0397207, 0.41421356, 0.29289322,
    1.7316322, 0.2316410, 1.4616321449683623, 2.0**-27, 2.0**-54, 2.0**28, 2.0**66, 823549.6, 2.0**20 * PI / 2, 1e5,
    6381956970095103.0 * 2.0**797,
]  # fmt: skip


def points(name: str, n: int) -> list[tuple[float, ...]]:
    """Points for a function, the same at every run: regular, huge, tiny, special, near zeros, poles and borders."""
    r, single = random.Random(name), is_single(name)
    numbers = [_rounded(_inside(name, r, _number(r, single)), single) for _ in range(n * arity(name))]
    out = list(zip(*[iter(numbers)] * arity(name), strict=True))
    if double_of(name) == "pow":
        out[::4] = [(x, float(r.randint(-20, 20))) for x, _ in out[::4]]
    if double_of(name) == "fmod":
        out[::4] = [(_rounded(y * r.randint(1, 9), single), y) for _, y in out[::4]]
    return out


def _number(r: random.Random, single: bool) -> float:
    sign, kind = r.choice([1.0, -1.0]), r.random()
    if kind < 0.4:
        return r.uniform(-10, 10)
    if kind < 0.5:
        return sign * 10 ** (r.uniform(-45, 38) if single else r.uniform(-323, 308))
    if kind < 0.6:
        raw = r.randbytes(4 if single else 8)
        return struct.unpack("<f" if single else "<d", raw)[0]
    if kind < 0.7:
        return sign * r.choice([*_LIMITS, NAN])
    near = r.choice(BORDERS)
    if kind < 0.8:
        return sign * near * (1 + r.choice([1, -1]) * 10 ** r.uniform(-16, -1))
    for _ in range(r.randrange(3)):
        near = math.nextafter(near, r.choice([INF, -INF]))
    return sign * near


def _inside(name: str, r: random.Random, x: float) -> float:
    """Most points are where the function is a number."""
    if r.random() < 0.2:
        return x
    if double_of(name) in ("asin", "acos", "atanh"):
        return 1 / x if abs(x) > 1 else x
    return abs(x) if double_of(name) in ("log", "log2", "log10", "log1p", "acosh") else x


def _rounded(x: float, single: bool) -> float:
    if not single:
        return x
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)
