"""Options of a module: what its bytes depend on, beside its functions, and what is refused."""

from __future__ import annotations

from typing import Any, NamedTuple

from .errors import OutOfRange, TypeMismatch, here
from .frontend.values import is_number
from .host.effects import TAPE_LIMIT
from .ir import shown
from .ir.numbers import is_truth

DTYPES = ("f64", "f32")


class Options(NamedTuple):
    """What the bytes of a module depend on, beside its functions: see `compile`."""

    dtype: str = "f64"
    simd: bool | str = False
    finite: bool = False
    tape_limit: int = TAPE_LIMIT
    maps: bool = False  # with forms of functions for several elements of a batch: in a package

    @property
    def is_single(self) -> bool:
        return self.dtype == "f32"

    @property
    def has_several(self) -> bool:
        """True if several elements at once have the bits of single calls."""
        return self.simd is True and not self.finite


def check_options(options: Options) -> None:
    """Refuse options that there are not."""
    dtype, simd, finite, *_ = options
    if dtype not in DTYPES:
        hint = 'dtype="f32" computes in single precision, dtype="f64" in double precision'
        raise TypeMismatch(f'dtype must be "f64" or "f32", not {shown(dtype)}', here().into(("dtype",)), hint)
    if not (simd is False or simd is True or simd == "relaxed"):
        hint = 'simd=True computes two numbers at once, simd="relaxed" also multiplies and adds at once'
        what = f'simd must be True, False or "relaxed", not {shown(simd)}'
        raise TypeMismatch(what, here().into(("simd",)), hint)
    if finite is not True and finite is not False:
        hint = "finite=True leaves out products with 0.0 and sums with it, finite=False computes them"
        raise TypeMismatch(f"finite must be True or False, not {shown(finite)}", here().into(("finite",)), hint)


def check_timeout(x: Any) -> None:
    """Refuse what is no number of seconds."""
    is_one = is_number(x) and not is_truth(x)
    if x is not None and not (is_one and x > 0):
        kind = OutOfRange if is_one else TypeMismatch
        what, loc = f"timeout must be a number of seconds above 0, not {shown(x)}", here().into(("timeout",))
        raise kind(what, loc, "write timeout=2.5, or leave it out")
