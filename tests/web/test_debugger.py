"""What the debugger of a browser makes of the source map of a package."""

import json
import runpy
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from browsers import served
from playwright.sync_api import Page
from source_maps import decoded

import rose

SOURCE = """
import rose

@rose.fn
def model(x: rose.Real) -> rose.Real:
    def turn(i, y):
        root = rose.sqrt(y + x)
        return rose.floor(root) + y / 4
    return rose.ceil(rose.scan(turn, x, 20))
"""

PAGE = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="page.js"></script>'
SCRIPT = 'import init from "./package/index.js";\nwindow.model = await init();\n'


def test_the_debugger_stops_at_a_line_of_python(page: Page, tmp_path: Path):
    (tmp_path / "model.py").write_text(SOURCE)
    scope = runpy.run_path(str(tmp_path / "model.py"))
    rose.compile(scope["model"]).save(tmp_path / "package", "model")
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "page.js").write_text(SCRIPT)
    with served(tmp_path) as address:
        session = page.context.new_cdp_session(page)
        scripts, hits = list[Any](), list[int]()
        session.on("Debugger.scriptParsed", lambda script: scripts.append(script))
        session.send("Debugger.enable")
        page.goto(address)
        page.wait_for_function("window.model")
        (script,) = [x for x in scripts if x.get("scriptLanguage") == "WebAssembly"]
        assert script["sourceMapURL"] == "./model.wasm.map"
        with urlopen(f"{address}/package/{script['sourceMapURL']}") as answer:
            text = answer.read()
        data = json.loads(text)
        assert data["sources"] == ["model.py"]
        assert data["sourcesContent"] == [SOURCE]
        offsets = {place[1]: at for at, place in reversed(decoded(text).items()) if place is not None}
        for line in (7, 8, 9):
            where = {"scriptId": script["scriptId"], "lineNumber": 0, "columnNumber": offsets[line]}
            session.send("Debugger.setBreakpoint", {"location": where})

        def paused(event: Any) -> None:
            hits.append(event["callFrames"][0]["location"]["columnNumber"])
            session.send("Debugger.resume")

        session.on("Debugger.paused", paused)
        assert page.evaluate("window.model.model(2)") == scope["model"](2.0)
        of = {at: line for line, at in offsets.items()}
        assert [of[at] for at in hits] == [9, *[7, 8] * 20] or [of[at] for at in hits] == [*[7, 8] * 20, 9]
