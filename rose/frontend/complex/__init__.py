"""Complex numbers: pairs of numbers of which all arithmetic is an expression.

A complex number is a tuple of two Reals in the IR, whose form is `COMPLEX`: no type, pass or derivative knows of it.
A vector of them is a vector of pairs, interleaved, which is also how NumPy's complex128 lies in memory, and what a
`Float64Array` of JavaScript holds: so arguments and results are copied as they are, `x[i]` is one complex number, and
every function that only moves elements moves these. The other choice, two vectors in the place of one, was measured:
the product of the elements of two arrays of 4,096 takes 25 us so and 12 as pairs, of which 7 are the call, their sum of
products 11 and 10, and a product of matrices of 64 rows 310 and 330.

A traced complex number is one value, and not its two parts: so operators find it. A row of the table refuses it by its
type, and is then looked up here, by `otherwise` in `ir/value.py`: programs without complex numbers never come here.

    parts        a value as its real and imaginary part, and back; attributes: `z.real`, `z.conj()`
    arithmetic   `+ - * /`, powers, comparisons, `abs`
    elementary   `exp`, `log`, `sqrt` and their kin, with their branch cuts
    arrays       parts of arrays, and arrays of parts
    functions    NumPy's functions of arrays that are no products and move no elements
    meanings     the answers to `ir.hooks`: the rows that take complex numbers; what is refused

Conventions. A real operand stays real, as in C99's Annex G and in Python 3.14: `x * z` is `(x * re, x * im)`. Products
and quotients are NumPy's: infinities that become nan on the way are not restored. Functions have their
branch cuts on the sides that signed zeros say, and their values at infinities by Annex G. What a choice takes there has
no part in the derivatives elsewhere: it is taken where the formula is nan.
"""
