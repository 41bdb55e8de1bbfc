"""The answers to `rose.ir.hooks`: each imports the room that has it, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .ir.check import CHECKS, check_alone

if TYPE_CHECKING:
    from .ir import Func, Op
    from .ir.hooks import Algebra, ComplexNumbers, Meanings, Runtime


class Above:
    """The rooms above, for those below."""

    verify: Callable[[Func], object] | None = staticmethod(check_alone) if CHECKS else None

    @property
    def meanings(self) -> Meanings:
        from .frontend.meanings import MEANINGS

        return MEANINGS

    @property
    def complex(self) -> ComplexNumbers:
        from .frontend.complex import meanings

        return meanings

    @property
    def numpys(self) -> Mapping[str, Callable[..., Any]]:
        from .linalg import NUMPYS

        return NUMPYS

    @property
    def transforms(self) -> Mapping[str, Callable[..., Any]]:
        from .fft import NUMPYS

        return NUMPYS

    @property
    def scipys(self) -> Mapping[str, Callable[..., Any]]:
        from .special import SCIPYS

        return SCIPYS

    @property
    def specials(self) -> Mapping[str, Op]:
        from .ir.special_ops import SPECIALS

        return SPECIALS

    @property
    def algebra(self) -> Algebra:
        from .functional import algebra

        return algebra

    @property
    def runtime(self) -> Runtime:
        from .build import RUNTIME

        return RUNTIME
