"""`rose.accum`: an accumulator, a sum that loops add to."""

from __future__ import annotations

from functools import reduce
from typing import Any

from ...errors import Loc, NoField, RoseError, TypeMismatch, added, argument, edge, here
from ...ir import CONST, Block, Value, current_builder, types
from ...ir.types import Fin, Tan, Tuple
from .. import operators
from ..annotations import NotANumber
from ..operators import index_into, view
from ..values import infer, to_value
from .loops import check_summable, range, vec


def is_elsewhere(x: Any) -> bool:
    """True for an accumulator of another function than the one that is being traced."""
    return isinstance(x, Accum) and x._builder is not current_builder()  # pyright: ignore[reportPrivateUsage]


def _negative(x: Any) -> Any:
    """`-x`, of each number of a vector or a struct."""
    t = x.type if x.__class__ is Value else None
    if isinstance(t, types.Vec):
        return vec(_negative(x[i]) for i in range(t.size))
    if isinstance(t, Tuple):
        b = current_builder()
        return b.tuple([_negative(b.get(x, k)) for k, _ in enumerate(t.items)], t)
    return operators.negative(x)


class Accum(NotANumber):
    """A sum in the making: `+=` and `-=` add to it, and `.value` reads it when it is complete.

    `total[i] += x` adds to an element of a vector, `total[i, j] += x` to one of a matrix, and `total.name += x` to a
    field of a struct.
    """

    __slots__ = ("_added", "_block", "_builder", "_init", "_loc", "_ref", "_result", "_root")
    _what = "an accumulator"
    _instead = "read its sum with .value, after the last +="

    def __init__(self, init: Any, root: Accum | None = None, ref: Value | None = None) -> None:
        put = super().__setattr__
        b = current_builder()
        put("_builder", b)
        put("_block", b.block)
        put("_init", init)
        put("_loc", here().narrow(argument(0, "init", 1)) if root is None else root._loc)
        put("_ref", ref)
        put("_result", None)
        put("_added", list[Block]() if root is None else root._added)  # the blocks that add to it
        put("_root", self if root is None else root)

    def _open(self, zero: types.Type | None = None) -> Value:
        """The accumulator of the IR, opened where this object was made; `zero` is the type of its first summand."""
        if self._ref is None:
            b = self._builder
            inner, b.block = b.block, self._block
            init = infer(self._init, self._loc)
            if zero is Tan and init.op is CONST and init.attr == 0.0:
                init = b.zero(Tan)
            check_summable(init, self._loc)
            super().__setattr__("_ref", b.accum(init))
            b.block = inner
        assert self._ref is not None
        return self._ref

    @edge
    def __iadd__(self, x: Any) -> Accum:
        self._check()
        loc = here().narrow(added)
        ref = self._open(infer(x, loc).type if self._ref is None else None)
        assert isinstance(ref.type, types.Ref)
        self._added.append(self._builder.block)
        self._builder.add_to(ref, to_value(x, ref.type.inner, ("the summand",), loc))
        return self

    @edge
    def __isub__(self, x: Any) -> Accum:
        self._check()
        self += _negative(x if type(x) in (int, float) else infer(x, here().narrow(added)))
        return self

    def _check(self) -> None:
        now: Any = current_builder()
        if now is not self._builder:
            hint = "return the summand, and add it outside"
            raise RoseError("an accumulator is used outside of the function that opened it", here(), hint)
        if not self._builder.block.inside(self._block):
            hint = "open it before the loop, to sum over all iterations; or read it in each"
            raise RoseError("an accumulator is used outside of the loop that opened it", here(), hint)
        if self._root._result is not None:
            hint = "read .value after the last +="
            raise RoseError("an accumulator was added to after it was read", here(), hint)

    @property
    @edge
    def value(self) -> Any:
        """The sum. After this nothing more can be added."""
        root = self._root
        if root is not self:
            raise TypeMismatch("a part of an accumulator cannot be read", here(), "read a part of its .value")
        if root._result is None:
            self._check()
            b = self._builder
            inner = b.block
            if self._is_open_in(inner):
                hint = "read .value after the loop, where the sum is complete"
                raise RoseError("an accumulator is read inside a loop that adds to it", here(), hint)
            b.block = self._block
            super().__setattr__("_result", b.freeze(self._open()))
            b.block = inner
        assert root._result is not None
        return view(root._result)

    def _is_open_in(self, block: Block) -> bool:
        """True if a loop around `block`, inside of the one that opened this, has added to it."""
        around: list[Block] = []
        while not self._block.inside(block) and block.parent is not None:
            around.append(block)
            block = block.parent
        return bool(around) and any([added.inside(around[-1]) for added in self._added])

    @edge
    def __getitem__(self, i: Any) -> Accum:
        self._check()
        if i.__class__ is tuple and i:
            return reduce(Accum.__getitem__, i, self)
        ref = self._open()
        assert isinstance(ref.type, types.Ref)
        t = ref.type.inner
        if not isinstance(t, types.Vec):
            raise TypeMismatch(f"an accumulator of a {t!r} has no elements", here(), "leave out the index")
        k = index_into(ref, i)
        if not isinstance(k, Value):
            k = self._builder.const(k, Fin(t.size))
        return Accum(None, self._root, self._builder.at(ref, k))

    @edge
    def __setitem__(self, i: Any, x: Any) -> None:
        self._only_added(x)

    @edge
    def __getattr__(self, name: str) -> Accum:
        if name.startswith("_"):
            raise AttributeError(name)
        self._check()
        ref = self._open()
        assert isinstance(ref.type, types.Ref)
        t = ref.type.inner
        if not (isinstance(t, Tuple) and t.form is not None and name in t.form.fields):
            hint = "add with `+=`, read with `.value`; `[i]` is an element, `.name` a field"
            raise NoField(f"an accumulator of a {t!r} has no {name}", here(), hint)
        return Accum(None, self._root, self._builder.at(ref, t.form.fields.index(name)))

    @edge
    def __setattr__(self, name: str, x: Any) -> None:
        self._only_added(x)

    def _only_added(self, x: Any) -> None:
        if not isinstance(x, Accum) or x._root is not self._root:
            raise TypeMismatch("an accumulator cannot be assigned to", here(), "add to it with +=")

    def as_value(self, loc: Loc | None = None) -> Value:
        raise TypeMismatch(f"{self._what} is not a value", loc or here(), self._instead)

    __bool__ = __iter__ = NotANumber._refuse


@edge
def accum(init: Any) -> Any:
    """An accumulator: a sum that starts from `init`, of Reals in numbers, vectors or structs. See `Accum`."""
    return Accum(init)
