"""Derivatives as functions of users, which can be applied to each other, in a trace and outside.

    arguments       which parameters to differentiate in: `argnums`, checked
    linear_map      the derivative at a point as a linear map: primal and tape, pullback, pushforward
    gradients       `jvp`, `hvp`, `linearize`, `linear_transpose`, `vjp`, `grad`, `value_and_grad`
    flatten         a value of any type as one vector of numbers, and back
    sweeps          products with many vectors, several in each sweep of forward mode
    jacobians       `jacfwd`, `jacrev`, `jacobian`, `hessian`: linear maps applied to unit vectors
    products        `jacobianv`, `laplacian`, `gradhessian` and their kin; twins that give the value, too
    fields          `divergence` and `curl`
    jets            `jet`, `directional`: derivatives of any order along a curve
    partials        `derivatives`: all mixed partial derivatives of one order
    polynomials     `taylor`: the polynomial, and its arithmetic
    straight_line   Jacobians of short functions, without the zeros that are known when compiling
    sparse          `sparsity`, and sparse Jacobians and Hessians

Each is a function that traces the passes of `autodiff` into a new `Fn`. A gradient has the type of the parameter, and a
member that has no derivative (a Bool, an index) is in it as it was.
"""
