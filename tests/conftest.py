"""Options of the whole suite."""

import os

import pytest

os.environ["ROSE_CACHE"] = ""  # modules are compiled anew, but in tests of the cache


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write the golden files anew, from what comes out now")


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless"))
