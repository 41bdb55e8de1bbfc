"""What a function calls, and the functions that choose what they call, or call it again and again."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, TypeVar

from .builder import ADD_TO, CALL, CONST, FOR, PACK, PURE_CALL, TUPLE, ZERO, building
from .func import Block, Func, Turns
from .types import Bool, Tuple
from .value import Value

T = TypeVar("T")
Work = Generator["Work[Any]", Any, T]  # gives other work that it needs done, and is sent its answer


def choice(name: str, then: Func, otherwise: Func) -> Func:
    """The function that calls `then` if its first parameter holds, else `otherwise`, with its other parameters."""
    assert [p.type for p in then.params] == [p.type for p in otherwise.params], name
    assert then.result is otherwise.result, name
    made = _of_calls(name, then, otherwise, chosen=True)
    made.arms = then, otherwise
    return made


def repeated(name: str, test: Func, body: Func, states: int, most: int | None = None) -> Func:
    """The function that carries `states` through turns of `body`, for as long as `test` holds.

    Its parameters are the states, and what stays the same: `test` and `body` take all of them. The result is the
    tuple of the last states. More than `most` turns are an error.
    """
    types = [p.type for p in body.params]
    assert [p.type for p in test.params] == types and test.result is Bool, name
    assert isinstance(body.result, Tuple) and list(body.result.items) == types[:states], name
    made = _of_calls(name, body, test, chosen=False)
    made.turns = Turns(test, body, most)
    return made


def _of_calls(name: str, f: Func, other: Func, *, chosen: bool) -> Func:
    """A function without instructions, with the parameters and the result of `f`; a choice takes a Bool before."""
    with building(name) as b:
        if chosen:
            b.param(Bool, "c")
        for p in f.params:
            b.loc = p.loc
            b.param(p.type, p.attr)
    return Func(name, b.root, f.result, pure=f.pure and other.pure)


def of_parts(f: Func, made: Mapping[Func, Func]) -> Func:
    """A choice or a loop of other parts; itself, if they are the same. An opaque function has none."""
    if all([made[g] is g for g in callees(f)]):
        return f
    new = Func(f.name, f.body, f.result, pure=f.pure)
    if f.arms is not None:
        new.arms = made[f.arms[0]], made[f.arms[1]]
    if f.turns is not None:
        new.turns = Turns(made[f.turns.test], made[f.turns.body], f.turns.most)
    return new


def instructions(block: Block) -> Iterator[Value]:
    """All instructions of a block, those in its loops too."""
    for v in block.code:
        yield v
        if v.op is FOR:
            yield from instructions(v.attr)


def calls(f: Func) -> list[Value]:
    """The calls in a function, those in its loops too: found once, until `changed`."""
    if f.calls is None:
        f.calls = []
        _find_calls(f.body, f.calls)
    return f.calls


def _find_calls(block: Block, found: list[Value]) -> None:
    for v in block.code:
        if v.op is PURE_CALL or v.op is CALL:
            found.append(v)
        elif v.op is FOR:
            _find_calls(v.attr, found)


def changed(f: Func) -> None:
    """Note that a pass has edited `f` in place."""
    f.calls = None


def callees(f: Func) -> list[Func]:
    """The functions that `f` calls, once for each call."""
    called = [v.attr for v in calls(f)]
    if f.arms is not None:
        return [*f.arms, *called]
    return called if f.turns is None else [f.turns.test, f.turns.body, *called]


def is_table(v: Value) -> bool:
    """True for a call of a function that is made of literals."""
    return v.op is PURE_CALL and not v.args and v.attr.has_body and all([w.op in _LITERAL for w in v.attr.body.code])


_LITERAL = {CONST, ZERO, TUPLE, PACK}


# Programs have calls within calls by the thousand, so that no pass recurs into what a function calls.


def callees_first(f: Func, is_missing: Callable[[Func], bool]) -> Iterator[Func]:
    """What is missing of `f` and all that it calls, each after what it calls: whoever gets it, makes it."""
    todo = [f]
    while todo:
        g = todo[-1]
        missing = [h for h in callees(g) if is_missing(h)] if is_missing(g) else []
        if missing:
            todo += missing
            continue
        todo.pop()
        if is_missing(g):
            yield g


def done(work: Work[T]) -> T:
    """The answer of some work: where what a callee is to become is known only at the call."""
    running: list[Work[Any]] = [work]
    answer: Any = None
    error: BaseException | None = None
    while running:
        try:
            running.append(running[-1].send(answer) if error is None else running[-1].throw(error))
            answer = error = None
        except StopIteration as end:
            running.pop()
            answer, error = end.value, None
        except BaseException as e:
            running.pop()
            answer, error = None, e
    if error is not None:
        raise error
    return answer


def weight(block: Block) -> int:
    """The sum of `weight_of` of each, in one loop: this is asked of every function."""
    total = len(block.code)
    for v in block.code:
        if v.op is FOR:
            total += weight(v.attr)
        elif v.op is ADD_TO:
            total += 1
    return total


def weight_of(v: Value) -> int:
    """1 for an instruction, and 1 for an accumulator that it adds to: each may be a parameter of a piece."""
    if v.op is FOR:
        return 1 + weight(v.attr)
    return 1 + (v.op is ADD_TO)
