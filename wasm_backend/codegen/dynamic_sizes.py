"""Dynamic sizes: sizes and addresses that only a running module knows, each a global, computed before a call.

An export `f` of such a module has another beside it, `#f`: (size, ...) -> (), to be called before `f` whenever a
size has changed. It works out all that `f` and what it calls need to know, and fails before it changes anything if
memory does not suffice. Memory that does not depend on a size has fixed addresses; above all of it, at `BASE`, is the
rest. Python's runtime works out the same numbers; that of JavaScript reads them off the exports `#8 * n`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from rose.host.effects import BELOW_ZERO, TOO_LARGE, Failure
from rose.ir.sizes import Dim, Part, Size

from ..abi.layout import exported
from ..abi.signature import BASE, LARGEST, MARK
from ..binary.encoder import F64, FUNC, GLOBAL, I32, Module
from .assembler import Assembler


class Program(Protocol):
    """The module, as the sizes need it."""

    module: Module

    def failure(self, why: Failure) -> int: ...


class DynamicSizes:
    """The dynamic sizes that the functions of a module use, and the globals that have them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.globals: dict[Size, int] = {}
        # those of the function that is being written; a count, of iterations or of bytes, cannot be below zero there
        self.used: dict[Size, bool] = {}
        self._exported: dict[Size, None] = {}

    def get(self, x: Size, *, count: bool = True) -> int:
        """The global that has a size."""
        if x not in self.globals:
            self.globals[x] = self.program.module.global_(I32, True, 0)
        self.use({x: count})
        return self.globals[x]

    def use(self, sizes: Mapping[Size, bool]) -> None:
        """Note that the function that is being written uses some sizes, and which of them are counts."""
        for x, count in sizes.items():
            self.used[x] = count or self.used.get(x, False)

    @contextmanager
    def using(self) -> Generator[dict[Size, bool]]:
        """Collect the sizes that are used inside, which those around do not count as theirs."""
        outer, self.used = self.used, {}
        try:
            yield self.used
        finally:
            self.used = outer

    def export(self, x: Size) -> None:
        """Let JavaScript read a size."""
        k = self.get(x)
        if x not in self._exported:
            self._exported[x] = None
            self.program.module.export(exported(x), GLOBAL, k)

    def define(self, name: str, dims: Sequence[Dim], used: Mapping[Size, bool], base: int, end: int | Size) -> None:
        """Write `#name`, which takes the sizes of an export that needs memory up to `end`; `BASE` is at `base`."""
        m = self.program.module
        index = m.reserve(m.type([I32] * len(dims), []), MARK + name)
        c = _Sizes(len(dims), self.get)
        c.known[BASE] = c.number(base)
        for k, d in enumerate(dims):
            c.get(k)
            c("f64.convert_i32_u")
            c.known[d] = c.keep()
        low, high = c.local(F64), c.local(F64)
        for x in dict.fromkeys([*used, end] if isinstance(end, Size) else used):
            k = c.value(x)
            bounds = [(high, "f64.max"), (low, "f64.min")] if used.get(x) else [(high, "f64.max")]
            for bound, of in bounds:
                c.get(bound)
                c.get(k)
                c(of)
                c.set(bound)
        c.refuse(low, "f64.lt", 0.0, self.program.failure(BELOW_ZERO))
        c.refuse(high, "f64.ge", float(LARGEST), self.program.failure(TOO_LARGE))
        if isinstance(end, Size):
            c.integer(end)
            c.grow(c.if_missing())
            c.fail(self.program.failure(TOO_LARGE))
            c("end")
            c("end")
        for x in used:  # from here on nothing fails
            c.integer(x)
            c("global.set", self.globals[x])
        m.define(index, c)
        m.export(MARK + name, FUNC, index)


class _Sizes(Assembler):
    """Writes the computation of sizes as numbers of 64 bits, in which none overflows unnoticed: each in a local."""

    def __init__(self, params: int, global_of: Callable[..., int]) -> None:
        super().__init__(params, False, global_of)
        self.known: dict[Size, int] = {}

    def keep(self) -> int:
        k = self.local(F64)
        self.set(k)
        return k

    def number(self, x: int) -> int:
        self.f64_const(x)
        return self.keep()

    def value(self, x: int | Size) -> int:
        """The local that has a size."""
        if not isinstance(x, Size):
            return self.number(x)
        if x not in self.known:
            self._part(x) if isinstance(x, Part) else self._sum(x)
            self.known[x] = self.keep()
        return self.known[x]

    def integer(self, x: Size) -> None:
        """Put a size on the stack, as a number of 32 bits."""
        self.get(self.value(x))
        self("i64.trunc_sat_f64_s")
        self("i32.wrap_i64")

    def _sum(self, x: Size) -> None:
        factors = [[self.value(y) for y in product] for product, _ in x.terms]
        for j, ((_, k), product) in enumerate(zip(x.terms, factors, strict=True)):
            self.f64_const(k)
            for y in product:
                self.get(y)
                self("f64.mul")
            if j:
                self("f64.add")

    def _part(self, x: Part) -> None:
        a, b = [self.value(y) for y in x.args]
        if x.name == "max":
            self.get(a)
            self.get(b)
            self("f64.max")
            return
        self.f64_const(float("inf"))  # of a division by zero
        if x.name == "mod":
            self.get(a)
        self.get(a)
        self.get(b)
        self("f64.div")
        self("f64.floor")
        if x.name == "mod":
            self.get(b)
            self("f64.mul")
            self("f64.sub")
        self.get(b)
        self.f64_const(0.0)
        self("f64.eq")
        self("select")

    def refuse(self, k: int, compare: str, x: float, why: int) -> None:
        """Fail if a number compares so."""
        self.get(k)
        self.f64_const(x)
        self(compare)
        self("if")
        self.fail(why)
        self("end")
