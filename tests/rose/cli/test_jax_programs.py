"""`rose compile --jax`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from rose.cli.commands import main

PROGRAM = """
import jax, jax.numpy as jnp
params = {"w": jnp.zeros((3, 4)), "b": jnp.zeros(4)}

def loss(params, x, y):
    '''Mean squared error.'''
    return jnp.mean((jnp.tanh(x @ params["w"] + params["b"]).sum(1) - y) ** 2)

def wrong(x):
    return jax.pure_callback(lambda x: x, x, x)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "losses.py"
    path.write_text(PROGRAM)
    return path


def run(*args: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["compile", *map(str, args)])
    return done.exit_code, done.output


def test_a_package_of_a_function_of_jax(file: Path, tmp_path: Path):
    code, said = run(f"{file}:loss", "--jax", "params, f64[10, 3], f64[10]", "--grad", "-o", tmp_path / "dist")
    assert code == 0, said
    types = (tmp_path / "dist" / "index.d.ts").read_text()
    assert "grad_loss" in types and "Mean squared error." in types


@pytest.mark.parametrize(
    ("target", "examples", "code", "words"),
    [
        ("", "f64", 2, "name the functions:"),
        (":nothing", "f64", 2, "has no function nothing"),
        (":wrong", "f64[3]", 1, "rose.from_jax: pure_callback: there is no Python where the module runs"),
        (":loss", "params, f64[2", 1, "--jax 'params, f64[2'"),
        (":loss", "absent", 1, "name 'absent' is not defined"),
    ],
)
def test_what_is_wrong(file: Path, tmp_path: Path, target: str, examples: str, code: int, words: str):
    found, said = run(f"{file}{target}", "--jax", examples, "-o", tmp_path / "dist")
    assert found == code and words in said
    assert not (tmp_path / "dist").exists()
