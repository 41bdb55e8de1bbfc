"""`ht`: hand tracking. Angles turn bones, bones carry vertices, and measured points lie on triangles between vertices.

Vertices are linear in how bones move, and points in vertices: their derivatives are the same sums, of derivatives.
A finger has four angles, and three bones that they move, so the derivative of all bones is a block for each finger.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import rose
from rose import Fin, Fn, Real, Vec, fn

from ..placed import call
from . import Functions, Job

v, t, k = rose.dim("v"), rose.dim("t"), rose.dim("k")  # vertices, triangles, measured points

BONES, FINGERS = 22, 5
FIXED = (0, *range(1, BONES - 1, 4), BONES - 1)  # bones without an angle: wrist, the first of each finger, forearm
HAND = ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")  # the fields of a Hand in an input
Matrix, Affine = Vec[4, Vec[4]], Vec[3, Vec[4]]  # an Affine is a Matrix but for its last row, 0 0 0 1
Moves = Vec[3, Vec[3, Vec[4, Vec[4]]]]  # of each moving bone of a finger an Affine, with a number for each angle


@rose.struct
class Pose:
    """What is sought: the axis and angle of the whole hand, where it is, and the angles of each finger."""

    turn: Vec[3]
    shift: Vec[3]
    fingers: Vec[FINGERS, Vec[4]]


@rose.struct
class Hand:
    """A hand without a pose: its bones, and the skin on them."""

    relatives: Vec[BONES, Matrix]  # from a bone to its parent, when no angle turns it
    inverses: Vec[BONES, Matrix]  # from the hand, when no angle turns anything, to a bone
    vertices: Vec[v, Vec[4]]
    weights: Vec[v, Vec[BONES]]  # how much of a vertex goes with a bone


@rose.struct
class Seen:
    """Measured points, each on a triangle: `u` says where, in parts of its first two corners."""

    points: Vec[k, Vec[3]]
    u: Vec[k, Vec[2]]
    triangle: Vec[k, Fin[t]]
    corners: Vec[t, Vec[3, Fin[v]]]


@fn
def rotation(r: Vec[3]) -> Vec[3, Vec[3]]:
    """The rotation about the axis `r` by an angle of its length."""
    angle = rose.norm(r)

    def about_axis():
        a, c, s = [r[i] / angle for i in range(3)], rose.cos(angle), rose.sin(angle)
        cross = [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]]
        return [[a[i] * a[j] * (1 - c) + cross[i][j] * s + c * float(i == j) for j in range(3)] for i in range(3)]

    return rose.cond(angle < 1e-4, lambda: [[float(i == j) for j in range(3)] for i in range(3)], about_axis)


@fn
def bent(parent: Affine, relative: Matrix, x: Real, z: Real) -> Affine:
    """Where a bone is, from where its parent is, and its angles about two axes."""
    (cx, sx), (cz, sz) = [(rose.cos(a), rose.sin(a)) for a in (x, z)]
    turn = [[cz, -sz * cx, sz * sx, 0.0], [sz, cz * cx, -cz * sx, 0.0], [0.0, sx, cx, 0.0], [0.0, 0.0, 0.0, 1.0]]
    return parent @ relative @ turn


@fn
def finger(angles: Vec[4], first: Affine, relatives: Vec[3, Matrix], inverses: Vec[3, Matrix]) -> Vec[3, Affine]:
    """How the bones of a finger move vertices: all but its first, which is where the angles find it."""
    second = bent(first, relatives[0], angles[0], angles[1])
    third = bent(second, relatives[1], angles[2], 0.0)
    last = bent(third, relatives[2], angles[3], 0.0)
    return [bone @ inverses[i] for i, bone in enumerate((second, third, last))]


@fn
def skinned(hand: Hand, bones: Vec[BONES, Affine]) -> Vec[v, Vec[3]]:
    """Where vertices are, before the hand as a whole is turned and shifted."""

    def at(i: Any) -> Any:
        part = lambda b: [[hand.weights[i][b] * bones[b][r][c] for c in range(4)] for r in range(3)]
        whole = rose.sum(part(b) for b in rose.range(BONES))
        return rose.vec(rose.dot(whole[r], hand.vertices[i]) for r in rose.range(3))

    return rose.vec(at(i) for i in rose.range(v))


@fn
def skinned_moves(hand: Hand, moves: Vec[FINGERS, Moves]) -> Vec[v, Vec[3, Vec[FINGERS, Vec[4]]]]:
    """The same of the derivatives by each angle, to which only the bones of its finger contribute."""

    def moved(i: Any, r: Any, g: Any, a: Any) -> Any:
        of_bone = lambda b: rose.sum(moves[g][b][r][c][a] * hand.vertices[i][c] for c in rose.range(4))
        return rose.sum(hand.weights[i][4 * g + (b + 2)] * of_bone(b) for b in rose.range(3))

    return rose.vec(
        rose.vec(
            rose.vec(rose.vec(moved(i, r, g, a) for a in rose.range(4)) for g in rose.range(FINGERS))
            for r in rose.range(3)
        )
        for i in rose.range(v)
    )


def between(u: Any, corners: Any) -> Any:
    """The number at a point of a triangle, of those at its corners."""
    return u[0] * corners[0] + u[1] * corners[1] + (1 - u[0] - u[1]) * corners[2]


@rose.struct
class Slopes:
    """The derivatives of a coordinate of a point: a row of the Jacobian, without the places of other points."""

    u: Vec[2]
    turn: Vec[3]
    shift: Vec[3]
    fingers: Vec[FINGERS, Vec[4]]


def tracker(parents: Sequence[int]) -> dict[str, Fn[..., Any]]:
    """The functions for hands whose bones hang together so: a finger is a chain, and the rest does not move."""

    def fixed(hand: Any) -> dict[int, Any]:
        """Where the bones without an angle are."""
        at: dict[int, Any] = {}
        for b in FIXED:
            at[b] = hand.relatives[b][:3] if parents[b] < 0 else at[parents[b]] @ hand.relatives[b]
        return at

    def of_fingers(f: Any, angles: Any, hand: Any, at: dict[int, Any]) -> list[Any]:
        chain = [slice(4 * g + 2, 4 * g + 5) for g in range(FINGERS)]
        return [f(angles[g], at[4 * g + 1], hand.relatives[c], hand.inverses[c]) for g, c in enumerate(chain)]

    def bones(pose: Any, hand: Any, at: dict[int, Any]) -> list[Any]:
        moving = of_fingers(finger, pose.fingers, hand, at)
        still = {b: x @ hand.inverses[b] for b, x in at.items()}
        return [still[b] if b in still else moving[(b - 2) // 4][(b - 2) % 4] for b in range(BONES)]

    def turned(turn: Any, at: dict[int, Any]) -> dict[int, Any]:
        """What turns the bones without an angle turns all others, and derivatives by angles, too."""
        return {b: turn @ x for b, x in at.items()}

    @fn
    def objective(pose: Pose, hand: Hand, seen: Seen) -> Vec[k, Vec[3]]:
        at = skinned(hand, bones(pose, hand, turned(rotation(pose.turn), fixed(hand))))

        def error(i: Any, r: Any) -> Any:
            corners = seen.corners[seen.triangle[i]]
            return seen.points[i][r] - between(seen.u[i], [at[corners[c]][r] for c in range(3)]) - pose.shift[r]

        return rose.vec(rose.vec(error(i, r) for r in rose.range(3)) for i in rose.range(k))

    @fn
    def jacobian(pose: Pose, hand: Hand, seen: Seen) -> Vec[k, Vec[3, Slopes]]:
        turn, turns, at = rotation(pose.turn), rose.jacobian(rotation)(pose.turn), fixed(hand)
        local = skinned(hand, bones(pose, hand, at))
        moved = skinned_moves(hand, of_fingers(rose.jacobian(finger), pose.fingers, hand, turned(turn, at)))

        def slopes(i: Any, r: Any) -> Slopes:
            u, (a, b, c) = seen.u[i], [seen.corners[seen.triangle[i]][j] for j in range(3)]
            here = [between(u, [local[j][q] for j in (a, b, c)]) for q in range(3)]
            edge = lambda j: rose.sum(turn[r][q] * (local[c][q] - local[j][q]) for q in range(3))
            finger = lambda g, h: -between(u, [moved[j][r][g][h] for j in (a, b, c)])
            return Slopes(
                [edge(a), edge(b)],
                rose.vec(-rose.sum(turns[r][q][h] * here[q] for q in range(3)) for h in rose.range(3)),
                rose.vec(rose.select(h == r, -1.0, 0.0) for h in rose.range(3)),
                rose.vec(rose.vec(finger(g, h) for h in rose.range(4)) for g in rose.range(FINGERS)),
            )

        return rose.vec(rose.vec(slopes(i, r) for r in rose.range(3)) for i in rose.range(k))

    return {"objective": objective, "jacobian": jacobian}


@functools.lru_cache(maxsize=2)
def compiled(parents: tuple[int, ...], v: int, t: int, k: int) -> rose.Compiled:
    return rose.compile(tracker(parents), simd=True, v=v, t=t, k=k)


def prepared(given: Mapping[str, Any]) -> tuple[rose.Compiled, tuple[Pose, Hand, Seen]]:
    """The module for an input, and the input. A point on a vertex is on a triangle whose corners are all that one."""
    theta, us, data, model = np.array(given["theta"], float), given["us"], given["data"], given["data"]["model"]
    arrays = {name: np.array(model[name], float) for name in HAND}
    parents = tuple(model["parents"])
    if not all(parents[b] in (-1, *FIXED) if b in FIXED else parents[b] == b - 1 for b in range(BONES)):
        raise ValueError("a finger is a chain of four bones, on what does not move")
    if model["is_mirrored"]:
        for b in [b for b, parent in enumerate(parents) if parent < 0]:
            arrays["base_relatives"][b, 0] *= -1
    hand = Hand(*arrays.values())
    points = np.array(data["points"], float)
    on = np.array(data["correspondences"], np.uint32)
    corners = np.array(model["triangles"], np.uint32) if us else np.arange(len(hand.vertices), dtype=np.uint32)[:, None]
    u = np.array(us or [[1.0, 0.0]] * len(points), float)
    seen = Seen(points, u, on, np.broadcast_to(corners, (len(corners), 3)))
    pose = Pose(theta[:3], theta[3:6], theta[6:].reshape(FINGERS, 4))
    return compiled(parents, len(hand.vertices), len(corners), len(points)), (pose, hand, seen)


def errors(given: Mapping[str, Any]) -> Job:
    module, args = prepared(given)
    return call(module.objective, *args, shown=lambda result: result.ravel().tolist())


def rows(given: Mapping[str, Any]) -> Job:
    module, args = prepared(given)
    row = lambda x: [*(x.u if given["us"] else []), *x.turn, *x.shift, *x.fingers.ravel()]
    return call(module.jacobian, *args, shown=lambda result: [[*map(float, row(x))] for point in result for x in point])


functions: Functions = {"objective": errors, "jacobian": rows}
