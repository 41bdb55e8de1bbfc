"""Building `special.bin` from xsf."""

from rose.ir.libm.library import CALL, SPECIAL, SPECIAL_STACK, both, library
from wasm_backend.libm.build import stack_of
from wasm_backend.libm.build_special import COMMIT, _Names, _parts, source


def test_names_of_cpp_are_read():
    assert _parts("_ZN3xsf6cephes6detail8lgam_sgnEdPi") == ["xsf", "cephes", "detail", "lgam_sgn"]
    assert _parts(".rodata._ZN3xsf6cephes6detailL6azetacE")[-1] == "azetac"
    assert _parts("special_jv") == []


def test_functions_of_one_name_are_told_apart():
    names = _Names()
    assert [names("_ZN3xsf4amos4bknuEd"), names("_ZN3xsf4amos4bknuEi"), names("frexp")] == [
        "xsf.amos.bknu", "xsf.amos.bknu..2", "frexp",
    ]  # fmt: skip
    assert names("_ZN3xsf4amos4bknuEd") == "xsf.amos.bknu"


def test_the_library_is_that_of_a_commit_and_closed_under_calls():
    assert (both().made_from["xsf"], both().made_from["source"]) == (COMMIT, source())
    assert all(
        [r.target in both().functions for f in both().functions.values() for r in f.relocations if r.kind == CALL]
    )


def test_every_function_fits_into_the_stack_with_its_callees():
    known = dict[str, int]()
    assert 0 < max([stack_of(name, both(), known) for name in both().functions]) <= SPECIAL_STACK


def test_what_is_exported_is_no_function_of_musls():
    assert not [name for name in library().functions if name.startswith(SPECIAL)]
    assert len([name for name in both().functions if name.startswith(SPECIAL)]) > 60
