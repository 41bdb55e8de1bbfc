"""Hooks: what a room asks of rooms above its own.

Code imports only from below. The few questions that go up are the members of `Hooks`, and the answers are those of
`rose/hooks.py`, which stands above all who are asked, and imports each when it is first asked for it.
`rose/__init__.py` installs them: there is no other way up, and no other import with an effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from .func import Func
    from .types import Type
    from .value import Value


class Meanings(NamedTuple):
    """The meaning of what a user writes of a traced value.

    Besides Python's operators, `operators` has `each`, of a function and operands, for each element of arrays; `array`,
    which makes a value of a list or an array of NumPy's; `ufunc`, of a name of NumPy's; `function`, of another function
    of NumPy's; `part`, of an array and a key of several indices; `objects`, NumPy's array of a value; and `iter`.
    """

    operators: Mapping[str, Callable[..., Any]]  # by symbol
    attributes: dict[str, Any]  # after its dot: methods, and properties
    for_numpy: dict[str, Any]  # those that NumPy calls of each object of an array: a field of that name comes first
    column: Callable[[Value, str], Any]  # of an array of structs, the array of their fields of a name
    dual: type  # the class of a value with its tangent


class ComplexNumbers(Protocol):
    """The meaning of complex numbers. Programs without them do not import it."""

    def meaning(self, op: Any, args: Sequence[Value], loc: Any, /) -> Any:
        """The value of a row on values, of which some are complex numbers."""
        ...

    def part(self, name: str, /, *args: Any, **named: Any) -> Any:
        """A function of a number or an array, by NumPy's name: `real`, `imag`, `conj` or `angle`."""
        ...

    def array_function(self, f: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any], /) -> Any:
        """A function of arrays that met complex numbers, as it is of these."""
        ...

    def conjugated(self, v: Value, /) -> Value:
        """A value of any type with the conjugate of each complex number in it."""
        ...


class Algebra(Protocol):
    """The functions of functions, `f + g` and `f(g)`. They stand above derivatives, of which they have some."""

    def operator(self, symbol: str, /, *operands: Any) -> Any:
        """Python's operator of a function and another operand."""
        ...

    def called(self, f: Any, args: Sequence[Any], named: dict[str, Any], /) -> Any:
        """`f` of functions."""
        ...

    def pointwise(self, f: Callable[..., Any], /, *operands: Any) -> Any:
        """`f`, a function of values, of what functions give."""
        ...

    def ufunc(self, name: str, operands: Sequence[Any], named: dict[str, Any], /) -> Any:
        """NumPy's function of elements of that name, of functions."""
        ...

    def array_function(self, f: Any, operands: Sequence[Any], named: dict[str, Any], /) -> Any:
        """NumPy's function `f` of arrays, of functions."""
        ...

    def on(self, f: Any, /, *grids: Any) -> Any:
        """`f`, with a grid for each argument."""
        ...


class Runtime(Protocol):
    """Calls of functions outside of any trace. They need the back end."""

    def run(self, f: Any, /) -> Callable[..., Any]:
        """A callable that runs `f`, compiled."""
        ...

    def map(self, f: Any, args: Sequence[Any], in_axes: Any, options: Mapping[str, Any], /) -> Any:
        """The results of `f` for a batch of arguments."""
        ...

    def elementwise(self, f: Any, args: Sequence[Any], /) -> Any:
        """The results of `f`, from numbers to a number, for the elements of arrays, which are broadcast."""
        ...

    def present(self, x: Any, t: Type, /) -> Any:
        """The host value `x` of type `t` as a user is given it."""
        ...


class Hooks(Protocol):
    """The rooms above, for those below."""

    @property
    def meanings(self) -> Meanings:
        """Of the front end, for values: asked when the first function is traced."""
        ...

    @property
    def verify(self) -> Callable[[Func], object] | None:
        """The verifier, for the builder: called with each function that is made. None unless it was asked for."""
        ...

    @property
    def complex(self) -> ComplexNumbers:
        """Of complex numbers, for the builder, for arrays and for derivatives."""
        ...

    @property
    def numpys(self) -> Mapping[str, Callable[..., Any]]:
        """Of linear algebra, for the front end: functions by their names of NumPy."""
        ...

    @property
    def transforms(self) -> Mapping[str, Callable[..., Any]]:
        """Of Fourier transforms, for the front end: functions by their names of NumPy."""
        ...

    @property
    def scipys(self) -> Mapping[str, Callable[..., Any]]:
        """Of special functions, for the front end: functions by the names of SciPy's ufuncs."""
        ...

    @property
    def specials(self) -> Mapping[str, Any]:
        """The rows of special functions, by name: read when a program first needs one."""
        ...

    @property
    def algebra(self) -> Algebra:
        """Of functionals, for the front end."""
        ...

    @property
    def runtime(self) -> Runtime:
        """Of `rose.compile`, for the front end."""
        ...


_installed: list[Hooks] = []


def install(hooks: Hooks) -> None:
    """Let `hooks` answer from now on."""
    _installed[:] = [hooks]


def above() -> Hooks:
    """The hooks that are installed."""
    assert _installed, "no hooks are installed: import rose first"
    return _installed[0]
