"""From the trees of the text form to the IR: what every name means, and what type everything has.

Each `let` of the strict syntax makes just the instruction that is written there, so a text that was printed
gives back what prints as it. What is nested is sugar for more of them. A function that is generic is a
template: each list of types that it is called with makes a function of its own.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NoReturn

from ...errors import OutOfRange, RoseError, TypeMismatch, UnknownName, WrongSyntax
from .. import builder
from ..check import check_alone
from ..forms import COMPLEX, DUAL, Form, dict_form, form_of, reduced
from ..func import Func, Opaque
from ..numbers import digits
from ..ops import LARGEST
from ..types import DEEPEST, Bool, Fin, Real, Ref, Single, Span, Stack, Tan, Tuple, Type, Unit, Vec, components, tangent
from . import trees as tree
from .elaborate import Body
from .grammar import parse as parse_tree
from .printer import spell
from .trees import At, Def, Source, TextLoc, TypeTree

Types = dict[str, Type]
Key = tuple[str, tuple[Type, ...]]
Host = Mapping[str, Callable[..., Any]]


@functools.cache
def text_form(name: str, fields: tuple[str, ...], number: int = 0) -> Form:
    """The form of a struct that only a text has, with a dataclass of its own; `number` tells apart what looks alike."""
    form = form_of(dataclasses.make_dataclass(name, fields))
    assert form is not None
    reduced[form] = text_form, (name, fields, number)
    return form


class Module:
    """The types and functions of a text. A function is made when it is first asked for, and checked."""

    def __init__(self, source: Source, host: Host) -> None:
        self.source, self.host = source, host
        self.tree = parse_tree(source)
        self.types: Types = {"Real": Real, "Bool": Bool, "Tan": Tan, "Unit": Unit, "Single": Single}
        self.forms: dict[tuple[str, tuple[str, ...]], Form] = {
            ("Dual", DUAL.fields): DUAL,
            ("Complex", COMPLEX.fields): COMPLEX,
        }
        self.defs: dict[str, Def] = {}
        self.made: dict[Key, Func] = {}
        self.making: list[Key] = []
        for name, t in self.tree.types:
            self.define_type(name, t)
        for d in self.tree.defs:
            if d.name.name in self.defs:
                self.fail(WrongSyntax, f"there are two functions {d.name.name}", d.name.at, "give each its own name")
            self.defs[d.name.name] = d
        self.funcs = self.all()

    def fail(self, kind: type[RoseError], message: str, at: At, hint: str) -> NoReturn:
        raise kind(message, self.source.at(at), hint)

    def unknown(self, what: str, name: str, at: At, known: Sequence[str], hint: str) -> NoReturn:
        near = get_close_matches(name, known, 1)
        self.fail(UnknownName, f"there is no {what} {name}", at, f"did you mean {near[0]}?" if near else hint)

    def all(self) -> dict[str, Func]:
        """The functions that are not generic, in order, with what is said between them."""
        funcs = {name: self.func(name, (), d.name.at) for name, d in self.defs.items() if not d.generics}
        for kind, f, g in self.tree.rules:
            self.relate(kind, f, g)
        return funcs

    # types

    def define_type(self, name: tree.Name, t: TypeTree) -> None:
        if name.name in self.types:
            self.fail(WrongSyntax, f"there are two types {name.name}", name.at, "give each its own name")
        if t.head == "{":
            items = tuple([self.type(x, {}) for x in t.items])
            self.types[name.name] = self.struct(name.name, tuple(t.fields), items, t.at)
        else:
            self.types[name.name] = self.type(t, {})

    def struct(self, name: str, fields: tuple[str, ...], items: tuple[Type, ...], at: At) -> Type:
        """A struct. `Line_1` has the form of `Line`, if it has its fields: it holds other types, as a tangent does."""
        base = re.sub(r"_\d+$", "", name)
        form = self.forms.get((base, fields)) or self.forms.get((name, fields))
        if form is None or Tuple(items, form) in self.types.values():
            form = self.forms[name, fields] = self.new_form(name, fields, at)
        return Tuple(items, form)

    def new_form(self, name: str, fields: tuple[str, ...], at: At) -> Form:
        alike = [t for t in self.types.values() if isinstance(t, Tuple) and t.form and t.form.name == name]
        try:
            return text_form(name, fields, len(alike))
        except (TypeError, ValueError) as e:
            self.fail(WrongSyntax, f"{name} cannot be a struct: {e}", at, "each field has a name of its own")

    def type(self, t: TypeTree, names: Types) -> Type:
        match t.head, t.items:
            case "()", _:
                return Unit
            case "(", items:
                return Tuple(tuple([self.component(x, names) for x in items]), None)
            case "{", items:
                form = dict_form(t.fields)
                return Tuple(tuple([self.component(x, names) for x in items]), form)
            case "[", [size, elem]:
                n, inner = self.type(size, names), self.component(elem, names)
                if not isinstance(n, Fin):
                    self.fail(TypeMismatch, f"{spell(n)} is not an index type", size.at, "write [3]Real")
                return Vec(n.size, inner)
            case "&", [inner]:
                return Ref(self.component(inner, names))
            case "Stack[", [elem]:
                return Stack(self.component(elem, names))
            case "Span[", _:
                return self.span(t, names)
            case size, _ if size.isdecimal():
                if int(size) > LARGEST:
                    what = f"{digits(int(size))} is too large for an index"
                    self.fail(OutOfRange, what, t.at, f"the largest is {LARGEST}")
                return Fin(int(size))
            case name, _:
                found = names.get(name) or self.types.get(name)
                if found is None:
                    hint = "Real, Bool, (), 3, [3]Real, (Real, Real), {x: Real}, &Real, Stack[Real] and names"
                    self.unknown("type", name, t.at, [*self.types, *names], f"the types are {hint}")
                return found

    def span(self, t: TypeTree, names: Types) -> Type:
        size, low, high = [self.type(x, names) for x in t.items]
        if not (isinstance(size, Fin) and isinstance(low, Fin) and isinstance(high, Fin)):
            self.fail(TypeMismatch, "a span is of indices", t.at, "write Span[4, 1, 5]")
        if high.size > size.size + 1:
            what = f"a span of indices below {size.size} cannot end at {high.size - 1}"
            self.fail(OutOfRange, what, t.items[2].at, f"write {size.size + 1} or less")
        return Span(size.size, low, high)

    def component(self, t: TypeTree, names: Types) -> Type:
        made = self.type(t, names)
        if made.depth > DEEPEST:
            what = f"more than {DEEPEST} vectors and tuples lie in one another"
            self.fail(TypeMismatch, what, t.at, "write fewer, of more elements")
        if isinstance(made, Ref):
            self.fail(TypeMismatch, "an accumulator cannot be a part of something", t.at, "it is a parameter, or local")
        return made

    # functions

    def func(self, name: str, types: tuple[Type, ...], at: At) -> Func:
        """The function of this name; of one that is generic, for these types."""
        made = self.made.get((name, types))
        if made is not None:
            return made
        key, d = (name, types), self.defs[name]
        if key in self.making:
            chain = " -> ".join([*[k for k, _ in self.making[self.making.index(key) :]], name])
            self.fail(RoseError, f"{name} calls itself: {chain}", at, "a function calls only others, without cycles")
        self.making.append(key)
        try:
            made = self.made[key] = self.checked(self.define(d, types, at), d)
        finally:
            self.making.pop()
        return made

    def checked(self, f: Func, d: Def) -> Func:
        """`f`, if it is well formed by itself: what it calls was checked before."""
        try:
            return check_alone(f)
        except AssertionError as e:
            self.fail(TypeMismatch, str(e), d.name.at, "see the rules of the IR in rose/ir/check.py")

    def define(self, d: Def, types: tuple[Type, ...], at: At) -> Func:
        names = self.arguments(d, types, at)
        given = [self.type(t, names) for _, t in d.params]
        result = None if d.result is None else self.type(d.result, names)
        if isinstance(result, Ref) and d.result is not None:
            self.fail(TypeMismatch, "a function cannot give an accumulator", d.result.at, "let it take one: a: &Real")
        name = "_".join([d.name.name, *re.findall(r"\w+", " ".join(map(spell, types)))])
        with builder.building(name) as b:
            body = Body(b, self, names, d)
            body.params(given)
            if isinstance(d.body, tree.Opaque):
                return self.opaque(d, d.body, b, result)
            if isinstance(d.body, tree.OfTwo):
                return body.of_two(d.body, result)
            value = body.value(d.body, result, "what the function gives")
            made = b.func(value)
            made.mark(remat=d.remat)
            return made

    def arguments(self, d: Def, types: tuple[Type, ...], at: At) -> Types:
        """The types that a generic function is made for, by name."""
        if len(types) != len(d.generics):
            of = ", ".join(f"{n.name}: {k.name}" for n, k in d.generics)
            said = f"{d.name.name} takes {len(d.generics)} types, got {len(types)}"
            self.fail(TypeMismatch, said, at, f"it is generic in <{of}>" if of else "it is not generic")
        for (n, kind), t in zip(d.generics, types, strict=True):
            if (kind.name == "Index" and not isinstance(t, Fin)) or (kind.name == "Value" and isinstance(t, Ref)):
                hint = "Index stands for sizes, Value for all that is not an accumulator, Type for all"
                self.fail(TypeMismatch, f"{spell(t)} is not of kind {kind.name}, as {n.name} must be", at, hint)
        return {n.name: t for (n, _), t in zip(d.generics, types, strict=True)}

    def inferred(self, d: Def, given: Sequence[Type | None], at: At) -> tuple[Type, ...]:
        """The types that a generic function is called with: None is the type of an argument that says nothing."""
        found: Types = {}
        names = [n.name for n, _ in d.generics]
        for (_, t), own in zip(d.params, given, strict=True):
            if own is not None:
                _match(t, own, names, found)
        if missing := [n for n in names if n not in found]:
            self.fail(
                TypeMismatch, f"the arguments do not say what {missing[0]} is", at, f"write {d.name.name}<...>(...)"
            )
        return tuple([found[n] for n in names])

    def opaque(self, d: Def, body: tree.Opaque, b: builder.Builder, result: Type | None) -> Func:
        if result is None:
            self.fail(WrongSyntax, "an opaque function says what it gives", d.name.at, "write its type after a colon")
        for t in [*[p.type for p in b.root.params], result]:
            if t.linear or isinstance(t, Ref):
                self.fail(TypeMismatch, f"an opaque function cannot see a {spell(t)}", d.name.at, "write Real")
        name = body.name or d.name.name
        impl = self.host.get(name) or self.host.get(d.name.name) or self.missing(name, d)
        return Func(name, b.root, result, pure=body.pure, kind=Opaque(impl))

    def missing(self, name: str, d: Def) -> Callable[..., Any]:
        def impl(*_: Any) -> NoReturn:
            hint = f"give it to rose.parse(text, host={{{name!r}: ...}})"
            self.fail(RoseError, f"{name} is opaque, and nothing says what it does in Python", d.name.at, hint)

        return impl

    # what is said between functions

    def relate(self, kind: str, f: tree.Name, g: tree.Name) -> None:
        for x in (f, g):
            if x.name not in self.defs or self.defs[x.name].generics:
                self.unknown("function", x.name, x.at, list(self.defs), "it must be defined, and not be generic")
        first, second = self.made[f.name, ()], self.made[g.name, ()]
        if kind == "primal":
            first.mark(primal=second)
            return
        wanted = [t for p in first.params for t in ((p.type, tangent(p.type)) if p.type.real else (p.type,))]
        result = Tuple((first.result, tangent(first.result)), None)
        if [p.type for p in second.params] != wanted or second.result is not result:
            should = f"({', '.join(map(spell, wanted))}): {spell(result)}"
            self.fail(TypeMismatch, f"{g.name} cannot be the derivative of {f.name}", g.at, f"it must be {should}")
        if first.jvp is not None:
            self.fail(WrongSyntax, f"{f.name} has a derivative rule already", f.at, "give a function one rule")
        first.mark(jvp=second)

    # what a text asks for by name

    def instance(self, spelled: str) -> Func:
        """The function that is called `spelled`, such as `f`, or `sum<3>`."""
        name, _, rest = spelled.partition("<")
        if name not in self.defs:
            raise KeyError(spelled)
        call = Source(f"type T = ({rest.removesuffix('>')},)", f"the types of {name}")
        made = self.type(parse_tree(call).types[0][1], {}) if rest else None
        return self.func(name, made.items if isinstance(made, Tuple) else (), self.defs[name].name.at)

    def loc(self, name: str) -> TextLoc:
        """The place of the definition of a function."""
        return self.source.at(self.defs[name.partition("<")[0]].name.at)


def parse(text: str, file: str | None = None, host: Host | None = None) -> Module:
    """The types and functions of a text. `host` has what its opaque functions do in Python, by name."""
    with deep():
        return Module(Source(text, file), host or {})


@contextmanager
def deep() -> Generator[None]:
    """Let the functions of a text be nested as deep as a program has them: one may come before those that it calls.

    Python's own frames do not use the stack of C, so the limit is only a guard against mistakes.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 1_000_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


_MADE_OF: dict[str, type[Type]] = {"[": Vec, "&": Ref, "Stack[": Stack, "Span[": Span, "(": Tuple, "{": Tuple}


def _match(t: TypeTree, given: Type, names: list[str], found: Types) -> None:
    """Find what the names in a type stand for, in the type of an argument; what does not fit is found later."""
    if t.head in names:
        found.setdefault(t.head, given)
    elif isinstance(given, _MADE_OF.get(t.head, ())):
        size = [Fin(given.size)] if isinstance(given, (Vec, Span)) and t.head in ("[", "Span[") else []
        for x, s in zip(t.items, [*size, *components(given)], strict=False):
            _match(x, s, names, found)
