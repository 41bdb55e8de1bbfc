"""The pages of the demo site in Firefox: each is drawn, and its console has nothing to complain of."""

import pytest
from browsers import in_firefox

from wasm_backend.simd.loops import probe

DRAWN = {  # what a page says, and that it is what it says in Chromium
    "": ("numbers.value", "energy 0.1466   gradient 0.4984, -0.5815"),
    "quadratic/": ("hyy.textContent", "0.890"),
    "billiards/": ("missed.value", "0.2130"),
    "robot/": ("far.value", "0.6869"),
    "slide/": ("least.textContent", "1.6279"),
    "drag/": ("document.querySelector('rose-drag')?.querySelectorAll('.rose-handle').length", "44"),
    "fit/": ("document.querySelectorAll('.handle').length", "9"),
    "asked/": ("document.querySelector('#found-f').textContent", "2.0000"),
    "live/": ("value.textContent", "166.480"),
}


@pytest.mark.parametrize("slug", DRAWN)
def test_a_page_is_drawn_in_firefox(site: str, slug: str):
    what, said = DRAWN[slug]
    assert in_firefox(f"{site}/{slug}", f"(x => x && JSON.stringify(String(x)))({what})") == said


def test_firefox_has_relaxed_simd(site: str):
    bytes_ = [*probe(relaxed=True)]
    assert in_firefox(site, f"JSON.stringify(WebAssembly.validate(new Uint8Array({bytes_})))") is True
