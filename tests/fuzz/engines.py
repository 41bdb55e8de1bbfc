"""Small programs in other engines: some hundred in one package, with the bits of the interpreter in each."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from browsers import BUNDLERS, CHROMIUM, FIREFOX, in_firefox, node, served
from paths import TESTS
from playwright.sync_api import sync_playwright
from portable_values import portable
from random_programs import Program

import rose
from rose.frontend.function import AnyFn, from_func
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.ir.types import single
from rose.optimise.single_precision import to_single

from .batch import KINDS, Case, Wrong, fitting
from .report import Report
from .small import small

SCRIPT = """
import { compare } from "./campaign.js";
import init from "./%s";
const calls = await (%s);
const said = compare(await init(), calls);
"""
READ = "import('node:fs').then((fs) => JSON.parse(fs.readFileSync(new URL('./calls.json', import.meta.url), 'utf8')))"
FETCH = "fetch('./calls.json').then((answer) => answer.json())"
PAGE = f"""<!doctype html><script type="module">{SCRIPT % ("index.js", FETCH)}
document.title = said;
</script>"""


def in_node(folder: Path) -> str:
    (folder / "compare.mjs").write_text(SCRIPT % ("index.js", READ) + "console.log(said);\n")
    return node("compare.mjs", cwd=folder)


def in_chromium(folder: Path) -> str:
    with served(folder) as at, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{at}/page.html")
        page.wait_for_function("document.title", timeout=100_000)
        said = page.title()
        browser.close()
        return said


def in_the_firefox(folder: Path) -> str:
    with served(folder) as at:
        return json.dumps(in_firefox(f"{at}/page.html"))


ENGINES: dict[str, Callable[[Path], str]] = {
    **({"node": in_node} if shutil.which("node") else {}),
    **({"chromium": in_chromium} if CHROMIUM else {}),
    **({"firefox": in_the_firefox} if FIREFOX and (BUNDLERS / "node_modules" / "puppeteer-core").exists() else {}),
}


def check_engines(seeds: Sequence[int]) -> Report:
    """A package of these programs in one engine, of numbers of one kind: the seeds say which."""
    turn = seeds[0] // max(len(seeds), 1)
    engine, kind = list(ENGINES)[turn % len(ENGINES)], KINDS[turn // len(ENGINES) % len(KINDS)]
    report = Report(programs=len(seeds))
    cases = [Case(small(seed), seed, Counter()) for seed in seeds]
    wrong, law = compared(cases, engine, kind), f"{kind} package in {engine} = interpreter"
    for case in cases:
        names = [f"{name}_{case.seed}" for name in case.funcs]
        found = [w for w in wrong if w[0] in names]
        if found:
            report.failed(case.seed, Wrong(law, found, "the bits of the interpreter"))
        else:
            report.laws[law] += 1
    return report


def compared(cases: Sequence[Case], engine: str, kind: str) -> list[Any]:
    """The calls that differ in an engine, with what they gave."""
    named, calls = dict[str, AnyFn](), list[dict[str, Any]]()
    for c in cases:
        named |= {
            f"{name}_{c.seed}": from_func(f, [f"x{k}" for k in range(len(f.params))]) for name, f in c.funcs.items()
        }
        calls += [portable_call(c, *call, kind=kind) for call in c.calls]
    module = rose.compile(named, dtype="f32" if kind == "f32" else "f64", simd=kind == "simd")
    with TemporaryDirectory() as folder:
        out = Path(folder) / "made"
        module.save(out, "made")
        (out / "calls.json").write_text(json.dumps(calls))
        (out / "page.html").write_text(PAGE)
        shutil.copy(TESTS / "js" / "campaign.js", out)
        said = json.loads(ENGINES[engine](out))
    assert said["compared"] == len(calls)
    return said["wrong"]


def portable_call(c: Case, name: str, args: Sequence[Any], wanted: Any, *, kind: str) -> dict[str, Any]:
    f = c.funcs[name]
    params, result = [q.type for q in f.params], f.result
    if kind == "f32":
        params, result = [single(t) for t in params], single(result)
        args = [plain(fitting(x), t) for x, t in zip(args, params, strict=True)]
        wanted = run(to_single(f), *args)
    given = [portable(x, t) for x, t in zip(args, params, strict=True)]
    return {"name": f"{name}_{c.seed}", "args": given, "wanted": portable(wanted, result)}


def law_of_engines(p: Program, seed: int) -> None:
    """One program in each engine."""
    for engine in ENGINES:
        for kind in KINDS:
            wrong = compared([Case(p, seed, Counter())], engine, kind)
            assert not wrong, (engine, kind, wrong)
