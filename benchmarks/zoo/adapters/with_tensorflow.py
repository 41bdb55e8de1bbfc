"""TensorFlow, in 64 bits and eager: a tape in a tape for each order; an input without a path counts as 0."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

from ..harness import Vocabulary, run

tf.keras.backend.set_floatx("float64")


def _t(x):
    return tf.convert_to_tensor(x, tf.float64)


def _both(f):
    return lambda x, y: f(_t(x), _t(y))


def _inner(f, x):
    x = _t(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)


def _custom(f, slope):
    @tf.custom_gradient
    def made(x):
        return f(x), lambda g: g * slope(x)

    return made


WORDS = Vocabulary(
    sqrt=tf.sqrt, exp=tf.exp, log=tf.math.log, log1p=tf.math.log1p, expm1=tf.math.expm1, sin=tf.sin, cos=tf.cos,
    atan2=tf.atan2, abs=tf.abs, max=_both(tf.maximum), min=_both(tf.minimum), clip=tf.clip_by_value, floor=tf.floor,
    pow=tf.pow, fmod=_both(tf.truncatemod), mod=_both(tf.math.floormod), asinh=tf.asinh, sigmoid=tf.sigmoid,
    softplus=tf.math.softplus, sum=tf.reduce_sum, prod=tf.reduce_prod, norm=tf.norm, amax=tf.reduce_max,
    std=tf.math.reduce_std,    logsumexp=tf.reduce_logsumexp, softmax=tf.nn.softmax, cumprod=tf.math.cumprod,
    where=lambda c, x, y: tf.where(c, _t(x), _t(y)), stop=tf.stop_gradient, log_sigmoid=tf.math.log_sigmoid,
    equal=lambda a, b: tf.equal(a, b), logaddexp=_both(tf.keras.ops.logaddexp), xlogy=tf.math.xlogy,
    digamma=tf.math.digamma, i0=tf.math.bessel_i0, igamma1=lambda x: tf.math.igamma(_t(1.0), x),
    det2=lambda x: tf.linalg.det(tf.reshape(x, (2, 2))), largest=lambda v, k: tf.math.top_k(v, k)[0],
    prelu=lambda x, a: tf.where(x >= 0, x, a * x),
    layer_norm=lambda v, e: tf.nn.batch_normalization(v, *tf.nn.moments(v, 0), None, None, e),
    vec=tf.stack, constants=_t, powers=lambda x, n: tf.reduce_sum(x ** tf.range(n, dtype=tf.float64)),
    table=lambda n, k, f: tf.stack([tf.stack([_t(f(i, j)) for j in range(k)]) for i in range(n)]), total=tf.reduce_sum,
    take=tf.gather, grad=_inner, custom=_custom, entry=lambda d, i, j: d[i, j],
    filled=lambda v, at, x: tf.tensor_scatter_nd_update(_t(v), [[i] for i in at[:1]], [x]),
    scattered=lambda n, at, v: tf.tensor_scatter_nd_add(tf.zeros(n, tf.float64), [[i] for i in at], v),
    remat=lambda f, x: tf.recompute_grad(f)(x), each=lambda f, *v: f(*v),
)  # fmt: skip


def orders(program, n):
    made = [lambda x: _t(program(WORDS, x))]
    for _ in range(3):
        made.append(_derivative(made[-1]))
    return [lambda point, f=f: f(_t(list(point))).numpy() for f in made]


def _derivative(f):
    def of(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x, tf.UnconnectedGradients.ZERO, experimental_use_pfor=False)

    return of


if __name__ == "__main__":
    run(orders, f"TensorFlow {tf.__version__}")
