"""The classes of structs that a program makes go when the program lets go of them, whatever was done with functions of
them: no table of the compiler keeps a type, and with it a class, for ever."""

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rose
from rose import Real, Vec, fn


def steps(cls: Any) -> Any:
    """A loop, a branch, a vector and a print of structs."""

    def body(p: Any, n: Any) -> Any:
        q = rose.while_loop(lambda s: s.x < 9.0, lambda s: cls(s.x * 2.0, s.v), p)
        r = rose.cond(n > 0.0, lambda: q, lambda: p)
        rose.print("{}", r)
        ps = rose.vec(cls(r.x * i, r.v) for i in rose.range(3))
        return ps[1].x + rose.sum(s.x for s in ps)

    return of(cls, body)


def asked(cls: Any) -> Any:
    """A call of an opaque function of a struct."""

    def same(p: Any) -> Any:
        return p

    same.__annotations__ = {"p": cls, "return": cls}
    ask = rose.opaque(same)
    return of(cls, lambda p, n: ask(p).x * n)


def of(cls: Any, body: Callable[..., Any]) -> Any:
    return fn([cls, Real], Real)(body)


def product(cls: Any) -> Any:
    return of(cls, lambda p, n: p.x * p.v[0] * rose.sin(n))


USES: dict[str, Callable[[Any, Any, Path], Any]] = {
    "trace": lambda cls, p, _: product(cls).func,
    "grad": lambda cls, p, _: rose.grad(product(cls)).func,
    "hessian": lambda cls, p, _: rose.compile(rose.hessian(product(cls), argnums=1))(p, 2.0),
    "grad of grad": lambda cls, p, _: rose.compile(rose.grad(rose.grad(product(cls), argnums=1), argnums=0))(p, 2.0),
    "jet": lambda cls, p, _: rose.compile(rose.jet(product(cls), 3)).wasm,
    "a call": lambda cls, p, _: product(cls)(p, 2.0),
    "f32": lambda cls, p, _: rose.compile(product(cls), dtype="f32")(p, 2.0),
    "map": lambda cls, p, _: rose.compile(product(cls)).map([p, p], 2.0),
    "save": lambda cls, p, out: rose.compile(product(cls)).save(out, "line", force=True),
    "loops": lambda cls, p, _: rose.compile(rose.grad(steps(cls)))(p, 2.0),
    "an opaque function": lambda cls, p, _: rose.compile(asked(cls))(p, 2.0),
    "trace_table": lambda cls, p, _: str(rose.trace_table(product(cls), p, 2.0)),
}


@pytest.mark.parametrize("name", USES)
def test_classes_go_with_all_that_was_made_of_them(name: str, tmp_path: Path):
    def used(k: int) -> weakref.ref[Any]:
        cls = rose.struct(type(f"S{k}", (), {"__annotations__": {"x": Real, "v": Vec[3]}}))
        USES[name](cls, cls(1.0, [1.0, 2.0, 3.0]), tmp_path / "out")
        return weakref.ref(cls)

    refs = [used(k) for k in range(100 if name in ("trace", "grad") else 5)]
    gc.collect()
    assert [r() for r in refs if r() is not None] == []
