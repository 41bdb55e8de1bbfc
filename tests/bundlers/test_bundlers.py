"""The package in the hands of bundlers, type checkers and browsers: each gives what Python gives, to the bit.

A page sets its title to what it got, as JSON: numbers in their shortest form, which is exact. It is served with a
strict Content-Security-Policy.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browsers import in_firefox, node, served
from playwright.sync_api import Page

import rose
from rose import Vec
from tests.bundlers.conftest import ANSWERS
from tests.bundlers.lines import loss, slope, wave
from tests.bundlers.tools import HERE, STRICT, TOOLS, TSC, TYPESCRIPTS, in_chromium, tool

MAIN = """
import init from "{}";
import {{ answers }} from "./answers.js";
init().then((m) => (document.title = JSON.stringify(answers(m))), (e) => (document.title = JSON.stringify(e.message)));
"""
WORKER = """
import {{ load }} from "{}";
const worker = new Worker(new URL("./worker.js", import.meta.url), {{ type: "module" }});
worker.onmessage = ({{ data }}) => (document.title = JSON.stringify(data));
load().then((module) => worker.postMessage(module));
"""
IN_WORKER = """
import {{ initSync }} from "{}";
import {{ answers }} from "./answers.js";
onmessage = ({{ data }}) => postMessage(answers(initSync(data)));
"""
HTML = '<!doctype html><meta charset="utf-8"><script {} src="{}"></script>\n'


def app(project: Path, *, worker: bool = False, of: str = "lines") -> None:
    """An app that uses the package, on its page or in a Worker."""
    (project / "main.js").write_text((WORKER if worker else MAIN).format(of))
    (project / "worker.js").write_text(IN_WORKER.format(of))
    (project / "index.html").write_text(HTML.format('type="module"', "./main.js"))


def page_of(out: Path, script: str, *, module: bool) -> Path:
    """A page that loads what a bundler made."""
    (out / "index.html").write_text(HTML.format('type="module"' if module else "defer", script))
    return out


# without a bundler


def test_node_imports_it(project: Path, expected: Any):
    (project / "main.js").write_text(
        'import init from "lines";\nimport { answers } from "./answers.js";\n'
        "console.log(JSON.stringify(answers(await init())));"
    )
    assert json.loads(node("main.js", cwd=project)) == expected


def test_node_requires_it(project: Path, expected: Any):
    (project / "main.cjs").write_text(
        'const { init, initSync } = require("lines");\nconst { answers } = require("./answers.js");\n'
        "Promise.all([init(), init()]).then(([m, n]) => console.log(JSON.stringify({ ...answers(m), same: m === n })));"
    )
    assert json.loads(node("--no-warnings", "main.cjs", cwd=project)) == {**expected, "same": True}


@pytest.mark.parametrize(
    "start", ['import { initSync } from "lines/inline";', 'const { initSync } = require("lines/inline");']
)
def test_node_loads_it_without_a_file(project: Path, expected: Any, start: str):
    module = start.startswith("import")
    answers = 'import { answers } from "./answers.js";' if module else 'const { answers } = require("./answers.js");'
    name = "main.js" if module else "main.cjs"
    (project / name).write_text(f"{start}\n{answers}\nconsole.log(JSON.stringify(answers(initSync())));")
    assert json.loads(node("--no-warnings", name, cwd=project)) == expected


@pytest.mark.parametrize("worker", [False, True], ids=["page", "worker"])
@pytest.mark.parametrize("engine", ["chromium", "firefox"])
def test_a_page_without_a_bundler(project: Path, expected: Any, request: Any, engine: str, worker: bool):
    app(project, worker=worker, of="./node_modules/lines/index.js")
    with served(project, STRICT) as address:
        assert look(request, engine, address) == expected


@pytest.mark.parametrize("engine", ["chromium", "firefox"])
def test_the_page_in_one_file_needs_no_server(package: Path, request: Any, engine: str):
    page = package / "lines.html"
    assert "src=" not in page.read_text()
    assert "href=" not in page.read_text()
    assert look(request, engine, page.as_uri(), "document.querySelector('output').value") == wave(1.0)


def look(request: pytest.FixtureRequest, engine: str, url: str, what: str = "document.title") -> Any:
    """What a page says, in a browser by name."""
    return in_firefox(url, what) if engine == "firefox" else in_chromium(request.getfixturevalue("page"), url, what)


# servers, and tests of pages: a script that was moved does not find the module beside it

PRINTED = """
import init from "{}";
import {{ answers }} from "./answers.js";
console.log(JSON.stringify(answers(await init())));
"""


@pytest.mark.parametrize("of", ["lines", "./beside/inline.js"])
def test_a_server_that_vite_bundles(project: Path, expected: Any, of: str):
    shutil.copytree(project / "node_modules" / "lines", project / "beside")
    (project / "main.js").write_text(PRINTED.format(of))
    (project / "vite.config.js").write_text("export default { ssr: { noExternal: true } };")
    tool("vite", "build", "--logLevel", "warn", "--ssr", "main.js", "--outDir", "out", cwd=project)
    assert json.loads(node("out/main.js", cwd=project)) == expected


IN_TEST = """
import {{ expect, test }} from "vitest";
import init from "{}";
import {{ answers }} from "./answers.js";
test("answers", async () => expect(answers(await init())).toEqual({}));
"""


@pytest.mark.parametrize("of", ["lines", "./beside/index.js"])
@pytest.mark.parametrize("environment", ["node", "jsdom", "happy-dom"])
def test_a_page_that_vitest_tests(project: Path, expected: Any, environment: str, of: str):
    shutil.copytree(project / "node_modules" / "lines", project / "beside")
    for name in ("jsdom", "happy-dom"):  # which vitest looks for in the project
        (project / "node_modules" / name).symlink_to(TOOLS.parent / name)
    (project / "main.test.js").write_text(IN_TEST.format(of, json.dumps(expected)))
    tool("vitest", "run", "--environment", environment, "--root", ".", cwd=project)


# bundlers


@dataclass(frozen=True)
class Case:
    """A bundler, and what it is given: where the page is then, and whether the .wasm is a file of its own."""

    name: str
    build: Callable[[Path], Path]
    wasm: bool
    worker: bool = False
    of: str = "lines"


def vite(*args: object) -> Callable[[Path], Path]:
    def build(project: Path) -> Path:
        tool("vite", "build", "--logLevel", "warn", *args, cwd=project)
        return project / "dist"

    return build


def webpack(project: Path) -> Path:
    tool("webpack", "--mode", "production", "--entry", "./main.js", cwd=project)
    return page_of(project / "dist", "./main.js", module=False)


def rollup(*args: object) -> Callable[[Path], Path]:
    def build(project: Path) -> Path:
        # it resolves no packages by itself
        (project / "main.js").write_text((project / "main.js").read_text().replace('"lines', '"./node_modules/lines'))
        (project / "main.js").write_text((project / "main.js").read_text().replace("lines/inline", "lines/inline.js"))
        tool("rollup", "main.js", "-o", "dist/main.js", *args, cwd=project)
        return page_of(project / "dist", "./main.js", module="iife" not in args)

    return build


def esbuild(format: str, *args: object) -> Callable[[Path], Path]:
    def build(project: Path) -> Path:
        outfile = f"dist/main.{'cjs' if format == 'cjs' else 'js'}"
        tool(
            "esbuild",
            "main.js",
            "--bundle",
            "--minify",
            f"--format={format}",
            f"--outfile={outfile}",
            *args,
            cwd=project,
        )
        return page_of(project / "dist", "./main.js", module=format == "esm")

    return build


CASES = [
    Case("vite", vite(), wasm=True),
    Case("vite-beside", vite(), wasm=True, of="./node_modules/lines/index.js"),
    Case("vite-worker", vite(), wasm=True, worker=True),
    Case("vite-data-url", vite("--assetsInlineLimit", "100000"), wasm=False),
    Case("vite-es2020", vite("--target", "es2020"), wasm=True),
    Case("vite-safari14", vite("--target", "safari14"), wasm=True),
    Case("vite-inline", vite(), wasm=False, of="lines/inline"),
    Case("webpack", webpack, wasm=True),
    Case("webpack-beside", webpack, wasm=True, of="./node_modules/lines/index.js"),
    Case("webpack-worker", webpack, wasm=True, worker=True),
    Case("webpack-inline", webpack, wasm=False, of="lines/inline"),
    Case("rollup-inline-esm", rollup(), wasm=False, of="lines/inline"),
    Case("rollup-inline-iife", rollup("-f", "iife"), wasm=False, of="lines/inline"),
    Case("esbuild-inline-esm", esbuild("esm"), wasm=False, of="lines/inline"),
    Case("esbuild-inline-iife", esbuild("iife"), wasm=False, of="lines/inline"),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_bundler(case: Case, project: Path, expected: Any, page: Page):
    app(project, worker=case.worker, of=case.of)
    out = case.build(project)
    assert bool([*out.rglob("*.wasm")]) == case.wasm
    with served(out, STRICT) as address:
        assert in_chromium(page, address) == expected


def test_esbuild_with_the_module_as_a_file(project: Path, expected: Any, page: Page):
    (project / "main.js").write_text(
        'import url from "lines/lines.wasm";\n' + MAIN.format("lines").replace("init()", "init(url)")
    )
    out = esbuild("esm", "--loader:.wasm=file", "--public-path=/")(project)
    assert [*out.rglob("*.wasm")]
    with served(out, STRICT) as address:
        assert in_chromium(page, address) == expected


def test_esbuild_for_commonjs(project: Path, expected: Any):
    (project / "main.js").write_text(
        'import { initSync } from "lines/inline";\nimport { answers } from "./answers.js";\n'
        "console.log(JSON.stringify(answers(initSync())));"
    )
    esbuild("cjs")(project)
    assert json.loads(node("dist/main.cjs", cwd=project)) == expected


@pytest.mark.parametrize("of", ["lines", "lines/inline"])
def test_what_is_not_used_is_left_out(project: Path, of: str):
    (project / "main.js").write_text(f'import {{ init }} from "{of}";\nconsole.log(1);')
    esbuild("esm")(project)
    assert (project / "dist" / "main.js").read_text().strip() == "console.log(1);"


# types and manifests

USE = """
import init, {{ initSync, load, type Functions }} from "lines";
import {{ initSync as inlined }} from "lines/inline";

