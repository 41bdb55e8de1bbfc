"""From which populations the genomes of people come, by their genotypes: genetics.

The likelihood of STRUCTURE and ADMIXTURE: the frequency of an allele in a person is a mean of those of the populations.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

PEOPLE, POPULATIONS, LOCI = 40, 3, 120


@rose.struct
class Mixture:
    ancestry: Vec[PEOPLE, POPULATIONS]  # logits
    frequency: Vec[POPULATIONS, LOCI]


@fn
def loss(m: Mixture, genotypes: Vec[PEOPLE, LOCI]) -> Real:
    q = np.exp(m.ancestry - np.max(m.ancestry, axis=1, keepdims=True))
    q = q / np.sum(q, axis=1, keepdims=True)
    f = 1 / (1 + np.exp(-m.frequency))
    p = q @ f
    likelihood = np.sum(genotypes * np.log(p) + (2 - genotypes) * np.log(1 - p))
    prior = 0.5 * np.sum(np.log(f) + np.log(1 - f)) + 0.1 * np.sum(np.log(q))
    return -(likelihood + prior) / PEOPLE


def written() -> Written:
    r = np.random.default_rng(221)
    q = r.dirichlet([0.4] * POPULATIONS, PEOPLE)
    f = r.beta(0.8, 0.8, (POPULATIONS, LOCI)).clip(0.02, 0.98)
    genotypes = r.binomial(2, np.clip(q @ f, 0, 1)).astype(float)
    params = r.normal(0, 0.8, PEOPLE * POPULATIONS + POPULATIONS * LOCI).tolist()
    sizes = {"PEOPLE": PEOPLE, "POPULATIONS": POPULATIONS, "LOCI": LOCI}
    data = (genotypes.ravel().tolist(),)
    program = Program("admixture", source("admixture"), sizes, params, {"text": loss}, data)
    return Written("admixture", "genetics", "arrays", program)
