"""The cases, by what goes wrong in them."""

from . import loops, masks, norms, powers, rules, tails

CASES = (*masks.CASES, *powers.CASES, *norms.CASES, *tails.CASES, *loops.CASES, *rules.CASES)