export const use = async (): Promise<number> => {{
  const model: Functions = await init();
  const line = {{ b0: 0.5, b: 2 }};
  const slope = model.slope(line, [1, 2, 3], new Float64Array(3));
  const more: number = model.wave.unchecked(slope.b0) + inlined().wave(1) + initSync(await load()).wave(2);
  {wrong}
  return more + model.loss(slope, [1, 2, 3], [1, 2, 3]);
}};
"""
WRONG = {
    "": "",
    "a string is not a number": 'model.wave("1");',
    "a field is missing": "model.slope({ b0: 1 }, [1], [1]);",
    "an argument is missing": "model.loss(line, [1]);",
    "there is no such function": "model.gradient(1);",
}


@pytest.mark.parametrize("module", ["nodenext", "bundler"])
@pytest.mark.parametrize("wrong", WRONG, ids=[k or "right" for k in WRONG])
def test_typescript(project: Path, module: str, wrong: str):
    line = f"// @ts-expect-error {wrong}\n  {WRONG[wrong]}" if wrong else ""
    (project / "main.ts").write_text(USE.format(wrong=line))
    options: Sequence[object] = ["--module", "nodenext" if module == "nodenext" else "esnext"]
    tool(
        TSC("typescript"), "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom", *options,
        "--moduleResolution", module, "main.ts", cwd=project,
    )  # fmt: skip


TYPED = """
import double from "double";
import single from "single";

