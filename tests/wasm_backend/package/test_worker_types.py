"""The TypeScript of Workers and `dispose`; `tests/bundlers/test_workers.py` gives it to compilers."""

from handwritten_package import MODULE

from wasm_backend.package.calls import PLAIN, Extras
from wasm_backend.package.files import package_files
from wasm_backend.package.worker_types import entry, members, names, types


def test_a_package_declares_what_it_has():
    assert [f(PLAIN) for f in (entry, members, types)] == ["", "", ""]
    assert "export function remote(" in entry(Extras(workers=True))
    assert "Maps<" not in types(Extras(workers=True))
    assert "Maps<" in types(Extras(maps=True, workers=True))
    assert "dispose(): void" in members(Extras(dispose=True))


def test_a_struct_has_another_name_than_a_type_of_workers():
    assert "Remote" in names(Extras(workers=True))
    assert names(PLAIN) == frozenset()


def test_the_declarations_of_a_package():
    said = package_files(MODULE, "line", extras=Extras(maps=True, workers=True))["index.d.ts"].decode()
    assert "readonly map: Maps<[x: number | ArrayLike<number>, y: number | ArrayLike<number>], Float64Array>" in said
    assert said.index("export type Remote") < said.index("export function remote(")
