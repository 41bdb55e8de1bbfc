"""The package of a module: its files, manifest, metadata and size; and whole packages in Node."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from handwritten_package import ADD, FILES, MODULE, SAME, WASM, lowered, message, of, tree, write_package

import rose
from rose import Real, fn
from rose.errors import RoseError
from wasm_backend.abi.signature import Plain
from wasm_backend.package.files import About, loaded, package_files, weight


def test_the_files_of_a_package(tmp_path: Path):
    out = tmp_path / "out"
    assert write_package(MODULE, out, "line") == [out / file for file in FILES]
    assert sorted(tree(tmp_path)) == sorted(["out", *[f"out/{file}" for file in FILES]])
    assert (out / "line.wasm").read_bytes() == WASM
    assert {p.stat().st_mode & 0o777 for p in out.iterdir()} == {0o666 & ~umask()}
    assert out.stat().st_mode & 0o777 == 0o777 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
        "index.js", "index.d.ts", "core.js", "README.md", "package.json", "line.json",
    ]  # fmt: skip
    assert files["index.js"] == package_files(MODULE, "line")["inline.js"]
    assert "export function initSync(source?: BufferSource" in files["index.d.ts"].decode()
    exports = json.loads(files["package.json"])["exports"]
    assert exports["."] == exports["./inline"] == {"types": "./index.d.ts", "default": "./index.js"}
    assert "./line.wasm" not in exports


def test_two_modules_for_two_kinds_of_engines():
    made = MODULE._replace(wasm=WASM + b"\0\1\0", plain=Plain(WASM, b"\0asm"))
    files = package_files(made, "line")
    assert (files["line.wasm"], files["line.simd.wasm"]) == (WASM, made.wasm)
    asked = "entry(() => WebAssembly.validate(new Uint8Array([0,97,115,109]))\n    ? {}\n    : {});".format
    url = 'new URL("./line.{}", import.meta.url)'.format
    assert asked(url("simd.wasm"), url("wasm")) in files["index.js"].decode()
    assert json.loads(files["package.json"])["exports"]["./line.simd.wasm"] == "./line.simd.wasm"


def test_the_weight_of_a_package_is_what_a_page_loads():
    files = package_files(MODULE, "line", html=True)
    assert loaded(files) == ["line.wasm", "index.js", "core.js"]
    assert weight(files) == sum([len(gzip.compress(files[k], mtime=0)) for k in loaded(files)])
    assert loaded(package_files(MODULE, "line", inline=True)) == ["index.js", "core.js"]


def test_a_function_cannot_be_called_then():
    with pytest.raises(RoseError) as e:
        package_files(lowered(of("then")), "line")
    assert message(e) == [
        "a function of a package cannot be called then: JavaScript would treat the package as a promise",
        "  hint: give it another name",
    ]


def test_the_same_bytes_each_time(tmp_path: Path):
    write_package(MODULE, tmp_path / "a", "line")
    write_package(lowered(ADD, SAME), tmp_path / "b" / "c", "line")
    assert tree(tmp_path / "a") == tree(tmp_path / "b" / "c")


NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_package_in_node(tmp_path: Path):
    write_package(MODULE, tmp_path / "with space", "größe")
    (tmp_path / "page.mjs").write_text(
        """
        import assert from "node:assert/strict";
        import { readFileSync } from "node:fs";
        import init, { init as named, initSync, load } from "./with space/inline.js";
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
def test_in_node_no_file_has_to_be_found(tmp_path: Path):
    write_package(MODULE, tmp_path, "line")
    (tmp_path / "line.wasm").unlink()
    (tmp_path / "page.mjs").write_text('import init from "./index.js";\nconsole.log((await init()).add(1, 2));')
    assert node(tmp_path / "page.mjs") == "3\n"
    (tmp_path / "inline.js").unlink()  # as where a bundler moved the script
    assert "ENOENT" in subprocess.run([str(NODE), tmp_path / "page.mjs"], capture_output=True, text=True).stderr


@fn
def calm(x: Real) -> Real:
    return x * x + 1.0


@fn
def told(x: Real) -> Real:
    rose.print("x = {}", x)
    return x


@fn
def held(x: Real) -> Real:
    rose.assert_(x > 0.0, "x is positive")
    return x


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_function_of_numbers_is_the_modules_own_beside_others_that_print_and_stop(tmp_path: Path):
    rose.compile({"calm": calm, "told": told}).save(tmp_path / "prints")
    rose.compile({"calm": calm, "held": held}).save(tmp_path / "stops")
    (tmp_path / "page.mjs").write_text(
        """
        import assert from "node:assert/strict";
        import prints from "./prints/index.js";
        import stops from "./stops/index.js";
        const { calm, told } = await prints();
        assert.match(String(calm.unchecked), /native code/);
        assert.deepEqual([calm(3), told(2)], [10, 2]);
        const { calm: still, held } = await stops();
        assert.match(String(still.unchecked), /native code/);
        for (const f of [held, held.unchecked])
          assert.throws(() => f(-1), (error) => {
            assert.match(error.message, /^x is positive [(]test_files.py:[0-9]+[)]$/);
            assert.ok(error.cause instanceof WebAssembly.RuntimeError);
            assert.match(error.stack.split("\\n")[1], /page.mjs/);
            return true;
          });
        assert.throws(() => held("1"), { message: "held: x must be a number, got string" });
        assert.deepEqual([held(3), still(3)], [3, 10]);
        """
    )
    assert node(tmp_path / "page.mjs") == "x = 2.0\n"


def node(script: Path) -> str:
    assert NODE is not None
    return subprocess.run([NODE, str(script)], capture_output=True, text=True, check=True, encoding="utf-8").stdout


def test_what_can_be_asked_for_beside():
    files = package_files(MODULE, "line", iife="line", drag=True, animate=True)
    more = ["iife.d.ts", "iife.js", "rose-drag.js", "rose-drag.d.ts", "animate.js", "animate.d.ts"]
    assert {*files} == {*FILES, *more}
    plain = package_files(MODULE, "line")
    assert [k for k in FILES if files[k] != plain[k]] == ["README.md", "package.json", "line.json"]
    made = json.loads(files["package.json"])
    assert made["unpkg"] == "./iife.js"
    assert made["exports"]["./drag"] == {"types": "./rose-drag.d.ts", "default": "./rose-drag.js"}
    assert "iife.js" not in loaded(files)
    said = files["README.md"].decode()
    assert "console.log(line.initSync().add(1, 2));" in said and "line/rose-drag.js" in said
    assert 'export * from "./index.js";' in package_files(MODULE, "line", inline=True, iife="f")["iife.d.ts"].decode()


@pytest.mark.parametrize("name", ["", "a-b", "class", "1a", "größe"])
def test_what_cannot_be_a_global_variable(name: str):
    with pytest.raises(RoseError, match="cannot be the name of a global variable"):
        package_files(MODULE, "line", iife=name)
