"""Loops, branches in loops, and memory that is written more than once."""

from ..spec import at, case


def _product(m, x):
    return m.fold(3, lambda i, s: s * x[0], 1.0)


def _before_and_after(m, x):
    """What is computed before a loop is read after it."""
    y = x[0] * x[0]
    s = m.fold(4, lambda i, s: s + m.real(i) * x[1], 0.0)
    return y * s


def _nested(m, x):
    return m.fold(3, lambda i, s: m.fold(2, lambda j, t: t * x[0] + x[1], s) * x[1], 1.0)


def _largest_kept(m, x):
    """The largest of x * w over some w; w = 0 is passed over."""
    w = m.constants([1.0, 0.0, 4.0, 2.0])

    def body(i, best):
        v = x[0] * m.item(w, i)
        return m.where(m.item(w, i) * m.item(w, i) > 0.0, m.max(v, best), best)

    return m.fold(4, body, -1e20)


def _chaotic(m, x):
    return m.fold(5, lambda i, s: m.sin(s * x[0]) + s * s, x[1])


def _power_by_cond(m, x):
    """A power by a loop in which a branch goes on or stops, as bounded while loops are made."""
    return m.fold(6, lambda i, s: m.cond(m.real(i) < 4.0, lambda v: v * x[0], lambda v: v, s), 1.0)


def _alternating(m, x):
    def body(i, s):
        return m.cond(m.mod(m.real(i), 2.0) < 0.5, lambda v: v + 0.01, lambda v: v * 1.001, s)

    return m.fold(130, body, x[0])


def _alternating_truth(m, x):
    for i in range(130):
        x = x + m.mpf(0.01) if i % 2 == 0 else x * m.mpf(1.001)
    return x


def _sum_then_divide(m, x):
    return 1.0 / m.fold(3, lambda i, s: s + m.item(x, i), 1.0)


def _chaotic_truth(m, x, s):
    for _ in range(5):
        s = m.sin(s * x) + s * s
    return s


def _nested_truth(m, x, y):
    s = m.mpf(1)
    for _ in range(3):
        for _ in range(2):
            s = s * x + y
        s = s * y
    return s


CASES = (
    case(
        "product in a loop",
        "elixir-nx/nx/issues/1747",
        "acc = acc * x, three times",
        _product,
        at(0.5, near=lambda m, x: x**3),
        at(0, near=lambda m, x: x**3),
    ),
    case(
        "before a loop, and after it",
        "NVIDIA/warp/issues/1694",
        "a number made before the loop meets the loop's result",
        _before_and_after,
        at(3, 2, near=lambda m, x, y: 6 * x * x * y),
    ),
    case(
        "loop in a loop",
        "NVIDIA/warp/issues/1293",
        "each carries the state of the other",
        _nested,
        at(1.1, 0.7, near=_nested_truth),
    ),
    case(
        "largest, with continue",
        "NVIDIA/warp/issues/1552",
        "a loop keeps the largest, and passes some elements over",
        _largest_kept,
        at(2, near=lambda m, x: 4 * x),
        at(-2, near=lambda m, x: x),
    ),
    case(
        "one over a sum",
        "NVIDIA/warp/issues/1740",
        "the result of a loop is divided by",
        _sum_then_divide,
        at(1, 2, 3, near=lambda m, x, y, z: 1 / (1 + x + y + z)),
    ),
    case(
        "overwritten in a loop",
        "NVIDIA/warp/issues/174",
        "the state is overwritten, and its old values are needed",
        _chaotic,
        at(0.7, 0.4, near=_chaotic_truth),
    ),
    case(
        "element += x, and again",
        "NVIDIA/warp/issues/1697",
        "v[0] = v[0] + x on a local vector, three times",
        lambda m, x: m.updated(x[0], 3),
        at(2, near=lambda m, x: 3 * x),
    ),
    case(
        "x = cos(t) * x in place",
        "taichi-dev/taichi/issues/2505",
        "the same memory is read and written",
        lambda m, x: m.in_place(x),
        at(0.5, 2, near=lambda m, t, x: m.cos(t) * x),
    ),
    case(
        "vector += each of another",
        "taichi-dev/taichi/issues/8356",
        "x[i] += y[j] in two loops",
        lambda m, x: m.fold(2, lambda i, s: m.fold(3, lambda j, t: t + m.item(x, j), s), 0.0),
        at(1, 2, 3, near=lambda m, x, y, z: 2 * (x + y + z)),
    ),
    case(
        "local sum",
        "taichi-dev/taichi/issues/4412",
        "q += p, five times",
        lambda m, x: m.fold(5, lambda i, q: q + x[0], 0.0),
        at(3, near=lambda m, x: 5 * x),
    ),
    case(
        "branch in a loop",
        "jax-ml/jax/issues/5900",
        "a loop that stops counting after four iterations",
        _power_by_cond,
        at(3, near=lambda m, x: x**4),
    ),
    case(
        "alternating branches",
        "tillahoffmann/jax-mps/issues/195",
        "130 iterations, of two kinds",
        _alternating,
        at(1, near=_alternating_truth),
    ),
    case(
        "while loop",
        "mitsuba-renderer/drjit/pull/491 mitsuba-renderer/drjit/issues/53 jax-ml/jax/issues/2469",
        "s = s * x while s < 10: reverse mode needs each s",
        lambda m, x: m.while_(lambda s: s < 10.0, lambda s: s * x[0], 1.0),
        at(2, near=lambda m, x: x**4),
        at(1.5, near=lambda m, x: x**6),
    ),
    case(
        "while loop with a bystander",
        "mitsuba-renderer/drjit/issues/536",
        "part of the state is never read",
        lambda m, x: m.while_(lambda s: s[0] < 1.5, lambda s: (s[0] + 1.0, s[1] * x[0], s[2]), (0.0, 1.0, 2.0))[1],
        at(3, near=lambda m, x: x**2),
    ),
    case(
        "gathered twice",
        "pytorch/pytorch/issues/1631",
        "the same element, by two indices",
        lambda m, x: m.sum(m.each(lambda w, v: w * v * v, m.constants([0.2, 0.3]), m.take(x, [0, 0]))),
        at(3, near=lambda m, x: m.mpf(0.2) * x * x + m.mpf(0.3) * x * x),
    ),
    case(
        "filled twice",
        "pytorch/pytorch/issues/57006",
        "x goes to index 2, and again to index 2",
        lambda m, x: m.sum(m.filled([1.0, 2.0, 3.0], [2, 2], x[0])),
        at(5, near=lambda m, x: 3 + x),
    ),
    case(
        "added twice",
        "PaddlePaddle/Paddle/pull/17662",
        "two numbers are added to one element, which is squared then",
        lambda m, x: m.sum(m.each(lambda v: v * v, m.scattered(2, [1, 1], x))),
        at(2, 3, near=lambda m, x, y: (x + y) ** 2),
    ),
    case(
        "checkpointed product",
        "pytorch/pytorch/issues/21970 jax-ml/jax/issues/14302",
        "evaluated again in reverse mode",
        lambda m, x: m.remat(lambda v: m.sin(v * v), x[0]),
        at(1.2, near=lambda m, x: m.sin(x * x)),
    ),
)
