"""Names of other libraries that are not names of ours: what to write in the place of each, or what to do without it.

`rose.dawsn`, `rose.fori_loop`, `scipy.linalg.lu_factor(x)` or `x.view(-1)` end in an error whose hint is a row of these
tables. They are read at the first error that needs them. What is NumPy's and of single elements is in `numpy_names`.

A row is `names = what to write`, where what comes after a semicolon is to be known of it, and `$` is the name; or
`names: a whole hint`.
"""

from __future__ import annotations

import re
from functools import cache

_NUMPY = """
    empty = rose.zeros(n)
    msort = rose.sort(x, axis=0)
    row_stack = rose.vstack([x, y])
    tri = rose.tril(rose.ones((n, n)))
    ndim = x.ndim
    float64 float32 float16 double dtype longdouble: leave it out: numbers are Reals, of 64 bits, or of 32 by
        rose.compile(f, dtype="f32")
    int32 int64 int8 uint8 int16 uint32 integer short: write rose.trunc(x) for a whole number, and rose.index(x,
        n) for an
        index below n
    complex complex64 complex128: write x + 1j * y for a number, and Complex for its type
    angle imag iscomplex isreal conj conjugate: call NumPy's of it, or write z.imag, z.conj()
    fromiter: write rose.vec(x[i] for i in rose.range(n))
    nditer ndenumerate ndindex: loop with rose.range(n)
    numpy np: write import numpy as np: NumPy's functions take traced values
    ndarray: write Vec[n] for the type of a vector, and Vec[n, m] for that of a matrix

    allclose array_equal array_equiv bincount delete digitize ediff1d hsplit vsplit dsplit insert
        matrix_transpose nanstd nanvar nanprod nanmedian nanquantile nanpercentile nancumsum nancumprod nanargmax
        nanargmin partition argpartition lexsort polyfit polyder polyint polyadd polysub polymul roots poly rollaxis
        cumulative_sum cumulative_prod unstack atleast_3d broadcast_arrays isin histogram histogram2d piecewise
        choose resize diagflat unwrap apply_along_axis apply_over_axes vecdot matvec vecmat sinc logaddexp
        logaddexp2 ix_ ravel_multi_index isposinf isneginf logspace geomspace tril_indices_from triu_indices_from
        diag_indices_from = np.$(...); NumPy's function takes traced values
    sliding_window_view: write np.lib.stride_tricks.sliding_window_view(x, n): NumPy's function takes traced values
    poly1d: write np.polyval(p, x), np.polymul, np.polyder or np.roots: an object of NumPy's holds no traced values
    mT = rose.swapaxes(x, -1, -2)
    empty_like = rose.zeros_like(x)
    in1d = np.isin(x, y)
    broadcast = rose.broadcast_to(x, shape)
    fill_diagonal = rose.where(rose.eye(n) == 1.0, y, x); traced values never change
    put put_along_axis place putmask copyto = x.at[i].set(y); traced values never change
    frompyfunc vectorize: write rose.vmap(f)(x) of an @fn f
    argwhere flatnonzero = rose.nonzero(x, size=n); sizes are known when a function is traced
    extract compress = rose.where(condition, x, 0.0); it keeps the shape: sizes are known when a function is traced
    setdiff1d intersect1d union1d setxor1d unique_values = rose.unique(x, size=n); sizes are known when a function is
        traced
    trim_zeros: leave the zeros: sizes are known when a function is traced
"""

