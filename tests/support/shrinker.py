"""Smaller programs that fail in the same way: with fewer statements, and with operands in the place of expressions."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import islice
from typing import Any

from paths import TESTS
from random_programs import Program

Law = Callable[[Program], None]
Change = Callable[[ast.Module, int], Iterator[ast.Module]]
MOST = 2000  # programs that are tried


def failure(law: Law, p: Program) -> object:
    """What tells one failure of a law from others: the kind of error, and the line of the law; None if it holds."""
    try:
        law(p)
    except Exception as e:
        frames = traceback.extract_tb(e.__traceback__)
        return type(e), [(f.filename, f.lineno) for f in frames if f.filename.startswith(str(TESTS))]
    return None


def shrunk(p: Program, law: Law) -> Program:
    """A small program that breaks the law as `p` does; `p` itself if nothing smaller does."""
    wanted, tried, before = failure(law, p), {p.source}, None

    def fails(q: Program) -> bool:
        if q.source in tried or len(tried) > MOST:
            return False
        tried.add(q.source)
        return failure(law, q) == wanted

    while p is not before:
        before = p
        p = _changed(_simpler_expressions, _changed(_fewer_statements, p, fails), fails)
    return p


def _changed(change: Change, p: Program, fails: Callable[[Program], bool]) -> Program:
    """The program after all changes of one kind, at each node in turn, after which it still fails."""
    k = 0
    while k < len(list(ast.walk(tree := ast.parse(p.source)))):
        programs = (p._replace(source=ast.unparse(ast.fix_missing_locations(t)) + "\n") for t in change(tree, k))
        smaller = next(filter(fails, programs), None)
        p, k = (smaller, k) if smaller else (p, k + 1)
    return p


def statements(source: str) -> int:
    """How many statements a program has, beside definitions of functions."""
    return sum([isinstance(n, ast.stmt) and not isinstance(n, ast.FunctionDef) for n in ast.walk(ast.parse(source))])


def _fewer_statements(tree: ast.Module, k: int) -> Iterator[ast.Module]:
    """The program without some of the statements in its k-th node: all, halves, quarters, ..., each."""
    node = _nth(tree, k)
    body = getattr(node, "body", None)
    size = len(body) if isinstance(body, list) else 0
    while size:
        for at in range(0, len(body), size):
            copy = deepcopy(tree)
            rest = _nth(copy, k).body
            del rest[at : at + size]
            yield copy
        size //= 2


def _simpler_expressions(tree: ast.Module, k: int) -> Iterator[ast.Module]:
    """The program with an expression of the k-th node replaced by one of its operands, or by a literal."""
    node = _nth(tree, k)
    for name, value in ast.iter_fields(node):
        if name in ("func", "decorator_list"):
            continue
        for at, whole in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(whole, ast.expr) and not isinstance(whole, ast.Constant):
                parts = [n for n in ast.walk(whole) if isinstance(n, ast.expr) and n is not whole]
                for part in [*parts, ast.Constant(1.0)]:
                    copy = deepcopy(tree)
                    parent = _nth(copy, k)
                    if isinstance(value, list):
                        getattr(parent, name)[at] = part
                    else:
                        setattr(parent, name, part)
                    yield copy


def _nth(tree: ast.AST, k: int) -> Any:
    return next(islice(ast.walk(tree), k, None))
