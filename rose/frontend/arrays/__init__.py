"""Arrays: vectors, and vectors of vectors, with NumPy's arithmetic, broadcasting and indexing.

An array is an ordinary traced value of a type `Vec`: there is no second kind of value. Each operation emits, at once,
one nest of loops without states, whose result is a vector: a *map*. Shapes are checked when an operation is written,
so an error points at it. When the function is finished, `rose/optimise/map_fusion.py` puts maps in place of the reads
of their elements, before anything is derived; so an expression of arrays becomes the loop that one would write by
hand. Nothing else in the compiler knows of arrays.

Its files, in the order in which to read them:

    shapes        axes and leaves of a type; what counts as an array; broadcasting of shapes
    elementwise   `each(f, ...)`: a function of scalars, for each element of its broadcast operands
    indexing      `x[i, 1:, None, ..., rows]`
    attributes    `.shape`, `.T` and their kind: the table of what a user may write after a dot
    ufuncs        `__array_ufunc__`: NumPy's functions of elements, by name
    objects       `__array__`: NumPy's arrays of objects, which hold traced values
    ufunc_methods their `reduce`, `accumulate` and `outer`
    creation      `zeros`, `arange`, `linspace`, `eye`: loops of nothing
    kinds         `x.astype(int)`: elements of another kind
    shaping       `reshape`, `transpose`, `roll`, `tile`: the elements of an array at other indices
    joining       `stack`, `concatenate` and `split`: an accumulator, written piece by piece
    products      `matmul`, `tensordot`, `convolve`: sums of products, all by `contraction`
    einsum        the same by the names of indices
    reductions    sums and folds along axes, within maps along the others
    norms         norms of vectors and matrices, along axes
    running       `cumsum`, `diff`: the states of a fold along an axis
    sorting       the order of a vector's numbers, by a merge
    searches      `searchsorted`, `interp`: a number among sorted ones, digit by digit
    order         `take`, `gradient`: elements by their indices along an axis
    padding       `pad`: an array with more elements around it
    statistics    `percentile`, `average`, `cov`: statistics of samples
    nans          `nansum`, `np.nanstd` and their kind: reductions that pass over nan
    polynomials   `polyval`, `vander`, `np.polyint`
    counting      `np.bincount`, `np.histogram`, `nonzero`: numbers of elements
    editing       `np.insert`, `np.hsplit`, `np.piecewise`: what has NumPy's name alone
    updates       `x.at[i].set(v)`

Terms:
    axis    a `Vec` in the type of an array; the first is the outermost
    leaf    the type within all axes: Real, Bool, an index, Tan; a struct is a leaf without arithmetic
    shape   the sizes of the axes, each an integer, or a `Size` that only the compiled module knows
    map     a loop without a state, of which each iteration gives one element of a vector

To add to it: a function of each element needs no code here: every row of `ir/ops.py` takes arrays, and `each` makes one
of any other function of scalars. One that moves elements is an index function: loops that read `x` at other indices
(`maps` in `elementwise`), which fusion makes free; but a merge of axes is a `reshape` of the IR. A reduction is a sum
or a state over the axes that go, within maps over those that stay. NumPy's name for it goes into `ufuncs`, a method
into `attributes`.

The room stands above `operators.py`, which calls `each` by the table of operators, where `decorators.py` enters it; and
below `language`, whose functions take arrays.
"""
