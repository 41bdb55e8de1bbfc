"""Functions: each operation has an emitter, and gives the bits of the interpreter."""

from harness import compiled, same

import rose
from rose import Bool, Real, Vec, fn
from rose.host.interpreter import run


def test_items_of_a_long_vector_are_stored_when_they_are_made():
    f = fn([Real], Vec[20])(lambda x: [x * k + 0.5 for k in range(20)]).func
    assert same(compiled(f)(1.5), run(f, 1.5))


def test_a_number_may_be_an_item_of_several_aggregates():
    f = fn([Real], Vec[2, Vec[10]])(lambda x: [[rose.sin(x)] * 10, [rose.sin(x) + 1.0, *[rose.sin(x)] * 9]]).func
    assert same(compiled(f)(1.5), run(f, 1.5))


def test_a_select_of_aggregates_selects_addresses():
    f = fn([Bool, Vec[3], Vec[3]], Vec[3])(rose.select).func
    for c in (True, False):
        assert same(compiled(f)(c, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), run(f, c, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)))


def test_empty_values_take_no_memory():
    f = fn([Vec[0], Real], tuple[Vec[0], Real, tuple[()]])(lambda v, x: (v, x, ())).func
    assert compiled(f)((), 2.0) == ((), 2.0, ())