_SCIPY = """
    log_softmax = rose.nn.log_softmax(x)
    binom comb = rose.exp(rose.lgamma(n + 1.0) - rose.lgamma(k + 1.0) - rose.lgamma(n - k + 1.0))
    perm = rose.exp(rose.lgamma(n + 1.0) - rose.lgamma(n - k + 1.0))
    poch = rose.gamma(x + m) / rose.gamma(x)
    rgamma = 1.0 / rose.gamma(x)
    exprel = rose.where(x == 0.0, 1.0, rose.expm1(x) / x)
    exp10 = 10.0 ** x
    cosm1 = -2.0 * rose.sin(0.5 * x) ** 2
    huber = rose.where(rose.abs(y) <= x, 0.5 * y * y, x * (rose.abs(y) - 0.5 * x))
    pseudo_huber = x * x * (rose.sqrt(1.0 + (y / x) ** 2) - 1.0)
    dawsn = rose.nn.dawsn(x)
    boxcox = (x**y - 1.0) / y
    inv_boxcox = (x * y + 1.0) ** (1.0 / y)
    lu_factor = rose.linalg.lu(a)
    lu_solve = rose.linalg.solve(a, b)
    cho_factor = rose.linalg.cholesky(a)
    pinvh = rose.linalg.pinv(a)
    fractional_matrix_power = rose.linalg.expm(p * rose.linalg.logm(a))
    issymmetric = rose.all(a == a.T)
    sinhm = 0.5 * (rose.linalg.expm(a) - rose.linalg.expm(-a))
    coshm = 0.5 * (rose.linalg.expm(a) + rose.linalg.expm(-a))
    cho_solve_banded solveh_banded = rose.linalg.solve_banded((1, 1), ab, b)
    minimize minimize_scalar bracket golden brent lbfgsb fmin fmin_bfgs fmin_l_bfgs_b fmin_cg fmin_ncg fmin_powell =
        rose.lib.lbfgs(f)(x0).x; rose.scipy(f) gives SciPy's own searches the derivatives
    least_squares leastsq curve_fit = rose.lib.gauss_newton(residuals)(x0).x
    fsolve brentq brenth bisect root_scalar ridder = rose.implicit.root(g)(x0); g is an @fn that is 0 there,
        with a derivative by its parameters
    quad quad_vec fixed_quad romberg quadosc = rose.implicit.quadrature(f, a, b)
    nsum = rose.sum(f(i) for i in rose.range(n))
    odeint solve_ivp RK45 vode lsoda dop853 = rose.implicit.ode(f, t0, t1, y0); f is an @fn of the time and the state
    approx_fprime = rose.grad(f)(x)
    check_grad = rose.testing.examine(f)
    trapz = rose.trapezoid(y, x)
    cumulative_trapezoid = rose.cumsum(0.5 * (y[1:] + y[:-1]) * rose.diff(x))
    interp1d = rose.interp(x, xp, fp)
    oaconvolve = rose.fft.fftconvolve(x, y)
    convolve1d = rose.convolve(x, y)
    convolve2d correlate2d = rose.nn.conv2d(x, kernel)
    lfilter = rose.scan(body, s, n); body(i, s) gives the next state and an out
    zscore = (x - rose.mean(x)) / rose.std(x)
    sem = rose.std(x, ddof=1) / math.sqrt(n)
    hmean = 1.0 / rose.mean(1.0 / x)
    gmean = rose.exp(rose.mean(rose.log(x)))
    cdist = rose.norm(x[:, None] - y, axis=-1)
    logpdf pdf logpmf pmf cdf logcdf sf logsf ppf isf stats: write it by rose.stats, which has SciPy's names, as in
        rose.stats.norm.logpdf(x, m, s)
    erf_inv = rose.special.erfinv(x)
    jn jve yn yve kn ellipkm1 expn zetac hyp0f1 sph_harm wofz airye struve betaincc erfi ndtri_exp
        log1pmx loggamma gammasgn spence shichi bdtr pdtr chdtr stdtr fdtr owens_t lpmv legendre_p eval_legendre
        eval_hermite eval_chebyt ker bei ber kei tklmbda voigt_profile wright_bessel wrightomega agm h1vp h2vp
        hankel1 hankel2 jacobi betainccinv ellip elliprj nbdtr nbdtri spherical_in spherical_kn: wrap SciPy's
        function in a rose.opaque, and give its derivative by f.jvp
    rsf2csf qz ordqz ordeig signm cosm sinm tanm tanhm funm ldl rq null_space orth:
        write it by rose.linalg's qr, svd, eigh, expm and logm, or wrap SciPy's in a rose.opaque
    csr_matrix csc_matrix coo_matrix csr_array coo_array spsolve: write the product as a loop over the entries:
        sparse matrices are no values
    CubicSpline splrep splint interp2d interpn interpnd lagrange pade: write its coefficients as data: a cubic
        between the points that rose.searchsorted finds
    linprog milp bode deconvolve tmean tmin tmax tstd tvar gstd mode iqr dgamma loguniform Uniform Normal: call
        SciPy's with numbers, outside of the @fn
    special: write rose.lgamma, rose.erf and others by their own names
    optimize: write rose.lib.lbfgs(f), rose.implicit.root(g), or rose.scipy(f) for SciPy's own
"""

