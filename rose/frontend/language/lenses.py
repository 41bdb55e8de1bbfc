"""`rose.lens`: a part of a struct or a vector, which can be read, set and mapped, and composed with a part of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ...errors import NoField, OutOfRange, TypeMismatch, edge, here
from ...host.marshal import is_dict
from ...ir import Value, current_builder, is_tracing, shown
from ...ir.forms import form_of, is_named_tuple
from ...ir.numbers import is_listed, is_truth
from ...ir.puts import put
from ...ir.types import Fin, Vec, as_vec
from ...ir.value import host_index, is_function
from ..annotations import NotANumber
from ..operators import index_into, view
from ..values import infer, is_traced, to_value


class _Field(str):
    """The name of a field, as a step of a path; any other step is a key."""


Step = Any  # a `_Field`, the name of a member of a dict, an integer, or a traced index


class _Path(NotANumber):
    """The argument of a lens's getter: it remembers which part is named."""

    __slots__ = ("_steps",)
    _what = "what the getter of a lens is given"
    _instead = "name a part of it, and no more: rose.lens(lambda s: s.rows[2].x)"

    def __init__(self, steps: tuple[Step, ...]) -> None:
        self._steps = steps

    @edge
    def __getattr__(self, name: str) -> _Path:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Path((*self._steps, _Field(name)))

    @edge
    def __getitem__(self, key: Any) -> _Path:
        keys = cast("tuple[Any, ...]", key) if key.__class__ is tuple else (key,)
        for k in keys:
            if not isinstance(k, (str, Value)) and host_index(k) is None:
                what = f"a lens has one part in view, and {shown(k)} names none or several"
                raise TypeMismatch(what, here(), "name one index; x.at[1:3].set(v) sets several elements")
        return _Path((*self._steps, *keys))

    def __iter__(self) -> Any:
        raise TypeMismatch("a lens has one part in view", here(), self._instead)


class Lens(NotANumber):
    """A part of a struct or a vector: `get` reads it, `set` and `map` make the whole with another part.

    `outer >> inner` is the part that `inner` has of the part that `outer` has.
    """

    _what = "a lens"
    _instead = "read the part with .get(x), and make another whole with .set(x, v) or .map(x, f)"

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = tuple(steps)

    def __repr__(self) -> str:
        return "<lens " + ("".join(map(_spelled, self._steps)) or "of the whole") + ">"

    @edge
    def get(self, x: Any) -> Any:
        """The part of `x`."""
        for step in self._steps:
            x = _part(x, step)
        return x

    @edge
    def set(self, x: Any, v: Any) -> Any:
        """`x` with `v` in the place of the part; `x` stays as it is."""
        return _changed(x, self._steps, lambda _: v)

    @edge
    def map(self, x: Any, f: Callable[[Any], Any]) -> Any:
        """`x` with `f` of the part in its place; `x` stays as it is."""
        if not is_function(f):
            raise TypeMismatch(f"map takes a function of the part, not {shown(f)}", here(), "write .set(x, v)")
        return _changed(x, self._steps, f)

    @edge
    def __rshift__(self, inner: Any) -> Lens:
        if not isinstance(inner, Lens):
            raise TypeMismatch(f"a lens is composed with a lens, not {shown(inner)}", here(), "write rose.lens(...)")
        return Lens((*self._steps, *inner._steps))


@edge
def lens(getter: Callable[[Any], Any]) -> Lens:
    """The part that `getter` names, as in `rose.lens(lambda s: s.rows[2].x)`.

    A part is a field of a struct, a member of a dict or a tuple, an element of a vector, or a part of one of these. An
    index may be traced: then the lens is of the function in which the index is. All that a lens does can be done in an
    `@fn`, where it is differentiated, and outside, on structs, lists and arrays of numbers. Raises `TypeMismatch` if
    `getter` does anything but name a part.
    """
    named = getter(_Path(())) if is_function(getter) else getter
    if not isinstance(named, _Path):
        what = f"the getter of a lens names a part of what it is given, and gave {shown(named)}"
        raise TypeMismatch(what, here(), "write rose.lens(lambda s: s.rows[2].x)")
    return Lens(named._steps)  # pyright: ignore[reportPrivateUsage]


