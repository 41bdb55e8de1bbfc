"""The grammar of the text form: from tokens to trees, before anything has a type. How the IR prints is in `printer.py`.

    program  ::= { "type" NAME "=" type | def | "jvp" FUNCTION "=" FUNCTION | "primal" FUNCTION "=" FUNCTION }
    def      ::= "def" FUNCTION ["<" NAME ":" KIND, ... ">"] "(" pattern ":" type, ... ")" [":" type] "=" body
    body     ::= ["pure"] "opaque" [STRING] | "if" NAME "then" call "else" call | "while" call "do" call ["max" SIZE]
               | "linear" call "transposed" call | ["remat"] block
    type     ::= NAME | SIZE | "&" type | "[" type "]" type | "Stack" "[" type "]" | "()" | "(,)" | "(" type, ... ")"
               | "Span" "[" type "," type "," type "]" | "{" FIELD ":" type, ... "}"
    block    ::= { "let" pattern [":" type] "=" block "in" | expr ";" } expr
    pattern  ::= NAME | "_" | "()" | "(" pattern, ... ")"
    expr     ::= "accum" NAME "from" expr "in" block | "accum" expr | choice ["+=" choice]
    choice   ::= binary ["?" choice ":" choice]
    binary   ::= unary, joined by: or xor iff; and; = == != < <= > >=; max and its like; + -; * / // %
    unary    ::= ("-" | "not" | "fst" | "snd" | "freeze" | "&" | OPERATION) unary | postfix
    postfix  ::= atom { "[" expr "]" | "." FIELD }
    atom     ::= NAME | literal | call | "(" block, ... ")" | "[" expr, ... "]"
               | "[" "for" NAME ":" type "," { NAME [":" type] "from" expr "," } block "]"
    call     ::= FUNCTION ["<" type, ... ">"] "(" expr, ... ")"

A name may have dots in it, and `#` starts a comment. Of the operators the later bind closer, and those of
one group from the left; `not` is of a comparison. A chain of `let` is a list, so it may be as long as a program is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import NoReturn, TypeVar

from ...errors import WrongSyntax
from ..sizes import LARGEST
from .printer import ARITY, INFIX
from .trees import (
    Accum,
    AddTo,
    At,
    Block,
    Call,
    Def,
    Expr,
    For,
    Freeze,
    If,
    Index,
    Items,
    Let,
    Linear,
    Listing,
    Literal,
    Name,
    Opaque,
    Part,
    Pattern,
    Program,
    RecordOf,
    RefOf,
    RefTo,
    Row,
    Several,
    Size,
    Source,
    SpanOf,
    StackOf,
    State,
    Token,
    TupleOf,
    TypeName,
    TypeTree,
    VecOf,
    While,
    tokens,
)

T = TypeVar("T")

_LEVELS = {
    **dict.fromkeys(["or", "xor", "iff"], 1), "and": 2, **dict.fromkeys(["==", "=", "!=", "<", "<=", ">", ">="], 3),
    **dict.fromkeys(INFIX - {"and", "or", "xor"}, 4), "+": 5, "-": 5, **dict.fromkeys(["*", "/", "//", "%"], 6),
}  # fmt: skip
_PREFIX = {name for name, n in ARITY.items() if n == 1} | {"sgn"}
_OPERANDS = {"fst", "snd", "not", "true", "false", "nan", "inf"}


def parse(source: Source) -> Program:
    """The tree of a program."""
    return _Parser(source).program()


class _Parser:
    def __init__(self, source: Source) -> None:
        self.source, self.tokens, self.k = source, tokens(source), 0

    # tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.k]

    def sees(self, text: str) -> bool:
        """True if this token comes next."""
        token = self.tokens[self.k]
        return token.text == text and token.kind != "string"

    def take(self) -> Token:
        token = self.tokens[self.k]
        self.k += token.kind != "end"
        return token

    def skip(self, text: str) -> bool:
        """Take the next token if it is this one."""
        token = self.tokens[self.k]
        found = token.text == text and token.kind != "string"
        self.k += found
        return found

    def expect(self, text: str, hint: str) -> Token:
        if self.next.text != text or self.next.kind == "string":
            self.fail(f"expected {text!r}, got {_named(self.next)}", hint)
        return self.take()

    def fail(self, message: str, hint: str, at: At | None = None) -> NoReturn:
        raise WrongSyntax(message, self.source.at(at or self.next.at), hint)

    def since(self, start: int) -> At:
        """From a character to the end of the last token that was taken."""
        return start, self.tokens[max(self.k - 1, 0)].at[1]

    def name(self, what: str, hint: str, *, dots: bool = False) -> Name:
        token = self.next
        if token.kind != "name" or ("." in token.text and not dots):
            self.fail(f"expected {what}, got {_named(token)}", hint)
        self.take()
        return Name(token.at, token.text)

    def list(self, item: Callable[[], T], close: str, hint: str) -> list[T]:
        """Items with commas between them, up to what closes the list."""
        out: list[T] = []
        while not self.skip(close):
            out.append(item())
            if not self.sees(close):
                self.expect(",", hint)
        return out

    # definitions

    def program(self) -> Program:
        made, hint = Program(), "a program is a row of `def` and `type`"
        while self.next.kind != "end":
            if self.skip("def"):
                made.defs.append(self.definition())
            elif self.skip("type"):
                name = self.name("the name of a type", "write type Line = {slope: Real}", dots=True)
                self.expect("=", "write type Line = {slope: Real}")
                made.types.append((name, self.type()))
            elif self.next.text in ("jvp", "primal"):
                kind, names = self.take().text, "write jvp f = g, of two functions"
                f = self.name("a function", names, dots=True)
                self.expect("=", names)
                made.rules.append((kind, f, self.name("a function", names, dots=True)))
            else:
                self.fail(f"expected a definition, got {_named(self.next)}", hint)
        return made

    def definition(self) -> Def:
        hint = "write def f(x: Real): Real = x"
        name = self.name("the name of a function", hint, dots=True)
        generics = self.list(self.generic, ">", "write <n: Index>") if self.skip("<") else []
        self.expect("(", hint)
        params = self.list(self.param, ")", "parameters have commas between them, as in (x: Real, y: Real)")
        result = self.type() if self.skip(":") else None
        self.expect("=", hint)
        remat = self.skip("remat")
        return Def(name, generics, params, result, self.body(), remat)

    def generic(self) -> tuple[Name, Name]:
        name = self.name("the name of a type", "write <n: Index>")
        self.expect(":", "write <n: Index>")
        kind = self.name("Index, Value or Type", "write <n: Index>")
        if kind.name not in ("Index", "Value", "Type"):
            self.fail(f"{kind.name} is not a kind of types", "the kinds are Index, Value and Type", kind.at)
        return name, kind

    def param(self) -> tuple[Pattern, TypeTree]:
        pattern = self.pattern()
        self.expect(":", "a parameter has a type, as in x: Real")
        return pattern, self.type()

    def body(self) -> Block | Opaque | If | While | Linear:
        start = self.next.start
        pure = self.skip("pure")
        if pure or self.sees("opaque"):
            self.expect("opaque", "write `pure opaque`, or the body of the function")
            name = json.loads(self.take().text) if self.next.kind == "string" else None
            return Opaque(self.since(start), pure, name)
        if self.skip("while"):
            return self.loop(start)
        if self.skip("linear"):
            hint = "write linear f(x, y) transposed g(x, y), of two functions of all parameters"
            by = self.call(hint)
            self.expect("transposed", hint)
            return Linear(self.since(start), by, self.call(hint))
        if not self.skip("if"):
            return self.block()
        hint = "write if c then f(x) else g(x), of two functions of all parameters after the first"
        condition = self.name("the first parameter", hint)
        self.expect("then", hint)
        then = self.call(hint)
        self.expect("else", hint)
        return If(self.since(start), condition, then, self.call(hint))

    def loop(self, start: int) -> While:
        hint = "write while test(x, y) do step(x, y), of two functions of all parameters"
        test = self.call(hint)
        self.expect("do", hint)
        step, most = self.call(hint), None
        if self.skip("max"):
            token = self.take()
            hint = "write max 100"
            if not token.text.isdigit():
                self.fail(f"expected how many iterations at most, got {_named(token)}", hint, token.at)
            if len(token.text) > 10 or int(token.text) >= LARGEST:
                hint = "leave it out for any number of iterations"
                self.fail(f"a loop cannot have {_named(token)} iterations at most", hint, token.at)
            most = int(token.text)
        return While(self.since(start), test, step, most)

    # types

    def type(self) -> TypeTree:
        token = self.take()
        start = token.start
        if token.text == "Stack" and self.skip("["):
            elem = self.type()
            self.expect("]", "write Stack[Real]")
            return StackOf(self.since(start), elem)
        if token.text == "Span" and self.skip("["):
            parts = self.list(self.type, "]", _SPAN)
            if len(parts) != 3:
                self.fail(f"a span has 3 parts, got {len(parts)}", _SPAN, token.at)
            return SpanOf(self.since(start), *parts)
        if token.kind == "name":
            return TypeName(token.at, token.text)
        if token.kind == "number" and token.text.isdecimal():
            return Size(token.at, int(token.text))
        match token.text:
            case "&":
                inner = self.type()
                return RefOf(self.since(start), inner)
            case "[":
                size = self.type()
                self.expect("]", "write [3]Real for a vector of three")
                elem = self.type()
                return VecOf(self.since(start), size, elem)
            case "{":
                fields = self.list(self.field_type, "}", "write {x: Real, y: Real}")
                return RecordOf(self.since(start), fields)
            case "(":
                return self.tuple_type(start)
            case _:
                hint = "the types are Real, Bool, (), 3, [3]Real, (Real, Real), {x: Real}, &Real, Stack[Real] and names"
                self.fail(f"expected a type, got {_named(token)}", hint, token.at)

    def tuple_type(self, start: int) -> TypeTree:
        if self.skip(")"):
            return TupleOf(self.since(start), None)
        if self.skip(","):
            self.expect(")", "(,) is the empty tuple")
            return TupleOf(self.since(start), [])
        first = self.type()
        if self.skip(")"):
            return first
        self.expect(",", "write (Real, Real) for a pair")
        items = [first, *self.list(self.type, ")", "write (Real, Real) for a pair")]
        return TupleOf(self.since(start), items)

    def field_type(self) -> tuple[str, TypeTree]:
        token = self.take()
        if token.kind not in ("name", "string", "word") or ("." in token.text and token.kind != "string"):
            self.fail(f"expected the name of a field, got {_named(token)}", "write {x: Real}", token.at)
        self.expect(":", "a field has a type, as in {x: Real}")
        return json.loads(token.text) if token.kind == "string" else token.text, self.type()

    # blocks

    def block(self) -> Block:
        start, lets = self.next.start, list[Let]()
        while True:
            if self.skip("let"):
                pattern = self.pattern()
                type = self.type() if self.skip(":") else None
                self.expect("=", "write let x: Real = y + z in")
                lets.append(Let(pattern, type, self.inner_block()))
                self.expect("in", "a `let` ends with `in`, and what it is for comes after")
                continue
            result = self.expr()
            if not self.skip(";"):
                return Block(self.since(start), lets, result)
            lets.append(Let(None, None, result))

    def inner_block(self) -> Expr:
        """A block in the place of an expression."""
        return self.block() if self.sees("let") else self.expr()

    def pattern(self) -> Pattern:
        start = self.next.start
        if not self.skip("("):
            return self.name("a name", "write let x = e in, or let (x, y) = e in")
        if self.skip(")"):
            return Literal(self.since(start), "()")
        items = self.list(self.pattern, ")", "write let (x, y) = e in")
        return Several(self.since(start), items)

    # expressions

    def expr(self) -> Expr:
        start = self.next.start
        if self.skip("accum"):
            return self.accum(start)
        left = self.choice()
        if not self.skip("+="):
            return left
        right = self.choice()
        return AddTo(self.since(start), left, right)

    def accum(self, start: int) -> Expr:
        if not (self.next.kind == "name" and self.tokens[self.k + 1].text == "from"):
            init = self.choice()
            return Accum(self.since(start), init)
        name = self.name("a name", "write accum a from x in")
        self.take()
        init = self.choice()
        self.expect("in", "write accum a from x in, and then what adds to a")
        body = self.block()
        return Accum(self.since(start), init, name, body)

    def choice(self) -> Expr:
        start, c = self.next.start, self.binary(1)
        if not self.skip("?"):
            return c
        x = self.choice()
        self.expect(":", "write c ? x : y")
        y = self.choice()
        return Row(self.since(start), "select", [c, x, y])

    def binary(self, level: int) -> Expr:
        start, left = self.next.start, self.unary()
        while (own := self.level()) >= level:
            symbol = self.take().text
            right = self.binary(own + 1)
            if own == self.level() == 3:
                self.fail("a comparison of a comparison", "write a < b and b < c, or put one in parentheses")
            left = Row(self.since(start), symbol, [left, right])
        return left

    def level(self) -> int:
        token = self.next
        return 0 if token.kind == "string" else _LEVELS.get(token.text, 0)

    def unary(self) -> Expr:
        token = self.next
        start = token.start
        match token.text if token.kind != "string" else "":
            case "-":
                self.take()
                x = self.unary()
                if isinstance(x, Literal) and x.text[0] not in "-tfz(":
                    return Literal(self.since(start), "-" + x.text)
                return Row(self.since(start), "-", [x])
            case "fst" | "snd":
                self.take()
                x = self.unary()
                return Part(self.since(start), x, int(token.text == "snd"))
            case "freeze":
                self.take()
                x = self.unary()
                return Freeze(self.since(start), x)
            case "&":
                self.take()
                x = self.unary()
                return RefTo(self.since(start), x)
            case _:
                if token.text == "not" or (token.text in _PREFIX and self.is_operand(self.tokens[self.k + 1])):
                    self.take()
                    x = self.binary(3) if token.text == "not" else self.unary()
                    return Row(self.since(start), token.text, [x])
                return self.postfix()

    def is_operand(self, token: Token) -> bool:
        """True if an operand starts here: a name before it is an operation."""
        return token.kind == "number" or token.text in _OPERANDS or (token.kind == "name" and token.text not in INFIX)

    def postfix(self) -> Expr:
        start, x = self.next.start, self.atom()
        while True:
            if self.skip("["):
                i = self.choice()
                self.expect("]", "write v[i]")
                x = Index(self.since(start), x, i)
            elif self.skip("."):
                token = self.take()
                if token.kind == "string":
                    x = Part(self.since(start), x, json.loads(token.text))
                elif token.kind in ("name", "word") or token.text.isdigit():
                    x = self.parts(x, token.text.split("."), token.start)
                else:
                    self.fail(f"expected the name of a field, got {_named(token)}", "write p.x, or t.0", token.at)
            else:
                return x

    def parts(self, x: Expr, names: list[str], end: int) -> Expr:
        """`x.a.b`; `end` is where the first of the names starts."""
        for name in names:
            end += len(name)
            x = Part((x.at[0], end), x, int(name) if name.isdigit() else name)
            end += 1
        return x

    def atom(self) -> Expr:
        token = self.next
        if token.kind == "name":
            return self.named(token)
        self.take()
        if token.kind == "number" or token.text in ("true", "false", "zero", "nan", "inf"):
            return self.literal(token)
        if token.text == "(":
            return self.parenthesis(token.start)
        if token.text == "[":
            return self.bracket(token.start)
        hint = "an expression is a name, a number, a call, (x, y), [x, y], or [for i: n, ...]"
        self.fail(f"expected an expression, got {_named(token)}", hint, token.at)

    def literal(self, token: Token) -> Expr:
        if token.kind == "number":
            try:
                x = float.fromhex(token.text) if token.text[:2] in ("0x", "0X") else float(token.text)
            except OverflowError:  # of a hexadecimal number: a decimal one becomes infinite
                x = math.inf
            except ValueError:
                self.fail(f"{token.text:.40} is not a number", "write 1, 1.5, 1e-3 or 0x1.8p+1", token.at)
            if math.isinf(x):
                self.fail("this number is too large for a Real", "write inf for infinity", token.at)
        return Literal(token.at, token.text)

    def named(self, token: Token) -> Expr:
        after = self.tokens[self.k + 1].text
        if after == "(":
            return self.call("write f(x, y)")
        if after == "<":
            saved = self.k
            try:
                return self.call("write f<3>(x)")
            except WrongSyntax:
                self.k = saved  # it was a comparison
        self.take()
        first, *rest = token.text.split(".")
        at = token.start, token.start + len(first)
        return self.parts(Name(at, first), rest, at[1] + 1) if rest else Name(at, first)

    def call(self, hint: str) -> Call:
        start, name = self.next.start, self.name("a function", hint, dots=True)
        types = self.list(self.type, ">", hint) if self.skip("<") else None
        self.expect("(", hint)
        args = self.list(self.inner_block, ")", "arguments have commas between them, as in f(x, y)")
        return Call(self.since(start), name.name, args, types)

    def parenthesis(self, start: int) -> Expr:
        if self.skip(")"):
            return Literal(self.since(start), "()")
        if self.skip(","):
            self.expect(")", "(,) is the empty tuple")
            return Items(self.since(start), [])
        first = self.block()
        if self.skip(")"):
            first = first if first.lets else first.result
            return first
        if not self.skip(","):
            self.expect(")", "a parenthesis that is opened is closed with )")
        rest = self.list(self.block, ")", "items have commas between them, as in (x, y)")
        return Items(self.since(start), [x if x.lets else x.result for x in (first, *rest)])

    def bracket(self, start: int) -> Expr:
        if not self.skip("for"):
            items = self.list(self.choice, "]", "elements have commas between them, as in [x, y]")
            return Listing(self.since(start), items)
        hint = "write [for i: n, ...]"
        index = self.name("the index of the loop", hint)
        self.expect(":", hint)
        size = self.type()
        self.expect(",", hint)
        states: list[State] = []
        while self.next.kind == "name" and self.tokens[self.k + 1].text in (":", "from"):
            states.append(self.state())
        body = self.block()
        self.expect("]", "a loop that is opened with [ is closed with ]")
        return For(self.since(start), index, size, states, body)

    def state(self) -> State:
        hint = "write a state as s: Real from x, with a comma after it"
        name = self.name("the name of a state", hint)
        type = self.type() if self.skip(":") else None
        self.expect("from", hint)
        init = self.choice()
        self.expect(",", hint)
        return State(name, type, init)


_SPAN = "write Span[4, 1, 5] for indices below 4, from one below 1 to one below 5"


def _named(token: Token) -> str:
    return "the end of the text" if token.kind == "end" else repr(token.text)
