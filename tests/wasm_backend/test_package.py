"""Packages for the web: what is in their files, and that a directory gets all of them or stays as it was."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import wasmtime

from rose.errors import RoseError, here
from rose.ir import PARAM, Block, Func, Value
from rose.types import Bool, Fin, Form, Real, Single, Tan, Tuple, Type, Unit, Vec
from wasm_backend import package
from wasm_backend.abi import Lowered, Signature, Slot
from wasm_backend.package import package_files, typescript, write_package

WASM = bytes(
    wasmtime.wat2wasm(
        """(module
          (memory (export "memory") 1)
          (func (export "add") (param f64 f64) (result f64) (f64.add (local.get 0) (local.get 1)))
          (func (export "same")))"""
    )
)


def struct(name: str, **fields: Type) -> Tuple:
    return Tuple(tuple(fields.values()), Form(name, tuple(fields), list))


LINE = struct("Line", b0=Real, b=Vec(2, Real))
ADD = Signature("add", (Slot("x", Real, None), Slot("y", Real, None)), Slot("result", Real, None))
SAME = Signature("same", (Slot("line", LINE, 16),), Slot("result", LINE, 16))
FILES = ["line.wasm", "line.js", "line.d.ts", "package.json", "rose.js"]


def lowered(*signatures: Signature, imports: Sequence[Func] = (), wasm: bytes = WASM) -> Lowered:
    return Lowered(wasm, {s.name: s for s in signatures}, tuple(imports))


def opaque(name: str, result: Type, **params: Type) -> Func:
    block = Block()
    block.params += [Value(PARAM, t, (), k, here(), block) for k, t in params.items()]
    return Func(name, block, result, pure=True, impl=print)


def of(name: str, result: Type = Unit, **params: Type) -> Signature:
    return Signature(name, tuple(Slot(k, t, None) for k, t in params.items()), Slot("result", result, None))


def declarations(*signatures: Signature, imports: Sequence[Func] = (), **docs: str) -> str:
    return package_files(lowered(*signatures, imports=imports), "line", docs)["line.d.ts"].decode()


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
    assert (out / "rose.js").read_bytes() == (Path(package.__file__).parent / "js" / "rose.js").read_bytes()
    assert {p.stat().st_mode & 0o777 for p in out.iterdir()} == {0o666 & ~umask()}
    assert out.stat().st_mode & 0o777 == 0o777 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_the_loader():
    files = package_files(MODULE, "line", {})
    source = files["line.js"].decode()
    assert 'import { bind, load } from "./rose.js";\n' in source
    assert 'new URL("./line.wasm", import.meta.url)' in source
    assert "await" not in source
    data = next(x for x in source.splitlines() if x.startswith("const signatures = "))
    data = data.removeprefix("const signatures = ").removesuffix(";")
    assert json.loads(data) == {"exports": [ADD.describe(), SAME.describe()], "imports": []}
    assert data == json.dumps(json.loads(data), separators=(",", ":"))


def test_the_data_of_imports():
    pick = opaque("pick", LINE, k=Fin(3), none=Vec(0, Real), nothing=Unit)
    assert package.signature_data([], [pick])["imports"] == [
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
    manifest = json.loads(package_files(MODULE, "My_Line", {})["package.json"])
    assert manifest == {
        "name": "my_line",
        "version": "0.0.0",
        "type": "module",
        "sideEffects": False,
        "main": "./My_Line.js",
        "types": "./My_Line.d.ts",
        "exports": {
            ".": {"types": "./My_Line.d.ts", "default": "./My_Line.js"},
            "./My_Line.wasm": "./My_Line.wasm",
            "./package.json": "./package.json",
        },
        "files": ["My_Line.wasm", "My_Line.js", "My_Line.d.ts", "rose.js"],
    }
    assert list(manifest["exports"]["."]) == ["types", "default"]


@pytest.mark.parametrize(
    ("name", "npm"), [("a.b", "a.b"), ("größe", "gr-e"), ("λ", "package"), ("_x_", "x"), ("2d", "2d")]
)
def test_names_of_packages(name: str, npm: str):
    files = package_files(MODULE, name, {})
    assert list(files)[:3] == [f"{name}.wasm", f"{name}.js", f"{name}.d.ts"]
    assert json.loads(files["package.json"])["name"] == npm
    assert f'new URL("./{name}.wasm", import.meta.url)' in files[f"{name}.js"].decode()


@pytest.mark.parametrize("name", ["", "a/b", "..", ".a", "a b", "<lambda>", 'a"', "a\n", "-a", "a\\b", "a?b", "a%b"])
def test_what_cannot_be_the_name_of_a_package(name: str, tmp_path: Path):
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path / "out", name)
    assert message(e) == [
        f"{name!r} cannot be the name of a package: its files are called so",
        "  hint: use letters, digits, and _ - . between them",
    ]
    assert tree(tmp_path) == {}


def test_the_runtime_keeps_its_name():
    with pytest.raises(RoseError, match=r"^'Rose' cannot be the name of a package: the runtime has that name"):
        package_files(MODULE, "Rose", {})


def test_a_function_cannot_be_called_then():
    with pytest.raises(RoseError) as e:
        package_files(lowered(of("then")), "line", {})
    assert message(e) == [
        "a function of a package cannot be called then: JavaScript would take the package for a promise",
        "  hint: give it another name",
    ]


def test_opaque_functions_of_one_name_have_one_type():
    same = [opaque("pick", Real, x=Real), opaque("pick", Real, y=Real)]
    assert declarations(ADD, imports=same).count("pick") == 1
    with pytest.raises(RoseError) as e:
        package_files(lowered(ADD, imports=[*same, opaque("pick", Bool, x=Real)]), "line", {})
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
        (LINE, "{ readonly b0: number; readonly b: ArrayLike<number> }", "{ b0: number; b: Float64Array }"),
        (Vec(2, struct("P", x=Real)), "ArrayLike<{ readonly x: number }>", "{ x: number }[]"),
        (
            struct("Odd", **dict.fromkeys(["a b", "new", "then", "__proto__", 'q"', "é", "0"], Real)),
            '{ readonly "a b": number; readonly "new": number; readonly then: number; readonly __proto__: number; '
            'readonly "q\\"": number; readonly "é": number; readonly "0": number }',
            '{ "a b": number; "new": number; then: number; __proto__: number; '
            '"q\\"": number; "é": number; "0": number }',
        ),
    ],
)
def test_types_given_and_got(t: Type, given: str, got: str):
    assert (typescript(t, given=True), typescript(t, given=False)) == (given, got)


def test_declarations():
    pick = opaque("pick", LINE, line=LINE, function=Fin(3))
    text = declarations(ADD, SAME, imports=[pick, opaque("console.log", Unit, x=Real)], add="The sum.", pick="Any.")
    assert text == (
        """\
