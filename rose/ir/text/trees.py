"""The text form in pieces: places in it, its tokens, and the trees that `grammar.py` makes of them."""

from __future__ import annotations

import io
import linecache
import re
from dataclasses import dataclass, field
from itertools import count
from types import CodeType
from typing import NamedTuple

from ...errors import Finder, Loc, Span, WrongSyntax
from .printer import WORDS

At = tuple[int, int]  # the first character, and the one after the last

# places in a text


class Source:
    """A text, and how its places are named in messages."""

    _numbers = count(1)

    def __init__(self, text: str, file: str | None = None) -> None:
        self.text = text = text.encode(errors="replace").decode()  # half of a surrogate pair is no character
        name = file or f"<text {next(self._numbers)}>"
        self.code = compile("", name, "exec")
        linecache.cache[name] = (len(text), None, io.StringIO(text).readlines(), name)

    def at(self, where: At) -> TextLoc:
        return TextLoc(self.code, *where)


class TextLoc(Loc):
    """A place in a program that is text: from one character to another."""

    end: int

    def __new__(cls, code: CodeType, start: int, end: int) -> TextLoc:
        made = super().__new__(cls, code, start)
        made.end = end
        return made

    def narrow(self, part: Finder) -> Loc:
        return self

    def node(self) -> None:
        return None

    def _where(self) -> Span:
        text = "".join(linecache.getlines(self.code.co_filename))
        before = text[: self.lasti]
        line, start = before.count("\n") + 1, before.rfind("\n") + 1
        last = text[: self.end].count("\n") + 1
        return line, last, len(text[start : self.lasti].encode()), len(text[start : self.end].encode())


# tokens

_TOKEN = re.compile(
    r"""(?P<space>(?:\s+|\#[^\n]*)+)
    |(?P<number>0[xX][\w.]*(?:(?<=[pP])[-+]\d+)?|\d[\w.]*(?:(?<=[eE])[-+]\d+)?)
    |(?P<name>[^\W\d]\w*(?:\.\w+)*)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<sign>\+=|==|!=|<=|>=|//|[-+*/%<>=?:;,.()\[\]{}&¬×÷∧∨≠≤≥])
    |(?P<wrong>.)""",
    re.VERBOSE,
)
MOST_DIGITS = 4_000  # of a number; Python reads integers of up to 4,300
_ASCII = {"¬": "not", "×": "*", "÷": "/", "∧": "and", "∨": "or", "≠": "!=", "≤": "<=", "≥": ">="}


class Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def at(self) -> At:
        return self.start, self.start + len(self.text)


def tokens(source: Source) -> list[Token]:
    """The tokens of a text, and one that says that it ends."""
    out: list[Token] = []
    for m in _TOKEN.finditer(source.text):
        kind, text = str(m.lastgroup), m.group()
        if kind == "wrong":
            raise WrongSyntax(f"{text!r} has no meaning here", source.at(m.span()), "a comment starts with #")
        if kind == "number" and len(text) > MOST_DIGITS:
            what = f"this number has {len(text):,} digits, and may have {MOST_DIGITS:,}"
            raise WrongSyntax(what, source.at(m.span()), "write 17 digits, which are enough for any Real")
        if kind != "space":
            text = _ASCII.get(text, text)
            out.append(Token("word" if text in WORDS else kind, text, m.start()))
    end = len(source.text.rstrip())
    return [*out, Token("end", "", end)]


# trees


@dataclass(slots=True, eq=False)
class Tree:
    at: At


@dataclass(slots=True, eq=False)
class TypeTree(Tree):
    """A name, a size, or what is made of other types: a vector, an accumulator, a stack, a span, a tuple, a record."""

    head: str  # the name, the digits of the size, or one of `[`, `&`, `Stack[`, `Span[`, `(`, `()` and `{`
    items: list[TypeTree] = field(default_factory=list["TypeTree"])
    fields: list[str] = field(default_factory=list[str])  # of a record


@dataclass(slots=True, eq=False)
class Name(Tree):
    name: str


@dataclass(slots=True, eq=False)
class Literal(Tree):
    text: str  # a number with its sign, true, false, zero or ()


@dataclass(slots=True, eq=False)
class Apply(Tree):
    """An operation of the table, by its symbol or its name; or one of the structural ones.

    Those are `(` and `[`, a tuple and a vector of its elements, `[]`, an element of a vector, `&`, `+=` and `freeze`.
    """

    head: str
    args: list[Expr]


@dataclass(slots=True, eq=False)
class Call(Tree):
    name: str
    args: list[Expr]
    types: list[TypeTree] | None = None


@dataclass(slots=True, eq=False)
class Field(Tree):
    of: Expr
    field: str | int


@dataclass(slots=True, eq=False)
class State:
    name: Name
    type: TypeTree | None
    init: Expr


@dataclass(slots=True, eq=False)
class For(Tree):
    index: Name
    size: TypeTree
    states: list[State]
    body: Block


@dataclass(slots=True, eq=False)
class Accum(Tree):
    """With a name and a block, a region; without, an accumulator that `freeze` closes."""

    init: Expr
    name: Name | None = None
    body: Block | None = None


@dataclass(slots=True, eq=False)
class Let:
    pattern: Pattern | None  # None: what comes before a `;`
    type: TypeTree | None
    value: Expr


@dataclass(slots=True, eq=False)
class Block(Tree):
    lets: list[Let]
    result: Expr


Expr = Name | Literal | Apply | Call | Field | For | Accum | Block
Pattern = Expr  # a name, a tuple of patterns, or ()


@dataclass(slots=True, eq=False)
class Opaque:
    pure: bool
    name: str | None


@dataclass(slots=True, eq=False)
class OfTwo:
    """A body that calls two functions: an `if` on the first parameter, a `while`, or what is `linear`."""

    word: str
    condition: Name | None
    first: Call
    second: Call
    most: int | None  # iterations of a while


@dataclass(slots=True, eq=False)
class Def:
    name: Name
    generics: list[tuple[Name, Name]]
    params: list[tuple[Pattern, TypeTree]]
    result: TypeTree | None
    body: Block | Opaque | OfTwo
    remat: bool = False


@dataclass(slots=True, eq=False)
class Definitions:
    types: list[tuple[Name, TypeTree]] = field(default_factory=list[tuple[Name, "TypeTree"]])
    defs: list[Def] = field(default_factory=list[Def])
    rules: list[tuple[str, Name, Name]] = field(default_factory=list[tuple[str, Name, Name]])  # jvp or primal
