"""`rose.vmap`: a function of elements as one of arrays of them, by one loop.

Inside a trace a call is that loop, a map, which fuses with what is around it. Outside, an `@fn` becomes a function of
any size: that of the new axis is a `rose.dim`, which a call finds.

An axis is one of the arrays in an argument, of each if it is a struct: so a struct of arrays is what a struct becomes.
A vector of structs is taken for one too, along its first axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeGuard, overload

from .. import ir
from ..errors import TypeMismatch, argument, edge, here
from ..host.marshal import as_given, is_listing
from ..ir import Value, a_traced, shown
from ..ir.sizes import Size, differ, dim
from ..ir.types import Tuple, Type, is_complex
from ..ir.value import host_index, is_function
from .any_size import AnySize, instances
from .arrays.indexing import part
from .arrays.shapes import array_type, axis_given, leaf_of, shape_of
from .arrays.shaping import moved
from .columns import joined_columns
from .function import AnyFn, Fn, make
from .operators import view
from .signatures import fresh_name, name_of
from .tracing import R
from .transforms import remembered
from .values import infer, to_value

Axes = int | None | tuple["Axes", ...]  # of an argument: None if it is shared; of a struct, also one for each field


@overload
def vmap(f: Fn[..., R], in_axes: Any = 0, out_axes: Any = 0) -> Fn[..., Any]: ...
@overload
def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]: ...
@remembered
def vmap(f: Any, in_axes: Any = 0, out_axes: Any = 0) -> Any:
    """The function that does with each element of arrays what `f` does with one, in one loop.

    `in_axes` has the axis of each argument along which its elements lie: an integer for all of them, or a tuple with
    one for each, in which None is for an argument that is the same for all elements. Negative axes are counted from the
    last. An axis of a struct is that of each array in it; a tuple has one for each field. The result has its new axis
    at `out_axes`.

    Of an `@fn` it is an `@fn` of any size; of another function, one to be called in an `@fn`.
    """
    if not is_function(f) and not isinstance(f, Fn):
        raise TypeMismatch(f"rose.vmap takes a function, not {shown(f)}", here(), "write rose.vmap(f, in_axes=0)")
    make_it: Callable[..., Any] = _of_fn if isinstance(f, Fn) else _of_function
    return make_it(f, _axes(in_axes), _axes(out_axes))


def _axes(x: Any) -> Axes:
    """The axes that a user names: integers, None, and tuples of them."""
    k = host_index(x)
    if x is None or k is not None:
        return k
    if is_listing(x):
        return tuple([_axes(a) for a in x])
    hint = "write in_axes=0, or one for each argument: in_axes=(0, None)"
    raise TypeMismatch(f"an axis of rose.vmap is an integer or None, not {shown(x)}", here(), hint)


def _of_function(f: Callable[..., Any], given: Axes, out: Axes) -> Callable[..., Any]:
    """`vmap` of a function without types, in a trace."""

    def mapped(*args: Any) -> Any:
        loc = here()
        if not ir.is_tracing():
            what = f"rose.vmap of {name_of(f)}, which is no @fn, has a meaning only in an @fn"
            raise TypeMismatch(what, loc, "mark the function with @rose.fn: then arrays can be given to it")
        values = [infer(x, loc.narrow(argument(k, "", len(args)))) for k, x in enumerate(args)]
        return _loop(f, name_of(f), values, each_of(given, len(args), name_of(f)), out)

    mapped.__name__ = f"vmap({name_of(f)})"
    return mapped


def _of_fn(f: AnyFn, given: Axes, out: Axes) -> AnyFn:
    """`vmap` of an `@fn`: a function of any size."""
    axes = each_of(given, len(f.types), f.name)
    n = dim(fresh_name("n", [d.text for d in f.dims] if isinstance(f, AnySize) else []))
    if not any(map(_is_mapped, axes)):
        raise _nothing_mapped(f.name)
    types = [batched(t, a, n, k) for t, a, k in zip(f.types, axes, f.names, strict=True)]
    result = batched(f.result, out, n, "the result")

    def body(*args: Any) -> Any:
        return _loop(f, f.name, [infer(x) for x in args], axes, out)

    return Mapped(make(body, types, result, f"vmap({f.name})", f.names), f, axes, out)


class Mapped(AnySize):
    """`vmap` of an `@fn`. In a trace a call of it is a loop there, not a call."""

    def __init__(self, like: AnyFn, of: AnyFn, axes: Sequence[Axes], out: Axes) -> None:
        super().__init__(like, instances(like), derived=True)
        self._of, self._axes, self._out = of, axes, out

    @edge
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.emit(self.bind(args, kwargs)) if ir.is_tracing() else super().__call__(*args, **kwargs)

    @edge
    def emit(self, args: Sequence[Any]) -> Any:
        loc, types = here(), self.types
        given = [as_given(x, loc) for x in args]
        if not any([isinstance(x, Value) and _has_fields(leaf_of(x.type)) for x in given]):
            types = self.fitting(given).types
        values = [
            x if isinstance(x, Value) else to_value(x, t, (k,), loc)
            for x, t, k in zip(given, types, self.names, strict=True)
        ]
        return _loop(self._of, self._of.name, values, self._axes, self._out)


def _has_fields(t: Type) -> TypeGuard[Tuple]:
    """True for a struct or a tuple; a complex number is one number."""
    return isinstance(t, Tuple) and not is_complex(t)


def _is_mapped(a: Axes) -> bool:
    return any(map(_is_mapped, a)) if isinstance(a, tuple) else a is not None


def _nothing_mapped(name: str) -> TypeMismatch:
    what = f"rose.vmap of {name} has no argument with an axis"
    return TypeMismatch(what, here(), "give one an axis: in_axes=(0, None)")


def each_of(axes: Axes, count: int, name: str) -> list[Axes]:
    """The axes of each of so many arguments."""
    if not isinstance(axes, tuple):
        return [axes] * count
    if len(axes) != count:
        what = f"rose.vmap was given {len(axes)} axes for the {count} argument{'s' * (count != 1)} of {name}"
        raise TypeMismatch(what, here(), "write one for each argument, None for one that is shared")
    return list(axes)


def _fields(axes: Axes, t: Tuple, name: str) -> list[Axes]:
    """The axes of each field of a struct."""
    if isinstance(axes, tuple) and len(axes) != len(t.items):
        hint = "write one for each field, or one for all"
        raise TypeMismatch(f"{name} is a {t!r}, of {len(t.items)} fields, not {len(axes)}", here(), hint)
    return list(axes) if isinstance(axes, tuple) else [axes] * len(t.items)


def batched(t: Type, axes: Axes, n: int, name: str) -> Type:
    """The type of `n` values of type `t`, side by side along an axis of each of its arrays."""
    if _has_fields(t):
        parts = zip(t.items, _fields(axes, t, name), strict=True)
        return t.of(tuple([batched(s, a, n, name) for s, a in parts]))
    if axes is None:
        return t
    shape, leaf = shape_of(t), leaf_of(t)
    k = _checked(axes, len(shape) + 1, t, name)
    return array_type((*shape[:k], n, *shape[k:]), leaf)


def _checked(axis: Axes, rank: int, t: Type, name: str) -> int:
    """An axis among `rank` of them, counted from the first."""
    if not isinstance(axis, int):
        raise TypeMismatch(f"{name} is a {t!r}, and no struct with an axis for each field", here(), "write one axis")
    return axis_given(axis, rank, f"with the new one {name}")


# the loop


def _loop(f: Callable[..., Any], name: str, values: Sequence[Value], axes: Sequence[Axes], out: Axes) -> Any:
    """The results of `f` for each element of the values: a loop."""
    b, loc = ir.current_builder(), here()
    sizes = [n for v, a in zip(values, axes, strict=True) for n in _lengths(v, a)]
    if not sizes:
        raise _nothing_mapped(name)
    for v, a in zip(values, axes, strict=True):
        if any([differ(n, sizes[0]) for n in _lengths(v, a)]):
            what = (
                f"{a_traced(v)} has {_lengths(v, a)[0]!r} elements along its axis, and the first argument {sizes[0]!r}"
            )
            raise TypeMismatch(what, loc, "give all arguments as many elements, or None for the axis of a shared one")
    made: list[Type] = []

    def body(i: Value) -> tuple[list[Value], list[Value]]:
        y = infer(f(*[view(_element(v, a, i)) for v, a in zip(values, axes, strict=True)]))
        made[:] = [y.type]
        return [], list(_leaves(y))

    columns = iter(b.loop(sizes[0], body)[1])
    y = _joined(made[0], out, columns)
    return joined_columns(y, made[0]) if out == 0 else view(y)


def _lengths(v: Value, axes: Axes) -> list[int | Size]:
    """How many elements a value has, as each of its arrays that has an axis says."""
    if _has_fields(v.type):
        b, parts = ir.current_builder(), _fields(axes, v.type, a_traced(v))
        return [n for k, a in enumerate(parts) if _is_mapped(a) for n in _lengths(b.get(v, k), a)]
    if axes is None:
        return []
    shape = shape_of(v.type)
    if not shape:
        hint = "give it an array, or None for its axis, if it is shared"
        raise TypeMismatch(f"{a_traced(v)} has no axis with elements for rose.vmap", here(), hint)
    return [shape[_checked(axes, len(shape), v.type, a_traced(v))]]


def _element(v: Value, axes: Axes, i: Value) -> Value:
    """The element of that index along the axis of each array."""
    b = ir.current_builder()
    if _has_fields(v.type):
        parts = _fields(axes, v.type, a_traced(v))
        items = [_element(b.get(v, k), a, i) for k, a in enumerate(parts)]
        return b.tuple(items, v.type.of(tuple([x.type for x in items])))
    if axes is None:
        return v
    rank = len(shape_of(v.type))
    k = _checked(axes, rank, v.type, a_traced(v))
    return infer(part(v, (*[slice(None)] * k, i))) if k else b.index(v, i)


def _leaves(v: Value) -> Iterator[Value]:
    """The arrays and numbers of a value, field by field."""
    if not _has_fields(v.type):
        yield v
        return
    for k in range(len(v.type.items)):
        yield from _leaves(ir.current_builder().get(v, k))


def _joined(t: Type, axes: Axes, columns: Iterator[Value]) -> Value:
    """The results, of type `t` for one element, from the columns of all, each with its new axis in its place."""
    b = ir.current_builder()
    if _has_fields(t):
        items = [_joined(s, a, columns) for s, a in zip(t.items, _fields(axes, t, "the result"), strict=True)]
        return b.tuple(items, t.of(tuple([x.type for x in items])))
    v, rank = next(columns), len(shape_of(t)) + 1
    if axes is None:
        hint = "name an axis of the result: out_axes=0"
        raise TypeMismatch("each element has a result of its own, and no axis to put it", here(), hint)
    k = _checked(axes, rank, t, "the result")
    return moved(v, 0, k)
