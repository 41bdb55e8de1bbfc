"""Programs under other meanings: the same function on intervals, with units, with prices, or with its derivative.

A meaning says what stands for a number, and what each operation does with that; `rose.interpret` makes the function of
it, an `@fn` like any other. It walks the blocks of a function once: loops stay loops, calls calls, and nothing unrolls.

    accumulators  sums as states of loops, so that they are additions like any other
    meanings      `Meaning`; `Tally`, with a total; `TwoWay`, of which something comes back: rules and policies
    forward       the way forward, and the residual that it keeps, or the total
    backward      the way back, from the residual
    interpret     `rose.interpret`, and what it gives of a meaning with a way back

Sources: Mitchell Riley, Categories of optics, 2018; Keno Fischer, dP.jl terminology and notation guide, whose policies
for copies, for what is deleted and for branches are those of `TwoWay`.

The meanings that are here, a file each; all but the first and the third are written with public names alone:

    gradients     reverse mode: the optic of a value and its pullback
    prices        prices of goods and payments for them, with policies for copies
    intervals     bounds that hold for all numbers of an interval, rounded outwards
    units         units of measure, whose products are in `dimensions`
    counts        the operations that a program takes, by kind
    conditions    errors to first order, and condition numbers
    dependencies  the inputs on which each number depends: sparsity at a point

Terms:
    carrier   what stands for a number or a truth: of a type of its own
    rule      what an operation does with carriers; an `Optic` is one with a way back
    entry     what an operation adds to the total of a `Tally`
    residual  what the way forward keeps for the way back: a typed value, of a type for each function
    due       what comes back for a value, from all that read it
"""

from typing import TYPE_CHECKING

from ..errors.advice import listed, missing
from .conditions import Errors, Measured
from .counts import Counts, Operations
from .dependencies import Dependencies
from .gradients import Gradients
from .interpret import Interpreted
from .intervals import Interval, Intervals, Truth
from .meanings import Meaning, Optic, Refusal, Tally, TwoWay, tag_of, tagged
from .prices import Prices, as_asked, each_copy, fixed_fee, in_proportion, pirated
from .units import Units

__all__ = [
    "Counts", "Dependencies", "Errors", "Gradients", "Interpreted", "Interval", "Intervals", "Meaning", "Measured",
    "Operations", "Optic", "Prices", "Refusal", "Tally", "Truth", "TwoWay", "Units", "as_asked", "each_copy",
    "fixed_fee", "in_proportion", "pirated", "tag_of", "tagged",
]  # fmt: skip

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
