"""Engine code on disk: found again, and believed only if it is what was written, by this user."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import wasmtime

import rose
from rose import Real
from rose.build import lowered
from wasm_backend.runtime import code_cache, raw_call
from wasm_backend.runtime import entries as on_disk
from wasm_backend.runtime.cache_directory import MARKER, NAME
from wasm_backend.runtime.handles import Engine, MachineCode

ENGINE = raw_call.engine()


def long_module(k: float = 0.5) -> bytes:
    def body(x, y):
        for _ in range(700):
            x, y = x * y + k, x - y * 0.25
        return x + y

    return lowered({"f": rose.fn([Real, Real], Real)(body)}).wasm  # which is not stored


LONG = long_module()


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROSE_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept" / NAME


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often the engine compiled, and how often it took what was kept."""
    found, own = {"compiled": 0, "taken": 0}, MachineCode

    class Counting(own):
        def __init__(self, engine: Engine, wasm: bytes) -> None:
            found["compiled"] += 1
            super().__init__(engine, wasm)

        @staticmethod
        def deserialize(engine: Engine, code: bytes) -> MachineCode:
            made = own.deserialize(engine, code)
            found["taken"] += 1
            return made

    monkeypatch.setattr(code_cache, "MachineCode", Counting)
    return found


def code(module: MachineCode) -> bytes:
    return bytes(module.serialize())


def entries(directory: Path) -> list[Path]:
    return [path for path in directory.iterdir() if path.name != MARKER]


def entry(directory: Path) -> Path:
    [found] = entries(directory)
    return found


def test_code_is_found_again(directory: Path, counts: dict[str, int]):
    assert len(LONG) > code_cache.WORTH
    first = code(code_cache.compiled(ENGINE, LONG))
    assert counts == {"compiled": 1, "taken": 0}
    assert code(code_cache.compiled(raw_call.engine(), LONG)) == first
    assert counts == {"compiled": 1, "taken": 1}
    code_cache.compiled(ENGINE, long_module(0.25))
    assert counts == {"compiled": 2, "taken": 1} and len(entries(directory)) == 2


def test_nobody_else_can_write_there(directory: Path):
    code_cache.compiled(ENGINE, LONG)
    assert directory.stat().st_mode & 0o777 == 0o700
    assert entry(directory).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("what", ["directory", "entry"])
def test_what_others_can_write_is_not_believed(directory: Path, counts: dict[str, int], what: str):
    code_cache.compiled(ENGINE, LONG)
    (directory if what == "directory" else entry(directory)).chmod(0o777)
    code_cache.compiled(ENGINE, LONG)
    assert counts == {"compiled": 2, "taken": 0}


def test_an_entry_that_changed_is_compiled_anew(directory: Path, counts: dict[str, int]):
    want = code(code_cache.compiled(ENGINE, LONG))
    good = entry(directory).read_bytes()
    changed = [
        good[:1000],
        b"",
        *[good[:k] + bytes([good[k] ^ 1]) + good[k + 1 :] for k in (0, 40, 5000, -1 % len(good))],
    ]
    for k, bad in enumerate(changed):
        entry(directory).write_bytes(bad)
        assert code(code_cache.compiled(ENGINE, LONG)) == want
        assert counts == {"compiled": k + 2, "taken": 0}
        assert entry(directory).read_bytes() == good


def test_an_entry_of_another_module_is_not_taken(directory: Path, counts: dict[str, int]):
    code_cache.compiled(ENGINE, LONG)
    mine = entry(directory)
    code_cache.compiled(ENGINE, long_module(0.125))
    [other] = [x for x in entries(directory) if x != mine]
    other.replace(mine)
    code_cache.compiled(ENGINE, LONG)
    assert counts == {"compiled": 3, "taken": 0}


def test_an_entry_of_another_engine_is_compiled_anew(directory: Path, counts: dict[str, int]):
    code_cache.compiled(ENGINE, LONG)
    config = wasmtime.Config()
    config.consume_fuel = True
    code_cache.compiled(Engine(config), LONG)
    assert counts == {"compiled": 2, "taken": 0}


