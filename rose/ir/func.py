"""Functions of the IR, and the blocks of instructions that they are made of."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from ..errors import Loc
from .sizes import Size
from .types import Fin, Ref, Type
from .value import Value


class Block:
    """Instructions in order, and the values handed back at the end."""

    __slots__ = ("code", "known", "params", "parent", "results")

    def __init__(self, parent: Block | None = None) -> None:
        self.params: list[Value] = []
        self.code: list[Value] = []
        self.results: tuple[Value, ...] = ()
        self.parent = parent
        self.known: dict[Any, Value] = {}  # what this block already holds, by operation and arguments

    @property
    def root(self) -> Block:
        """The outermost block around this one: that of its function."""
        block = self
        while block.parent is not None:
            block = block.parent
        return block

    def inside(self, other: Block) -> bool:
        """True if this block is `other`, or nested in it."""
        block: Block | None = self
        while block is not None and block is not other:
            block = block.parent
        return block is not None


class Loop(Block):
    """The block of a `for`, run once for each of its indices: the next states are given to the next iteration.

    Its parameters are the index and the states, its results the next states and then the elements of the vectors.
    """

    __slots__ = ()

    @property
    def index(self) -> Value:
        return self.params[0]

    @property
    def indices(self) -> Fin:
        """The type of the index, whose size is the count of iterations; of those of a span, a bound."""
        assert isinstance(self.params[0].type, Fin)
        return self.params[0].type

    @property
    def size(self) -> int | Size:
        return self.indices.size

    @property
    def states(self) -> list[Value]:
        """The states in an iteration, a span first; the arguments of the `for` are those before the first."""
        return self.params[1:]

    @property
    def carried(self) -> int:
        """The number of states."""
        return len(self.params) - 1

    def state(self, j: int) -> Value:
        """One of the states in an iteration."""
        return self.params[1 + j]

    @property
    def following(self) -> tuple[Value, ...]:
        """The states after an iteration: of the `for` itself the first items, after the last iteration."""
        return self.results[: self.carried]

    @property
    def elements(self) -> tuple[Value, ...]:
        """What an iteration adds to the vectors, which are the other items of the `for`."""
        return self.results[self.carried :]

    def equals(self, other: Loop) -> bool:
        """True if, of the same states, two loops give the same, and nothing else is seen of either."""
        twins: dict[Value, Value] = {}
        return _are_twins(self, other, twins) and not any([_is_seen(v, twins) for v in twins])


def _are_twins(x: Block, y: Block, twins: dict[Value, Value]) -> bool:
    """True if two blocks have the same instructions: `twins` maps the values of the first to those of the second."""
    todo: list[tuple[Block, Block]] = [(x, y)]
    for x, y in todo:
        if len(x.code) != len(y.code) or [p.type for p in x.params] != [p.type for p in y.params]:
            return False
        twins.update(zip(x.params, y.params, strict=True))
        for v, w in zip(x.code, y.code, strict=True):
            same = v.op is w.op and v.type is w.type and len(v.args) == len(w.args)
            if not same or not all([twins.get(a, a) is b for a, b in zip(v.args, w.args, strict=True)]):
                return False
            if isinstance(v.attr, Block) and isinstance(w.attr, Block):
                todo.append((v.attr, w.attr))
            elif v.attr != w.attr:
                return False
            twins[v] = w
    return all([
        len(x.results) == len(y.results)
        and all([twins.get(a, a) is b for a, b in zip(x.results, y.results, strict=True)])
        for x, y in todo
    ])  # fmt: skip


def _is_seen(v: Value, inside: Container[Value]) -> bool:
    """True if an instruction adds to what is outside, or calls what does more than give a result."""
    calls = isinstance(v.attr, Func) and not v.attr.pure
    return calls or any([isinstance(a.type, Ref) and a not in inside for a in v.args])


class Body:
    """The kind of a function with instructions."""


class AsData:
    """A function of the host that is data: the runtimes do the same, in Python and in pages."""

    loc: Loc | None = None  # that it tells

    def data(self, number: Callable[[Type], int]) -> Any:
        """All that it is, with the numbers of types in their places."""
        raise NotImplementedError


class Opaque(NamedTuple):
    """The kind of a function that the host evaluates."""

    impl: Callable[..., Any]


class Branch(NamedTuple):
    """The kind of a function that calls one of two with all parameters but the first, which says which."""

    then: Func
    otherwise: Func


class While(NamedTuple):
    """The kind of a while loop: `body` is called for as long as `test` holds, at most `most` times."""

    test: Func
    body: Func
    most: int | None


class Linear(NamedTuple):
    """The kind of a function that is linear in a tangent, its first parameter, because its maker says so.

    `by` is the same function over numbers. `transposed` takes the cotangent of the result in the place of the tangent,
    and gives the cotangent of that.
    """

    by: Func
    transposed: Func


Kind = Body | Opaque | Branch | While | Linear
BODY = Body()


class Origin(NamedTuple):
    """The origin of a function that no user wrote: derived from another, or, with none, made by Rose itself."""

    by: Literal["jvp", "fwd", "bwd", "lin", "sweep", "jet", "piece", "scan", "segment", "while", "library"]
    derived_from: Func | None = None


@dataclass(frozen=True)
class Marks:
    """What is known of a function beside its instructions; its copies have the same, but for what a pass changes."""

    remat: bool = False  # reverse mode keeps its parameters, and recomputes the rest
    primal: Func | None = None  # the function that it is a derivative of
    jvp: Func | Later | None = None  # the user's derivative, over (primal, tangent) pairs
    linear: Func | None = None  # the same with a tangent for its first parameter: it is linear as its maker says so
    sized: bool = False  # it is one size of a function of any size: derivatives have the others' bits
    refused: tuple[str, str] | None = None  # why it has no derivative, and what to write


class Later:
    """A derivative that is made when it is first asked for, as its own may have one without end."""

    __slots__ = ("func", "make")

    def __init__(self, make: Callable[[], Func]) -> None:
        self.make, self.func = make, None

    def made(self) -> Func:
        if self.func is None:
            self.func = self.make()
        return self.func


UNMARKED = Marks()


class Func:
    """A function of the IR. Only one of the kind `Body` has instructions; the block of any other has parameters.

    A pure one does nothing but make its result, and add to the accumulators that it is given.
    """

    __slots__ = (
        "body", "differentiated", "inventory", "kind", "marks", "memo", "name", "origin", "pure", "result", "users",
    )  # fmt: skip

    def __init__(
        self, name: str, body: Block, result: Type, *, pure: bool, kind: Kind = BODY, origin: Origin | None = None
    ) -> None:
        self.name, self.body, self.result, self.pure, self.kind = name, body, result, pure, kind  # the name is a label
        self.origin = origin
        self.marks = Marks(sized=True) if _has_sized(kind) else UNMARKED
        self.inventory: Any = None  # what is in it, once that was asked for: see `callgraph.inventory`
        self.users: Any = None  # those of its values, once they were asked for: see `users.users_of`
        self.differentiated = False  # a derivative was made without one: it can be given none any more
        self.memo: dict[Any, Any] = {}  # a cache of what passes derived from this function: see `callgraph.memoised`

    @property
    def params(self) -> list[Value]:
        return self.body.params

    def mark(self, **changes: Any) -> None:
        """Change some of its marks."""
        self.marks = replace(self.marks, **changes)

    @property
    def remat(self) -> bool:
        return self.marks.remat

    @property
    def primal(self) -> Func | None:
        return self.marks.primal

    @property
    def jvp(self) -> Func | None:
        """The derivative that was given: made now, if it has not been yet."""
        given = self.marks.jvp
        return given.made() if isinstance(given, Later) else given

    @property
    def has_rule(self) -> bool:
        return self.marks.jvp is not None

    @property
    def made_rule(self) -> Func | None:
        """The derivative that was given, unless it is still to be made."""
        given = self.marks.jvp
        return given.func if isinstance(given, Later) else given

    @property
    def sized(self) -> bool:
        return self.marks.sized

    @property
    def loc(self) -> Loc | None:
        """Where its parameters are declared; None without any."""
        return self.params[0].loc if self.params else None

    @property
    def history(self) -> Iterator[Func]:
        """The function, what it was derived from, what that was derived from, and so on."""
        f: Func | None = self
        while f is not None:
            yield f
            f = f.origin and f.origin.derived_from

    @property
    def impl(self) -> Callable[..., Any] | None:
        """The host function of an opaque function; None for any other."""
        return self.kind.impl if isinstance(self.kind, Opaque) else None

    @property
    def is_opaque(self) -> bool:
        return isinstance(self.kind, Opaque)

    @property
    def has_body(self) -> bool:
        """True if it has instructions."""
        return self.kind is BODY

    def __repr__(self) -> str:
        return f"<Func {self.name}>"


def _has_sized(kind: Kind) -> bool:
    """Whether a function that a function of this kind names is one size of many; of a body its maker says it."""
    match kind:
        case Branch(f, g) | While(f, g, _) | Linear(f, g):
            return f.sized or g.sized
        case Body() | Opaque():
            return False
