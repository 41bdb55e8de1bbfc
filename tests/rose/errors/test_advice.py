"""What an error says of a name that is not one of ours: where ours is, what to write instead, what may be meant."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.special
import scipy.stats

import rose
from rose.errors import RoseError
from rose.errors.advice import MODULES, of_missing, public
from tests.support.public_names import assert_there

JAX = """
    jit grad vmap pmap lax scan fori_loop while_loop cond switch map associative_scan custom_jvp custom_vjp checkpoint
    remat tree_map tree_util tree_leaves tree_flatten pytree one_hot device_put device_get PRNGKey has_aux make_jaxpr
    eval_shape linearize linear_transpose jacfwd jacrev hessian value_and_grad block_until_ready debug disable_jit
    dynamic_slice dynamic_update_slice dynamic_index_in_dim gather scatter scatter_add top_k rsqrt erf_inv digamma
    lgamma igamma igammac bessel_i0e betainc polygamma random_gamma_grad cumlogsumexp cummax sort_key_val select_n
    stop_gradient psum pmean all_gather ppermute axis_index conv_general_dilated reduce_window dot_general iota
    population_count shift_left nextafter relu6 sigmoid softplus soft_sign silu swish log_sigmoid leaky_relu elu celu
    selu gelu glu hard_tanh hard_sigmoid hard_swish squareplus mish softmax log_softmax standardize logsumexp
    dot_product_attention ball beta cauchy choice dirichlet exponential gumbel laplace logistic loggamma maxwell
    multivariate_normal orthogonal pareto poisson rademacher rayleigh t triangular truncated_normal wald weibull_min
    randint bits fold_in split jet odeint pure_callback io_callback Array ShapeDtypeStruct config
    """.split()
TORCH = """
    tensor as_tensor from_numpy cat stack unsqueeze squeeze view view_as permute reshape item numpy detach cpu cuda to
    backward requires_grad no_grad enable_grad mm bmm mv einsum matmul chunk split gather scatter scatter_add clamp
    lerp addcmul addcdiv addmm erfinv digamma polygamma lgamma mvlgamma sigmoid logit expit i0 bincount histc bucketize
    searchsorted cdist combinations cartesian_prod cov corrcoef cumsum cumprod logcumsumexp diag_embed diff flip
    fmod frac gcd hypot ldexp logaddexp2 masked_fill masked_select index_select index_add narrow nonzero normal
    numel rand randn randint randperm rand_like renorm repeat_interleave rot90 rsqrt sgn softmax log_softmax std_mean
    svd_lowrank take trapz tril triu unbind unfold vander xlogy Linear Conv2d LSTM GRU Dropout Embedding BatchNorm2d
    LayerNorm MaxPool2d ReLU Sequential Module mse_loss cross_entropy nll_loss kl_div l1_loss smooth_l1_loss huber_loss
    binary_cross_entropy cosine_similarity normalize one_hot optim Adam SGD manual_seed device dtype float long
    """.split()
MODULES_OF_OTHERS = (np, np.linalg, np.random, np.fft, math, scipy.special, scipy.linalg, scipy.optimize,
                     scipy.integrate, scipy.stats, scipy.signal, scipy.interpolate)  # fmt: skip


def test_no_name_of_another_library_is_taken_for_one_of_ours_that_is_misspelt():
    theirs = {k for module in MODULES_OF_OTHERS for k in dir(module) if not k.startswith("_")}
    hints = {k: of_missing(k, "rose") for k in theirs | {*JAX, *TORCH} if not hasattr(rose, k)}
    assert {k: text for k, text in hints.items() if text.startswith("did you mean")} == {}
    assert_there("\n".join(hints.values()))


@pytest.mark.parametrize("module", MODULES)
def test_a_name_of_ours_is_found_from_each_module(module: str):
    looked_in = importlib.import_module(f"rose{module}")
    for name, path in public().items():
        if not hasattr(looked_in, name):
            with pytest.raises(AttributeError) as e:
                getattr(looked_in, name)
            assert isinstance(e.value, RoseError)
            assert e.value.hint == f"write {path} in its place"


@pytest.mark.parametrize(
    ("module", "name", "hint"),
    [
        ("rose.nn", "sofmax", "did you mean rose.nn.softmax?"),
        ("rose.random", "splt", "did you mean rose.random.split?"),
        ("rose.linalg", "hesian", "did you mean rose.hessian?"),
        ("rose.lib", "zzz", "dir(rose.lib) lists what it has"),
        ("rose.nn", "mse_loss", "write rose.nn.mse(x, y) in its place"),
        ("rose", "associative_scan", "write rose.scan(body, s, n) in its place"),
    ],
)
def test_a_name_that_no_module_has_is_perhaps_another_library_s_or_misspelt(module: str, name: str, hint: str):
    with pytest.raises(AttributeError, match=f"{module} has no {name}") as e:
        getattr(importlib.import_module(module), name)
    assert isinstance(e.value, RoseError)
    assert e.value.hint == hint


def test_an_import_of_a_name_says_what_to_write():
    with pytest.raises(ImportError, match="rose has no digamma") as e:
        from rose import digamma  # pyright: ignore  # noqa: F401
    assert "write rose.special.digamma in its place" in str(e.value)
    with pytest.raises(ImportError, match=r"write rose\.nn\.dense\(x, w, b\)"):
        from rose.nn import Linear  # pyright: ignore  # noqa: F401


def told(module: ModuleType) -> dict[str, RoseError]:
    """What calls of each function of a module raise with traced values of Reals, vectors and matrices."""
    found: dict[str, RoseError] = {}

    def tried(name: str, f: Callable[..., Any], *args: Any) -> None:
        try:
            f(*args)
        except RoseError as e:
            found[f"{name} of {len(args)} {type(args[0].type).__name__}"] = e
        except Exception:
            return  # SciPy's own, of arguments that never fit

    @rose.fn
    def traced(x: rose.Real, m: rose.Vec[2, 2]) -> rose.Real:
        for name in [k for k in dir(module) if not k.startswith("_") and callable(getattr(module, k))]:
            f, takes = getattr(module, name), (1, 2, 3)
            for count in (f.nin,) if isinstance(f, np.ufunc) else takes:
                tried(name, f, *[x] * count)
                tried(name, f, *[m] * count)
        return x

    with pytest.raises(RoseError):  # the first one, again
        _ = traced.func
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", [scipy.special, scipy.linalg], ids=lambda m: m.__name__)
def test_an_error_of_scipy_s_functions_names_no_argument_that_the_user_did_not_write(module: ModuleType):
    found = told(module)
    assert len(found) > 100
    assert {k: str(e) for k, e in found.items() if re.search(r"takes no \w+|leave it out$", str(e))} == {}
    assert_there("\n".join(e.hint for e in found.values()))


OF_SCIPY = {
    "rose.linalg.cholesky(...)": lambda m: scipy.linalg.cholesky(m),
    "rose.linalg.solve(...)": lambda m: scipy.linalg.solve(m, m),
    "rose.logsumexp(...)": lambda m: scipy.special.logsumexp(m),
    "rose.softmax(...)": lambda m: scipy.special.softmax(m),
    "rose.linalg.lu(a)": lambda m: scipy.linalg.lu_factor(m),
    "rose.special.multigammaln(...)": lambda m: scipy.special.multigammaln(m, 2),
}


@pytest.mark.parametrize("written", OF_SCIPY)
def test_a_function_of_scipy_s_says_which_of_ours_it_is(written: str):
    f = rose.fn([rose.Vec[2, 2]], rose.Real)(lambda m: OF_SCIPY[written](m))
    with pytest.raises(rose.TypeMismatch) as e:
        _ = f.func
    assert e.value.hint.startswith(f"write {written} in its place")
