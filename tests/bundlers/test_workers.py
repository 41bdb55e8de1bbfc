"""`remote` and maps with Workers, in browsers and behind bundlers: the bits of single calls, stops and errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import in_firefox, served
from playwright.sync_api import Page

import rose
from rose import Real, Vec, fn
from tests.bundlers.lines import wave
from tests.bundlers.test_bundlers import HTML, TYPESCRIPTS, esbuild, rollup, vite, webpack
from tests.bundlers.tools import STRICT, TSC, in_chromium, tool

INLINE = f"{STRICT} blob:"


@fn
def root(x: Real) -> Real:
    """The square root of a number."""
    rose.assert_(x >= 0.0, "x is not negative")
    return rose.sqrt(x)


@fn
def endless(x: Real) -> Real:
    return rose.while_loop(lambda s: s > -x, lambda s: s / 2 + x, x)


@fn
def twice(v: Vec[2]) -> Vec[2]:
    return [2 * v[0], 2 * v[1]]


MAIN = """
import init, {{ remote }} from "{}";
const said = async () => {{
  const model = await init();
  const far = await remote();
  const xs = Float64Array.from({{ length: 1000 }}, (_, k) => k / 7);
  const failed = (promise) => promise.then(() => "no error", (e) => `${{e.name}} ${{e.row}}: ${{e.message}}`);
  const same = (a, b) => a.every((x, k) => Object.is(x, b[k]));
  const stopped = new AbortController();
  const never = failed(far.endless(1, {{ signal: stopped.signal }}));
  const next = far.wave(0.7);
  setTimeout(() => stopped.abort(), 50);
  const shared = crossOriginIsolated && new Float64Array(new SharedArrayBuffer(8000));
  const out = shared || new Float64Array(1000);
  return {{
    wave: await far.wave(0.5),
    twice: [...(await far.twice([1, 2]))],
    stopped: await never,
    next: await next,
    map: same(await model.wave.map(xs, {{ workers: 2, out }}), model.wave.map(xs)) && same(out, model.wave.map(xs)),
    again: same(await model.twice.map(xs, {{ workers: 3 }}), model.twice.map(xs)),
    far: same(await far.twice.map(xs), model.twice.map(xs)),
    root: await failed(far.root(-1)),
    roots: await failed(model.root.map(Float64Array.from(xs, (x, k) => (k > 700 ? -1 : x)), {{ workers: 2 }})),
    wrong: await failed(far.root("1")),
    isolated: crossOriginIsolated,
  }};
}};
said().then((x) => (document.title = JSON.stringify(x)), (e) => (document.title = JSON.stringify(e.stack)));
"""


def expected(isolated: bool) -> dict[str, Any]:
    """What a page says, by what Python gives."""
    said = "x is not negative (test_workers.py:26)"
    return {
        "wave": wave(0.5), "twice": [2, 4], "stopped": "AbortError undefined: signal is aborted without reason",
        "next": wave(0.7), "map": True, "again": True, "far": True, "root": f"Error undefined: {said}",
        "roots": f"Error 701: {said}", "wrong": "TypeError undefined: root: x must be a number, got string",
        "isolated": isolated,
    }  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that has the package installed."""
    module = rose.compile({"wave": wave, "root": root, "endless": endless, "twice": twice})
    module.save(tmp_path / "node_modules" / "work", "work", map=True, workers=True)
    (tmp_path / "package.json").write_text(json.dumps({"name": "app", "private": True, "type": "module"}))
    (tmp_path / "index.html").write_text(HTML.format('type="module"', "./main.js"))
    return tmp_path


@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "plain"])
@pytest.mark.parametrize(("file", "csp"), [("index.js", STRICT), ("inline.js", INLINE)])
def test_chromium_without_a_bundler(project: Path, page: Page, file: str, csp: str, isolated: bool):
    (project / "main.js").write_text(MAIN.format(f"./node_modules/work/{file}"))
    with served(project, csp, isolated=isolated) as address:
        assert in_chromium(page, address) == expected(isolated)


@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "plain"])
def test_firefox_without_a_bundler(project: Path, isolated: bool):
    (project / "main.js").write_text(MAIN.format("./node_modules/work/index.js"))
    with served(project, STRICT, isolated=isolated) as address:
        found = in_firefox(address)
    stopped = found.pop("stopped")
    assert stopped.startswith("AbortError undefined: ")
    assert {**found, "stopped": expected(isolated)["stopped"]} == expected(isolated)


@pytest.mark.parametrize(
    ("build", "of", "csp"),
    [
        (vite(), "work", STRICT),
        (vite(), "./node_modules/work/index.js", STRICT),
        (vite(), "work/inline", INLINE),
        (webpack, "work", STRICT),
        (rollup(), "./node_modules/work/inline.js", INLINE),
        (esbuild("esm"), "work/inline", INLINE),
        (esbuild("iife"), "work/inline", INLINE),
    ],
    ids=["vite", "vite-beside", "vite-inline", "webpack", "rollup-inline", "esbuild-inline", "esbuild-inline-iife"],
)
def test_a_bundler(project: Path, page: Page, build: Callable[[Path], Path], of: str, csp: str):
    (project / "main.js").write_text(MAIN.format(of))
    out = build(project)
    with served(out, csp, isolated=True) as address:
        assert in_chromium(page, address) == expected(True)


def test_a_policy_that_forbids_the_worker_is_named(project: Path, page: Page):
    (project / "main.js").write_text(MAIN.format("./node_modules/work/inline.js"))
    with served(project, STRICT) as address:
        said = in_chromium(page, address)
    assert "worker-src" in said


USE = """
import init, { remote, type Remote } from "work";

export const use = async (signal: AbortSignal): Promise<number> => {
  const model = await init();
  const far: Remote = await remote();
  const x = Float64Array.of(1, 2);
  const one: number = await far.wave(1, { signal });
  const two: Float64Array = await far.twice(x, { transfer: [x.buffer] });
  const out: Float64Array = await far.twice.unchecked(two, { out: new Float64Array(2) });
  const many: Float64Array = await model.wave.map(x, { workers: 2, progress: (done, total) => done / total, signal });
  const again: Float64Array = await far.twice.map(x, { progress: () => {} });
  const at_once: Float64Array = model.wave.map(x, { out: many });
  far.terminate();
  far[Symbol.dispose]();
  model.dispose();
  model[Symbol.dispose]();
  // @ts-expect-error a string is no number
  far.wave("1");
  // @ts-expect-error it is a promise
  const now: number = far.wave(1);
  // @ts-expect-error dispose is none of the functions in a Worker
  far.dispose();
  return one + out[0]! + again[0]! + at_once[0]! + now;
};
"""


@pytest.mark.parametrize("version", TYPESCRIPTS)
@pytest.mark.parametrize("lib", ["es2022,dom", "esnext,dom"])
def test_typescript(tmp_path: Path, version: str, lib: str):
    module = rose.compile({"wave": wave, "twice": twice})
    module.save(tmp_path / "node_modules" / "work", "work", map=True, workers=True, dispose=True)
    (tmp_path / "package.json").write_text(json.dumps({"name": "app", "private": True, "type": "module"}))
    (tmp_path / "main.ts").write_text(USE)
    options = f"--strict --noEmit --target es2022 --lib {lib} --module nodenext --moduleResolution nodenext".split()
    tool(TSC(version), *options, "main.ts", cwd=tmp_path)
