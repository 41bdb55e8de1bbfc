"""The columns of the table: what is known about an operation, and what kinds of answers there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from .types import Type

if TYPE_CHECKING:
    from .builder import Builder
    from .value import Value

LIBRARY = 20  # the cost of a function of libm
ALL: Final = "all"  # the arguments, of an operation that is linear in all of them at once

Make = Callable[["Builder", "tuple[Value, ...]", Any, Any], "Value"]  # of arguments, an attribute and a type
Path = tuple[int, ...]  # to a part of a value: the items that lead to it
Kind = Literal["sum", "product", "quotient", "function", "choice", "comparison"]
UnitRule = Literal["same", "compared", "pure"]
Powers = tuple[int | str, ...]  # integers, and fractions as text: `fractions` takes 3 ms to import
Effect = Literal["opens", "adds", "closes", "calls", "loops"]  # what is done to accumulators, or by a function or block


class Monotone(NamedTuple):
    """A function of a number that grows, or falls; its values are between these two."""

    falls: bool = False
    low: float = -math.inf
    high: float = math.inf


def is_simple(op: Columns) -> bool:
    """True for an operation on scalars that takes no longer than a sum: the one answer to what is cheap."""
    return op.eval is not None and op.cost <= 1


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Columns:
    """All that is known about an operation: one row of the table.

    Of each:

    - `name`, as printed, and `doc`, one line.
    - `type`: arguments -> type of the result, or None: "does not accept".
    - `simplify`: -> an argument, a literal, or None; it keeps every bit.
    - `transpose`: -> a cotangent for each argument, None for one that is no tangent. Of a row that accepts a `Tan`.
    - `linear_in`: the arguments in which it is linear, by their positions, or `ALL`: of several at once. None where
      its block or its function says so.
    - `moves`: it computes nothing, so all that is in its result was in an argument. `place` is where a part of
      argument `k` is then: `(k, part) -> part of the result`.
    - `reads`: the arguments of which it takes a part out, by their positions.
    - `effect`: what it does beside its result. Without one it may be shared, and dropped when unused.
    - `cost`: about how many simple instructions take as long; that of a row that calls libm is `LIBRARY`.

    Of an operation on scalars:

    - `eval`: its value on Python numbers, with the answers of IEEE 754.
    - `jvp`: one rule for each argument, None where it is flat; absent: flat in all.
    - `expand`: the expression of other rows that it stands for: it makes no instruction itself.
    - `wasm`: mnemonics; `$k` is argument k; arguments come first if none is named.
    - `kind`: of arithmetic; None of none, as of logic. A choice is of an argument, but for its sign, or of a whole
      number near it.
    - `monotone`: whether it grows or falls, from a number to a number; None of neither, and of several arguments.
    - `exact`: it rounds nothing. `whole`: its result is a whole number, an infinity or nan.
    - `unit`: the powers of the units of its arguments of whose product the result is; or whether all have the same
      unit, which the result has, or has not if they are compared, or are pure numbers.

    Of a structural operation:

    - `make`: how a builder makes it, where it knows something simpler: builder, arguments, attribute, type -> value.
    """

    name: str
    doc: str
    _: KW_ONLY
    type: Callable[..., Type | None]
    linear_in: tuple[int, ...] | Literal["all"] | None
    moves: bool
    reads: tuple[int, ...]
    effect: Effect | None
    kind: Kind | None
    monotone: Monotone | None
    exact: bool | None
    whole: bool | None
    unit: Powers | UnitRule | None
    cost: int
    eval: Callable[..., Any] | None = None
    jvp: Sequence[Callable[..., Value] | None] | None = None
    transpose: Callable[..., Sequence[Value | None]] | None = None
    simplify: Callable[..., Value | float | None] | None = None
    expand: Callable[..., Value] | None = None
    wasm: str = ""
    make: Make | None = None
    place: Callable[[int, Path], Path] = lambda k, part: part
    library: str | None = field(init=False)  # the function of libm that it calls

    def __post_init__(self) -> None:
        called = self.wasm.partition("call ")[2].partition(",")[0]
        object.__setattr__(self, "library", called or None)

    def is_linear_in(self, n: int) -> list[bool]:
        """Whether it is linear in each of its arguments, of which there are `n`."""
        where = range(n) if self.linear_in == ALL else [k % n for k in self.linear_in or ()]
        return [k in where for k in range(n)]
