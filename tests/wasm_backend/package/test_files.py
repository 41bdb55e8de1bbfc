"""Packages for the web: what is in their files, and that a directory gets all of them or stays as it was."""

import base64
import dataclasses
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import wasmtime

from rose.errors import RoseError, here
from rose.ir import PARAM, Block, Func, Opaque, Value
from rose.ir.forms import Form
from rose.ir.types import Bool, Fin, Real, Single, Tan, Tuple, Type, Unit, Vec
from wasm_backend.abi.signature import Lowered, Plain, Signature, Slot
from wasm_backend.package.files import About, loaded, package_files, weight, write_package
from wasm_backend.package.javascript import shipped, signature_data
from wasm_backend.package.samples import arguments, written
from wasm_backend.package.typescript import Types

WASM = bytes(
    wasmtime.wat2wasm(
        """(module
          (memory (export "memory") 1)
          (func (export "add") (param f64 f64) (result f64) (f64.add (local.get 0) (local.get 1)))
          (func (export "same")))"""
    )
)


def struct(name: str, **fields: Type) -> Tuple:
    return Tuple(tuple(fields.values()), Form(name, tuple(fields), list, type(name, (), {})))


def mapping(**fields: Type) -> Tuple:
    return Tuple(tuple(fields.values()), Form("dict", tuple(fields), list))


LINE = struct("Line", b0=Real, b=Vec(2, Real))
ADD = Signature("add", (Slot("x", Real, None), Slot("y", Real, None)), Slot("result", Real, None))
SAME = Signature("same", (Slot("line", LINE, 16),), Slot("result", LINE, 16))
FILES = """
    line.wasm index.js node.js workerd.js inline.js index.d.ts inline.d.ts core.js rose.js rose-values.js README.md
    package.json line.json
""".split()


def lowered(*signatures: Signature, imports: Sequence[Func] = (), wasm: bytes = WASM) -> Lowered:
    return Lowered(wasm, {s.name: s for s in signatures}, tuple(imports))


def opaque(name: str, result: Type, **params: Type) -> Func:
    block = Block()
    block.params += [Value(PARAM, t, (), k, here(), block) for k, t in params.items()]
    return Func(name, block, result, pure=True, kind=Opaque(print))


def of(name: str, result: Type = Unit, **params: Type) -> Signature:
    return Signature(name, tuple(Slot(k, t, None) for k, t in params.items()), Slot("result", result, None))


def declarations(*signatures: Signature, imports: Sequence[Func] = (), **docs: str) -> str:
    return package_files(lowered(*signatures, imports=imports), "line", About(docs))["index.d.ts"].decode()


def tree(root: Path) -> dict[str, bytes | None]:
    """All that is below a directory: the bytes of files, and None for directories."""
    return {str(p.relative_to(root)): p.read_bytes() if p.is_file() else None for p in sorted(root.rglob("*"))}


def message(e: pytest.ExceptionInfo[RoseError]) -> list[str]:
    return str(e.value).splitlines()


MODULE = lowered(ADD, SAME)


# the files


def test_the_files_of_a_package(tmp_path: Path):
    out = tmp_path / "out"
    assert write_package(MODULE, out, "line") == [out / file for file in FILES]
    assert sorted(tree(tmp_path)) == sorted(["out", *[f"out/{file}" for file in FILES]])
    assert (out / "line.wasm").read_bytes() == WASM
    assert (out / "rose.js").read_text() == shipped("rose.js")
    assert {p.stat().st_mode & 0o777 for p in out.iterdir()} == {0o666 & ~umask()}
    assert out.stat().st_mode & 0o777 == 0o777 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_the_entries():
    files = {name: text.decode() for name, text in package_files(MODULE, "line").items() if name.endswith(".js")}
    assert 'entry(() => new URL("./line.wasm", import.meta.url));' in files["index.js"]
    assert 'entry(() => readFileSync(new URL("./line.wasm", import.meta.url)));' in files["node.js"]
    assert 'import module from "./line.wasm";' in files["workerd.js"]
    assert f'entry(() => bytes("{base64.b64encode(WASM).decode()}"));' in files["inline.js"]
    assert "line.wasm" not in files["inline.js"] + files["core.js"]  # or a bundler would copy it beside
    for name in ("index.js", "node.js", "workerd.js", "inline.js"):
        assert "export const { init, initSync, load } = entry(() => " in files[name]
        assert "export default init;" in files[name]
    for text in files.values():
        assert "eval(" not in text
        assert "Function(" not in text
        assert not re.search(r"^\s*(const \S+ = )?await", text, re.MULTILINE)


