"""Taylor mode: derivatives of any order along a curve, in one sweep.

A jet is a number that moves with a parameter `t`: its value at 0, and its derivatives there. Inside, it is kept as the
coefficients of its Taylor series, the derivatives divided by factorials, of which products and quotients need no
binomials. The walk over a function is that of forward mode, `autodiff/jvp.py`: it needs to know only what stands beside
a primal, here a vector of the further coefficients, and what a row of the table makes of it.

    series          a power series whose coefficients are computed when they are asked for; sums, products, quotients
    elementary      the rows with a recurrence of their own
    powers          that of `pow`
    recurrences     the series of each row of the table; without its own, solved order by order from its derivative rule
    jets            the mode of `autodiff/jvp.py` that carries series
    collapsed       the mode that carries first derivatives along many directions, and the sum of the second ones

No row needs more than its derivative rule. `z = exp(x)` has the rule `dz = dx * z`. Along a curve that is the equation
`z' = x' z`, and coefficient k + 1 of `z` is coefficient k of the right side, divided by k + 1. The right side needs
only those coefficients of `z` that are there already. The rules of sine and cosine name each other, and share their
series: these are the recurrences of the textbooks. A row has a recurrence of its own where that has fewer products.

At a kink a jet is that of the side that the value is on; at the kink itself it is what the derivative rule says, for
all orders: 0 for `abs`, half of each at a tie of `min` and `max`. A `select` is that of its condition.
"""
