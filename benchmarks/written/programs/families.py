"""How a gene that nobody has seen makes people ill, from the illnesses in families, by peeling: genetics.

The likelihood of Elston and Stewart for two parents and their children: sums over three genotypes of each person.
"""

import itertools

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Fin, Real, Vec, fn

FAMILIES = 60
CHILDREN = np.random.default_rng(222).integers(1, 7, FAMILIES)
PEOPLE = 2 * FAMILIES + int(CHILDREN.sum())  # the parents of all families first
FIRST = (2 * FAMILIES + np.append(0, np.cumsum(CHILDREN))).tolist()  # child of each family


def transmission():
    """How probable each genotype of a child is, by those of its parents: Mendel's laws."""
    out = np.zeros((3, 3, 3))
    for a, b in itertools.product(range(3), repeat=2):
        p, q = a / 2, b / 2
        out[a, b] = (1 - p) * (1 - q), p + q - 2 * p * q, p * q
    return out.tolist()


@rose.struct
class Disease:
    logit_frequency: Real
    base: Real
    additive: Real
    dominance: Real
    age: Real
    sex: Real


@fn
def nll(d: Disease, age: Vec[PEOPLE], sex: Vec[PEOPLE], ill: Vec[PEOPLE]) -> Real:
    first = rose.constant(Vec[FAMILIES + 1, Fin[PEOPLE + 1]], FIRST)
    passes = rose.constant(Vec[3, Vec[3, Vec[3]]], transmission())
    q = rose.sigmoid(d.logit_frequency)
    prior = rose.vec([(1 - q) ** 2, 2 * q * (1 - q), q**2])

    def seen(i, g):  # what is seen of a person of this genotype
        odds = d.base + d.additive * g + rose.select(g == 1, d.dominance, 0.0) + d.age * age[i] + d.sex * sex[i]
        p = rose.sigmoid(odds)
        return rose.select(ill[i] > 0.5, p, 1 - p)

    chance = rose.vec(rose.vec(seen(i, g) for g in rose.range(3)) for i in rose.range(PEOPLE))
    total = rose.accum(0.0)
    for f in rose.range(FAMILIES):
        likelihood = rose.accum(0.0)
        for a in rose.range(3):
            for b in rose.range(3):
                children = rose.prod(
                    rose.sum(passes[a][b][c] * chance[i][c] for c in rose.range(3))
                    for i in rose.range(first[f], first[f + 1])
                )
                parents = prior[a] * chance[2 * f][a] * prior[b] * chance[2 * f + 1][b]
                likelihood += parents * children
        total -= rose.log(likelihood.value)
    return total.value


def written() -> Written:
    r = np.random.default_rng(223)
    age, sex = r.normal(0, 1, PEOPLE), r.integers(0, 2, PEOPLE).astype(float)
    sick_family = r.normal(0, 1, FAMILIES)
    of = np.concatenate([np.repeat(np.arange(FAMILIES), 2), np.repeat(np.arange(FAMILIES), CHILDREN)])
    ill = (r.uniform(0, 1, PEOPLE) < 1 / (1 + np.exp(1.2 - 0.6 * age - 1.2 * sick_family[of]))).astype(float)
    params = [-1.0, -2.0, 1.4, 0.3, 0.5, 0.2]
    sizes = {"FAMILIES": FAMILIES, "PEOPLE": PEOPLE}
    tables = {"FIRST": FIRST, "PASSES": np.ravel(transmission()).tolist()}
    data = (age.tolist(), sex.tolist(), ill.tolist())
    program = Program("families", source("families"), sizes, params, {"text": nll}, data, tables)
    return Written("families", "genetics", "loops", program)