def test_the_signatures():
    core = package_files(MODULE, "line")["core.js"].decode()
    assert core.startswith("// Made by Rose: the functions of the module, as data.\n")
    data = {"exports": [ADD.describe(), SAME.describe()], "imports": []}
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


def test_the_manifest():
    manifest = json.loads(package_files(MODULE, "My_Line")["package.json"])
    assert manifest == {
        "name": "my_line",
        "version": "0.0.0",
        "type": "module",
        "sideEffects": False,
        "main": "./index.js",
        "types": "./index.d.ts",
        "exports": {
            ".": {"types": "./index.d.ts", "workerd": "./workerd.js", "node": "./node.js", "default": "./index.js"},
            "./inline": {"types": "./inline.d.ts", "default": "./inline.js"},
            "./My_Line.wasm": "./My_Line.wasm",
            "./My_Line.json": "./My_Line.json",
            "./package.json": "./package.json",
        },
        "files": [k.replace("line.", "My_Line.") if k[:5] == "line." else k for k in FILES if k != "package.json"],
        "engines": {"node": ">=18"},
    }
    assert list(manifest["exports"]["."]) == ["types", "workerd", "node", "default"]  # the first that fits is taken


def test_what_the_module_was_made_of():
    about = About({"add": "The sum."}, {"line.py": "12ab"}, "rose 9.9", {"add": {"ok": True}})
    files = package_files(MODULE, "line", about)
    said = json.loads(files["line.json"])
    assert said["name"] == "line"
    assert said["compiler"] == "rose 9.9"
    assert said["sources"] == {"line.py": {"sha256": "12ab"}}
    assert said["certificate"] == {"add": {"ok": True}}
    assert said["functions"][0] == {
        **ADD.describe(), "python": "add(x: Real, y: Real) -> Real", "doc": "The sum.",
    }  # fmt: skip
    hashed = {k: hashlib.sha256(x).hexdigest() for k, x in files.items() if k != "line.json"}
    assert {k: x["sha256"] for k, x in said["files"].items()} == hashed
    assert said["files"]["line.wasm"]["bytes"] == len(WASM)
    assert json.loads(package_files(MODULE, "line")["line.json"])["certificate"] is None


def test_a_package_whose_module_is_inside():
    files = package_files(MODULE, "line", inline=True)
    assert list(files) == [
        "index.js", "index.d.ts", "core.js", "rose.js", "rose-values.js", "README.md", "package.json", "line.json",
    ]  # fmt: skip
    assert files["index.js"] == package_files(MODULE, "line")["inline.js"]
    assert "export function initSync(source?: BufferSource" in files["index.d.ts"].decode()
    exports = json.loads(files["package.json"])["exports"]
    assert exports["."] == exports["./inline"] == {"types": "./index.d.ts", "default": "./index.js"}
    assert "./line.wasm" not in exports


def test_two_modules_for_two_kinds_of_engines():
    made = dataclasses.replace(MODULE, wasm=WASM + b"\0\1\0", plain=Plain(WASM, b"\0asm"))
    files = package_files(made, "line")
    assert (files["line.wasm"], files["line.simd.wasm"]) == (WASM, made.wasm)
    asked = "entry(() => WebAssembly.validate(new Uint8Array([0,97,115,109]))\n    ? {}\n    : {});".format
    url = 'new URL("./line.{}", import.meta.url)'.format
    assert asked(url("simd.wasm"), url("wasm")) in files["index.js"].decode()
    read = "readFileSync({})".format
    assert asked(read(url("simd.wasm")), read(url("wasm"))) in files["node.js"].decode()
    assert json.loads(files["package.json"])["exports"]["./line.simd.wasm"] == "./line.simd.wasm"


def test_the_weight_of_a_package_is_what_a_page_loads():
    files = package_files(MODULE, "line", html=True)
    assert loaded(files) == ["line.wasm", "index.js", "core.js", "rose.js", "rose-values.js"]
    assert weight(files) == sum([len(gzip.compress(files[k], mtime=0)) for k in loaded(files)])
    assert loaded(package_files(MODULE, "line", inline=True)) == ["index.js", "core.js", "rose.js", "rose-values.js"]


