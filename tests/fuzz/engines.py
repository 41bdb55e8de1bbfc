"""Small programs in other engines: some hundred in one package, with the bits of the interpreter in each."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from browsers import CHROMIUM, FIREFOX, PUPPETEER, in_browser, node, served
from paths import TESTS
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


def in_node(folder: Path) -> Any:
    (folder / "compare.mjs").write_text(SCRIPT % ("index.js", READ) + "console.log(said);\n")
    return json.loads(node("compare.mjs", cwd=folder))


def in_page(browser: str, folder: Path) -> Any:
    with served(folder) as at:
        return in_browser(browser, f"{at}/page.html")


ENGINES: dict[str, Callable[[Path], Any]] = {
    **({"node": in_node} if shutil.which("node") else {}),
    **({"chromium": partial(in_page, "chrome")} if CHROMIUM and PUPPETEER.exists() else {}),
    **({"firefox": partial(in_page, "firefox")} if FIREFOX and PUPPETEER.exists() else {}),
}


def check_engines(seeds: Sequence[int]) -> Report:
    """A package of these programs in one engine, of numbers of one kind: the seeds say which."""
    turn = seeds[0] // max(len(seeds), 1)
    engine, kind = list(ENGINES)[turn % len(ENGINES)], KINDS[turn // len(ENGINES) % len(KINDS)]
    report = Report(programs=len(seeds))
    cases = list[Case]()
    for seed in seeds:
        try:
            cases.append(Case(small(seed), seed, Counter()))
        except Exception as e:
            report.failed(seed, e)
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
    module = rose.compile(named, dtype="f32" if "f32" in kind else "f64", simd="simd" in kind)
    with TemporaryDirectory() as folder:
        out = Path(folder) / "made"
        module.save(out, "made")
        (out / "calls.json").write_text(json.dumps(calls))
        (out / "page.html").write_text(PAGE)
        shutil.copy(TESTS / "js" / "campaign.js", out)
        said = ENGINES[engine](out)
    assert said["compared"] == len(calls)
    return said["wrong"]


def portable_call(c: Case, name: str, args: Sequence[Any], wanted: Any, *, kind: str) -> dict[str, Any]:
    f = c.funcs[name]
    params, result = [q.type for q in f.params], f.result
    if "f32" in kind:
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
