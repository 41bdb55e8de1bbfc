"""The function for JAX, jitted with its gradient, on one thread: the data lies on the device, the parameters do not."""

from __future__ import annotations

import importlib.util
import sys
import types

import serve  # before JAX starts its threads

import jax  # isort: skip
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def prepare(given):
    known = types.ModuleType("program")
    known.__dict__.update(given["sizes"] | {k: np.array(xs) for k, xs in given["tables"].items()})
    sys.modules["program"] = known
    spec = importlib.util.spec_from_file_location("of_the_program", given["jax"])
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    both = jax.jit(jax.value_and_grad(made.value))
    data = [jax.device_put(np.array(xs, float)) for xs in given["data"]]

    def call(params):
        value, gradient = both(params, *data)
        return float(value), np.asarray(gradient)

    return call, [np.array(given["params"])], lambda x: [x[0], *x[1]]


serve.serve(prepare)
