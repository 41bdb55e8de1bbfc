"""The directory of the code cache: private, or none."""

import os
import sys
from pathlib import Path

import pytest

from wasm_backend.runtime.cache_directory import cache_directory, is_private

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere there is no cache")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ROSE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


def test_the_directory_of_the_user_is_made(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_directory() == home / ".cache" / "rose"
    assert (home / ".cache" / "rose").stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "other"))
    assert cache_directory() == home / "other" / "rose"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_directory() == home / "Library" / "Caches" / "rose"


def test_the_environment_names_another_directory_or_none(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(home / "mine" / "rose"))
    assert cache_directory() == home / "mine" / "rose"
    monkeypatch.setenv("ROSE_CACHE", "")
    assert cache_directory() is None


def test_a_directory_that_others_can_write_to_is_not_used(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(home))
    home.chmod(0o770)
    assert not is_private(home.stat())
    assert cache_directory() is None


def test_a_directory_that_cannot_be_made_is_no_error(home: Path, monkeypatch: pytest.MonkeyPatch):
    (home / "file").write_text("")
    monkeypatch.setenv("ROSE_CACHE", str(home / "file" / "below"))
    assert cache_directory() is None
