"""The call graph: callees and walks in post-order, branches and while loops, memos, and the cost of functions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from .builder import ADD_TO, CALL, CONST, FOR, PACK, PARAM, PURE_CALL, TUPLE, ZERO, Builder, Op, building
from .func import Block, Body, Branch, Func, Kind, Linear, Opaque, Origin, While
from .types import Bool, Tuple, linear_part, tangent
from .value import Value
from .views import loop_of

T = TypeVar("T")
Work = Generator["Work[Any]", Any, T]  # gives other work that it needs done, and is sent its answer


def make_branch(name: str, then: Func, otherwise: Func, *, origin: Origin | None = None) -> Func:
    """The branch that calls `then` if its first parameter holds, else `otherwise`, with its other parameters."""
    assert [p.type for p in then.params] == [p.type for p in otherwise.params], name
    assert then.result is otherwise.result, name
    return _of_calls(name, then, otherwise, Branch(then, otherwise), origin)


def make_while(name: str, test: Func, body: Func, most: int | None = None, *, origin: Origin | None = None) -> Func:
    """The while loop that carries its states through iterations of `body`, for as long as `test` holds.

    Its parameters are the states, and what stays the same: `test` and `body` take all of them. The result is the
    tuple of the last states. More than `most` iterations are an error.
    """
    types = [p.type for p in body.params]
    assert [p.type for p in test.params] == types and test.result is Bool, name
    assert isinstance(body.result, Tuple) and list(body.result.items) == types[: len(body.result.items)], name
    return _of_calls(name, body, test, While(test, body, most), origin)


def make_linear(name: str, by: Func, transposed: Func) -> Func:
    """The function `by`, of which the first parameter is a tangent, in which it is linear; so is the result."""
    x, *rest = [p.type for p in by.params]
    assert [p.type for p in transposed.params] == [by.result, *rest] and transposed.result is x, name
    assert linear_part(tangent(x)) is x and linear_part(tangent(by.result)) is by.result, name
    with building(name) as b:
        for k, p in enumerate(by.params):
            b.loc = p.loc
            b.param(p.type if k else tangent(x), p.attr)
    pure = by.pure and transposed.pure
    return Func(name, b.root, tangent(by.result), pure=pure, kind=Linear(by, transposed))


def _of_calls(name: str, f: Func, other: Func, kind: Branch | While, origin: Origin | None) -> Func:
    """A function without instructions, with the parameters and the result of `f`; a branch takes a Bool before."""
    with building(name) as b:
        if isinstance(kind, Branch):
            b.param(Bool, "c")
        declared(b, f.params)
    return Func(name, b.root, f.result, pure=f.pure and other.pure, kind=kind, origin=origin)


def declared(b: Builder, values: Iterable[Value]) -> list[Value]:
    """A parameter for each of some values; that of a parameter has its name."""
    made: list[Value] = []
    for v in values:
        b.loc = v.loc
        made.append(b.param(v.type, v.attr if v.op is PARAM else None))
    return made


def with_parts(f: Func, made: Mapping[Func, Func]) -> Func:
    """A function without instructions over what was made of its parts; itself, if they are the same."""
    if all([made[g] is g for g in callees(f)]):
        return f
    return Func(f.name, f.body, f.result, pure=f.pure, kind=map_kind(f.kind, made.__getitem__), origin=f.origin)


def map_kind(kind: Kind, new: Callable[[Func], Func]) -> Kind:
    """The same kind, with `new(g)` for each function `g` that it names."""
    match kind:
        case Branch(then, otherwise):
            return Branch(new(then), new(otherwise))
        case While(test, body, most):
            return While(new(test), new(body), most)
        case Linear(by, transposed):
            return Linear(new(by), new(transposed))
        case Body() | Opaque():
            return kind


def instructions(block: Block) -> Iterator[Value]:
    """All instructions of a block, those in its loops too: each takes the same time, however deep it lies."""
    around = [iter(block.code)]
    while around:
        for v in around[-1]:
            yield v
            if v.op is FOR:
                around.append(iter(loop_of(v).code))
                break
        else:
            around.pop()


class Inventory(NamedTuple):
    """The inventory of a function: what decides whether a pass begins, so that no pass walks to learn it."""

    operations: set[Op]
    calls: list[Value]
    weight: int


def inventory(f: Func) -> Inventory:
    """What is in a function, in its loops too: found in one walk, and once, until `changed`."""
    if f.inventory is None:
        f.inventory = _counted(f.body)
    return f.inventory


def _counted(block: Block) -> Inventory:
    ops = [v.op for v in block.code]
    operations, calls, total = set(ops), list[Value](), len(ops)
    if ADD_TO in operations:
        total += ops.count(ADD_TO)
    if not operations.isdisjoint(_CALLS_AND_LOOPS):
        for v in [v for v in block.code if v.op in _CALLS_AND_LOOPS]:
            if v.op is FOR:
                inner = _counted(v.attr)
                operations |= inner.operations
                calls += inner.calls
                total += inner.weight
            else:
                calls.append(v)
    return Inventory(operations, calls, total)


_CALLS_AND_LOOPS = {PURE_CALL, CALL, FOR}


def calls(f: Func) -> list[Value]:
    """The calls in a function, those in its loops too."""
    return inventory(f).calls


def operations(f: Func) -> set[Op]:
    """The operations in a function, those in its loops too."""
    return inventory(f).operations


def changed(f: Func) -> None:
    """Note that a pass has edited `f` in place. The verifier finds one that forgets it."""
    f.inventory = f.users = None


def is_current(f: Func) -> bool:
    """True unless the inventory of `f` was taken before an edit of which nobody took note."""
    known, now = f.inventory, _counted(f.body)
    if known is None:
        return True
    return known._replace(calls=[]) == now._replace(calls=[]) and list(map(id, known.calls)) == list(map(id, now.calls))


def callees(f: Func) -> list[Func]:
    """The functions that `f` calls, once for each call."""
    match f.kind:
        case Body():
            return [v.attr for v in calls(f)]
        case Branch(then, otherwise):
            return [then, otherwise]
        case While(test, body, _):
            return [test, body]
        case Linear(by, transposed):
            return [by, transposed]
        case Opaque():
            return []


def is_table(v: Value) -> bool:
    """True for a call of a function that is made of literals."""
    return v.op is PURE_CALL and not v.args and v.attr.has_body and all([w.op in _LITERAL for w in v.attr.body.code])


_LITERAL = {CONST, ZERO, TUPLE, PACK}


# Programs have calls within calls by the thousand, so that no pass recurs into what a function calls.


def callees_first(f: Func, is_missing: Callable[[Func], bool]) -> Iterator[Func]:
    """Yield the functions reachable from `f` for which `is_missing` holds, in post-order: callees first.

    The caller must make it false for each before it asks for the next.
    """
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


def memoised(f: Func, key: object, make: Callable[[Func], T], is_made: Callable[[Func], bool] = lambda f: True) -> T:
    """`make(f)`, from the memo. That of each function reachable from `f` for which `is_made` holds is made before.

    The key is the pass's own function, or a tuple that begins with it.
    """
    if key not in f.memo:
        for g in callees_first(f, lambda g: key not in g.memo and (g is f or is_made(g))):
            g.memo[key] = make(g)
    return f.memo[key]


def has_tangents(f: Func) -> bool:
    """True if some number that it takes or gives is a `Tan`."""
    return f.result.linear or any([p.type.linear for p in f.params])


def reachable(*fs: Func) -> Iterator[Func]:
    """Some functions and all that they call, directly or not, each once."""
    seen, todo = set(fs), list(dict.fromkeys(fs))
    while todo:
        yield (g := todo.pop())
        new = [h for h in dict.fromkeys(callees(g)) if h not in seen]
        seen.update(new)
        todo += new


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


def length(f: Func) -> int:
    """The `weight` of all instructions of a function."""
    return inventory(f).weight


def weight(block: Block) -> int:
    """The sum of `weight_of` of each instruction of a block."""
    return _counted(block).weight


def weight_of(v: Value) -> int:
    """1 for an instruction, and 1 for an accumulator that it adds to: each may be a parameter of a piece."""
    if v.op is FOR:
        return 1 + weight(v.attr)
    return 1 + (v.op is ADD_TO)
