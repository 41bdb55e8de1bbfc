"""Optimisers of training: a step along each gradient that is given, and schedules of its rate.

`rose.optim.adam(Net, 1e-3)` is an optimiser of values of the type `Net`, which is made of Reals. `start(net)` is its
first state, and `step(state, gradient)` the next one, of the type `state`: a dict, in which "x" is the value, and
"step" counts. Both are `@fn` functions: they compile alone, in a training loop, and into a page. The minimisers of
`rose.lib` search until they are there; these are told each step.

    optimisers    `sgd`, `momentum`, `adam`, `adamw`, `lion`
    schedules     `linear`, `exponential`, `cosine`; `minibatches`
"""

from typing import TYPE_CHECKING

from ..errors.advice import listed, missing
from .optimisers import Optimiser, adam, adamw, lion, momentum, sgd
from .schedules import cosine, exponential, linear, minibatches

__all__ = [
    "Optimiser", "adam", "adamw", "cosine", "exponential", "linear", "lion", "minibatches", "momentum", "sgd",
]  # fmt: skip

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
