"""Philox against the known answers of Random123, in a module and in the interpreter."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose.host.interpreter import run
from rose.random.philox import block, halves

PI = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)
KNOWN = [
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (*PI, "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def words(block: Any) -> str:
    return " ".join([f"{int(block[k]) << 16 | int(block[k + 1]):08x}" for k in range(0, 8, 2)])


def cut(words: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([h for word in words for h in halves(word)])


@pytest.mark.parametrize(("counter", "key", "wanted"), KNOWN)
def test_known_answers(counter: tuple[int, ...], key: tuple[int, ...], wanted: str):
    assert words(block()(cut(key), cut(counter))) == wanted
    assert words(run(block().func, cut(key), cut(counter))) == wanted


@pytest.mark.parametrize("options", [{"dtype": "f32"}, {"simd": True}], ids=repr)
def test_the_words_do_not_depend_on_how_it_is_compiled(options: dict[str, Any]):
    (counter, key), wanted = PI, KNOWN[-1][2]
    assert words(rose.compile(block(), **options)(cut(key), cut(counter))) == wanted
