"""Special functions by the names of SciPy, accurate and with the same bits everywhere, with derivatives to any order.

Most are operations, as `rose.exp` is: they take numbers and arrays, which are broadcast, and functions. Their code is
that of xsf, SciPy's own library, and a module has what it calls. `rose/ir/special_ops.py` has their rows, with their
derivative rules. In a parameter without one, such as the order of a Bessel function, a derivative is refused by name.
Numbers are real: where SciPy would give a complex one, the result is nan.

    several     functions with several results, or with options
    scipys      functions that have SciPy's name alone: scipy.special.boxcox of a traced value
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors.advice import listed, missing
from ..ir.ops import erf, erfc, gamma
from ..ir.ops import lgamma as gammaln
from ..ir.ops import sigmoid as expit
from ..ir.special_ops import (
    beta,
    betainc,
    betaincinv,
    betaln,
    dawsn,
    digamma,
    ellipe,
    ellipk,
    entr,
    erfcinv,
    erfcx,
    erfinv,
    exp1,
    expi,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    hyp1f1,
    hyp2f1,
    i0,
    i0e,
    i1,
    i1e,
    iv,
    ive,
    j0,
    j1,
    jv,
    k0,
    k0e,
    k1,
    k1e,
    kl_div,
    kv,
    kve,
    log_expit,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    polygamma,
    rel_entr,
    xlog1py,
    xlogy,
    y0,
    y1,
    yv,
)
from ..ir.special_ops import digamma as psi
from .scipys import BY_SCIPYS_NAME
from .several import (
    airy,
    ellipj,
    fresnel,
    lambertw,
    multigammaln,
    scipys_lambertw,
    sici,
    sph_harm_y,
    spherical_jn,
    spherical_yn,
    zeta,
)

__all__ = [
    "airy", "beta", "betainc", "betaincinv", "betaln", "dawsn", "digamma", "ellipe", "ellipj", "ellipk", "entr", "erf",
    "erfc", "erfcinv", "erfcx", "erfinv", "exp1", "expi", "expit", "fresnel", "gamma", "gammainc", "gammaincc",
    "gammainccinv", "gammaincinv", "gammaln", "hyp1f1", "hyp2f1", "i0", "i0e", "i1", "i1e", "iv", "ive", "j0", "j1",
    "jv", "k0", "k0e", "k1", "k1e", "kl_div", "kv", "kve", "lambertw", "log_expit", "log_ndtr", "logit",
    "multigammaln", "ndtr", "ndtri", "polygamma", "psi", "rel_entr", "sici", "sph_harm_y", "spherical_jn",
    "spherical_yn", "xlog1py", "xlogy", "y0", "y1", "yv", "zeta",
]  # fmt: skip

# by the names of SciPy's ufuncs, which are those of the functions, and where a function calls one, that one's
_ALIASES: dict[str, Callable[..., Any]] = {
    "_lambertw": scipys_lambertw,
    "_riemann_zeta": zeta,
    "_zeta": zeta,
}
SCIPYS: dict[str, Callable[..., Any]] = {**{name: globals()[name] for name in __all__}, **_ALIASES, **BY_SCIPYS_NAME}

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
