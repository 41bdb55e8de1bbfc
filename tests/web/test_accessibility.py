"""What axe finds wrong with the pages by the rules of WCAG 2.2, levels A and AA: nothing."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from browsers import BUNDLERS
from pairs import pairs, rest_in_fuzz
from playwright.sync_api import Browser

AXE = BUNDLERS / "node_modules" / "axe-core" / "axe.min.js"
PAGES = ["", "quadratic/", "billiards/", "robot/", "slide/", "drag/", "fit/", "asked/", "live/"]
SIZES, SCHEMES = [(390, 844), (1280, 800)], ["light", "dark"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
FOUND = """async (tags) => {
  const { violations, passes } = await axe.run(document, { runOnly: { type: "tag", values: tags } });
  const told = violations.flatMap(({ id, nodes }) => nodes.map((n) => `${id} ${n.target}: ${n.failureSummary}`));
  return [passes.length, told];
}"""


@pytest.mark.skipif(not AXE.exists(), reason="axe is not installed: npm install --prefix tests/bundlers")
@pytest.mark.parametrize(
    ("slug", "size", "scheme"), rest_in_fuzz(product(PAGES, SIZES, SCHEMES), pairs(PAGES, SIZES, SCHEMES))
)
def test_axe_finds_nothing_wrong(browser: Browser, site: str, size: tuple[int, int], scheme: Any, slug: str):
    width, height = size
    # axe brings a style of its own, which the policy of the pages refuses
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True)
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/{slug}")
    page.wait_for_function("() => time.value != 'not yet' || document.querySelector('.rose-handle')")
    page.evaluate(AXE.read_text())
    passed, wrong = page.evaluate(FOUND, RULES)
    page.close()
    assert passed > 10
    assert wrong == []
