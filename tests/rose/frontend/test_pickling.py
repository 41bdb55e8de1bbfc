"""Pickles of functions: by name, by value, and as transforms of others; in other processes, with the same bits."""

from __future__ import annotations

import base64
import copy
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pickled_functions
import pytest
from paths import TESTS
from pickled_functions import BY_NAME, BY_VALUE, bump, cube, scaled, squares

import rose
from rose import Real, RoseError, fn

SUPPORT = Path(pickled_functions.__file__).parent


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", BY_NAME)
def test_a_function_of_a_module_is_pickled_by_name(name: str, protocol: int):
    f, args = BY_NAME[name]
    assert pickle.loads(pickle.dumps(f, protocol)) is f
    f(*args)
    assert pickle.loads(pickle.dumps(f, protocol)) is f


@pytest.mark.parametrize("name", [*BY_NAME, *BY_VALUE])
def test_a_copy_of_a_function_is_the_function(name: str):
    f, _ = (BY_NAME | BY_VALUE)[name]
    assert copy.copy(f) is f
    assert copy.deepcopy([f])[0] is f


@pytest.mark.parametrize("name", BY_VALUE)
def test_plain_pickle_says_that_it_cannot_take_a_function_without_a_name(name: str):
    f, _ = BY_VALUE[name]
    with pytest.raises(RoseError, match=r"cannot be pickled by name: pickled_functions\..* is not this function"):
        pickle.dumps(f)


READ = """
import base64, pickle, sys
for line in sys.stdin:
    name, data, args = pickle.loads(base64.b64decode(line))
    y = pickle.loads(data)(*pickle.loads(args))
    print(name, repr(y.toarray() if hasattr(y, "toarray") else y).replace(chr(10), " "))
"""


def read(pickles: dict[str, tuple[bytes, bytes]], path: str) -> dict[str, str]:
    """What the pickled functions give in another process, which finds modules in `path`."""
    lines = [base64.b64encode(pickle.dumps((name, *x))).decode() for name, x in pickles.items()]
    run = [sys.executable, "-c", f"import sys; sys.path[:0] = {[path, str(TESTS.parent)]!r}\n{READ}"]
    out = subprocess.run(run, input="\n".join(lines), capture_output=True, text=True, check=True).stdout
    return dict([line.split(" ", 1) for line in out.splitlines()])


def given(f: Any, args: tuple[Any, ...]) -> str:
    y = f(*args)
    return repr(y.toarray() if hasattr(y, "toarray") else y).replace("\n", " ")


def test_functions_by_name_have_the_same_bits_in_another_process():
    pickles = {name: (pickle.dumps(f), pickle.dumps(args)) for name, (f, args) in BY_NAME.items()}
    assert read(pickles, str(SUPPORT)) == {name: given(*x) for name, x in BY_NAME.items()}


@pytest.mark.parametrize("called", [False, True])
def test_functions_by_value_have_the_same_bits_in_a_process_without_their_module(called: bool, tmp_path: Path):
    cloudpickle = pytest.importorskip("cloudpickle")
    scope: dict[str, Any] = {"__name__": "__main__", "__file__": str(tmp_path / "notebook.py")}
    text = (
        (SUPPORT / "pickled_functions.py").read_text(encoding="utf-8").replace("from __future__", "# from __future__")
    )
    (tmp_path / "notebook.py").write_text(text, encoding="utf-8")
    exec(compile(text, scope["__file__"], "exec"), scope)
    cases = scope["BY_NAME"] | scope["BY_VALUE"]
    want = {name: given(*x) for name, x in cases.items()} if called else {}
    pickles = {name: (cloudpickle.dumps(f), cloudpickle.dumps(args)) for name, (f, args) in cases.items()}
    assert read(pickles, str(tmp_path)) == (want or {name: given(*x) for name, x in cases.items()})


def test_a_function_by_value_is_the_same_one_for_each_task():
    cloudpickle = pytest.importorskip("cloudpickle")
    data, slope = cloudpickle.dumps(scaled(3.0)), cloudpickle.dumps(rose.grad(scaled(3.0)))
    assert pickle.loads(data) is pickle.loads(bytes(data))
    assert pickle.loads(slope) is pickle.loads(bytes(slope))


def test_functions_that_share_many_others_make_a_short_pickle():
    cloudpickle = pytest.importorskip("cloudpickle")
    f = scaled(1.0)
    for _ in range(20):
        f = doubled(f)
    assert len(cloudpickle.dumps(f)) < 50_000


def doubled(f: Any) -> Any:
    g = rose.fn([Real], Real)(lambda x: 2.0 * f(x))
    return rose.fn([Real], Real)(lambda x: f(x) + g(x))


def test_a_rule_travels_with_its_function():
    cloudpickle = pytest.importorskip("cloudpickle")
    f = scaled(3.0)
    f.jvp(lambda x: rose.Dual(f(x.re), 100.0 * x.du))
    assert rose.grad(pickle.loads(cloudpickle.dumps(f)))(1.0) == 100.0


@pytest.mark.parametrize(
    "how", [h for h in ("spawn", "fork", "forkserver") if h in multiprocessing.get_all_start_methods()]
)
def test_a_pool_of_processes_takes_functions(how: str):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(how)) as pool:
        for f in (bump, rose.grad(bump), rose.hessian(bump)):
            assert [*pool.map(f, [1.0, 2.0], [3.0, 4.0])] == [f(1.0, 3.0), f(2.0, 4.0)]
        assert pool.submit(rose.grad(squares), [1.0, 2.0]).result().tolist() == [2.0, 4.0]


def test_functions_at_a_point_and_of_a_text_are_pickled():
    y, pull = pickle.loads(pickle.dumps(rose.vjp(bump)))(0.0, 2.0)
    assert (y, pull(1.0)) == (2.0, (0.0, 1.0))
    assert pickle.loads(pickle.dumps(rose.scipy(cube))).jac([2.0]).tolist() == [40.0]
    f = rose.parse("def f(x: Real): Real = x * x")["f"]
    assert pickle.loads(pickle.dumps(rose.grad(f)))(3.0) == 6.0


def test_a_function_that_uses_values_of_a_trace_is_not_pickled():
    cloudpickle = pytest.importorskip("cloudpickle")

    @fn
    def outer(x: Real) -> Real:
        inner = rose.fn([Real], Real)(lambda y: x * y)
        inner(2.0)
        cloudpickle.dumps(inner)
        return x

    with pytest.raises(RoseError, match="uses a traced Real"):
        outer(1.0)