_JAX = """
    jit pjit njit = rose.compile(f); f(x) alone compiles once, too
    pmap xmap map = rose.vmap(f)(xs)
    associative_scan = rose.scan(body, s, n)
    custom_jvp custom_vjp custom_gradient defjvp defvjp = f.jvp(rule); it is @f.jvp above the rule, of which
        reverse mode follows
    custom_root = rose.implicit.root(g)(x0); g is an @fn that is 0 there, with a derivative by its parameters
    custom_linear_solve = rose.implicit.linear_solve(matvec)(b)
    diffeqsolve = rose.implicit.ode(f, t0, t1, y0); f is an @fn of the time and the state
    checkpoint remat = rose.scan(body, s, n, checkpoint="sqrt")
    one_hot = rose.nn.one_hot(i, n)
    PRNGKey = rose.random.key(seed)
    dynamic_slice = rose.vec(x[i + k] for k in rose.range(n))
    dynamic_index_in_dim = x[i]
    dynamic_update_slice dynamic_update_index_in_dim index_update = x.at[i].set(y)
    segment_sum = rose.zeros(n).at[i].add(x)
    index_add = x.at[i].add(y)
    broadcast_in_dim = rose.broadcast_to(x, shape)
    dot_general = rose.einsum("ij,jk->ik", x, y)
    top_k = rose.sort(x)[-k:]
    rsqrt = 1.0 / rose.sqrt(x)
    integer_pow = x**n
    conv_general_dilated = rose.nn.conv2d(x, kernel)
    convert_element_type = rose.astype(x, float)
    make_jaxpr = rose.compile(f).pretty()
    pure_callback io_callback = rose.opaque(f)
    debug_nans = rose.explain_nan(f, x)
    checkify = rose.assert_(condition, message)
    pytree tree_util register_pytree_node register_pytree_node_class register_dataclass dataclass Module =
        rose.struct
    randint = rose.random.integers(key, n)
    choice = x[rose.random.integers(key, n)]
    exponential = -rose.log1p(-rose.random.uniform(key))
    gumbel = -rose.log(-rose.log(rose.random.uniform(key)))
    matrix_normal: write it with rose.random.normal(key, (n, m)), and the Cholesky factors of both covariances
    multivariate_normal = mean + rose.linalg.cholesky(cov) @ rose.random.normal(key, (n,))
    hard_tanh = rose.clip(x, -1.0, 1.0)
    soft_sign = rose.nn.softsign(x)
    select_n = rose.where(condition, y, x)
    glu = x * rose.sigmoid(y)
    leaky_relu = rose.nn.leaky_relu(x)
    elu celu = rose.nn.elu(x)
    relu6 = rose.clip(x, 0.0, 6.0)
    swish = rose.nn.silu(x)
    log_sigmoid = -rose.softplus(-x)
    standardize = rose.nn.layer_norm(x)
    mish = x * rose.tanh(rose.softplus(x))
    hard_sigmoid = rose.clip(x / 6.0 + 0.5, 0.0, 1.0)
    rms_norm = rose.nn.rms_norm(x)
    lax experimental: write its members by their own names: rose.scan, rose.cond, rose.while_loop
    tree_map tree_leaves tree_flatten tree_unflatten tree ravel_pytree tree_structure tree_reduce: write it for
        each field: structs, tuples and dicts of types are values of the language
    device_put device_get devices block_until_ready local_device_count config psum pmean axis_index sharding
        shard_map: leave it out: a module runs where it is called, in memory of its own
    Array ShapeDtypeStruct: write Vec[n] for the type of a vector, Real for that of a number
    optax apply_updates: write rose.optim.adam(T, rate), whose step(state, gradient) gives the next state
    poisson binomial dirichlet student_t cauchy truncated_normal rademacher geometric multinomial weibull_min
        lognormal chisquare triangular: make it of rose.random's uniform, normal, gamma, bernoulli and
        categorical
    seed default_rng RandomState set_state get_state bits random_sample sample: make a key, rose.random.key(0), and
        give it to each function that draws
    shuffle: write x[rose.random.permutation(key, n)]
    debug: write rose.print("{}", x)
    disable_jit: write with rose.eager(): around the call
    eval_shape: print repr(f), which has its types
    dot_product_attention: write rose.nn.attention(q, k, v)
"""

