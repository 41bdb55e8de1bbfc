"""The rules of JAX's primitives, by what they do. Each file fills a part of the table in `equations.py`.

elementwise      functions of numbers, and comparisons
whole_numbers    what wraps, and bits
shapes           axes, parts, joins
reductions       sums, extremes, products of matrices, orders
places           gather, scatter, slices at traced places
windows          convolutions, pooling
control          calls, loops, branches, derivatives that were given
matrices         factorisations, Fourier transforms
random_bits      keys, and Threefry
"""