def _spelled(step: Step) -> str:
    if isinstance(step, _Field):
        return f".{step}"
    return "[i]" if isinstance(step, Value) else f"[{step!r}]"


def _readable(x: Any, step: Step) -> Any:
    """`x`, of which a part is taken: a list is a traced vector in a trace, where an index or an element may be."""
    return infer(x) if is_listed(x) and (isinstance(step, Value) or is_tracing()) else x


def _part(x: Any, step: Step) -> Any:
    x = _readable(x, step)
    if isinstance(step, _Field):
        form = form_of(x.__class__)
        if form is None or step not in form.fields:
            raise NoField(f"{_a(x)} has no field {step}", here(), _fields(form.fields if form else ()))
        return getattr(x, step)
    if isinstance(x, Value):
        return x[step]
    try:
        return x[step]
    except (IndexError, KeyError):
        raise OutOfRange(f"{_a(x)} has no part {_spelled(step)}", here(), "name a part that it has") from None
    except TypeError:
        raise TypeMismatch(f"{_a(x)} has no part {_spelled(step)}", here(), "name a field with a dot") from None


def _a(x: Any) -> str:
    return f"a {x.__class__.__name__}" if not isinstance(x, Value) else f"a traced {x.type!r}"


def _fields(names: Sequence[str]) -> str:
    return f"name one of {', '.join(names)}" if names else "give a struct"


def _changed(x: Any, steps: Sequence[Step], change: Callable[[Any], Any]) -> Any:
    """`x` with another part."""
    if not steps:
        return _of_same_type(x, change(x))
    step, *rest = steps
    x = _readable(x, step)
    if isinstance(x, Value) and isinstance(x.type, Vec):
        return _put(x, steps, change)
    new = _changed(_part(x, step), rest, change)
    if isinstance(step, _Field):
        form = form_of(x.__class__)
        assert form is not None  # it had that field
        return form.make([new if k == step else y for k, y in zip(form.fields, form.read(x), strict=True)])
    if is_dict(x):
        return {**x, step: new}
    if isinstance(x, tuple):
        return _tuple_with_item(cast("tuple[Any, ...]", x), step, new)
    return _with_item(x, step, new)


def _tuple_with_item(x: tuple[Any, ...], k: int, new: Any) -> Any:
    items = list(x)
    items[k] = new
    return type(x)(*items) if is_named_tuple(x.__class__) else tuple(items)


def _with_item(x: Any, k: int, new: Any) -> Any:
    """A copy of a list or an array of NumPy's with another item; one of integers that gets a number has numbers."""
    copy = x.astype(float) if _kind(x) < _kind(new) == 2 else x.copy()
    copy[k] = new
    return copy


def _kind(x: Any) -> int:
    """0 of truths, 1 of integers, 2 of numbers: of one of the host, of an array of them, and 2 of a list."""
    if (dtype := getattr(x, "dtype", None)) is not None:
        return {"b": 0, "i": 1, "u": 1}.get(dtype.kind, 2)
    return 0 if is_truth(x) else 2 if host_index(x) is None else 1


def _of_same_type(old: Any, new: Any) -> Any:
    """The new part, as a value of the type of the old one, where that is traced."""
    if not is_traced(old):
        return new
    return view(to_value(new, infer(old).type, ("the new part",)))


def _put(x: Value, steps: Sequence[Step], change: Callable[[Any], Any]) -> Value:
    """A vector with another element, or another part of one: of vectors of vectors it is set in one step."""
    b, old, path = current_builder(), x, list[Value]()
    for step in steps:
        if not isinstance(old.type, Vec) or isinstance(step, str):
            break
        i = index_into(old, step)
        path.append(i if isinstance(i, Value) else b.const(i, Fin(as_vec(old.type).size)))
        old = b.index(old, path[-1])
    if not path:
        raise NoField(f"{_a(x)} has no field {steps[0]}", here(), "name an element first: v[i]")
    new = _changed(view(old), steps[len(path) :], change)
    return put(b, x, path, to_value(new, old.type, ("the new part",)))
