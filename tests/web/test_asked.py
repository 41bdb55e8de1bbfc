"""The page of what users of others ask for: a network, a robot's hand and a wave, with Python's numbers."""

from collections.abc import Callable

import asked as program
import pytest
from playwright.sync_api import Page, expect

import rose


@pytest.fixture
def asked(page: Page, site: str) -> Page:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/asked/")
    expect(page.locator("#time")).not_to_have_text("not yet")
    return page


def test_it_looks_as_it_should(asked: Page, look: Callable[[Page, str], None]):
    look(asked, "asked")


def test_a_network_learns(asked: Page):
    expect(asked.locator("#steps")).to_have_text("0")
    asked.locator("#once").click()
    expect(asked.locator("#steps")).to_have_text("1")
    asked.locator("#train").click()
    expect(asked.locator("#right")).to_have_text("32 of 32")
    expect(asked.locator("#each")).to_contain_text("µs")
    asked.locator("#train").click()
    expect(asked.locator("#train")).to_have_text("Train")
    asked.locator("#reset").click()
    expect(asked.locator("#steps")).to_have_text("0")


def test_a_hand_is_where_python_has_it(asked: Page):
    hand, moves = rose.compile(program.hand), rose.compile(program.moves)
    for at in ([0.3, 0.1, -0.2], [0.5, 0.1, -0.2]):
        asked.locator("#t0").fill(str(at[0]))
        said = [row.split("\t")[1:] for row in asked.locator("#hand").inner_text().split("\n")]
        assert [float(x) for x, *_ in said] == pytest.approx(list(hand(at)), abs=0.05)
        assert [[float(x) for x in row[1:]] for row in said] == pytest.approx(moves(at), abs=0.005)


def test_a_wave_is_found(asked: Page):
    for f in ("2", "0.4", "2.3"):
        asked.locator("#frequency").fill(f)
        expect(asked.locator("#found-f")).to_have_text(f"{float(f):.4f}")
        expect(asked.locator("#found-a")).to_have_text("2.0000")
