"""The operations as type checkers see them: `rose/frontend/typed_operations.pyi` is made from the table."""

from paths import ROOT

from rose.ir import ops
from rose.ir.builder import Op

FILE = ROOT / "rose" / "frontend" / "typed_operations.pyi"
HEAD = '''\
"""The operations as type checkers see them: of numbers they are numbers, and with an array among them, arrays.

Made from the rows of `rose/ir/ops.py` by `pytest tests/types/test_operations.py --bless`.
"""

from typing import TypeVar

from .typed import AnyArray, AnyMap

_N = TypeVar("_N", float, AnyMap, AnyArray)

__all__ = [
'''


def stub() -> str:
    """The text of the stub."""
    rows = {name: getattr(ops, name) for name in ops.__all__}
    functions = [_function(name, row) for name, row in rows.items() if isinstance(row, Op)]
    return HEAD + "".join([f'    "{name}",\n' for name in rows]) + "]\n\n" + "".join(functions)


def _function(name: str, row: Op) -> str:
    params = ", ".join([f"{k}: _N" for k in row.__signature__.parameters])
    return f'def {name}({params}, /) -> _N:\n    """{row.doc}"""\n\n'


def test_the_stub_of_the_operations_is_that_of_the_table(bless: bool):
    text = stub().rstrip() + "\n"
    if bless:
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text
