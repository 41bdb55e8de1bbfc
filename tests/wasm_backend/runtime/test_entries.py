"""Entries of the cache: what was written, or nothing."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from wasm_backend.runtime import entries
from wasm_backend.runtime.cache_directory import NAME, cache_directory

ONE, OTHER = "1" * 64, "2" * 64


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROSE_CACHE", str(tmp_path))
    return tmp_path / NAME


def store(name: str, content: bytes) -> None:
    with cache_directory() as at:
        assert at is not None
        entries.store(at, name, content)


def load(name: str) -> bytes | None:
    with cache_directory() as at:
        assert at is not None
        return entries.load(at, name)


def test_what_was_stored_is_loaded(directory: Path):
    assert load(ONE) is None
    store(ONE, b"one")
    store(OTHER, b"")
    assert load(ONE) == b"one" and load(OTHER) == b""
    store(ONE, b"another")
    assert load(ONE) == b"another"


@pytest.mark.parametrize("part", ["digest", "content", "end", "half"])
def test_what_was_damaged_is_not_loaded(directory: Path, part: str):
    store(ONE, b"one of many")
    good = (directory / ONE).read_bytes()
    k = {"digest": 0, "content": 34, "end": len(good) - 1, "half": 0}[part]
    bad = good[: len(good) // 2] if part == "half" else good[:k] + bytes([good[k] ^ 1]) + good[k + 1 :]
    (directory / ONE).write_bytes(bad)
    assert load(ONE) is None


def test_an_entry_under_another_name_is_not_loaded(directory: Path):
    store(ONE, b"one")
    (directory / ONE).rename(directory / OTHER)
    assert load(OTHER) is None


def test_of_two_that_store_at_once_one_is_there_whole(directory: Path):
    contents = [bytes([k]) * 100_000 for k in range(4)]
    threads = [Thread(target=store, args=(ONE, content)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load(ONE) in contents and [path.name for path in directory.glob("new-*")] == []


def test_the_oldest_go_when_there_are_too_many(directory: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(entries, "MOST", 3)
    names = [f"{k:x}" * 64 for k in range(6, 0, -1)]
    for k, name in enumerate(names):
        store(name, b"small")
        os.utime(directory / name, (k + 1, k + 1))
    assert len([*directory.iterdir()]) == 7  # with the marker: nobody has looked
    store("0" * 64, b"small")
    assert sorted([path.name[0] for path in directory.iterdir()]) == ["0", "1", "2", "C"]
    store("a" * 64, bytes(2**14))
    assert sorted([path.name[0] for path in directory.iterdir()]) == ["0", "1", "C", "a"]