_TORCH = """
    tensor as_tensor from_numpy = rose.array(x)
    cat = rose.concatenate([x, y])
    unsqueeze = rose.expand_dims(x, axis)
    view view_as reshape_as = x.reshape(...)
    detach = rose.stop_gradient(x)
    backward = rose.grad(f)(x)
    mm bmm mv = x @ y
    ger = rose.outer(x, y)
    clamp = rose.clip(x, low, high)
    permute = rose.transpose(x, axes)
    t adjoint = x.T
    numel = x.size
    manual_seed = rose.random.key(seed)
    randn = rose.random.normal(key, shape)
    rand = rose.random.uniform(key, shape)
    randperm = rose.random.permutation(key, n)
    randn_like = rose.random.normal(key, x.shape)
    rand_like = rose.random.uniform(key, x.shape)
    mul = x * y
    sub = x - y
    div = x / y
    neg = -x
    eq = x == y
    ne = x != y
    lt = x < y
    le = x <= y
    gt = x > y
    ge = x >= y
    index_select = rose.take(x, i, axis)
    gather = rose.take_along_axis(x, i, axis)
    scatter scatter_ index_put index_fill = x.at[i].set(y)
    scatter_add = x.at[i].add(y)
    masked_fill = rose.where(condition, y, x)
    chunk = rose.array_split(x, n)
    lerp = x + w * (y - x)
    narrow = x[i : i + n]
    frac = x - rose.trunc(x)
    sgn = rose.sign(x)
    addmm = c + x @ y
    addcmul = c + w * x * y
    std_mean = (rose.std(x), rose.mean(x))
    var_mean = (rose.var(x), rose.mean(x))
    repeat_interleave = rose.repeat(x, n)
    logcumsumexp = rose.log(rose.cumsum(rose.exp(x)))
    expand = rose.broadcast_to(x, shape)
    expand_as = rose.broadcast_to(x, y.shape)
    diag_embed = rose.diag(x)
    mse_loss MSELoss = rose.nn.mse(x, y)
    l1_loss L1Loss = rose.mean(rose.abs(x - y))
    nll_loss CrossEntropyLoss = rose.nn.cross_entropy(logits, labels)
    binary_cross_entropy = -rose.mean(y * rose.log(x) + (1.0 - y) * rose.log(1.0 - x))
    binary_cross_entropy_with_logits BCEWithLogitsLoss = rose.mean(rose.nn.binary_cross_entropy(x, y))
    Linear Dense = rose.nn.dense(x, w, b); w has a row for each feature of x, and is an argument of the @fn
    linear = rose.nn.linear(x, w, b)
    Conv1d = rose.nn.conv1d(x, kernel)
    Conv2d = rose.nn.conv2d(x, kernel); its channels come last
    Conv3d = rose.nn.conv3d(x, kernel)
    ConvTranspose2d = rose.nn.conv_transpose(x, kernel)
    MaxPool2d max_pool2d = rose.nn.max_pool(x, 2)
    AvgPool2d avg_pool2d = rose.nn.avg_pool(x, 2)
    Upsample interpolate = rose.nn.upsample(x, 2)
    LSTM = rose.nn.lstm(x, kernel, recurrent, bias)
    GRU = rose.nn.gru(x, kernel, recurrent, bias)
    BatchNorm1d BatchNorm2d = rose.nn.batch_norm(x)
    LayerNorm = rose.nn.layer_norm(x)
    Dropout = rose.nn.dropout(x, rate, key)
    Embedding = rose.nn.embedding(table, i)
    ReLU = rose.nn.relu(x)
    GELU = rose.nn.gelu(x)
    SiLU = rose.nn.silu(x)
    Sigmoid = rose.nn.sigmoid(x)
    Tanh = rose.nn.tanh(x)
    Softmax = rose.nn.softmax(x)
    LogSoftmax = rose.nn.log_softmax(x)
    Softplus = rose.nn.softplus(x)
    scaled_dot_product_attention = rose.nn.attention(q, k, v)
    MultiheadAttention multi_head_attention = rose.nn.multi_head_attention(q, k, v, heads, wq, wk, wv, wo)
    hardtanh = rose.clip(x, -1.0, 1.0)
    cosine_similarity = x @ y / (rose.norm(x) * rose.norm(y))
    normalize = x / rose.norm(x)
    softmin = rose.softmax(-x)
    Sequential = g(f(x))
    grad_and_value = rose.value_and_grad(f)
    jacobian_vector_product = rose.jacobianv(f)(x, v)
    Adam = rose.optim.adam(T, rate)
    LBFGS = rose.lib.lbfgs(f)(x0).x
    SGD = rose.optim.sgd(T, rate)
    gradcheck = rose.testing.examine(f)
    Function = f.jvp(rule); it is @f.jvp above the rule, of which reverse mode follows
    item numpy tolist data dtype float long contiguous clone: leave it out: a traced value
        stands for the number or the array itself
    to cpu cuda device is_cuda pin_memory: leave it out: a module runs where it is called, in memory of its own
    no_grad zero_grad requires_grad requires_grad_ enable_grad inference_mode set_grad_enabled retain_grad:
        leave it out: rose.grad(f) is a function of its own, and nothing else has gradients
    AdamW = rose.optim.adamw(T, rate)
    RMSprop: write a step by rose.optim.adam(T, rate)
    lr_scheduler: write a schedule in the place of the rate: rose.optim.adam(T, rose.optim.cosine(rate, steps))
    parameters state_dict load_state_dict Parameter: keep the parameters in a struct, which is an argument of
        the @fn
    autograd: write rose.grad(f)
    Tensor: write Vec[n] for the type of a vector, and Vec[n, m] for that of a matrix
    masked_select: write rose.where(condition, x, 0.0), which keeps the shape: sizes are known when a function
        is traced
"""

