"""Tries a package with tools that are too large for the tests: `python -m tests.bundlers.heavy DIRECTORY`.

npm installs them into the directory, some 600 MB. Each says what it got, and whether that is what Python gives.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

from browsers import CHROMIUM, served
from playwright.sync_api import sync_playwright

import rose
from tests.bundlers.lines import wave

TOOLS = ("next@16.4.6", "react@19.3.1", "react-dom@19.3.1", "parcel@2.16.4", "bun@1.4.5", "deno@2.9.6",
         "miniflare@4.20260426.0")  # fmt: skip
PRINT = 'import init from "{}";\nconsole.log((await init()).wave(0.7));\n'
SHOW = 'import init from "{}";\ninit().then((m) => (document.title = m.wave(0.7)), (e) => (document.title = e));\n'
PAGE = """import init from "{}";
export const dynamic = "force-dynamic";
export default async function Page() {{
  const m = await init();
  return <p>{{m.wave(0.7)}}</p>;
}}
"""
CLIENT = """"use client";
import { useEffect } from "react";
import init from "lines";
export default function Page() {
  useEffect(() => {
    init().then((m) => (document.title = m.wave(0.7)), (e) => (document.title = e));
  }, []);
  return <p>client</p>;
}
"""
ROUTE = """import init from "lines";
export const runtime = "{}";
export const dynamic = "force-dynamic";
export const GET = async () => new Response(`<p>${{(await init()).wave(0.7)}}</p>`);
"""
WORKER = """import { Miniflare } from "miniflare";
import { readFileSync } from "node:fs";
const entry = `import { initSync } from "./workerd.js";
  export default { fetch: () => new Response(initSync().wave(0.7)) };`;
const script = (path) => ({ type: "ESModule", path, contents: readFileSync(`beside/${path}`, "utf8") });
const modules = [
  { type: "ESModule", path: "main.js", contents: entry }, script("workerd.js"), script("core.js"),
  { type: "CompiledWasm", path: "lines.wasm", contents: readFileSync("beside/lines.wasm") },
];
const worker = new Miniflare({ modules });
console.log(await (await worker.dispatchFetch("http://x/")).text());
await worker.dispose();
"""
PORT = 3412


def title(url: str) -> str:
    """The title that the script of a page sets, in Chromium."""
    with sync_playwright() as p:
        page = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_page()
        page.goto(url)
        return str(page.wait_for_function("document.title").json_value())


def run(*command: object, cwd: Path) -> str:
    ran = subprocess.run([str(x) for x in command], cwd=cwd, capture_output=True, text=True, timeout=600)
    return ran.stdout if ran.returncode == 0 else f"failed: {(ran.stdout + ran.stderr)[-400:]}"


def packages(at: Path) -> None:
    """The package in `node_modules`, and beside the sources."""
    module = rose.compile({"wave": wave})
    for folder in ("node_modules/lines", "beside"):
        module.save(at / folder, "lines", force=True)


def runtimes(at: Path) -> Iterator[tuple[str, str]]:
    for name, of in (("package", "lines"), ("beside", "./beside/index.js")):
        (at / "main.mjs").write_text(PRINT.format(of))
        yield f"Bun, {name}", run("node_modules/.bin/bun", "main.mjs", cwd=at)
        yield f"Deno, {name}", run("node_modules/.bin/deno", "run", "-A", "main.mjs", cwd=at)
    (at / "module.mjs").write_text('import { wave } from "./beside/lines.wasm";\nconsole.log(wave(0.7));')
    yield "Deno, the module itself", run("node_modules/.bin/deno", "run", "module.mjs", cwd=at)
    (at / "worker.mjs").write_text(WORKER)
    yield "workerd", run("node", "worker.mjs", cwd=at)


def parcel(at: Path) -> Iterator[tuple[str, str]]:
    for name, of in (("package", "lines"), ("beside", "./beside/index.js")):
        (at / "show.js").write_text(SHOW.format(of))
        (at / "index.html").write_text('<!doctype html><script type="module" src="show.js"></script>')
        said = run("node_modules/.bin/parcel", "build", "index.html", "--no-cache", "--dist-dir", name, cwd=at)
        with served(at / name) as address:
            yield f"Parcel, {name}", said if said.startswith("failed") else title(address)


def next_(at: Path) -> Iterator[tuple[str, str]]:
    files = {
        "layout.jsx": "export default ({ children }) => <html><body>{children}</body></html>;\n",
        "page.jsx": PAGE.format("lines"),
        "beside/page.jsx": PAGE.format("../../beside/inline.js"),
        "client/page.jsx": CLIENT,
        "edge/route.js": ROUTE.format("edge"),
        "node/route.js": ROUTE.format("nodejs"),
    }
    for file, text in files.items():
        (at / "app" / file).parent.mkdir(parents=True, exist_ok=True)
        (at / "app" / file).write_text(text)
    yield "Next builds", run("node_modules/.bin/next", "build", cwd=at)
    server = subprocess.Popen(["node_modules/.bin/next", "start", "-p", str(PORT)], cwd=at)
    try:
        time.sleep(10)
        for where in ("", "beside", "edge", "node"):
            with urlopen(f"http://127.0.0.1:{PORT}/{where}") as answer:
                yield f"Next, /{where}", answer.read().decode().partition("<p>")[2].partition("</p>")[0]
        yield "Next, /client", title(f"http://127.0.0.1:{PORT}/client")
    finally:
        server.terminate()


def main() -> None:
    at = Path(sys.argv[1]).resolve()
    at.mkdir(parents=True, exist_ok=True)
    (at / "package.json").write_text(json.dumps({"name": "app", "private": True, "type": "module"}))
    run("npm", "install", "--no-audit", "--no-fund", *TOOLS, cwd=at)
    packages(at)
    for tries in (runtimes, parcel, next_):
        for name, said in tries(at):
            print(f"{name}: {said.strip()}{' (right)' if said.strip() == str(wave(0.7)) else ''}", flush=True)


if __name__ == "__main__":
    main()
