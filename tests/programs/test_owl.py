"""Owl's algorithmic differentiation: numbers for each of its functions, computed independently of both systems.

`tests/data/owl.txt` has 178 rows: a name, and numbers. They are of closed forms and of mpmath, of 50 digits,
but for the gradients of linear algebra: differences of sixth order, good to 1e-8. Where Owl itself gives others (log2,
log10, a fancy slice that names an element twice, the gradient of a Laplacian), these are the right ones.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rose
from rose import Dual, Real, Vec, fn
from rose import linalg as la

LINES = (Path(__file__).parent.parent / "data" / "owl.txt").read_text(encoding="utf-8").splitlines()
ROWS = {name: [float(x) for x in numbers.split()] for name, _, numbers in [line.rpartition(": ") for line in LINES]}


def of(kind: str) -> list[str]:
    return [name.removeprefix(kind) for name in ROWS if name.startswith(kind) and not name.endswith(".val")]


def flat(x: Any) -> list[float]:
    return np.ravel(np.asarray(x, float)).tolist()


def check(name: str, got: Any, rel: float = 1e-13) -> None:
    assert flat(got) == pytest.approx(ROWS[name], rel=rel, abs=rel), name


@pytest.fixture(params=[nullcontext, rose.eager], ids=["module", "interpreter"], autouse=True)
def _(request: pytest.FixtureRequest):
    """Each program runs as a module and in the interpreter."""
    with request.param():
        yield


def real(body: Callable[[Any], Any]) -> Any:
    return fn([Real], Real)(body)


def forward(f: Any) -> Any:
    return real(lambda x: rose.jvp(f)(Dual(x, 1.0)).du)


# functions of one number, and of two

UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": lambda x: -x, "abs": abs, "sqr": lambda x: x * x, "signum": rose.sign, "dawsn": rose.nn.dawsn,
    "softsign": rose.nn.softsign,
}  # fmt: skip


@pytest.mark.parametrize("name", of("un."))
def test_a_function_of_a_number_has_its_derivatives_in_every_mode(name: str):
    f = real(UNARY.get(name, getattr(rose, name, None)))
    x, ways = ROWS[f"un.{name}"][0], (forward(f), forward(forward(f)), rose.grad(f), forward(rose.grad(f)))
    check(f"un.{name}", [x, f(x), *[g(x) for g in ways]])
    assert rose.grad(rose.grad(f))(x) == pytest.approx(ROWS[f"un.{name}"][-1], rel=1e-13)


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b, "atan2": rose.atan2, "min2": rose.min, "max2": rose.max,
}  # fmt: skip


@pytest.mark.parametrize("name", of("bi."))
def test_a_function_of_two_numbers_has_its_gradient_and_hessian(name: str):
    f = fn([Vec[2]], Real)(lambda v: BINARY[name](v[0], v[1]))
    check(f"bi.{name}", [f([1.3, 0.7]), *rose.grad(f)([1.3, 0.7]), *flat(rose.hessian(f)([1.3, 0.7]))])


# the functions of the interface

f3 = fn([Vec[3]], Real)(lambda x: x[0] ** 2 * x[1] + rose.sin(x[2]) * rose.exp(x[0]))
f32 = fn([Vec[3]], Vec[2])(lambda x: [x[0] * x[1], rose.sin(x[2]) + x[0]])
f23 = fn([Vec[2]], Vec[3])(lambda x: [x[0] * x[1], rose.sin(x[0]), rose.exp(x[1])])
AT, ALONG = [0.5, -1.2, 0.8], [1.0, 2.0, -0.5]


square = real(lambda x: rose.sin(x * x))
product = fn([Real, Real], Real)(lambda x, y: x * y)
of_both = fn([Real, Real], Real)(lambda x, y: rose.sin(product(x, y)))
tanh = real(lambda x: rose.tanh(x))
cubes = fn([Vec[2]], Real)(lambda y: rose.sum(y**3))
trace = fn([Vec[2]], Real)(lambda y: rose.trace(rose.hessian(cubes)(y)))


def pulled(seed: float) -> Any:
    pull = rose.vjp(real(lambda x: x * x + x))(3.0).grad  # called twice: Owl's gives the first number again
    return [pull(10.0), pull(seed)][1]


def forward_table() -> list[Any]:
    up = [rose.jvp(f)(Dual(2.0, 1.0), Dual(2.0, 0.0)) for f in (product, of_both)]
    return [x for y in up for x in (y.re, y.du)]


def nested(f: Any, order: int) -> Any:
    for _ in range(order):
        f = rose.grad(f)
    return f


def along(order: int, x: float) -> Any:
    return rose.jet(tanh, order)([x, 1.0, *[0.0] * (order - 1)])


@fn
def own(x: Real) -> Real:
    return rose.sin(x)


@own.jvp
def _(x: Any) -> Any:
    return Dual(own(x.re), rose.cos(x.re) * x.du)


INTERFACE: dict[str, Callable[[], Any]] = {
    "api.f": lambda: rose.value_and_gradhessian(f3)(AT)[0],
    "api.gradhessianv'.f": lambda: rose.value_and_gradhessianv(f3)(AT, ALONG)[0],
    "api.gradhessianv'.gv": lambda: rose.gradhessianv(f3)(AT, ALONG)[0],
    "api.gradhessianv'.hv": lambda: rose.gradhessianv(f3)(AT, ALONG)[1],
    "api.grad'": lambda: rose.value_and_grad(f3)(AT)[1], "api.grad'.primal": lambda: rose.value_and_grad(f3)(AT)[0],
    "api.hessian": lambda: rose.hessian(f3)(AT), "api.hessianv": lambda: rose.hessianv(f3)(AT, ALONG),
    "api.laplacian": lambda: rose.laplacian(f3)(AT), "api.gradhessian.g": lambda: rose.gradhessian(f3)(AT)[0],
    "api.gradhessian.h": lambda: rose.gradhessian(f3)(AT)[1],
    "api.jac32": lambda: np.transpose(rose.jacobian(f32)(AT)),  # Owl's has a column for each result
    "api.jacobianv32": lambda: rose.jacobianv(f32)(AT, ALONG),
    "api.jacobianTv32": lambda: rose.jacobianTv(f32)(AT, [2.0, -3.0]),
    "api.jac23": lambda: np.transpose(rose.value_and_jacobian(f23)([0.5, -1.2])[1]),
    "api.jac23.primal": lambda: rose.value_and_jacobian(f23)([0.5, -1.2])[0],
    "low.fwd.primal": lambda: rose.jvp(square)(Dual(2.0, 1.0)).re,
    "low.fwd.tangent": lambda: rose.jvp(square)(Dual(2.0, 1.0)).du, "low.rev.adjval": lambda: rose.grad(square)(2.0),
    "low.rev.seed10 d(x^2+x)": lambda: pulled(10.0), "low.rev.again": lambda: pulled(1.0),
    "table.fwd(v2,v2.,v3,v3.)": forward_table,
    "table.rev(v3_,v2_,v0_,v1_)": lambda: [1.0, rose.grad(own)(4.0), *rose.grad(of_both, (0, 1))(2.0, 2.0)],
    "tanh.1 d1..d4": lambda: along(4, 1.0)[1:], "tanh' at .1": lambda: rose.grad(tanh)(0.1),
    "custom.siso": lambda: [forward(own)(1.0), forward(forward(own))(1.0), rose.grad(own)(1.0)],
    "custom.book: cos 1 / csin x at .5": lambda: rose.grad(real(lambda x: rose.cos(1.0) / own(x)))(0.5),
    "laplacian nested in grad": lambda: rose.grad(rose.laplacian(cubes))([1.0, 1.0]),
    "grad of trace(hessian sum y^3)": lambda: rose.grad(trace)([1.0, 1.0]),
    **{f"nest.diff^{n} tanh(.3)": lambda n=n: along(n, 0.3)[n] for n in range(1, 11)},
    **{f"nest.grad^{n} sin(sin(.7))": lambda n=n: nested(real(lambda x: rose.sin(rose.sin(x))), n)(0.7)
       for n in range(1, 7)},
}  # fmt: skip


@pytest.mark.parametrize("name", INTERFACE)
def test_the_interface(name: str):
    check(name, INTERFACE[name](), 1e-11 if name.startswith("nest") else 1e-12)


Derive = Callable[[Any], Any]


def confused(outer: Derive, inner: Derive) -> Any:
    return outer(real(lambda x: x * inner(real(lambda y: x * y * y))(2.0)))(3.0)


def thrice(outer: Derive, inner: Derive) -> Any:
    return real(lambda x: outer(real(lambda y: inner(real(lambda z: x * y**2 * z**3))(y)))(x))


CONFUSION: dict[str, Callable[[Derive, Derive], Any]] = {  # d and e are either mode, one in the other
    "pc.fwd-fwd at 2": lambda d, e: d(real(lambda x: x * e(real(lambda y: x + y))(5.0)))(2.0),
    "pc2.fwd-fwd d(x*d(xy)) at 3": lambda d, e: d(real(lambda x: x * e(real(lambda y: x * y))(2.0)))(3.0),
    "pc3.rev(fwd) at 3": confused, "pc4.fwd(rev) at 3": confused, "pc5.rev(rev) at 3": confused,
    "pc6 at 1.5": lambda d, e: thrice(d, e)(1.5), "pc6' at 1.5": lambda d, e: d(thrice(d, e))(1.5),
}  # fmt: skip


@pytest.mark.parametrize("inner", [forward, rose.grad])
@pytest.mark.parametrize("outer", [forward, rose.grad])
@pytest.mark.parametrize("name", CONFUSION)
def test_perturbations_are_not_confused(name: str, outer: Derive, inner: Derive):
    check(name, CONFUSION[name](outer, inner))


# matrices of two rows and three columns

M = np.array([[0.3, -0.7, 1.1], [0.4, 0.9, -0.2]])
W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def squares(x: Any) -> Any:
    return rose.sum(x**2)


def of_split(x: Any) -> Any:
    a, b = rose.split(x, [1], axis=1)
    return rose.sum(a * b)


SHAPES: dict[str, Callable[[Any], Any]] = {
    "sum0": lambda x: squares(x.sum(axis=0)), "sum1": lambda x: squares(x.sum(axis=1)),
    "sum_reduce01": lambda x: rose.sum(x) ** 2, "mean": lambda x: rose.mean(x) ** 2,
    "lse'": lambda x: rose.logsumexp(x), "l1": lambda x: rose.sum(rose.abs(x)), "l2": lambda x: rose.norm(x),
    "l2sqr": squares, "softmax1": lambda x: rose.sum(W * rose.softmax(x, axis=1)),
    "transpose": lambda x: squares(x.T @ W), "swap": lambda x: squares(np.swapaxes(x, 0, 1) @ W),
    "reshape": lambda x: squares(x.reshape(3, 2) @ W), "get_slice": lambda x: squares(x[:, 1:]),
    "get_slice rev step": lambda x: rose.sum(W[0] * x[1, ::-1]),
    "set_slice": lambda x: rose.sum(W * x.at[0, 0:2].set(0.0)), "get_fancy": lambda x: squares(x[:, [2]]),
    "get_fancy dup": lambda x: rose.sum(W * x[:, [0, 0, 2]]), "split": of_split,
    "concat": lambda x: squares(rose.concatenate([x, x * 3.0], axis=0)) / 2.0,
    "stack": lambda x: squares(rose.stack([x, rose.sin(x)])), "diagm": lambda x: squares(rose.diag(x[0])),
    "kron": lambda x: squares(rose.kron(x, W)), "trace": lambda x: rose.trace(x @ x.T),
    "tril": lambda x: squares(rose.tril(x)), "triu": lambda x: squares(rose.triu(x)),
    "broadcast": lambda x: rose.sum((x + W[0]) ** 2 * W),
    "cross_entropy": lambda x: -rose.sum(W * rose.log(rose.softmax(x, axis=1))),
    "map_by_row": lambda x: 2.0 * rose.sum(rose.stack([rose.sin(row) for row in x])),
    "set_item": lambda x: squares(x.at[0, 1].set(3.0 * x[1, 1])),
}  # fmt: skip


@pytest.mark.parametrize("name", of("st."))
def test_a_function_of_a_matrix_has_its_gradient(name: str):
    check(f"st.{name}", rose.grad(fn([Vec[2, 3]], Real)(SHAPES[name]))(M))


# linear algebra

X = np.array([[1.0, 0.0, 2.0], [-1.0, 1.0, 0.5], [0.3, 0.7, -0.4]])
A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]])
Q = np.array([[2.0, 0.1, 0.0], [0.1, 1.0, 0.2], [0.0, 0.2, 1.5]])
C = np.arange(1.0, 10.0).reshape(3, 3)

LINEAR: dict[str, Callable[[Any], Any]] = {
    "inv": lambda x: la.inv(x + A), "chol upper": lambda x: rose.transpose(la.cholesky(x @ x.T + A)),
    "chol lower": lambda x: la.cholesky(x @ x.T + A), "qr.q": lambda x: la.qr(x + A).Q,
    "qr.r": lambda x: la.qr(x + A).R, "lq.l": lambda x: la.lq(x + A).L, "lq.q": lambda x: la.lq(x + A).Q,
    "sylvester": lambda x: la.solve_sylvester(x + A, A, Q), "lyapunov": lambda x: la.solve_lyapunov(0.1 * x - A, -Q),
    "discrete_lyapunov": lambda x: la.solve_discrete_lyapunov(0.2 * x, Q),
    "linsolve": lambda x: la.linsolve(x + A, Q), "linsolve trans": lambda x: la.linsolve(x + A, Q, trans=True),
    "linsolve u": lambda x: la.linsolve(rose.triu(x + A), Q, typ="u"),
    "linsolve l": lambda x: la.linsolve(rose.tril(x + A), Q, typ="l"),
    "care": lambda x: la.solve_continuous_are(x - A, X, Q, A),
    "dare": lambda x: la.solve_discrete_are(0.2 * x, X, Q, A),
    "logdet": lambda x: la.logdet(x @ x.T + A), "svd.s": lambda x: rose.dot(la.svdvals(x + A), [1.0, 2.0, 3.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", LINEAR)
def test_linear_algebra_has_its_values_and_gradients_in_both_modes(name: str):
    is_number = name in ("logdet", "svd.s")
    f = fn([Vec[3, 3]], Real if is_number else Vec[3, 3])(LINEAR[name])
    loss = f if is_number else fn([Vec[3, 3]], Real)(lambda x: rose.sum(C * f(x)))
    check(f"la.{name}.val", f(X), 1e-12)
    gradient = flat(rose.grad(loss)(X))
    check(f"la.{name}", gradient, 1e-7)
    assert flat(rose.jacfwd(loss)(X)) == pytest.approx(gradient, rel=1e-11, abs=1e-11)


# layers of networks


def tensor(shape: tuple[int, ...], start: int = 0) -> Any:
    return np.sin(np.arange(np.prod(shape)) + start).reshape(shape)


nn = rose.nn
LAYERS: dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]] = {
    "conv2d.in": ((1, 3, 3, 2), lambda x: nn.conv2d(x, tensor((2, 2, 2, 2), 1))),
    "conv1d.in": ((1, 4, 2), lambda x: nn.conv1d(x, tensor((2, 2, 2), 1))),
    "conv3d.in": ((1, 3, 3, 3, 1), lambda x: nn.conv3d(x, tensor((2, 2, 2, 1, 1), 1))),
    "dilated_conv2d.in": ((1, 4, 4, 1), lambda x: nn.conv2d(x, tensor((2, 2, 1, 1), 1), dilation=2)),
    "transpose_conv2d.in": ((1, 2, 2, 1), lambda x: nn.conv_transpose(x, tensor((2, 2, 1, 1), 1), stride=2)),
    "max_pool2d": ((1, 4, 4, 1), lambda x: nn.max_pool(x, 2)),
    "avg_pool2d": ((1, 4, 4, 1), lambda x: nn.avg_pool(x, 2)), "max_pool1d": ((1, 4, 1), lambda x: nn.max_pool(x, 2)),
    "upsampling2d": ((1, 2, 2, 1), lambda x: nn.upsample(x, 2)),
    "pad": ((1, 2, 2, 1), lambda x: nn.pad(x, ((0, 0), (1, 1), (1, 2), (0, 0)))),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_has_its_values_and_gradients_in_both_modes(name: str):
    shape, layer = LAYERS[name]
    check_layer(name, layer, tensor(shape))


def test_a_convolution_has_derivatives_in_its_kernel_and_forwards():
    image = tensor((1, 3, 3, 2))
    check_layer("conv2d.ker", lambda k: nn.conv2d(image, k, padding="same"), tensor((2, 2, 2, 2), 1))
    f = fn([Vec[1, 3, 3, 1]], Vec[1, 2, 2, 1])(lambda x: nn.conv2d(x, tensor((2, 2, 1, 1), 1)))
    check("nn.conv2d forward", rose.jacobianv(f)(tensor((1, 3, 3, 1)), tensor((1, 3, 3, 1), 5)))  # in Owl, the tangent


def check_layer(name: str, layer: Callable[[Any], Any], x: Any) -> None:
    def weighted(x: Any) -> Any:
        y = layer(x)
        return rose.sum(y * tensor(y.shape, 3))

    plain, loss = [fn([Vec[x.shape]], Real)(body) for body in (lambda x: rose.sum(layer(x)), weighted)]
    check(f"nn.{name}.val", plain(x), 1e-12)
    check(f"nn.{name}", rose.grad(loss)(x), 1e-11)
    check(f"nn.{name}", rose.jacfwd(loss)(x), 1e-11)


# all rows

UNSAID = {"la.inv fwd-over-rev hessianv"}  # of whose program only this name is known: see the next test
ELSEWHERE = {"nn.conv2d.ker", "nn.conv2d.ker.val", "nn.conv2d forward"}


def test_each_row_has_a_program():
    done = {*INTERFACE, *CONFUSION, *UNSAID, *ELSEWHERE, *[f"un.{k}" for k in of("un.")], *[f"bi.{k}" for k in BINARY]}
    done |= {f"{kind}{name}{end}" for kind, of_kind in (("la.", LINEAR), ("nn.", LAYERS)) for name in of_kind
             for end in ("", ".val")}  # fmt: skip
    assert {*ROWS} == done | {f"st.{name}" for name in SHAPES} and len(ROWS) == 178


def test_the_product_of_a_hessian_through_an_inverse_is_that_of_the_closed_form():
    a, v, inverse = np.array([[4.0, 1.0], [0.5, 3.0]]), np.array([[1.0, -0.5], [2.0, 0.3]]), np.linalg.inv
    f = fn([Vec[2, 2]], Real)(lambda x: rose.sum(la.inv(x)))
    b, ones = inverse(a).T, np.ones((2, 2))
    wanted = b @ v.T @ b @ ones @ b + b @ ones @ b @ v.T @ b
    assert flat(rose.hessianv(f)(a, v)) == pytest.approx(flat(wanted), rel=1e-13)