def test_small_modules_are_not_kept_and_nothing_is_where_it_is_off(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    code_cache.compiled(ENGINE, LONG[:8])  # the empty module
    assert not directory.exists()
    monkeypatch.setenv("ROSE_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    code_cache.compiled(ENGINE, LONG)
    assert [*tmp_path.iterdir()] == []


def test_the_oldest_entries_go(directory: Path, monkeypatch: pytest.MonkeyPatch):
    modules = [long_module(k) for k in (1.0, 2.0, 3.0)]
    code_cache.compiled(ENGINE, modules[0])
    first = entry(directory)
    monkeypatch.setattr(on_disk, "CACHE_BYTES", first.stat().st_size * 5 // 2)
    code_cache.compiled(ENGINE, modules[1])
    [second] = [x for x in entries(directory) if x != first]
    os.utime(first, (1, 1))
    os.utime(second, (2, 2))
    code_cache.compiled(ENGINE, modules[0])  # was used: the second is the oldest now
    code_cache.compiled(ENGINE, modules[2])
    assert len(entries(directory)) == 2 and first.exists() and not second.exists()


def test_an_entry_that_is_larger_than_the_cache_is_not_stored(directory: Path, monkeypatch: pytest.MonkeyPatch):
    code_cache.compiled(ENGINE, LONG)
    monkeypatch.setattr(on_disk, "CACHE_BYTES", entry(directory).stat().st_size - 100)
    code_cache.compiled(ENGINE, long_module(4.0))
    assert len(entries(directory)) == 1


def test_what_a_killed_process_left_goes_after_an_hour(directory: Path):
    code_cache.compiled(ENGINE, LONG)
    old, new = directory / f"new-{'0' * 16}", directory / f"new-{'1' * 16}"
    old.touch(), new.touch()
    os.utime(old, (1, 1))
    code_cache.compiled(ENGINE, long_module(5.0))
    assert not old.exists() and new.exists()


FOREIGN = ["old photos.tar", "thesis", ".env", "0" * 63, "A" * 64, "0" * 64 + "~", "new-thing", "new-" + "0" * 16 + "x"]


@pytest.mark.parametrize("where", ["beside", "inside"])
def test_files_of_the_user_are_neither_counted_nor_deleted(
    directory: Path, counts: dict[str, int], monkeypatch: pytest.MonkeyPatch, where: str
):
    code_cache.compiled(ENGINE, LONG)
    monkeypatch.setattr(on_disk, "CACHE_BYTES", entry(directory).stat().st_size * 3 // 2)
    folder = directory if where == "inside" else directory.parent
    for name in FOREIGN:
        (folder / name).write_bytes(bytes(2 * on_disk.CACHE_BYTES))
        os.utime(folder / name, (1, 1))
    code_cache.compiled(ENGINE, long_module(6.0))
    code_cache.compiled(ENGINE, long_module(6.0))
    assert counts == {"compiled": 2, "taken": 1}
    assert all([(folder / name).stat().st_size == 2 * on_disk.CACHE_BYTES for name in FOREIGN])


@pytest.mark.parametrize("kind", ["pipe", "directory", "link"])
def test_an_entry_that_is_no_file_is_not_opened(directory: Path, counts: dict[str, int], kind: str, tmp_path: Path):
    code_cache.compiled(ENGINE, LONG)
    at = entry(directory)
    at.rename(tmp_path / "moved")
    link: Callable[[Path], None] = lambda at: at.symlink_to(tmp_path / "moved")
    {"pipe": os.mkfifo, "directory": Path.mkdir, "link": link}[kind](at)
    code_cache.compiled(ENGINE, LONG)
    assert counts == {"compiled": 2, "taken": 0}


PROGRAM = """
import rose
from rose import module_key
module_key.sources = lambda: "files"
from rose import Real
from rose.build import lowered
def body(x, y):
    for _ in range(700):
        x, y = x * y + 0.75, x - y * 0.25
    return x + y
f = rose.compile(rose.grad(rose.fn([Real, Real], Real)(body)))
print(f(0.5, 0.25).hex())
"""


@pytest.mark.slow
def test_the_next_process_has_the_same_bits(directory: Path):
    run = lambda: subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True).stdout
    there = lambda: sorted([path.stat().st_ino for path in entries(directory)])
    first, stored = run(), there()
    assert stored and run() == first and there() == stored