// Made by Rose.

/** The functions of the module. */
export interface Functions {
  /** The sum. */
  readonly add: (x: number, y: number) => number;
  readonly same: (line: { readonly b0: number; readonly b: ArrayLike<number> }) => { b0: number; b: Float64Array };
}

/** The functions that the module needs; under a dotted name, what JavaScript has there unless one is given. */
export interface Opaque {
  /** Any. */
  readonly pick: (line: { b0: number; b: Float64Array }, function_: number) => """
        """{ readonly b0: number; readonly b: ArrayLike<number> };
  readonly "console.log"?: (x: number) => void;
}

/** Where the module can come from. */
export type Source = string | URL | Response | BufferSource | WebAssembly.Module;

/** The functions, of ./line.wasm or another source. Without arguments, they are loaded once. */
export function init(source: Source | Promise<Source> | undefined, opaque: Opaque): Promise<Functions>;

/** The functions, without waiting, of a module or its bytes. */
export function initSync(source: BufferSource | WebAssembly.Module, opaque: Opaque): Functions;

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
    assert f"readonly f: ({', '.join(f'{name}: number' for name in shown)}) => void;" in text
    assert "  readonly f: (x0: number, x1: number) => void;\n" in declarations(
        Signature("f", (Slot("?", Real, None), Slot("x0 ", Real, None)), Slot("result", Unit, None))
    )


def test_names_of_functions():
    text = declarations(of("delete"), of("my func"), of("__proto__"), of("größe"), of("constructor"))
    for key in ['"delete"', '"my func"', "__proto__", '"größe"', "constructor"]:
        assert f"  readonly {key}: () => void;\n" in text


def test_documentation():
    text = declarations(of("f"), of("g"), of("h"), f="All.\n\n    Of it: */ x\n      y\n    ", g="", h="One line. ")
    assert (
        "{\n  /**\n   * All.\n   *\n   * Of it: *\\/ x\n   *   y\n   */\n  readonly f: () => void;\n"
        "  readonly g: () => void;\n  /** One line. */\n  readonly h: () => void;\n}" in text
    )


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
    (tmp_path / "line.js").write_text("mine")
    (tmp_path / "package.json").write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path, "line")
    assert message(e) == [
        f"{tmp_path} already has line.js, package.json",
        "  hint: give another directory, or replace them with force",
    ]
    assert tree(tmp_path) == before
    write_package(MODULE, tmp_path, "line", force=True)
    write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == package_files(MODULE, "line", {})


def test_what_is_no_directory(tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(RoseError) as e:
            write_package(MODULE, out, "line", force=True)
        assert message(e) == [f"{tmp_path / 'file'} is not a directory", "  hint: give the directory for the package"]
    (tmp_path / "line.js").mkdir()
    with pytest.raises(RoseError, match=r"line\.js is a directory\n  hint: give another directory for the package$"):
        write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == {"file": b"mine", "line.js": None}


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
    for file in ("line.js", "package.json", "other"):
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
        import init, { init as named, initSync } from "./with space/größe.js";
        assert.equal(init, named);
        const [a, b] = await Promise.all([init(), init()]);
        assert.equal(a, b);
        assert.equal(await init(), a);
        assert.equal(a.add(1, 2), 3);
        assert.deepEqual(a.same({ b0: 1, b: [2, 3] }), { b0: 1, b: Float64Array.of(2, 3) });
        const bytes = readFileSync(new URL("./with space/größe.wasm", import.meta.url));
        assert.notEqual(await init(bytes), a);
        assert.equal((await init(Promise.resolve(bytes))).add(1, 2), 3);
        assert.equal(initSync(bytes).add(1, 2), 3);
        assert.equal(initSync(new WebAssembly.Module(bytes)).add(1, 2), 3);
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
        import init from "./line.js";
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
