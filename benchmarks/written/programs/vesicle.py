"""The energy of a closed membrane of triangles: areas that are kept, a volume, and bending at the edges: geometry."""

import itertools

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Fin, Real, Vec, fn


def sphere(levels):
    """An icosahedron, each of whose triangles is cut into four, so many times."""
    g = (1 + 5**0.5) / 2
    points = [[0.0, s, t * g][-k:] + [0.0, s, t * g][:-k] for k in range(3) for s in (-1, 1) for t in (-1, 1)]
    points = [np.array(p) / np.linalg.norm(p) for p in points]
    near = [{j for j, q in enumerate(points) if 0 < np.linalg.norm(p - q) < 1.1} for p in points]
    faces = [c for c in itertools.combinations(range(12), 3) if c[1] in near[c[0]] and {*c[:2]} <= near[c[2]]]
    outward = [np.linalg.det([points[i] for i in c]) > 0 for c in faces]
    faces = [c if right else (c[0], c[2], c[1]) for c, right in zip(faces, outward, strict=True)]
    for _ in range(levels):
        middle = {}
        for a, b in {tuple(sorted(e)) for f in faces for e in itertools.combinations(f, 2)}:
            middle[a, b] = middle[b, a] = len(points)
            points.append((points[a] + points[b]) / np.linalg.norm(points[a] + points[b]))
        cut = [(a, b, c, middle[a, b], middle[b, c], middle[c, a]) for a, b, c in faces]
        faces = [t for a, b, c, d, e, f in cut for t in ((a, d, f), (b, e, d), (c, f, e), (d, e, f))]
    return np.array(points), faces


POINTS, FACES = sphere(2)
AT = {(f[k], f[(k + 1) % 3]): n for n, f in enumerate(FACES) for k in range(3)}
HINGES = sorted((n, AT[j, i]) for (i, j), n in AT.items() if i < j)  # faces on both sides of an edge
N, F, H = len(POINTS), len(FACES), len(HINGES)


@fn
def face(x: Vec[N, 3], corners: Vec[3, Fin[N]]) -> tuple[Vec[3], Real]:
    """A normal, whose length is twice the area, and six times the volume below."""
    a, b, c = x[corners[0]], x[corners[1]], x[corners[2]]
    return rose.cross(b - a, c - a), rose.dot(a, rose.cross(b, c))


@fn
def energy(x: Vec[N, 3], rest: Vec[F]) -> Real:
    faces, hinges = rose.constant(Vec[F, 3, Fin[N]], FACES), rose.constant(Vec[H, 2, Fin[F]], HINGES)
    found = rose.vec(face(x, faces[t]) for t in rose.range(F))
    normals = found[:, 0]
    lengths = rose.vec(rose.norm(normals[t]) for t in rose.range(F))
    stretch, volume, bend = rose.accum(0.0), rose.accum(0.0), rose.accum(0.0)
    for t in rose.range(F):
        stretch += (0.5 * lengths[t] - rest[t]) ** 2 / rest[t]
        volume += found[t][1] / 6
    for k in rose.range(H):
        s, t = hinges[k, 0], hinges[k, 1]
        bend += 1 - rose.dot(normals[s], normals[t]) / (lengths[s] * lengths[t])
    return 10.0 * stretch.value + 20.0 * (volume.value - 2.5) ** 2 + 0.5 * bend.value


def written() -> Written:
    r = np.random.default_rng(119)
    a, b, c = (POINTS[[f[k] for f in FACES]] for k in range(3))
    rest = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    x = POINTS * [1.0, 1.1, 0.8] + r.normal(0, 0.02, POINTS.shape)
    tables = {"faces": [i for f in FACES for i in f], "hinges": [t for h in HINGES for t in h]}
    params, data, sizes = x.ravel().tolist(), (rest.tolist(),), {"N": N, "F": F, "H": H}
    program = Program("vesicle", source("vesicle"), sizes, params, {"text": energy}, data, tables)
    return Written("vesicle", "geometry", "loops", program)
