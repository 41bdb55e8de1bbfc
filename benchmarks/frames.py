"""Milliseconds of script in each frame, while the first handle of each page of the demo site is dragged.

`python -m benchmarks.frames` builds the site, and opens its pages in Chromium: as it is, and slowed down 4 times, as
a phone may be. At 60 frames a second there are 16.7 ms, in which the browser has to draw as well.
"""

from __future__ import annotations

import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

ROOT = Path(__file__).parents[1]
PAGES = ("", "quadratic/", "billiards/", "robot/", "drag/", "fit/")
FRAMES = 120
COUNTED = """
window.frameTimes = {};
const ask = requestAnimationFrame;
window.requestAnimationFrame = (f) => ask((at) => {
  const start = performance.now();
  f(at);
  window.frameTimes[at] = (window.frameTimes[at] ?? 0) + performance.now() - start;
});
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def dragged(page: Page, address: str) -> tuple[list[float], float]:
    """The times of the frames in which a handle went round in a circle, and the time of one evaluation."""
    page.goto(address)
    handle = page.locator(".handle, .rose-handle").first
    handle.wait_for()
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("window.frameTimes = {}")
    for k in range(FRAMES):
        page.mouse.move(x + 30 * math.sin(k / 8), y + 30 * (1 - math.cos(k / 8)))
        page.evaluate("() => new Promise(requestAnimationFrame)")
    times: list[float] = page.evaluate("Object.values(window.frameTimes)")
    page.mouse.up()
    return sorted(times), float(page.locator("#time").get_attribute("data-ms") or "nan")


def row(browser: Browser, address: str, slug: str) -> str:
    """A row of the table."""
    cells: list[str] = []
    for slower in (1, 4):
        page = browser.new_page()
        page.add_init_script(COUNTED)
        session: CDPSession = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        times, evaluation = dragged(page, f"{address}/{slug}")
        cells += [
            f"{statistics.median(times):.2f}",
            f"{times[int(0.95 * len(times))]:.2f}",
            "in a Worker" if math.isnan(evaluation) else f"{evaluation:.3f}",
        ]
        page.close()
    return f"| {slug.rstrip('/') or 'home'} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as out, sync_playwright() as playwright:
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, ROOT / "web" / "build.py", "-o", out]
        subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=out)) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            print("| page | median | 95 % | one evaluation | 4 times slower: median | 95 % | one evaluation |")
            print("| --- | --- | --- | --- | --- | --- | --- |")
            for slug in PAGES:
                print(row(browser, f"http://127.0.0.1:{server.server_port}", slug), flush=True)
            server.shutdown()
        browser.close()


if __name__ == "__main__":
    main()
