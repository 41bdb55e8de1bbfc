"""Sparse matrices at the border: arrays of SciPy's in Python, coordinates in JavaScript and where there is no SciPy."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.differentiation.sparse.matrix import Sparsity, type_of
from rose.errors import RoseError
from rose.host.interpreter import run

NODE = shutil.which("node")
X = [1.0, 2.0, 3.0, 4.0]
ROWS, COLS = [0, 1, 1, 1, 2, 2, 2, 3, 3], [1, 0, 1, 2, 1, 2, 3, 2, 3]
VALUES = [4.0, 4.0, 2.0, 6.0, 6.0, 4.0, 8.0, 8.0, 6.0]


@fn
def energy(x: Vec[4]) -> Real:
    return rose.sum(x[i] * x[i + 1] ** 2 for i in rose.range(3))


hess = rose.hessian(energy, sparse=True)


def test_a_matrix_is_an_array_of_scipys():
    made = hess(X)
    assert type(made).__name__ == "csr_array" and made.shape == (4, 4) and made.has_canonical_format
    assert made.data.tolist() == VALUES and made.indices.tolist() == COLS
    assert made.tocoo().row.tolist() == ROWS


def test_what_is_done_to_one_matrix_leaves_the_next_as_it_was():
    first = hess(X)
    first.data[:3] = 0.0
    first.eliminate_zeros()
    first.sum_duplicates()
    assert first.nnz == 6 and hess(X).nnz == 9 and hess(X).data.tolist() == VALUES


def test_one_pattern_has_one_type():
    again = rose.hessian(energy, sparse=True)
    assert again.result is hess.result
    assert type_of(Sparsity((2, 2), (0, 1), (1, 1))) is not type_of(Sparsity((2, 2), (0, 1), (0, 1)))


def test_a_module_with_one_is_pickled():
    module = pickle.loads(pickle.dumps(rose.compile(hess)))
    assert (module(X) != hess(X)).nnz == 0


@pytest.mark.slow
def test_a_module_is_pickled_to_another_process(tmp_path: Path):
    (tmp_path / "m").write_bytes(pickle.dumps(rose.compile(hess)))
    text = f"import pickle; print(pickle.load(open({str(tmp_path / 'm')!r}, 'rb'))({X}).data.tolist())"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert json.loads(done.stdout) == VALUES


def test_a_batch_has_the_values_of_each():
    xs = np.random.default_rng(0).normal(size=(3, 4))
    batch = rose.compile(hess).map(xs)
    assert batch.values.shape == (3, 9)
    assert all([(batch.values[k] == hess(xs[k]).data).all() for k in range(3)])


def test_a_view_is_a_matrix_too():
    assert rose.compile(hess).call([X], view=True).data.tolist() == VALUES


def test_a_matrix_is_taken_where_it_was_given():
    same = fn([hess.result], hess.result)(lambda h: h)
    made = hess(X)
    assert (same(made) != made).nnz == 0
    y, pull = rose.vjp(hess)(X)
    half = fn([Vec[4]], Real)(lambda x: rose.sum(v[k] ** 2 for v in [hess(x).values] for k in rose.range(9)) / 2)
    assert np.allclose(pull(y), rose.grad(half)(X), rtol=1e-15)


@pytest.mark.parametrize("change", [lambda m: m[:3], lambda m: m.T @ m, lambda m: m.toarray(), lambda m: m * m.T @ m])
def test_another_matrix_is_refused(change: Any):
    total = fn([hess.result], Real)(lambda h: rose.sum(h.values))
    assert total(hess(X)) == sum(VALUES)
    with pytest.raises(RoseError):
        total(change(hess(X)))


def test_at_once_it_is_the_same():
    with rose.eager():
        assert (hess(X) != rose.compile(hess)(X)).nnz == 0


def test_the_interpreter_has_its_parts():
    assert run(hess.func, X) == (tuple(ROWS), tuple(COLS), tuple(VALUES), (4, 4))


def test_without_scipy_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(RoseError, match="SciPy array, which cannot be imported") as e:
        hess(X)
    assert "pip install scipy" in str(e.value)
    total = fn([Vec[4]], Real)(lambda x: rose.sum(hess(x).values))
    assert total(X) == sum(VALUES)


def test_the_bytes_are_the_same_each_time():
    assert rose.compile(hess).wasm == rose.compile(rose.hessian(energy, sparse=True)).wasm


def test_what_typescript_is_told():
    told = rose.compile({"hess": hess}).files("made")["index.d.ts"].decode()
    assert "readonly hess: Checked<(x: readonly [number, number, number, number] | Numbers) => Sparse>;" in told
    fields = ["rows: Uint32s;", "cols: Uint32s;", "values: Float64s;", "shape: [number, number];"]
    assert "export interface Sparse {\n  " + "\n  ".join(fields) + "\n}\n" in told


def test_matrices_of_several_patterns_are_one_interface():
    jac = rose.jacobian(fn([Vec[3]], Vec[3])(lambda x: [x[0], x[1], x[0]]), sparse=True)
    told = rose.compile({"hess": hess, "jac": jac}).files("made")["index.d.ts"].decode()
    assert told.count("interface Sparse") == 1 and told.count("=> Sparse>") == 2


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_in_javascript_it_is_coordinates(tmp_path: Path):
    rose.compile({"hess": hess}).save(tmp_path / "made")
    page = tmp_path / "page.mjs"
    page.write_text(
        'import init from "./made/index.js";\n'
        "const { rows, cols, values, shape } = (await init()).hess([1, 2, 3, 4]);\n"
        "const kinds = [rows, cols, values].map((x) => x.constructor.name);\n"
        "console.log(JSON.stringify({ kinds, all: [[...rows], [...cols], [...values], shape] }));\n"
    )
    done: Any = json.loads(subprocess.run([str(NODE), page], capture_output=True, text=True, check=True).stdout)
    assert done == {"kinds": ["Uint32Array", "Uint32Array", "Float64Array"], "all": [ROWS, COLS, VALUES, [4, 4]]}