@pytest.mark.parametrize(
    ("name", "npm"), [("a.b", "a.b"), ("größe", "gr-e"), ("λ", "package"), ("_x_", "x"), ("2d", "2d")]
)
def test_names_of_packages(name: str, npm: str):
    files = package_files(MODULE, name)
    assert next(iter(files)) == f"{name}.wasm"
    assert json.loads(files["package.json"])["name"] == npm
    assert f'new URL("./{name}.wasm", import.meta.url)' in files["index.js"].decode()


@pytest.mark.parametrize("name", ["", "a/b", "..", ".a", "a b", "<lambda>", 'a"', "a\n", "-a", "a\\b", "a?b", "a%b"])
def test_what_cannot_be_the_name_of_a_package(name: str, tmp_path: Path):
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path / "out", name)
    assert message(e) == [
        f"{name!r} cannot be the name of a package: its files are called so",
        "  hint: use letters, digits, and _ - . between them",
    ]
    assert tree(tmp_path) == {}


def test_the_manifest_keeps_its_name():
    with pytest.raises(
        RoseError, match=r"^'Package' cannot be the name of a package: it has a package\.json of its own"
    ):
        package_files(MODULE, "Package")


def test_a_function_cannot_be_called_then():
    with pytest.raises(RoseError) as e:
        package_files(lowered(of("then")), "line")
    assert message(e) == [
        "a function of a package cannot be called then: JavaScript would take the package for a promise",
        "  hint: give it another name",
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


# the types


@pytest.mark.parametrize(
    ("t", "given", "got"),
    [
        (Real, "number", "number"),
        (Tan, "number", "number"),
        (Bool, "boolean", "boolean"),
        (Unit, "undefined", "undefined"),
        (Fin(3), "number", "number"),
        (Vec(3, Real), "ArrayLike<number>", "Float64Array"),
        (Single, "number", "number"),
        (Vec(3, Single), "ArrayLike<number>", "Float32Array"),
        (Vec(3, Fin(2)), "ArrayLike<number>", "Uint32Array"),
        (Vec(3, Bool), "ArrayLike<boolean>", "boolean[]"),
        (Vec(3, Vec(2, Real)), "ArrayLike<ArrayLike<number>>", "Float64Array[]"),
        (Tuple((Real, Bool), None), "readonly [number, boolean]", "[number, boolean]"),
        (Tuple((), None), "readonly []", "[]"),
        (struct("Empty"), "object", "object"),
        (
            mapping(b0=Real, b=Vec(2, Real)),
            "{ readonly b0: number; readonly b: ArrayLike<number> }",
            "{ b0: number; b: Float64Array }",
        ),
        (Vec(2, mapping(x=Real)), "ArrayLike<{ readonly x: number }>", "{ x: number }[]"),
        (
            mapping(**dict.fromkeys(["a b", "new", "then", "__proto__", 'q"', "é", "0"], Real)),
            '{ readonly "a b": number; readonly "new": number; readonly then: number; readonly __proto__: number; '
            'readonly "q\\"": number; readonly "é": number; readonly "0": number }',
            '{ "a b": number; "new": number; then: number; __proto__: number; '
            '"q\\"": number; "é": number; "0": number }',
        ),
    ],
)
def test_types_given_and_got(t: Type, given: str, got: str):
    assert (Types().of(t, given=True), Types().of(t, given=False)) == (given, got)


class Pair(NamedTuple):
    x: float
    y: float


@dataclasses.dataclass
class Segment:
    """Where a line begins, and where it goes."""

    at: Any
    along: Any


def test_structs_are_interfaces():
    pair = Tuple((Real, Real), Form("Pair", ("x", "y"), list, Pair))
    segment = Tuple((pair, Vec(2, Real)), Form("Segment", ("at", "along"), list, Segment))
    types = Types()
    assert types.of(Vec(3, segment), given=True) == "ArrayLike<SegmentLike>"
    assert types.of(segment, given=False) == "Segment"
    assert types.of(pair, given=True) == types.of(pair, given=False) == "Pair"
    assert types.interfaces == [
        "export interface Pair {\n  x: number;\n  y: number;\n}\n",
        "/** Where a line begins, and where it goes. */\n"
        "export interface SegmentLike {\n  readonly at: Pair;\n  readonly along: ArrayLike<number>;\n}\n",
        "/** Where a line begins, and where it goes. */\n"
        "export interface Segment {\n  at: Pair;\n  along: Float64Array;\n}\n",
    ]


def test_interfaces_of_the_same_name_are_told_apart():
    types = Types()
    found = [types.of(struct(name, x=Real), given=False) for name in ("P", "Source", "Float64Array", "class", "a b")]
    assert found == ["P", "Source2", "Float64Array2", "class2", "{ x: number }"]
    assert types.of(struct("P", y=Real), given=False) == "P2"


def test_interfaces_of_other_sizes_are_one():
    types = Types()
    assert [types.of(struct("P", x=Vec(n, Real)), given=False) for n in (2, 3)] == ["P", "P"]
    assert len(types.interfaces) == 1


def test_declarations():
    pick = opaque("pick", LINE, line=LINE, function=Fin(3))
    text = declarations(ADD, SAME, imports=[pick, opaque("console.log", Unit, x=Real)], add="The sum.", pick="Any.")
    assert text == (
        """\
// Made by Rose.

/** The functions of the module. */
export interface Functions {
  /**
   * The sum.
   *
   * In Python: `add(x: Real, y: Real) -> Real`
   */
  readonly add: Checked<(x: number, y: number) => number>;
  /** In Python: `same(line: Line) -> Line` */
  readonly same: Checked<(line: LineLike) => Line>;
}

/** A function that checks what it is given; beside it, the same without a look at each number. */
export type Checked<F> = F & { readonly unchecked: F };

/** The functions that the module needs; under a dotted name, what JavaScript has there unless one is given. */
export interface Opaque {
  /** Any. */
  readonly pick: (line: Line, function_: number) => LineLike;
  readonly "console.log"?: (x: number) => void;
}

export interface LineLike {
  readonly b0: number;
  readonly b: ArrayLike<number>;
}

export interface Line {
  b0: number;
  b: Float64Array;
}

/** Where the module can come from. */
export type Source = string | URL | Response | BufferSource | WebAssembly.Module;

/** The functions, of ./line.wasm or another source. Those of one place are loaded once. */
export function init(source: Source | Promise<Source> | undefined, opaque: Opaque): Promise<Functions>;

/** The functions, without waiting, of a module or its bytes. */
export function initSync(source: BufferSource | WebAssembly.Module, opaque: Opaque): Functions;

/** The module itself, loaded once: it can be posted to a Worker, which calls `initSync` with it. */
export function load(source?: Source | Promise<Source>): Promise<WebAssembly.Module>;

export default init;
"""
    )


def test_what_need_not_be_given():
    assert "init(source?: Source | Promise<Source>): Promise<Functions>;" in declarations(ADD)
    log = declarations(ADD, imports=[opaque("Math.log", Real, x=Real)])
    assert "init(source?: Source | Promise<Source>, opaque?: Opaque): Promise<Functions>;" in log
    assert "initSync(source: BufferSource | WebAssembly.Module, opaque?: Opaque): Functions;" in log


def test_names_of_parameters():
    names = ["class", "class_", "yield", "x", "x_", "λ", "type", "not ok", "eval", ""]
    text = declarations(of("f", Unit, **dict.fromkeys(names, Real)))
    shown = ["class_", "class__", "yield_", "x", "x_", "λ", "type", "x7", "eval_", "x9"]
    assert f"readonly f: Checked<({', '.join(f'{name}: number' for name in shown)}) => void>;" in text
    assert "  readonly f: Checked<(x0: number, x1: number) => void>;\n" in declarations(
        Signature("f", (Slot("?", Real, None), Slot("x0 ", Real, None)), Slot("result", Unit, None))
    )


def test_names_of_functions():
    text = declarations(of("delete"), of("my func"), of("__proto__"), of("größe"), of("constructor"))
    for key in ['"delete"', '"my func"', "__proto__", '"größe"', "constructor"]:
        assert f"  readonly {key}: Checked<() => void>;\n" in text


def test_documentation():
    text = declarations(of("f"), of("g"), f="All.\n\n    Of it: */ x\n      y\n    ", g="")
    assert (
        "{\n  /**\n   * All.\n   *\n   * Of it: *\\/ x\n   *   y\n   *\n   * In Python: `f() -> Unit`\n   */\n"
        "  readonly f: Checked<() => void>;\n  /** In Python: `g() -> Unit` */\n  readonly g: Checked<() => void>;\n}"
    ) in text
    many = of("h", **{f"parameter_{k}": Real for k in range(20)})
    assert "/** One line. */\n  readonly h" in declarations(many, h="One line. ")  # and not all of it a second time


# what is to be copied


def test_values_to_call_a_function_with():
    given = of("f", Unit, x=Real, p=Bool, i=Fin(3), v=Vec(2, LINE), t=Tuple((Real, Unit), None), w=Vec(20, Real))
    assert [written(x) for _, _, x in arguments(given)] == [
        "1", "true", "0", "[{ b0: 2, b: [3, 4] }, { b0: 5, b: [6, 7] }]", "[8, undefined]",
        "Array.from({ length: 20 }, () => 9)",
    ]  # fmt: skip
    (found,) = arguments(of("f", Unit, v=Vec(9, mapping(**{"a b": Real}))))
    assert written(found[2]) == 'Array.from({ length: 9 }, () => ({ "a b": 1 }))'


def test_the_readme_has_calls_of_the_functions():
    text = package_files(lowered(SAME, ADD), "My_Line", About({"add": "The sum.\n\nOf two."}))["README.md"].decode()
    assert text.count("model.same({ b0: 1, b: [2, 3] })") == 5
    assert 'import init from "./my_line/index.js";' in text
    assert "- `add(x: Real, y: Real) -> Real`\n  The sum.\n\n  Of two.\n" in text
    assert "script-src 'self' 'wasm-unsafe-eval'" in text
    odd = package_files(lowered(of("my f")), "line")["README.md"].decode()
    assert 'model["my f"]()' in odd
    hosted = package_files(lowered(ADD, imports=[opaque("pick", Real, x=Real)]), "line")["README.md"].decode()
    assert "  pick: (x) => { /* yours */ }," in hosted
    assert hosted.count("init(undefined, opaque)") == 5
    assert "line.html" not in odd
    assert "`line.html` is all of it" in package_files(MODULE, "line", html=True)["README.md"].decode()


# the directory


def test_the_same_bytes_each_time(tmp_path: Path):
    write_package(MODULE, tmp_path / "a", "line")
    write_package(lowered(ADD, SAME), tmp_path / "b" / "c", "line")
    assert tree(tmp_path / "a") == tree(tmp_path / "b" / "c")


def test_directories_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_package(MODULE, tmp_path / "a" / "b" / "c", "line")
    assert sorted(p.name for p in (tmp_path / "a" / "b" / "c").iterdir()) == sorted(FILES)
    monkeypatch.chdir(tmp_path)
    assert write_package(MODULE, Path("d"), "line")[0] == Path("d/line.wasm")
    write_package(MODULE, Path("."), "line")
    assert sorted(tree(tmp_path)) == sorted(
        [*FILES, "a", "a/b", "a/b/c", "d", *[f"{folder}/{file}" for folder in ("a/b/c", "d") for file in FILES]]
    )


def test_other_files_stay(tmp_path: Path):
    (tmp_path / "index.html").write_text("mine")
    write_package(MODULE, tmp_path, "line")
    assert sorted(tree(tmp_path)) == sorted([*FILES, "index.html"])
    assert (tmp_path / "index.html").read_text() == "mine"


def test_files_are_replaced_only_with_force(tmp_path: Path):
    (tmp_path / "index.js").write_text("mine")
    (tmp_path / "package.json").write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path, "line")
    assert message(e) == [
        f"{tmp_path} already has index.js, package.json",
        "  hint: give another directory, or replace them with force",
    ]
    assert tree(tmp_path) == before
    write_package(MODULE, tmp_path, "line", force=True)
    write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == package_files(MODULE, "line")


