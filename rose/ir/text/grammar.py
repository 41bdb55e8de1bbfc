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
from . import trees as tree
from .printer import ARITY, INFIX
from .trees import At, Expr, Name, Source, Token, TypeTree, tokens

T = TypeVar("T")

_LEVELS = {
    **dict.fromkeys(["or", "xor", "iff"], 1), "and": 2, **dict.fromkeys(["==", "=", "!=", "<", "<=", ">", ">="], 3),
    **dict.fromkeys(INFIX - {"and", "or", "xor"}, 4), "+": 5, "-": 5, **dict.fromkeys(["*", "/", "//", "%"], 6),
}  # fmt: skip
_PREFIX = {name for name, n in ARITY.items() if n == 1} | {"sgn"}
_OPERANDS = {"fst", "snd", "not", "true", "false", "nan", "inf"}


def parse(source: Source) -> tree.Definitions:
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
        return self.tokens[self.k].text == text

    def take(self) -> Token:
        token = self.tokens[self.k]
        self.k += token.kind != "end"
        return token

    def skip(self, text: str) -> bool:
        """Take the next token if it is this one."""
        found = self.tokens[self.k].text == text
        self.k += found
        return found

    def expect(self, text: str, hint: str) -> None:
        if not self.skip(text):
            self.unexpected(repr(text), self.next, hint)

    def unexpected(self, wanted: str, token: Token, hint: str) -> NoReturn:
        self.fail(f"expected {wanted}, got {_named(token)}", hint, token.at)

    def fail(self, message: str, hint: str, at: At) -> NoReturn:
        raise WrongSyntax(message, self.source.at(at), hint)

    def since(self, start: int) -> At:
        """From a character to the end of the last token that was taken."""
        return start, self.tokens[max(self.k - 1, 0)].at[1]

    def name(self, what: str, hint: str, *, dots: bool = False) -> Name:
        token = self.next
        if token.kind != "name" or ("." in token.text and not dots):
            self.unexpected(what, token, hint)
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

    def program(self) -> tree.Definitions:
        made = tree.Definitions()
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
                self.unexpected("a definition", self.next, "a program is a row of `def` and `type`")
        return made

    def definition(self) -> tree.Def:
        hint = "write def f(x: Real): Real = x"
        name = self.name("the name of a function", hint, dots=True)
        generics = self.list(self.generic, ">", "write <n: Index>") if self.skip("<") else []
        self.expect("(", hint)
        params = self.list(self.param, ")", "parameters have commas between them, as in (x: Real, y: Real)")
        result = self.type() if self.skip(":") else None
        self.expect("=", hint)
        remat = self.skip("remat")
        return tree.Def(name, generics, params, result, self.body(), remat)

    def generic(self) -> tuple[Name, Name]:
        name = self.name("the name of a type", "write <n: Index>")
        self.expect(":", "write <n: Index>")
        kind = self.name("Index, Value or Type", "write <n: Index>")
        if kind.name not in ("Index", "Value", "Type"):
            self.fail(f"{kind.name} is not a kind of types", "the kinds are Index, Value and Type", kind.at)
        return name, kind

    def param(self) -> tuple[tree.Pattern, TypeTree]:
        pattern = self.pattern()
        self.expect(":", "a parameter has a type, as in x: Real")
        return pattern, self.type()

    def body(self) -> tree.Block | tree.Opaque | tree.OfTwo:
        if self.next.text in _OF_TWO:
            return self.of_two(self.take().text)
        pure = self.skip("pure")
        if not pure and not self.sees("opaque"):
            return self.block()
        self.expect("opaque", "write `pure opaque`, or the body of the function")
        return tree.Opaque(pure, json.loads(self.take().text) if self.next.kind == "string" else None)

    def of_two(self, word: str) -> tree.OfTwo:
        (between, hint), condition, most = _OF_TWO[word], None, None
        if word == "if":
            condition = self.name("the first parameter", hint)
            self.expect("then", hint)
        first = self.call(hint)
        self.expect(between, hint)
        second = self.call(hint)
        if word == "while" and self.skip("max"):
            most = self.most(self.take())
        return tree.OfTwo(word, condition, first, second, most)

    def most(self, token: Token) -> int:
        """The iterations of a while, at most."""
        if not token.text.isdigit():
            self.unexpected("how many iterations at most", token, "write max 100")
        if len(token.text) > 10 or int(token.text) >= LARGEST:
            hint = "leave it out for any number of iterations"
            self.fail(f"a loop cannot have {_named(token)} iterations at most", hint, token.at)
        return int(token.text)

    # types

    def type(self) -> TypeTree:
        token = self.take()
        head, fields = token.text, list[str]()
        if head in ("Stack", "Span") and self.skip("["):
            head += "["
        elif token.kind == "name" or (token.kind == "number" and head.isdecimal()):
            return TypeTree(token.at, head)
        match head:
            case "&":
                items = [self.type()]
            case "[":
                size = self.type()
                self.expect("]", "write [3]Real for a vector of three")
                items = [size, self.type()]
            case "Stack[":
                items = [self.type()]
                self.expect("]", "write Stack[Real]")
            case "Span[":
                items = self.list(self.type, "]", _SPAN)
                if len(items) != 3:
                    self.fail(f"a span has 3 parts, got {len(items)}", _SPAN, token.at)
            case "{":
                named = self.list(self.field_type, "}", "write {x: Real, y: Real}")
                fields, items = [name for name, _ in named], [t for _, t in named]
            case "(":
                return self.tuple_type(token.start)
            case _:
                hint = "the types are Real, Bool, (), 3, [3]Real, (Real, Real), {x: Real}, &Real, Stack[Real] and names"
                self.unexpected("a type", token, hint)
        return TypeTree(self.since(token.start), head, items, fields)

    def tuple_type(self, start: int) -> TypeTree:
        if self.skip(")"):
            return TypeTree(self.since(start), "()")
        if self.skip(","):
            self.expect(")", "(,) is the empty tuple")
            return TypeTree(self.since(start), "(")
        first = self.type()
        if self.skip(")"):
            return first
        self.expect(",", "write (Real, Real) for a pair")
        items = [first, *self.list(self.type, ")", "write (Real, Real) for a pair")]
        return TypeTree(self.since(start), "(", items)

    def field_type(self) -> tuple[str, TypeTree]:
        token = self.take()
        if token.kind not in ("name", "string", "word") or ("." in token.text and token.kind != "string"):
            self.unexpected("the name of a field", token, "write {x: Real}")
        self.expect(":", "a field has a type, as in {x: Real}")
        return json.loads(token.text) if token.kind == "string" else token.text, self.type()

    # blocks

    def block(self) -> tree.Block:
        start, lets = self.next.start, list[tree.Let]()
        while True:
            if self.skip("let"):
                pattern = self.pattern()
                type = self.type() if self.skip(":") else None
                self.expect("=", "write let x: Real = y + z in")
                lets.append(tree.Let(pattern, type, self.inner_block()))
                self.expect("in", "a `let` ends with `in`, and what it is for comes after")
                continue
            result = self.expr()
            if not self.skip(";"):
                return tree.Block(self.since(start), lets, result)
            lets.append(tree.Let(None, None, result))

    def inner_block(self) -> Expr:
        """A block in the place of an expression."""
        return self.block() if self.sees("let") else self.expr()

    def item(self) -> Expr:
        """A block in a parenthesis."""
        block = self.block()
        return block if block.lets else block.result

    def pattern(self) -> tree.Pattern:
        start = self.next.start
        if not self.skip("("):
            return self.name("a name", "write let x = e in, or let (x, y) = e in")
        if self.skip(")"):
            return tree.Literal(self.since(start), "()")
        items = self.list(self.pattern, ")", "write let (x, y) = e in")
        return tree.Apply(self.since(start), "(", items)

    # expressions

    def expr(self) -> Expr:
        start = self.next.start
        if self.skip("accum"):
            return self.accum(start)
        left = self.choice()
        if not self.skip("+="):
            return left
        right = self.choice()
        return tree.Apply(self.since(start), "+=", [left, right])

    def accum(self, start: int) -> Expr:
        if not (self.next.kind == "name" and self.tokens[self.k + 1].text == "from"):
            init = self.choice()
            return tree.Accum(self.since(start), init)
        name = self.name("a name", "write accum a from x in")
        self.take()
        init = self.choice()
        self.expect("in", "write accum a from x in, and then what adds to a")
        body = self.block()
        return tree.Accum(self.since(start), init, name, body)

    def choice(self) -> Expr:
        start, c = self.next.start, self.binary(1)
        if not self.skip("?"):
            return c
        x = self.choice()
        self.expect(":", "write c ? x : y")
        y = self.choice()
        return tree.Apply(self.since(start), "select", [c, x, y])

    def binary(self, level: int) -> Expr:
        start, left = self.next.start, self.unary()
        while (own := _LEVELS.get(self.next.text, 0)) >= level:
            symbol = self.take().text
            right = self.binary(own + 1)
            if own == _LEVELS.get(self.next.text, 0) == 3:
                hint = "write a < b and b < c, or put one in parentheses"
                self.fail("a comparison of a comparison", hint, self.next.at)
            left = tree.Apply(self.since(start), symbol, [left, right])
        return left

    def unary(self) -> Expr:
        start, word = self.next.start, self.next.text
        operation = word in _PREFIX and word != "not" and self.is_operand(self.tokens[self.k + 1])
        if not operation and word not in ("-", "not", "fst", "snd", "freeze", "&"):
            return self.postfix()
        self.take()
        x = self.binary(3) if word == "not" else self.unary()
        if word in ("fst", "snd"):
            return tree.Field(self.since(start), x, int(word == "snd"))
        if word == "-" and isinstance(x, tree.Literal) and x.text[0] not in "-tfz(":
            return tree.Literal(self.since(start), "-" + x.text)
        return tree.Apply(self.since(start), word, [x])

    def is_operand(self, token: Token) -> bool:
        """True if an operand starts here: a name before it is an operation."""
        return token.kind == "number" or token.text in _OPERANDS or (token.kind == "name" and token.text not in INFIX)

    def postfix(self) -> Expr:
        start, x = self.next.start, self.atom()
        while True:
            if self.skip("["):
                i = self.choice()
                self.expect("]", "write v[i]")
                x = tree.Apply(self.since(start), "[]", [x, i])
            elif self.skip("."):
                token = self.take()
                if token.kind == "string":
                    x = tree.Field(self.since(start), x, json.loads(token.text))
                elif token.kind in ("name", "word") or token.text.isdigit():
                    x = self.fields(x, token.text.split("."), token.start)
                else:
                    self.unexpected("the name of a field", token, "write p.x, or t.0")
            else:
                return x

    def fields(self, x: Expr, names: list[str], end: int) -> Expr:
        """`x.a.b`; `end` is where the first of the names starts."""
        for name in names:
            end += len(name)
            x = tree.Field((x.at[0], end), x, int(name) if name.isdigit() else name)
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
        self.unexpected("an expression", token, hint)

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
        return tree.Literal(token.at, token.text)

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
        return self.fields(Name(at, first), rest, at[1] + 1)

    def call(self, hint: str) -> tree.Call:
        start, name = self.next.start, self.name("a function", hint, dots=True)
        types = self.list(self.type, ">", hint) if self.skip("<") else None
        self.expect("(", hint)
        args = self.list(self.inner_block, ")", "arguments have commas between them, as in f(x, y)")
        return tree.Call(self.since(start), name.name, args, types)

    def parenthesis(self, start: int) -> Expr:
        if self.skip(")"):
            return tree.Literal(self.since(start), "()")
        if self.skip(","):
            self.expect(")", "(,) is the empty tuple")
            return tree.Apply(self.since(start), "(", [])
        first = self.item()
        if self.skip(")"):
            return first
        if not self.skip(","):
            self.expect(")", "a parenthesis that is opened is closed with )")
        rest = self.list(self.item, ")", "items have commas between them, as in (x, y)")
        return tree.Apply(self.since(start), "(", [first, *rest])

    def bracket(self, start: int) -> Expr:
        if not self.skip("for"):
            items = self.list(self.choice, "]", "elements have commas between them, as in [x, y]")
            return tree.Apply(self.since(start), "[", items)
        hint = "write [for i: n, ...]"
        index = self.name("the index of the loop", hint)
        self.expect(":", hint)
        size = self.type()
        self.expect(",", hint)
        states: list[tree.State] = []
        while self.next.kind == "name" and self.tokens[self.k + 1].text in (":", "from"):
            states.append(self.state())
        body = self.block()
        self.expect("]", "a loop that is opened with [ is closed with ]")
        return tree.For(self.since(start), index, size, states, body)

    def state(self) -> tree.State:
        hint = "write a state as s: Real from x, with a comma after it"
        name = self.name("the name of a state", hint)
        type = self.type() if self.skip(":") else None
        self.expect("from", hint)
        init = self.choice()
        self.expect(",", hint)
        return tree.State(name, type, init)


_SPAN = "write Span[4, 1, 5] for indices below 4, from one below 1 to one below 5"
_OF_TWO = {  # what stands between the two functions of a body, and how it is written
    "if": ("else", "write if c then f(x) else g(x), of two functions of all parameters after the first"),
    "while": ("do", "write while test(x, y) do step(x, y), of two functions of all parameters"),
    "linear": ("transposed", "write linear f(x, y) transposed g(x, y), of two functions of all parameters"),
}


def _named(token: Token) -> str:
    return "the end of the text" if token.kind == "end" else repr(token.text)
