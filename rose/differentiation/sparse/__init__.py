"""Sparse Jacobians: the pattern by abstract interpretation, a colouring, and compressed evaluation.

index_sets            sets of inputs, and their unions when they are needed
abstract_values       the abstract domain: a known value, or the inputs that it depends on
abstract_interpreter  a derivative run over that domain
pattern               `sparsity`: the pattern of a Jacobian
colouring             columns that one product tells, as no row has entries in two of them
compression           the products for all colours, and the entries read from them
matrix                `Sparsity`, and the sparse matrix that is returned
"""
