"""The energy of a planar conjugated molecule, quinoline, by Hueckel's method and springs for its bonds: chemistry."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Fin, Real, Vec, fn, linalg

ATOMS, BONDS, PAIRS = 10, 11, 5
FIRST, SECOND = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4], [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 9]
NITROGEN = 0
OUTLINE = [(0.5, 3), (0, 4.5), (0.5, 6), (1.5, 6), (2, 4.5), (3, 4.5), (3.5, 3), (3, 1.5), (2, 1.5), (1.5, 3)]


@fn
def energy(atoms: Vec[ATOMS, 2]) -> Real:
    """In units of the resonance integral of benzene."""
    first, second = rose.constant(Vec[BONDS, Fin[ATOMS]], FIRST), rose.constant(Vec[BONDS, Fin[ATOMS]], SECOND)
    h, springs = rose.accum(rose.zeros((ATOMS, ATOMS))), rose.accum(0.0)
    h[NITROGEN, NITROGEN] += -0.5
    for k in rose.range(BONDS):
        i, j = first[k], second[k]
        stretch = rose.norm(atoms[i] - atoms[j]) - 1.4
        hop = -rose.exp(-2.2 * stretch)
        h[i, j] += hop
        h[j, i] += hop
        springs += 8.0 * (stretch + 0.05) ** 2
    levels = linalg.eigvalsh(h.value)
    return 2 * rose.sum(levels[:PAIRS]) + springs.value


def written() -> Written:
    r = np.random.default_rng(113)
    x = np.array(OUTLINE)
    ends = x[FIRST] - x[SECOND]
    x = x * 1.4 / np.linalg.norm(ends, axis=1).mean() + r.normal(0, 0.03, x.shape)
    sizes = {"ATOMS": ATOMS, "BONDS": BONDS, "PAIRS": PAIRS, "NITROGEN": NITROGEN}
    tables = {"first": FIRST, "second": SECOND}
    params = x.ravel().tolist()
    program = Program("huckel", source("huckel"), sizes, params, {"text": energy}, tables=tables)
    return Written("huckel", "chemistry", "linalg", program)
