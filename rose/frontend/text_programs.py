"""`rose.parse`: the functions of a program in the text form, as `Fn`s."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .. import ir
from ..errors import TypeMismatch, WrongSyntax, edge, here
from ..ir import Func, shown
from ..ir.text.module import Module, deep
from ..ir.text.module import parse as parse_module
from ..ir.text.printer import spell
from ..ir.text.trees import TypeTree
from ..ir.types import Type
from .function import AnyFn, Opaque, from_func
from .values import infer


class Functions(dict[str, AnyFn]):
    """The functions of a text, by name.

    A generic one, `sum<n: Index>`, is called as others are: the arguments say which types it has. `fs["sum<3>"]` is
    the function of these types.
    """

    def __init__(self, module: Module, given: Given) -> None:
        super().__init__()
        self.module, self.given = module, given
        for name, f in module.funcs.items():
            self[name] = self._fn(name, f)
        self.generics = [name for name, d in module.defs.items() if d.generics]
        for name in self.generics:
            self[name] = Generic(self, name)  # pyright: ignore[reportArgumentType]

    def __missing__(self, name: str) -> AnyFn:
        with deep():
            made = self[name] = self._fn(name, self.module.instance(name))
        return made

    def _fn(self, name: str, f: Func) -> AnyFn:
        names = [p.attr or f"x{k}" for k, p in enumerate(f.params)]
        made = from_func(f, names)
        if isinstance(f.kind, ir.Opaque):
            made = Opaque(f.kind.impl, made.types, made.result, f.name, f.pure)
            made.names, made._func = tuple(names), f  # pyright: ignore[reportPrivateUsage]
        made.loc, made.made_by = self.module.loc(name), (_of_text, (self.given, name), {})
        return made

    def __reduce__(self) -> Any:
        return _parsed, (self.given,)


class Generic:
    """A generic function of a text: a template, of which each list of types makes a function."""

    def __init__(self, of: Functions, name: str) -> None:
        self.of, self.name, self.tree = of, name, of.module.defs[name]

    def __repr__(self) -> str:
        generics = ", ".join([f"{n.name}: {kind.name}" for n, kind in self.tree.generics])
        return f"<generic fn {self.name}<{generics}>>"

    @edge
    def __call__(self, *args: Any) -> Any:
        count = len(self.tree.params)
        if len(args) != count:
            what = f"{self.name} takes {count} argument{'s' * (count != 1)}, got {len(args)}"
            raise TypeMismatch(what, here(), "give one for each of its parameters")
        with ir.building("types", inside=ir.is_tracing()):
            given = [self._type(x, t) for x, (_, t) in zip(args, self.tree.params, strict=True)]
        types = self.of.module.inferred(self.tree, given, self.tree.name.at)
        return self.of[f"{self.name}<{', '.join(map(spell, types))}>"](*args)

    def _type(self, x: Any, declared: TypeTree) -> Type | None:
        """The type of an argument; None of an integer for an index, of which it may be one of any range."""
        indices = [n.name for n, kind in self.tree.generics if kind.name == "Index"]
        return None if declared.head in indices and isinstance(x, int) else infer(x).type

    def __reduce__(self) -> Any:
        return _of_text, (self.of.given, self.name)


Host = Mapping[str, Callable[..., Any]]
Given = tuple[str, str | None, Host | None]  # a text, its file, and its functions of the host


def _parsed(given: Given) -> Functions:
    return Functions(parse_module(*given), given)


def _of_text(given: Given, name: str) -> AnyFn:
    """A function of a text, where a pickle is read."""
    return _parsed(given)[name]


@edge
def parse(text: str, *, file: str | None = None, host: Mapping[str, Callable[..., Any]] | None = None) -> Functions:
    """The functions of a program in the text form, by name: each can be called, differentiated and compiled.

    The text is what `rose ir` prints, or the notation of the paper. `host` has the Python bodies of opaque functions,
    by name; `file` is the name of the text in messages. A text that does not parse is a `WrongSyntax`.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        hint = "read the text of a file with open(file).read()"
        raise TypeMismatch(f"rose.parse takes a text, not {shown(text)}", here(), hint)
    return _parsed((text, file, host))


def parse_file(path: Path) -> Functions:
    """The functions of a `.rose` file."""
    try:
        return _parsed((path.read_text(encoding="utf-8"), str(path), None))
    except UnicodeDecodeError as e:
        what = f"{path} is not UTF-8 text: {e.reason} at byte {e.start}"
        raise WrongSyntax(what, None, "save a .rose file as UTF-8") from None
