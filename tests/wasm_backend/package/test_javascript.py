"""The JavaScript of a package: entry points, signatures as data, and the files of the runtime."""

import base64
import json
import re
from collections.abc import Sequence

import pytest
from handwritten_package import ADD, LINE, MODULE, SAME, WASM, declarations, lowered, message, of, opaque, struct

from rose.errors import RoseError
from rose.ir import Func
from rose.ir.types import Bool, Fin, Real, Single, Unit, Vec
from wasm_backend.abi.signature import Signature
from wasm_backend.package.files import package_files
from wasm_backend.package.javascript import shipped, signature_data


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


def test_the_signatures():
    core = package_files(MODULE, "line")["core.js"].decode()
    assert core.startswith("// Made by Rose: the functions of the module, as data.\n")
    data = {"exports": [ADD.describe(), SAME.describe()], "imports": [], "name": "line"}
    assert f"const signatures = {json.dumps(data, separators=(',', ':'))[:-1]},values}};\n" in core


def test_a_module_brings_what_it_needs_of_the_runtime_and_no_more():
    def brought(*signatures: Signature, imports: Sequence[Func] = ()) -> list[str]:
        return [k for k in package_files(lowered(*signatures, imports=imports), "line") if k.startswith("rose")]

    assert brought(ADD) == ["rose.js"]
    assert brought(ADD, SAME) == ["rose.js", "rose-values.js"]
    assert brought(of("f", Real, p=Bool)) == ["rose.js", "rose-values.js", "rose-kinds.js"]
    assert brought(of("f", Vec(2, struct("S", i=Fin(3))))) == ["rose.js", "rose-values.js", "rose-kinds.js"]
    assert brought(of("f", Single)) == ["rose.js", "rose-values.js", "rose-kinds.js"]
    assert brought(ADD, imports=[opaque("log", Real, x=Real)]) == ["rose.js", "rose-values.js", "rose-host.js"]


def test_the_runtime_is_shipped_without_our_comments():
    for file in ("rose.js", "rose-values.js", "rose-kinds.js", "rose-host.js", "rose-print.js", "rose-sizes.js"):
        text = shipped(file)
        assert text.startswith("// Made by Rose.\n")
        assert text.count("//") == 1
        assert "/**" not in text


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
