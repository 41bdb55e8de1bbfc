"""The page with the editor, and the compiler that runs in it: here in CPython, and in Pyodide in a browser."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import noted
from paths import ROOT
from playwright.sync_api import Browser, Page, expect

import rose

LIVE = ROOT / "web" / "live"
PROGRAMS = {file.stem.partition("-")[2]: file.read_text().rstrip() for file in sorted(LIVE.glob("programs/*.py"))}
RIGHT = {k: text for k, text in PROGRAMS.items() if k != "error"}
HEAD = "import rose\nfrom rose import Real, fn\n\n\n@fn\ndef f(x: Real, y: Real) -> Real:\n"


@pytest.fixture(scope="module")
def compiler() -> Any:
    """The module that the page imports in Pyodide."""
    sys.path.insert(0, str(LIVE))
    try:
        import compiler
    finally:
        sys.path.remove(str(LIVE))
    return compiler


# the compiler of the page, in CPython


@pytest.mark.parametrize("name", RIGHT)
def test_the_programs_of_the_menu_compile(compiler: Any, name: str):
    facts, wasm = compiler.compiled(PROGRAMS[name])
    facts = json.loads(facts)
    assert "wrong" not in facts
    assert wasm.startswith(b"\0asm")
    assert [x["name"] for x in facts["signatures"]["exports"]] == ["f", "local", "heights"]


def wrong(compiler: Any, text: str) -> tuple[str, list[int] | None]:
    facts, wasm = compiler.compiled(text)
    assert wasm == b""
    return json.loads(facts)["wrong"]["text"], json.loads(facts)["wrong"]["at"]


def test_an_error_of_ours_has_its_place_its_caret_and_its_hint(compiler: Any):
    text, at = wrong(compiler, PROGRAMS["error"])
    assert text.startswith("TypeMismatch: a traced Bool has no truth value")
    assert "  at program.py:8\n    if x > 0:\n       ^^^^^\n  hint: " in text
    assert at == [8, 7, 12]


@pytest.mark.parametrize(
    ("program", "text", "at"),
    [
        ("def f(:\n    pass", "SyntaxError: invalid syntax\n  at program.py:1\n    def f(:\n          ^", [1, 6, 7]),
        ("x = (1,\n", "SyntaxError: '(' was never closed\n  at program.py:1\n    x = (1,\n        ^", [1, 4, 5]),
        ("x = 1\n1 / 0", "ZeroDivisionError: division by zero\n  at program.py:2\n    1 / 0\n    ^^^^^", [2, 0, 5]),
        (
            f"{HEAD}    return x + z",
            "NameError: name 'z' is not defined\n  at program.py:7\n    return x + z\n               ^",
            [7, 15, 16],
        ),
        ("raise SystemExit", "SystemExit\n  at program.py:1\n    raise SystemExit\n    ^^^^^^^^^^^^^^^^", [1, 0, 16]),
    ],
)
def test_any_other_error_has_its_place(compiler: Any, program: str, text: str, at: list[int]):
    assert wrong(compiler, program) == (text, at)


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("", "the program has no function to draw; it has no @fn function\n  hint: write an @fn f(x: Real, y: Real)"),
        ("import rose\n@rose.fn\ndef g(x: rose.Real) -> rose.Real:\n    return x", "it has <fn g(x: Real) -> Real>"),
        (f"box = 3\n{HEAD}    return x", "box must be four numbers, not 3"),
        (f"box = 1, 0, 1, 2\n{HEAD}    return x", "box is empty: (1, 0, 1, 2)"),
    ],
)
def test_a_program_that_cannot_be_drawn_says_why(compiler: Any, program: str, text: str):
    said, at = wrong(compiler, program)
    assert text in said
    assert at is None


def test_what_a_program_prints_is_kept(compiler: Any):
    facts, _ = compiler.compiled(f"{HEAD}    print('traced')\n    return x * y\n\n\nprint(rose.grad(f)(2.0, 3.0))")
    assert json.loads(facts)["said"] == "traced\n3.0\n"


def test_the_package_is_that_of_the_command_line(compiler: Any):
    _, wasm = compiler.compiled(PROGRAMS["loop"])
    with zipfile.ZipFile(io.BytesIO(compiler.package())) as archive:
        assert archive.read("f/f.wasm").startswith(wasm)  # and the address of the source map
        assert json.loads(archive.read("f/package.json"))["type"] == "module"


# the page


@pytest.fixture
def opened(page: Page, site: str) -> Page:
    """The page, before Python is asked for."""
    page.goto(f"{site}/live/")
    expect(page.locator("#time")).not_to_have_text("not yet")
    return page


def with_python(page: Page, dist: Path) -> Page:
    if not (dist / "live" / "python" / "pyodide.mjs").exists():
        pytest.skip("the site was built without Pyodide: npm could not bring it")
    page.locator("#load").click()
    expect(page.locator("body")).to_have_attribute("data-compiled", "1", timeout=60_000)
    return page


@pytest.fixture
def alone(opened: Page, dist: Path) -> Page:
    """The page, with a Python of its own, which may be stopped."""
    return with_python(opened, dist)


@pytest.fixture(scope="module")
def loaded(browser: Browser, site: str, dist: Path) -> Iterator[tuple[Page, list[str]]]:
    """The page, with a Python that tests share, as it takes seconds to load; and what its console says of errors."""
    page, wrong = browser.new_page(), list[str]()
    noted(page, wrong)
    page.goto(f"{site}/live/")
    yield with_python(page, dist), wrong
    page.close()


@pytest.fixture
def live(loaded: tuple[Page, list[str]]) -> Iterator[Page]:
    """The page, with Python, and the first program in it."""
    page, wrong = loaded
    first, before = PROGRAMS["himmelblau"], compiled(page)
    page.evaluate("document.querySelector('#programs').selectedIndex = 0")
    if page.locator("textarea").input_value() != first:
        write(page, first)
        settled(page, before + 1)
    yield page
    assert not wrong


def compiled(page: Page) -> int:
    """How many programs were compiled."""
    return int(page.locator("body").get_attribute("data-compiled") or 0)


def write(page: Page, text: str) -> None:
    """Put another program into the editor, as a person would who pastes it."""
    page.locator("textarea").fill(text)


def settled(page: Page, count: int) -> None:
    """Wait until so many programs were compiled, and the picture is that of the last."""
    expect(page.locator("body")).to_have_attribute("data-compiled", str(count), timeout=20_000)
    expect(page.locator("body")).to_have_attribute("data-drawn", str(count))


def told(page: Page) -> dict[str, float]:
    """The numbers on the page, all of their digits."""
    found = page.evaluate("[...document.querySelectorAll('[data-exactly]')].map(e => [e.id, e.dataset.exactly])")
    return {k: float(x) for k, x in found}


def in_python(compiler: Any, text: str) -> Any:
    """The functions that the page draws with, in Python."""
    _, f = compiler._pictured(compiler._run(text))
    return rose.compile({"local": compiler.local(f), "heights": compiler.heights(f)})


def test_it_looks_as_it_should(page: Page, site: str, look: Callable[[Page, str], None]):
    page.goto(f"{site}/live/")
    expect(page.locator("#time")).not_to_have_text("not yet")
    look(page, "live")


def test_python_is_not_loaded_before_it_is_asked_for(page: Page, site: str):
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.goto(f"{site}/live/")
    expect(page.locator("#time")).not_to_have_text("not yet")
    expect(page.locator("#value")).not_to_be_empty()
    assert not [url for url in asked if "pyodide" in url or url.endswith(".zip")]
    assert sum(len(page.request.get(url).body()) for url in asked if "/live/" in url) < 100_000


def test_the_picture_can_be_dragged_before_python_is_there(opened: Page, compiler: Any):
    before = told(opened)
    opened.locator("#map .handle").focus()
    opened.keyboard.press("ArrowRight")
    expect(opened.locator("#x")).not_to_have_attribute("data-exactly", str(before["x"]))
    at = told(opened)
    assert at["x"] == pytest.approx(before["x"] + 0.096)
    assert at["value"] == in_python(compiler, PROGRAMS["himmelblau"]).local(at["x"], at["y"])["value"]


def test_the_load_is_shown_with_its_size(live: Page, dist: Path, record_property: Callable[[str, object], None]):
    files = sorted((dist / "live" / "python").iterdir())
    sizes = {f.name: (f.stat().st_size, len(gzip.compress(f.read_bytes(), mtime=0))) for f in files}
    total = sum([raw for name, (raw, _) in sizes.items() if name != "contents.js"])
    expect(live.locator("#load")).to_have_text(f"Load Python, {total / 1e6:.1f} MB")
    expect(live.locator("#load")).to_be_hidden()
    expect(live.locator("#progress")).to_be_hidden()
    record_property("bytes", sizes)


def test_every_program_of_the_menu_has_pythons_numbers(live: Page, compiler: Any, shots: Path):
    for count, name in enumerate([*RIGHT][1:] + [*RIGHT][:1], start=compiled(live) + 1):
        live.locator("#programs").select_option(index=list(PROGRAMS).index(name))
        settled(live, count)
        live.locator("#map .handle").focus()
        for key in ("ArrowRight", "Shift+ArrowUp"):
            before = told(live)
            live.keyboard.press(key)
            for number in ("x", "y"):
                if key.endswith("Right") == (number == "x"):
                    expect(live.locator(f"#{number}")).not_to_have_attribute("data-exactly", spelled(before[number]))
            at = told(live)
            expected = in_python(compiler, PROGRAMS[name]).local(at["x"], at["y"])
            assert at["value"] == expected["value"]
            assert [at["gx"], at["gy"]] == expected["gradient"].tolist()
            assert [[at["hxx"], at["hxy"]], [at["hyx"], at["hyy"]]] == expected["hessian"].tolist()
        live.screenshot(path=shots / f"live-program-{name}.png", full_page=True)


def spelled(x: float) -> str:
    """A number as JavaScript writes it."""
    return repr(x).removesuffix(".0")


def test_what_is_saved_has_the_bytes_that_cpython_makes(live: Page, compiler: Any, tmp_path: Path):
    before = compiled(live)
    live.locator("#programs").select_option(index=list(PROGRAMS).index("springs"))
    settled(live, before + 1)
    for button in ("wasm", "zip"):
        with live.expect_download() as saved:
            live.locator(f"#{button}").click()
        saved.value.save_as(tmp_path / button)
    assert (tmp_path / "wasm").read_bytes() == compiler.compiled(PROGRAMS["springs"])[1]
    with zipfile.ZipFile(tmp_path / "zip") as ours, zipfile.ZipFile(io.BytesIO(compiler.package())) as theirs:
        assert ours.namelist() == theirs.namelist()
        assert "f/NOTICE" in ours.namelist()  # it has mathematics
        for name in {*ours.namelist()} - {"f/f.wasm.map", "f/f.json"}:  # two Pythons may tell other columns
            assert ours.read(name) == theirs.read(name), name


def test_what_is_typed_is_compiled_after_a_pause(live: Page, compiler: Any):
    area, before = live.locator("textarea"), compiled(live)
    area.focus()
    live.keyboard.press("Control+End")
    for _ in range(4):
        live.keyboard.press("Backspace")  # of "b**2"
    live.keyboard.type("3 * b")
    settled(live, before + 1)
    program = PROGRAMS["himmelblau"].replace("b**2", "3 * b")
    assert area.input_value() == program
    at = told(live)
    assert at["value"] == in_python(compiler, program).local(at["x"], at["y"])["value"]


def test_an_error_appears_under_the_editor_and_the_picture_stays(live: Page, shots: Path):
    before, count = (told(live), live.locator("#map .contours").get_attribute("d")), compiled(live)
    live.locator("#programs").select_option(index=list(PROGRAMS).index("error"))
    expect(live.locator("#wrong")).to_be_visible()
    assert "TypeMismatch: a traced Bool" in live.locator("#wrong").inner_text()
    assert live.locator("#wrong .quoted").inner_text() == "    if x > 0:\n       ^^^^^"
    assert "".join(live.locator("#editor .both mark").all_text_contents()) == "x > 0"
    expect(live.locator("#editor .lines mark")).to_have_text("8")
    assert before == (told(live), live.locator("#map .contours").get_attribute("d"))
    live.screenshot(path=shots / "live-error.png", full_page=True)
    live.locator("textarea").focus()
    live.keyboard.press("Control+z")  # the program before
    settled(live, count + 1)
    expect(live.locator("#wrong")).to_be_hidden()
    expect(live.locator("mark")).to_have_count(0)


def test_what_a_program_prints_is_shown(live: Page):
    before = compiled(live)
    write(live, f"{HEAD}    return x * rose.sin(y)\n\n\nprint(f(2.0, 3.0), rose.grad(f, (0, 1))(2.0, 3.0))")
    settled(live, before + 1)
    expect(live.locator("#said")).to_have_text("0.2822400161197344 (0.1411200080598672, -1.9799849932008908)\n")


def test_a_program_that_does_not_end_is_stopped(alone: Page):
    write(alone, f"while True:\n    pass\n{HEAD}    return x * y")
    alone.locator("#stop").click(timeout=8_000)
    expect(alone.locator("#wrong")).to_contain_text("Python was stopped: as you asked.")
    write(alone, f"while True:\n    pass\n{HEAD}    return x * y * 2")
    expect(alone.locator("#wrong")).to_contain_text("Python was stopped: no answer in 10 s.", timeout=60_000)
    write(alone, f"{HEAD}    return x * y * 3")
    expect(alone.locator("body")).to_have_attribute("data-drawn", "2", timeout=60_000)
    assert told(alone)["hxy"] == 3


def test_an_evaluation_that_does_not_end_is_ended(alone: Page):
    write(
        alone,
        f"{HEAD}    return rose.while_loop(lambda a: a < x + 5, lambda a: a * 1.0, 0.0)",
    )
    expect(alone.locator("#wrong")).to_contain_text("no answer in 2 s", timeout=20_000)
    write(alone, f"{HEAD}    return x * y * 2")
    settled(alone, 3)
    expect(alone.locator("#wrong")).to_be_hidden()
    assert told(alone)["hxy"] == 2


def test_tab_indents_and_escape_lets_it_leave(opened: Page):
    area = opened.locator("textarea")
    area.focus()
    opened.keyboard.press("Control+End")
    opened.keyboard.press("Enter")
    assert area.input_value().endswith("b**2\n    ")  # as the line above
    opened.keyboard.press("Tab")
    assert area.input_value().endswith("b**2\n        ")
    opened.keyboard.press("Shift+Tab")
    opened.keyboard.press("Shift+Tab")
    assert area.input_value().endswith("b**2\n")
    opened.keyboard.type("if x:")
    opened.keyboard.press("Enter")
    assert area.input_value().endswith("if x:\n    ")
    opened.keyboard.press("Escape")
    opened.keyboard.press("Tab")
    expect(area).not_to_be_focused()


@pytest.mark.parametrize("folder", ["", "quadratic/"])
def test_other_pages_do_not_load_python(page: Page, site: str, folder: str):
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.goto(f"{site}/{folder}")
    expect(page.locator("#time")).not_to_have_text("not yet")
    assert not [url for url in asked if "/live/" in url or "pyodide" in url]


def test_the_time_of_compiling_is_told(live: Page, record_property: Callable[[str, object], None]):
    times, before = list[float](), compiled(live)
    for k in range(8):
        write(live, PROGRAMS["springs"].replace("weight = 1.0", f"weight = 1.{k}"))
        settled(live, before + k + 1)
        times.append(float(live.locator("#status").inner_text().rpartition(" in ")[2].split()[0]))
    record_property("ms", times)
    print(
        f"live: compiled in {sorted(times)[4]:.0f} ms (median of 8), value, gradient, Hessian and grid of three springs"
    )
