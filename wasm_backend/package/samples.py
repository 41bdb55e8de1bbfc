"""Sample arguments, as JavaScript: for the calls in the README, and the forms of the HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle
from typing import Any

from rose.errors import RoseError
from rose.ir.sizes import Size, sized
from rose.ir.types import Bool, Fin, Tuple, Type, Unit, Vec

from ..abi.layout import in_javascript
from ..abi.signature import Signature
from .typescript import property_name

_SIZES = (3, 10, 100)  # tried for dynamic sizes: Vec[n - 4] has none for n = 3
_MOST_ELEMENTS = 8  # the most elements that are written out


def arguments(s: Signature) -> list[tuple[str, Type, Any]]:
    """The name and the type of each parameter of a function, with a sample value."""
    numbers = cycle(range(1, 10))
    return [(p.name, p.type, _value(t, numbers)) for p, t in zip(s.params, _sized(s), strict=True)]


def _sized(s: Signature) -> list[Type]:
    """The types of the parameters, at the first dynamic sizes that fit."""
    for n in _SIZES:
        with suppress(RoseError):
            return [sized(p.type, {d.key: n for d in s.sizes}) for p in s.params]
    return [p.type for p in s.params]


def _value(t: Type, numbers: Iterator[int]) -> Any:
    t = in_javascript(t)
    match t:
        case Vec():
            return [_value(t.elem, numbers) for _ in range(0 if isinstance(t.size, Size) else t.size)]
        case Tuple():
            items = {k: _value(x, numbers) for k, x in zip(t.names, t.items, strict=True)}
            return [*items.values()] if t.form is None else items
        case Fin():
            return 0
        case _:
            return True if t is Bool else None if t is Unit else next(numbers)


def written(x: Any) -> str:
    """A value as a JavaScript expression; a long array repeats its first element."""
    if isinstance(x, list):
        items = [written(y) for y in x[:_MOST_ELEMENTS]]  # pyright: ignore[reportUnknownVariableType]
        if len(x) <= _MOST_ELEMENTS:  # pyright: ignore[reportUnknownArgumentType]
            return f"[{', '.join(items)}]"
        item = f"({items[0]})" if items[0].startswith("{") else items[0]
        return f"Array.from({{ length: {len(x)} }}, () => {item})"  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(x, dict):
        fields = [f"{property_name(k)}: {written(y)}" for k, y in x.items()]  # pyright: ignore
        return f"{{ {', '.join(fields)} }}" if fields else "{}"
    return "undefined" if x is None else json.dumps(x)
