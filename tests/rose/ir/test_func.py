"""Blocks, and functions with their kinds, origins and histories."""

from rose.ir import Block, Branch, Func, Opaque, Origin, building, copying, deriving
from rose.ir.types import Real


def identity(name: str = "f") -> Func:
    with building(name) as b:
        return b.func(b.param(Real, "x"))


def test_a_block_is_inside_those_around_it_and_no_others():
    outer = Block()
    inner = Block(Block(outer))
    assert inner.inside(inner) and inner.inside(outer)
    assert not outer.inside(inner)


def test_a_function_that_is_built_has_instructions_and_no_host_function():
    f = identity()
    assert f.has_body and not f.is_opaque and f.impl is None


def test_an_opaque_function_has_a_host_function_and_no_instructions():
    f = identity()
    g = Func("g", f.body, Real, pure=True, kind=Opaque(abs))
    assert g.is_opaque and g.impl is abs and not g.has_body


def test_a_branch_has_neither_instructions_nor_a_host_function():
    f = identity()
    g = Func("g", f.body, Real, pure=True, kind=Branch(f, f))
    assert not g.has_body and not g.is_opaque and g.impl is None


def test_a_branch_is_one_size_of_many_if_a_part_is():
    f, g = identity(), identity("g")
    g.mark(sized=True)
    assert not Func("h", f.body, Real, pure=True, kind=Branch(f, f)).sized
    assert Func("h", f.body, Real, pure=True, kind=Branch(f, g)).sized


def test_the_history_of_a_function_goes_back_to_the_one_that_a_user_wrote():
    f = identity()
    with deriving(f, "jvp") as b:
        d = b.func(b.param(Real, "x"))
    with deriving(d, "bwd") as b:
        back = b.func(b.param(Real, "x"))
    assert [*back.history] == [back, d, f]
    assert (d.name, back.name, back.origin) == ("f.jvp", "f.jvp.bwd", Origin("bwd", d))


def test_a_copy_comes_from_where_the_function_does():
    f = identity()
    with deriving(f, "jvp") as b:
        d = b.func(b.param(Real, "x"))
    with copying(d) as b:
        copy = b.func(b.param(Real, "x"))
    assert copy is not d and copy.origin == d.origin and copy.name == d.name
