"""The table against JAX's own list: a primitive has a rule, or is listed here with the reason why not."""

from importlib import import_module
from typing import Any

from rose.bridges.rules import RULES

WITHOUT = {
    # of several devices
    "all_gather", "all_to_all", "axis_index", "pmax", "pmin", "ppermute", "psum", "reduce_scatter", "ragged_all_to_all",
    "pbroadcast", "pgather", "shard_map",
    # of references, which jaxprs of pure functions have not
    "get", "swap", "addupdate", "new_ref", "freeze",
}  # fmt: skip
MODULES = ("lax.lax", "lax.slicing", "lax.control_flow", "lax.linalg", "lax.fft", "lax.convolution",
           "lax.windowed_reductions", "lax.special")  # fmt: skip
REFUSED = {  # of these modules, what is refused as unknown: the error names it
    "after_all", "create_token", "composite", "dce_sink", "from_edtype", "to_edtype", "empty", "empty2", "mulhi",
    "ragged_dot_general", "rng_uniform", "scatter_sub", "scatter-sub", "approx_top_k", "cholesky_update", "geqp3",
    "geqrf", "hessenberg", "householder_product", "lu_pivots_to_permutation", "ormqr", "symmetric_product",
    "tridiagonal", "select_and_gather_add", "select_and_scatter", "stage", "tile", "top_k",
}  # fmt: skip


def primitives(module: str) -> set[str]:
    found: Any = vars(import_module(f"jax._src.{module}")).values()
    return {x.name for x in found if type(x).__name__.endswith("Primitive")}


def test_each_primitive_of_lax_has_a_rule_or_is_listed():
    every = set[str]().union(*map(primitives, MODULES))
    assert every - RULES.keys() - REFUSED - WITHOUT == set()
