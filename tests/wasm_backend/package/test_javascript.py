"""The JavaScript of a package: entry points, signatures as data, and the files of the runtime."""

import base64
import re
from collections.abc import Sequence

import pytest
from handwritten_package import ADD, LINE, MODULE, SAME, WASM, declarations, lowered, message, of, opaque, struct

from rose.errors import RoseError
from rose.ir import Func
from rose.ir.types import Bool, Fin, Real, Single, Unit, Vec
from wasm_backend.abi.signature import Signature
from wasm_backend.package.files import package_files
from wasm_backend.package.javascript import runtime, signature_data


def test_the_entries():
    files = {name: text.decode() for name, text in package_files(MODULE, "line").items() if name.endswith(".js")}
    assert 'entry(() => new URL("./line.wasm", import.meta.url));' in files["index.js"]
    assert 'import module from "./line.wasm";' in files["workerd.js"]
    assert f'entry(() => bytes("{base64.b64encode(WASM).decode()}"));' in files["inline.js"]
    assert "line.wasm" not in files["inline.js"] + files["core.js"]  # or a bundler would copy it beside
    for name in ("index.js", "workerd.js", "inline.js"):
        assert "export const { init, initSync, load } = entry(() => " in files[name]
        assert "export default init;" in files[name]
    for text in files.values():
        assert "eval(" not in text
        assert "Function(" not in text
        assert not re.search(r"^\s*(const \S+ = )?await", text, re.MULTILINE)


def core(*signatures: Signature, imports: Sequence[Func] = ()) -> str:
    return package_files(lowered(*signatures, imports=imports), "line")["core.js"].decode()


def test_core_has_the_functions_and_the_name_of_the_package():
    text = core(ADD, SAME)
    assert text.startswith("// Made by Rose: the functions of the module, and what loads it.\n")
    assert text.endswith('export const entry = (own) => loader(functions, own, "line");\n')
    assert "return {add:n.add,same:m.same}" in text


def test_a_module_brings_what_it_needs_of_the_runtime_and_no_more():
    def brought(text: str) -> set[str]:
        return {name for name in ("number", "array", "single", "index", "bool", "find") if f"\nconst {name} = " in text}

    assert brought(core(ADD)) == set()
    assert brought(core(ADD, SAME)) == {"number", "array"}
    assert brought(core(of("f", Real, p=Bool))) == {"bool"}
    assert brought(core(of("f", Real, v=Vec(2, struct("S", i=Fin(3)))))) == {"array", "index"}
    assert brought(core(of("f", Real, x=Single))) == {"single"}
    assert brought(core(ADD, imports=[opaque("log", Real, x=Real)])) == {"number", "find"}


def test_the_runtime_is_shipped_without_our_comments():
    text = runtime(["bind", "loader", "rows", "into", "flat", "line", "failed", "bools", "indices", "singles", "find"])
    assert not [line for line in text.splitlines() if line.startswith(("//", "import "))]
    assert "/**" not in text


def test_functions_of_the_same_types_share_what_writes_and_reads_them():
    point = struct("P", x=Real, y=Real)
    many = [of(name, Vec(9, point), ps=Vec(9, point)) for name in ("f", "g", "h")]
    one, three = core(*many[:1]), core(*many)
    assert one.count("o[i]=") == three.count("o[i]=") == 1
    assert one.count(".x,q") == three.count(".x,q") == 1


def test_the_data_of_imports():
    pick = opaque("pick", LINE, k=Fin(3), none=Vec(0, Real), nothing=Unit)
    assert signature_data(lowered(ADD), [pick])["imports"] == [
        {
            "name": "pick",
            "params": [
                {"type": {"kind": "index", "size": 3}, "empty": False},
                {"type": {"kind": "vec", "size": 0, "stride": 8, "elem": {"kind": "real"}}, "empty": True},
                {"type": {"kind": "unit"}, "empty": True},
            ],
            "result": SAME.describe()["result"]["type"],
        }
    ]


def test_opaque_functions_of_one_name_have_one_type():
    same = [opaque("pick", Real, x=Real), opaque("pick", Real, y=Real)]
    assert declarations(ADD, imports=same).count("pick") == 1
    with pytest.raises(RoseError) as e:
        package_files(lowered(ADD, imports=[*same, opaque("pick", Bool, x=Real)]), "line")
    assert message(e) == [
        "two opaque functions are called pick, and their types differ",
        '  hint: give one of them another name, with @opaque(name="...")',
    ]
