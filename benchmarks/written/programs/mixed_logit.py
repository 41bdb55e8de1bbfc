"""The simulated likelihood of a mixed logit of panels of choices, after Revelt and Train (1998): economics."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

PEOPLE, CHOICES, OPTIONS, ATTRIBUTES, DRAWS = 60, 4, 4, 3, 20


@rose.struct
class Tastes:
    mean: Vec[ATTRIBUTES]
    log_deviation: Vec[ATTRIBUTES]


@fn
def loss(
    m: Tastes, x: Vec[PEOPLE, CHOICES, OPTIONS, ATTRIBUTES], draws: Vec[PEOPLE, DRAWS, ATTRIBUTES]
) -> Real:  # the first option is the one that was chosen
    beta = m.mean + np.exp(m.log_deviation) * draws
    utility = np.einsum("ptjk,prk->prtj", x, beta)
    log_choice = utility[..., 0] - rose.logsumexp(utility, axis=-1)
    log_panel = np.sum(log_choice, axis=-1)
    return -np.mean(rose.logsumexp(log_panel, axis=1) - np.log(DRAWS))


def written() -> Written:
    r = np.random.default_rng(121)
    x = r.normal(0, 1, (PEOPLE, CHOICES, OPTIONS, ATTRIBUTES))
    beta = [0.8, -0.5, 0.3] + r.normal(0, 1, (PEOPLE, ATTRIBUTES)) * [0.5, 0.8, 0.3]
    utility = np.einsum("ptjk,pk->ptj", x, beta) + r.gumbel(size=(PEOPLE, CHOICES, OPTIONS))
    x = np.take_along_axis(x, np.argsort(-utility, axis=-1)[..., None], axis=2)
    data = (x.ravel().tolist(), r.standard_normal(PEOPLE * DRAWS * ATTRIBUTES).tolist())
    sizes = {
        "PEOPLE": PEOPLE, "CHOICES": CHOICES, "OPTIONS": OPTIONS, "ATTRIBUTES": ATTRIBUTES, "DRAWS": DRAWS,
    }  # fmt: skip
    params = [0.5, -0.3, 0.1, -0.5, -0.4, -1.0]
    program = Program("mixed_logit", source("mixed_logit"), sizes, params, {"text": loss}, data)
    return Written("mixed_logit", "economics", "arrays", program)
