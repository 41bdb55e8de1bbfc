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
Matrix, Affine = Vec[4, Vec[4]], Vec[3, Vec[4]]  # an Affine is a Matrix but for its last row, 0 0 0 1
Moves = Vec[FINGERS, Vec[3, Vec[3, Vec[4, Vec[4]]]]]  # an Affine for each moving bone, and for each angle of its finger


@rose.struct
class Pose:
    turn: Vec[3]
    shift: Vec[3]
    fingers: Vec[FINGERS, Vec[4]]


@rose.struct
class Hand:
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
    return rose.vec(
        rose.vec(
            rose.sum(hand.weights[i][b] * rose.dot(bones[b][r], hand.vertices[i]) for b in rose.range(BONES))
            for r in rose.range(3)
        )
        for i in rose.range(v)
    )


@fn
def skinned_moves(hand: Hand, moves: Moves) -> Vec[v, Vec[3, Vec[FINGERS, Vec[4]]]]:
    """The same of the derivatives by each angle, to which only the bones of its finger contribute."""

    def moved(i, r, g, a):
        of_bone = lambda b: rose.sum(moves[g][b][r][c][a] * hand.vertices[i][c] for c in rose.range(4))
        return rose.sum(hand.weights[i][4 * g + (b + 2)] * of_bone(b) for b in rose.range(3))

    return rose.vec(
        rose.vec(
            rose.vec(rose.vec(moved(i, r, g, a) for a in rose.range(4)) for g in rose.range(FINGERS))
            for r in rose.range(3)
        )
        for i in rose.range(v)
    )


@rose.struct
class Slopes:
    """The derivatives of a coordinate of a point."""

    u: Vec[2]
    turn: Vec[3]
    shift: Vec[3]
    fingers: Vec[FINGERS, Vec[4]]


def between(u: Any, corners: Any) -> Any:
    """The number at a point of a triangle, of those at its corners."""
    return u[0] * corners[0] + u[1] * corners[1] + (1 - u[0] - u[1]) * corners[2]


@functools.cache
def tracker(parents: tuple[int, ...]) -> dict[str, Fn[..., Any]]:
    """The functions for a hand whose bones hang together so."""

    def still(hand: Any) -> dict[int, Any]:
        """Where the bones without an angle are."""
        at: dict[int, Any] = {}
        for b in FIXED:
            at[b] = hand.relatives[b][:3] if parents[b] < 0 else at[parents[b]] @ hand.relatives[b]
        return at

    def of_finger(g: int, x: Any) -> Any:
        return x[4 * g + 2 : 4 * g + 5]

    def moves(derive: Any, fingers: Any, hand: Any) -> list[Any]:
        at = still(hand)
        given = lambda g: (at[4 * g + 1], of_finger(g, hand.relatives), of_finger(g, hand.inverses))
        return [derive(finger)(fingers[g], *given(g)) for g in range(FINGERS)]

    def positions(pose: Any, hand: Any) -> Any:
        at, turned = still(hand), moves(lambda f: f, pose.fingers, hand)
        fixed = {b: x @ hand.inverses[b] for b, x in at.items()}
        return skinned(hand, [fixed[b] if b in fixed else turned[(b - 2) // 4][(b - 2) % 4] for b in range(BONES)])

    @fn
    def objective(pose: Pose, hand: Hand, seen: Seen) -> Vec[k, Vec[3]]:
        local, turn = positions(pose, hand), rotation(pose.turn)
        placed = rose.vec(
            rose.vec(rose.dot(turn[r], local[i]) + pose.shift[r] for r in rose.range(3)) for i in rose.range(v)
        )
        def error(i, r):
            corners = seen.corners[seen.triangle[i]]
            return seen.points[i][r] - between(seen.u[i], [placed[corners[c]][r] for c in range(3)])
        return rose.vec(rose.vec(error(i, r) for r in rose.range(3)) for i in rose.range(k))

    @fn
    def jacobian(pose: Pose, hand: Hand, seen: Seen) -> Vec[k, Vec[3, Slopes]]:
        turn, turning = rotation(pose.turn), rose.jacobian(rotation)(pose.turn)
        local, about = positions(pose, hand), moves(rose.jacobian, pose.fingers, hand)
        turned = rose.vec(rose.vec(rose.vec(rose.vec(rose.vec(rose.sum(turn[r][q] * about[g][b][q][c][a] for q in rose.range(3)) for a in rose.range(4)) for c in rose.range(4)) for r in rose.range(3)) for b in rose.range(3)) for g in range(FINGERS))
        moved = skinned_moves(hand, turned)
        def slopes(i, r):
            u, corners = seen.u[i], seen.corners[seen.triangle[i]]
            here = lambda of: between(u, [of(corners[c]) for c in range(3)])
            point = [here(lambda j: local[j][q]) for q in range(3)]
            edges = [[local[corners[2]][q] - local[corners[c]][q] for q in range(3)] for c in range(2)]
            return Slopes(
                [rose.sum(turn[r][q] * edges[c][q] for q in range(3)) for c in range(2)],
                rose.vec(-rose.sum(turning[r][q][a] * point[q] for q in range(3)) for a in rose.range(3)),
                [rose.select(r == q, -1.0, 0.0) for q in range(3)],
                rose.vec(rose.vec(-here(lambda j: moved[j][r][g][a]) for a in rose.range(4)) for g in rose.range(FINGERS)),
            )
        return rose.vec(rose.vec(slopes(i, r) for r in rose.range(3)) for i in rose.range(k))

    return {"objective": objective, "jacobian": jacobian}
