"""The page that has a package inside: opened from a file, in a browser, where all it has is a form."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import rose
from rose import Bool, Fin, Real, RoseError, Vec, fn, opaque

pytestmark = pytest.mark.slow


@rose.struct
class Point:
    x: Real
    y: Real


@fn
def turned(p: Point, times: Real) -> Point:
    """By right angles, to the left.

    And <stretched>, too.
    """
    return Point(-p.y * times, p.x * times)


@fn
def halved(x: Real) -> Real:
    rose.assert_(x >= 0.0, "x is not negative")
    rose.print("{} is given", x)
    return rose.sqrt(x) / 2


@fn
def chosen(left: Bool, k: Fin[3], v: Vec[3]) -> Vec[2]:
    return [rose.select(left, v[k], -v[k]), v[0]]


n = rose.dim("n")


@fn
def total(x: Vec[n]) -> Real:
    return rose.sum(x)


@fn
def rows(m: Vec[2, Vec[2]], big: Vec[12]) -> Vec[2, Vec[12]]:
    return [big, rose.vec(big[i] * m[0][1] for i in rose.range(12))]


FUNCTIONS = {"turned": turned, "halved": halved, "chosen": chosen, "total": total, "rows": rows, "</script>": halved}


@pytest.fixture
def told(page: Page) -> Iterator[list[str]]:
    """What the console of the page has; no error is among it."""
    said: list[tuple[str, str]] = []
    page.on("console", lambda m: said.append((m.type, m.text)))
    page.on("pageerror", lambda e: said.append(("error", str(e))))
    page.on("request", lambda r: said.append(("error", r.url)) if not r.url.startswith("file:") else None)
    logged: list[str] = []
    yield logged
    logged += [text for _, text in said]
    assert [text for kind, text in said if kind != "log"] == []


@pytest.fixture
def forms(page: Page, told: list[str], tmp_path: Path) -> dict[str, Locator]:
    files = rose.compile(FUNCTIONS, dynamic=True).save(tmp_path / "é", "made", html=True)
    (at,) = [f for f in files if f.suffix == ".html"]
    page.goto(at.as_uri())
    found = page.locator("form")
    return dict(zip(FUNCTIONS, [found.nth(k) for k in range(found.count())], strict=True))


def shown(form: Locator) -> Any:
    return form.locator("output").inner_text()


def test_each_function_has_a_form_that_shows_its_result(forms: dict[str, Locator]):
    assert [shown(f) for f in forms.values()] == [
        "{ x: -6, y: 3 }", "0.5", "[1, 1]", "6", shown(forms["rows"]), "0.5",
    ]  # fmt: skip
    assert shown(forms["rows"]).startswith("[\n  [5, 6, 7,")
    assert forms["turned"].locator("p").inner_text() == "By right angles, to the left.\n\nAnd <stretched>, too."
    assert forms["turned"].locator("label span").all_inner_texts() == ["p\nPoint", "times\nReal"]
    assert forms["</script>"].locator("h2").inner_text() == "</script>"


def test_what_is_filled_in_is_evaluated(forms: dict[str, Locator]):
    turned_, chosen_ = forms["turned"], forms["chosen"]
    turned_.get_by_label("p").fill('{"x": 0.1, "y": -0.0}')
    turned_.get_by_label("times").fill("3e-7")
    want = turned(Point(0.1, -0.0), 3e-7)
    assert shown(turned_) == f"{{ x: 0, y: {want.y!r} }}".replace("e-0", "e-")
    chosen_.get_by_label("left").uncheck()
    chosen_.get_by_label("k").fill("2")
    chosen_.get_by_label("v").fill("[1, 2, 3.5]")
    chosen_.get_by_role("button").click()
    assert shown(chosen_) == "[-3.5, 1]"
    forms["total"].get_by_label("x").fill("[1, 2, 3, 4.5]")
    assert shown(forms["total"]) == "10.5"


def test_what_is_wrong_is_said(forms: dict[str, Locator]):
    def said(name: str, label: str, text: str) -> str:
        forms[name].get_by_label(label).fill(text)
        output = forms[name].locator("output")
        expect(output).to_have_class("wrong")
        return output.inner_text()

    assert said("turned", "p", '{"x": 1}') == "TypeError: turned: p.y must be a number, got undefined"
    assert said("turned", "p", "{x: 1}").startswith("Error: p is not written as JSON: ")
    assert said("halved", "x", "-1").startswith("Error: x is not negative")
    assert said("halved", "x", "") == "TypeError: halved: x must be a number, got undefined"
    assert said("chosen", "k", "3") == "TypeError: chosen: k must be an integer from 0 to 2, got 3"
    forms["halved"].get_by_label("x").fill("16")
    assert shown(forms["halved"]) == "2"


def test_what_is_printed_is_in_the_console(page: Page, tmp_path: Path):
    said: list[str] = []
    page.on("console", lambda m: said.append(m.text))
    (at,) = [f for f in rose.compile(halved).save(tmp_path, html=True) if f.suffix == ".html"]
    page.goto(at.as_uri())
    page.get_by_label("x").fill("0.25")
    expect(page.locator("output")).to_have_text("0.25")
    assert said == ["1.0 is given", "0.25 is given"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_fits_a_phone(page: Page, forms: dict[str, Locator], scheme: Any):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    style = "getComputedStyle(document.body)"
    paper, ink = [int(page.evaluate(f"{style}.{k}.match(/\\d+/)[0]")) for k in ("backgroundColor", "color")]
    assert (paper < ink) == (scheme == "dark")


def test_a_page_has_no_function_that_others_would_have_to_give():
    @opaque
    def asked(x: Real) -> Real:
        return x

    made = rose.compile({"f": rose.fn([Real], Real)(lambda x: asked(x))})
    with pytest.raises(RoseError, match="the HTML page cannot supply the function asked, which the module calls"):
        made.files("made", html=True)
    own = rose.compile({"f": rose.fn([Real], Real)(lambda x: opaque(name="Math.log1p")(asked.body)(x))})
    assert b"Math.log1p" in own.files("made", html=True)["made.html"]


def test_a_page_allows_itself_and_nothing_else():
    text = rose.compile(turned).files("made", html=True)["made.html"].decode()
    policy = text.partition('Content-Security-Policy" content="')[2].partition('"')[0]
    kinds = [rule.split() for rule in policy.split("; ")]
    assert [rule[0] for rule in kinds] == ["default-src", "script-src", "style-src"]
    assert kinds[0][1:] == ["'none'"]
    assert "'unsafe-inline'" not in policy
    assert "src=" not in text
