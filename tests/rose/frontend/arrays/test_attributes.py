"""What stands after the dot of an array."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

import rose
from rose import Real, Vec, fn
from rose.errors import NoField
from rose.ir import Value


def test_an_array_has_a_shape():
    seen = list[object]()
    fn([Vec[2, 3], Real], Real)(lambda x, y: seen.extend([x.shape, x.ndim, x.size, y.shape, x.T.shape]) or y).func  # noqa: B018
    assert seen == [(2, 3), 2, 6, (), (3, 2)]


def test_the_transpose_of_a_vector_is_the_vector():
    f = fn([Vec[3]], Vec[3])(lambda x: x.T)
    assert list(f([1.0, 2.0, 3.0])) == [1.0, 2.0, 3.0]


def test_what_an_array_does_not_have_is_an_error():
    with pytest.raises(rose.RoseError, match="has no nothing"):
        _ = fn([Vec[3]], Real)(lambda x: x.nothing).func


def _missing(v: Any) -> Any:
    return v.nothing


def _missing_in_a_loop(v: Any) -> Any:
    return rose.sum(x.nothing for x in v)


@pytest.mark.parametrize("f", [_missing, _missing_in_a_loop])
@pytest.mark.parametrize("eagerly", [False, True])
def test_the_error_is_at_the_users_expression(f: Any, eagerly: bool):
    with rose.eager() if eagerly else nullcontext(), pytest.raises(NoField, match=r"test_attributes.py:\d+\n.*return"):
        fn([Vec[3]], Real)(f)([1.0, 2.0, 3.0])


def test_python_may_ask_what_an_array_has():
    def f(v: Any) -> Any:
        seen.extend([hasattr(v, "T"), hasattr(v, "nothing"), getattr(v, "nothing", 7), *dir(v)])
        return v[0]

    seen = list[Any]()
    _ = fn([Vec[3]], Real)(f).func
    assert seen[:3] == [True, False, 7]
    assert {"T", "shape", "at", "sum", "mean", "reshape"} <= {*seen}
    assert not {"args", "op", "type", "block", "number"} & {*seen}


def test_no_attribute_of_a_value_is_looked_for_by_python_code():
    """Where a class has a `__getattr__`, CPython 3.11 specialises no attribute of it: 1.1 times as long a compile."""
    assert not {"__getattr__", "__getattribute__"} & {*vars(Value)}
