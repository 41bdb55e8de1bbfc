"""Gradient checks: are the derivatives of a function right?

report       `Report`: what was found
points       random points and directions, of any type
limits       how long an examination may take
examination  `examine`: value, both modes and differences, at random points and where comparisons flip
operations   `check_op`: that, of an operation and its derivatives, with a rule of their own
"""

from typing import TYPE_CHECKING

from ..errors.advice import listed, missing
from .examination import TWICE, examine
from .limits import PATIENCE
from .operations import check_op
from .report import Report, several

__all__ = ["PATIENCE", "TWICE", "Report", "check_op", "examine", "several"]

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