_OWL = """
    chol = rose.linalg.cholesky(a)
    sylvester = rose.linalg.solve_sylvester(a, b, q)
    lyapunov = rose.linalg.solve_continuous_lyapunov(a, q)
    care = rose.linalg.solve_continuous_are(a, b, q, r)
    discrete_lyapunov = rose.linalg.solve_discrete_lyapunov(a, q)
    dare = rose.linalg.solve_discrete_are(a, b, q, r)
    sqr pow2 = x * x
    l1norm = rose.sum(rose.abs(x))
    l2norm = rose.norm(x)
    l2norm_sqr = rose.sum(x * x)
    concat = rose.concatenate([x, y])
    get_slice = x[i:j]
    set_slice = x.at[i:j].set(y)
    get_item = x[i, j]
    set_item = x.at[i, j].set(y)
    get_row get_fancy = x[i]
    set_fancy = x.at[i].set(y)
    diagm = rose.diag(x)
    sum_reduce = rose.sum(x, axis=0)
    mean_axis = rose.mean(x, axis=0)
    make_forward = rose.jvp(f)(rose.Dual(x, dx)); one Dual for each parameter
    make_reverse = rose.vjp(f)(x)
    reverse_prop reverse_reset adjval = rose.vjp(f)(x).grad(ct)
    tangent = rose.jvp(f)(rose.Dual(x, dx)).du
    primal = rose.jvp(f)(rose.Dual(x, dx)).re
    to_trace = rose.trace_table(f, x)
    build_siso build_piso build_siao build_aiso = rose.op(f)
    conv2d_transpose transpose_conv2d = rose.nn.conv_transpose(x, kernel)
    dilated_conv2d = rose.nn.conv2d(x, kernel, dilation=2)
    upsampling2d = rose.nn.upsample(x, 2)
    of_rows = rose.stack(rows)
    of_cols = rose.column_stack(columns)
    of_arrays = rose.array(rows)
    max2 = rose.max(x, y)
    min2 = rose.min(x, y)
    scalar_mul = a * x
    scalar_add = a + x
    to_dot: call rose ir --dot program.py:f on the command line
    pack_arr unpack_arr pack_flt unpack_flt pack_elt unpack_elt tag: leave it out: a traced value
        stands for the number or the array itself
    reset_zero: leave it out: nothing is added up between two gradients
    add_item: write x.at[i].add(y)
"""