def test_what_is_no_directory(tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(RoseError) as e:
            write_package(MODULE, out, "line", force=True)
        assert message(e) == [f"{tmp_path / 'file'} is not a directory", "  hint: give the directory for the package"]
    (tmp_path / "index.js").mkdir()
    with pytest.raises(RoseError, match=r"index\.js is a directory\n  hint: give another directory for the package$"):
        write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == {"file": b"mine", "index.js": None}


def test_an_error_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path / "out", "line")
    assert message(e) == [
        f"cannot write {tmp_path / 'out'}: No space left on device",
        "  hint: give a directory that can be written to",
    ]
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("step", ["write_bytes", "rename"])
@pytest.mark.parametrize("turns", range(5))
def test_an_interrupted_run_leaves_nothing(step: str, turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    owner = Path if step == "write_bytes" else os
    interrupt(owner, step, turns if step == "write_bytes" else 0, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        write_package(MODULE, tmp_path / "a" / "out", "line")
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("turns", range(5))
def test_an_interrupted_run_puts_back_what_was_there(turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for file in ("index.js", "package.json", "other"):
        (tmp_path / file).write_text(f"my {file}")
    before = tree(tmp_path)
    interrupt(os, "replace", turns, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == before


def interrupt(owner: object, name: str, turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one call of a function be interrupted, after so many that were not."""
    real, left = getattr(owner, name), [None] * turns

    def interrupted(*args: object, **kwargs: object) -> object:
        if left:
            left.pop()
            return real(*args, **kwargs)
        monkeypatch.setattr(owner, name, real)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, interrupted)


# the whole


NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_package_in_node(tmp_path: Path):
    write_package(MODULE, tmp_path / "with space", "größe")
    (tmp_path / "page.mjs").write_text(
        """
        import assert from "node:assert/strict";
        import { readFileSync } from "node:fs";
        import init, { init as named, initSync, load } from "./with space/node.js";
        assert.equal(init, named);
        const [a, b] = await Promise.all([init(), init()]);
        assert.equal(a, b);
        assert.equal(await init(), a);
        assert.equal(a.add(1, 2), 3);
        assert.deepEqual(a.same({ b0: 1, b: [2, 3] }), { b0: 1, b: Float64Array.of(2, 3) });
        const bytes = readFileSync(new URL("./with space/größe.wasm", import.meta.url));
        assert.notEqual(await init(bytes), a);
        assert.notEqual(await init(undefined, {}), a);
        assert.equal(await load(), await load());
        assert.equal(await init(load()), a);
        assert.equal(initSync(await load()).add(1, 2), initSync().add(1, 2));
        assert.equal((await (await import("./with space/index.js")).init()).add(1, 2), 3);
        assert.equal((await init(Promise.resolve(bytes))).add(1, 2), 3);
        assert.equal(initSync(bytes).add(1, 2), 3);
        assert.equal(initSync(new WebAssembly.Module(bytes)).add(1, 2), 3);
        console.log("all well");
        """
    )
    assert node(tmp_path / "page.mjs") == "all well\n"


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_where_a_module_is_imported_already_compiled(tmp_path: Path):
    """Cloudflare's Workers take no bytes: an import of `.wasm` gives the module. Here, hooks of node's do so."""
    write_package(MODULE, tmp_path, "line")
    (tmp_path / "hooks.mjs").write_text(
        """
        import { readFile } from "node:fs/promises";
        export const load = async (url, context, next) => {
          if (!url.endsWith(".wasm")) return next(url, context);
          const bytes = JSON.stringify([...(await readFile(new URL(url)))]);
          const source = `export default new WebAssembly.Module(new Uint8Array(${bytes}))`;
          return { format: "module", shortCircuit: true, source };
        };
        """
    )
    (tmp_path / "page.mjs").write_text(
        """
        import assert from "node:assert/strict";
        import { register } from "node:module";
        register("./hooks.mjs", import.meta.url);
        const { default: init, initSync, load } = await import("./workerd.js");
        WebAssembly.compile = () => assert.fail("bytes are compiled");
        assert.equal((await init()).add(1, 2), 3);
        assert.equal(initSync().add(1, 2), 3);
        assert.equal(await init(), await init(load()));
        console.log("all well");
        """
    )
    assert node(tmp_path / "page.mjs") == "all well\n"


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_loading_is_tried_again_after_it_failed(tmp_path: Path):
    write_package(MODULE, tmp_path, "line")
    (tmp_path / "page.mjs").write_text(
        """
        import assert from "node:assert/strict";
        import { renameSync } from "node:fs";
        import init from "./node.js";
        const at = (name) => new URL(name, import.meta.url);
        renameSync(at("line.wasm"), at("away"));
        await assert.rejects(Promise.all([init(), init()]), { code: "ENOENT" });
        renameSync(at("away"), at("line.wasm"));
        console.log((await init()).add(1, 2));
        """
    )
    assert node(tmp_path / "page.mjs") == "3\n"


def node(script: Path) -> str:
    assert NODE is not None
    return subprocess.run([NODE, str(script)], capture_output=True, text=True, check=True, encoding="utf-8").stdout
