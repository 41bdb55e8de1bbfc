"""Debug information: the origin of each instruction."""

from collections.abc import Collection
from itertools import groupby
from types import CodeType
from typing import Any

import rose
from rose import Real, Vec, fn
from rose.ir import Func
from wasm_backend.abi.signature import Lowered
from wasm_backend.debug_info import Origins
from wasm_backend.lower import lower


@fn
def f(x: Real) -> Real:
    return (
        rose.sqrt(x)
        * rose.floor(x)
        + 1.0
    )  # fmt: skip


FIRST = f.func.body.code[0].loc.position()[1]


def lines(made: Lowered) -> list[int | None]:
    """The lines that the instructions come from, relative to the first, as they change."""
    last = dict(made.origins)  # of several at one offset, the last holds
    return [line for line, _ in groupby([loc and loc.position()[1] - FIRST for loc in last.values()])]


def heard(func: Func, asking: Collection[CodeType] = (), **options: Any) -> Lowered:
    """The module of a function with its origins."""
    origins = Origins()
    return origins.of(lower({"f": func}, origins=origins, **options), asking)


def test_a_module_has_origins_only_if_somebody_hears_them():
    assert lower({"f": f.func}).origins == ()
    asked = heard(f.func)
    assert asked.origins != () and asked.wasm == lower({"f": f.func}).wasm


def test_an_operand_has_its_own_line_and_what_reads_it_the_rest():
    found = [line for line in lines(heard(f.func)) if line is not None]
    assert found == [0, 1, 0]


def test_code_that_asks_for_a_module_is_no_origin():
    def body(x: Any) -> Any:
        return rose.sqrt(x)

    g = fn([Real], Real)(body)
    made = heard(g.func, [body.__code__])
    assert {loc for _, loc in made.origins} == {None}


def test_vectorised_loops_have_the_lines_of_their_values():
    g = fn([Vec[64]], Real)(lambda x: rose.sum(rose.sqrt(x[i]) * x[i] / (1.0 + x[i]) for i in rose.range(64)))
    made = heard(g.func, simd=True)
    assert made.plain is not None
    assert {loc and loc.position()[1] for _, loc in made.origins} == {
        loc and loc.position()[1] for _, loc in made.plain.origins
    }


def test_the_origins_of_one_writing_are_told_to_several_that_ask():
    def body(x: Any) -> Any:
        return rose.sqrt(x)

    g, origins = fn([Real], Real)(body), Origins()
    made = lower({"g": g.func}, origins=origins)
    assert {loc for _, loc in origins.of(made, [body.__code__]).origins} == {None}
    assert {loc and loc.code for _, loc in origins.of(made, ()).origins} == {None, body.__code__}