_AUTOFD = """
    pullback = rose.vjp(f)(x).grad(ct)
    pushforward = rose.jvp(f)(rose.Dual(x, dx))
    elementwise_grad = rose.vmap(rose.grad(f))
    primitive = rose.opaque(f)
    deriv derivative = rose.grad(f)
    hessian_vector_product = rose.hvp(f)(x, v)
    make_vjp = rose.vjp(f)(x)
    make_jvp = rose.jacobianv(f)(x, v)
    vector_jacobian_product = rose.jacobianTv(f)(x, v)
    check_grads check = rose.testing.examine(f)
    integral = rose.functional.integrate(f, grid)
    inner_product = rose.functional.braket(f, g)
    save = rose.compile(f).save(directory)
    lambdify = rose.compile(f)
    SpecTree with_spec: annotate the parameters of the @fn
"""

_TEXTS = {
    "NumPy": _NUMPY,
    "SciPy": _SCIPY,
    "JAX": _JAX,
    "PyTorch": _TORCH,
    "Owl": _OWL,
    "autofd and autograd": _AUTOFD,
}
_ENTRY = re.compile(r"([\w ]+?)( =|:) (.*)")


@cache
def libraries() -> dict[str, dict[str, str]]:
    """The hint for each name, by the library that has it."""
    return {library: _hints(text) for library, text in _TEXTS.items()}


def _hints(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for row in re.split(r"\n    (?! )", text.rstrip())[1:]:  # a line that is indented further goes on with a row
        match = _ENTRY.fullmatch(" ".join(row.split()))
        assert match, row
        names, sign, what = match.groups()
        if sign == " =":
            code, _, remark = what.partition("; ")
            what = f"write {code} in its place" + f": {remark}" * bool(remark)
        found |= {name: what.replace("$", name) for name in names.split()}
    return found


def hint(name: str) -> str | None:
    """The hint for a name: what to write in its place, or to do without it; None if no library here has it."""
    return next((rows[name] for rows in libraries().values() if name in rows), None)
