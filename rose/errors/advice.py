"""Hints for names that are not ours: of math, NumPy, another library, or misspelt.

First come our own names, in whatever module they are: no hint sends from a name to another function than that of it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from . import foreign_names
from .exceptions import NoField, NotImportable, edge
from .locations import Loc, called, here, is_imported
from .numpy_names import INSTEAD

MODULES = (
    "", ".linalg", ".nn", ".special", ".fft", ".implicit", ".lib", ".random", ".functional", ".interpretations",
    ".testing",
)  # fmt: skip
_OF_VALUES = MODULES[:5]  # those whose functions may have been meant where a traced value is given to another
_LIKE = 0.85  # as a misspelt name is: `sine`, `hesian`


def public(modules: tuple[str, ...] = MODULES) -> dict[str, str]:
    """Where each public name is: in the first of the modules that has it."""
    found: dict[str, str] = {}
    for name in reversed(modules):
        module = import_module(f"rose{name}")
        found |= {k: f"rose{name}.{k}" for k in getattr(module, "__all__", ())}
    return found


def of_math(name: str, otherwise: str) -> str:
    """The hint for a function that may be one of math's: what to write."""
    if name == "remainder":  # NumPy's is another
        return "write x - y * rose.round(x / y) in its place"
    if name in INSTEAD:
        return f"write {INSTEAD[name]} in its place"
    return of_library(name) if hasattr(math, name) else foreign_names.hint(name) or otherwise


def of_numpy(name: str, otherwise: str) -> str:
    """The hint for a function that may be one of NumPy's, which asks for each object of an array: what to write."""
    return of_library(name) if name in public(_OF_VALUES) else of_math(name, otherwise)


def of_library(name: str) -> str:
    """The hint for a function of NumPy, or of another library, that is given a traced value: what to write."""
    if name in INSTEAD:
        return f"write {INSTEAD[name]} in its place"
    if ours := public(_OF_VALUES).get(name):
        return f"write {ours}(...) in its place"
    return foreign_names.hint(name) or f"rose has no {name}: use Python's operators and the functions of rose"


def of_objects(loc: Loc) -> str:
    """The hint where NumPy does not take an array of objects that are traced values: what to write."""
    if ours := public(_OF_VALUES).get(called(loc)):
        return f"write {ours}(...) in its place"
    return "write rose.array([...]) for the array: NumPy's holds traced values as objects, one by one"


def of_missing(name: str, module: str) -> str:
    """The hint for a name that is looked for in a public module, which does not have it."""
    from difflib import get_close_matches

    known = public()
    if ours := known.get(name):
        return f"write {ours} in its place"
    if instead := foreign_names.hint(name):
        return instead
    if name in INSTEAD:
        return f"write {INSTEAD[name]} in its place"
    for there in (public((module.removeprefix("rose"),)), known):
        if near := get_close_matches(name, [k for k in there if k[0] == name[0]], 1, _LIKE):
            return f"did you mean {there[near[0]]}?"
    return f"dir({module}) lists what it has"


def listed(module: str) -> Callable[[], list[str]]:
    """The `__dir__` of a public module: its public names, without its files and what they import."""
    return lambda: [*sys.modules[module].__all__]


def missing(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a public module: the error of a name that it does not have."""

    @edge
    def __getattr__(name: str) -> Any:
        if name.startswith("_"):  # Python itself asks for some
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        loc = here()
        kind = NotImportable if is_imported(loc) else NoField
        raise kind(f"{module} has no {name}", loc, of_missing(name, module))

    return __getattr__
