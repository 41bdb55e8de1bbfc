"""Random numbers by a key and a counter: the same everywhere, and none depends on what was drawn before.

The number at a place is a function of a key and of the place: there is no state that a program carries along, and an
iteration of a loop draws its own by a key of its own.

    philox              the function of a key and a counter, on halves of its words
    keys                `key`, `fold_in`, `split`
    reparameterisation  how a number moves with a parameter of its distribution
    distributions       `uniform`, `normal`, and what is made of them

Terms. A *word* is a whole number of 32 bits; its *halves*, the high and the low one, are indices below 65,536, so that
single precision has the same bits. A *block* is the four words that are made for one counter.
"""

from typing import TYPE_CHECKING

from ..errors.advice import listed, missing
from .distributions import bernoulli, categorical, gamma, integers, normal, permutation, uniform
from .keys import Key, fold_in, key, split

__all__ = [
    "Key", "bernoulli", "categorical", "fold_in", "gamma", "integers", "key", "normal", "permutation", "split",
    "uniform",
]  # fmt: skip

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