export const use = async (): Promise<Blob> => {
  const [d, s] = [(await double()).twice([1, 2]), (await single()).twice([1, 2])];
  const [mine, own]: [Float64Array, ArrayBuffer] = [d, d.buffer];
  const [theirs, other]: [Float32Array, ArrayBuffer] = [s, s.buffer];
  // @ts-expect-error two packages of one file are two
  const mixed: Float64Array = s;
  return new Blob([d, s, own, other, mine.slice(), theirs.slice(), mixed.slice()]);
};
"""


@pytest.fixture
def twins(tmp_path: Path) -> Path:
    """A project with two packages of one file, in double and in single precision."""
    f = rose.fn([Vec[2]], Vec[2])(lambda x: [2 * x[0], 2 * x[1]])
    for name, dtype in (("double", "f64"), ("single", "f32")):
        rose.compile({"twice": f}, dtype=dtype).save(tmp_path / "node_modules" / name, "vecs")
    (tmp_path / "package.json").write_text(json.dumps({"name": "app", "private": True, "type": "module"}))
    return tmp_path


@pytest.mark.parametrize("version", TYPESCRIPTS)
def test_results_are_typed_arrays_over_an_array_buffer(twins: Path, version: str):
    (twins / "main.ts").write_text(TYPED)
    options = "--strict --noEmit --target es2022 --lib es2022,dom --module nodenext --moduleResolution nodenext".split()
    tool(TSC(version), *options, "main.ts", cwd=twins)


def test_publint_has_nothing_to_say(package: Path):
    assert "All good" in tool("publint", "--strict", package, cwd=package)


def test_the_types_are_not_wrong(package: Path):
    # the .wasm has no types; for require() there are those of the module that it gives
    ignored = ["--ignore-rules", "cjs-resolves-to-esm", "--exclude-entrypoints", "lines.wasm"]
    tool("attw", "--pack", package, *ignored, cwd=package)


# where a module is left behind, and scripts that are no modules


def test_a_bundle_that_left_the_module_behind_says_what_to_import(project: Path, page: Page):
    app(project)
    out = esbuild("esm")(project)
    with served(out, STRICT) as address:
        said = in_chromium(page, address)
    assert said == f'cannot load {address}/lines.wasm: 404 text/html;charset=utf-8; bundled? import "lines/inline"'


def test_a_server_that_left_the_module_behind_says_what_to_import(project: Path):
    shutil.copytree(project / "node_modules" / "lines", project / "beside")
    (project / "main.js").write_text(
        'import init from "./beside/index.js";\ninit().catch((e) => console.log(e.message));'
    )
    tool("vite", "build", "--logLevel", "warn", "--ssr", "main.js", "--outDir", "out", cwd=project)
    said = node("out/main.js", cwd=project).strip()
    assert said.startswith("ENOENT") and said.endswith('; bundled? import "lines/inline"')


def test_a_bundle_without_the_address_of_its_script_says_what_to_import(project: Path, page: Page):
    app(project)
    out = esbuild("iife", "--log-level=error")(project)
    with served(out, STRICT) as address:
        assert in_chromium(page, address).endswith('; bundled? import "lines/inline"')


@pytest.mark.parametrize("bundler", ["esbuild", "rollup", "vite-ssr"])
def test_a_package_for_a_bundler(project: Path, expected: Any, page: Page, bundler: str):
    command = ["compile", HERE / "lines.py", "-o", project / "beside", "--no-check", "-q", "--bundler", bundler]
    subprocess.run([sys.executable, "-m", "rose", *command], check=True)
    if bundler == "vite-ssr":
        (project / "main.js").write_text(PRINTED.format("./beside/index.js"))
        tool("vite", "build", "--logLevel", "warn", "--ssr", "main.js", "--outDir", "out", cwd=project)
        assert json.loads(node("out/main.js", cwd=project)) == expected
        return
    app(project, of="./beside/index.js")
    out = (esbuild("esm") if bundler == "esbuild" else rollup())(project)
    with served(out, STRICT) as address:
        assert in_chromium(page, address) == expected


@pytest.mark.parametrize("engine", ["chromium", "firefox"])
def test_a_script_that_is_no_module(project: Path, expected: Any, request: Any, engine: str):
    rose.compile({"wave": wave, "loss": loss, "slope": slope}).save(project / "lines", iife="lines")
    (project / "main.js").write_text(
        ANSWERS.replace("export ", "") + "document.title = JSON.stringify(answers(lines.initSync()));"
    )
    (project / "index.html").write_text(HTML.format("", "lines/iife.js") + HTML.format("", "main.js"))
    with served(project, STRICT) as address:
        assert look(request, engine, address) == expected


def test_node_imports_the_module_itself(project: Path, expected: Any):
    (project / "main.js").write_text('import { wave } from "lines/lines.wasm";\nconsole.log(wave(0.7));')
    assert json.loads(node("--no-warnings", "--experimental-wasm-modules", "main.js", cwd=project)) == expected["wave"]


ASIDE = """
import { RoseDrag, type Model } from "lines/drag";
import { animate, type Animation } from "lines/animate";
let x = 0;
const motion: Animation = animate({ step: (dt) => (x += dt), draw: () => {}, speed: 2 });
motion.pause();
customElements.define("rose-drag", RoseDrag);
const element = document.createElement("rose-drag") as RoseDrag;
export const at: [Model, number] = [element.model, motion.playing ? 1 : 0];
// @ts-expect-error what draws is missing
animate({ step: () => {} });
"""
CLASSIC = """/// <reference types="lines/iife.js" />
const functions: lines.Functions = lines.initSync();
const y: number = functions.wave(1);
"""


@pytest.mark.parametrize("version", ["typescript-5.7", "typescript"])
def test_types_of_what_is_beside(project: Path, version: str):
    made = rose.compile({"wave": wave})
    made.save(project / "node_modules" / "lines", "lines", iife="lines", drag=True, animate=True, force=True)
    (project / "main.ts").write_text(ASIDE)
    (project / "classic.ts").write_text(CLASSIC)
    options = "--strict --noEmit --target es2022 --lib es2022,dom --module nodenext --moduleResolution nodenext"
    tool(TSC(version), *options.split(), "--moduleDetection", "legacy", "main.ts", "classic.ts", cwd=project)
    assert "All good" in tool("publint", "--strict", project / "node_modules" / "lines", cwd=project)
