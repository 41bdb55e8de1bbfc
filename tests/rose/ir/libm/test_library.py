"""The file that holds musl's functions."""

from rose.ir.libm.library import CALL, SPECIAL_STACK, STACK, both, closure, holding, library, pack, unpack


def test_a_library_is_the_same_when_it_is_packed_and_unpacked():
    made = library()
    assert unpack(pack(made)) == made


def test_a_closure_has_all_that_its_functions_call_and_read():
    made = library()
    found = closure(["sin", "pow"])
    names = {f.name for f in found.functions}
    assert {"sin", "pow"} <= names
    assert all(r.target in names for f in found.functions for r in f.relocations if r.kind == CALL)
    assert {d.name for d in found.data} <= set(made.data)


def test_the_order_of_a_closure_depends_on_the_names_only():
    assert closure(["sin", "cos"]) == closure(["sin", "cos"])
    assert len(closure(["sin", "sin"]).functions) == len(closure(["sin"]).functions)


def test_special_functions_call_those_of_musl_and_need_a_larger_stack():
    found = closure(["special_jv"])
    assert {"special_jv", "sin"} <= {f.name for f in found.functions} <= set(both().functions)
    assert (found.stack, closure(["sin"]).stack, closure(["exp"]).stack) == (SPECIAL_STACK, STACK, 0)


def test_the_smaller_library_is_taken_where_it_has_all():
    assert holding("sin", "pow") is library() and holding("sin", "special_i0e") is both()
