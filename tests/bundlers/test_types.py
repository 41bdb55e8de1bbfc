"""The declarations of packages under the strictest options of TypeScript: lengths, names, defaults, documentation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rose
from rose import Complex, Real, Vec, fn
from tests.bundlers.tools import TSC, TYPESCRIPTS, tool

STRICTEST = (
    "--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --verbatimModuleSyntax --skipLibCheck false "
    "--noEmit --target es2022 --lib es2022,dom --module nodenext --moduleResolution nodenext"
).split()
USE = """
import bodies, { type Body, type BodyLike } from "bodies";
import singles from "singles";

const { loss, both, step, many, turned, long } = await bodies();
const at: readonly [number, number] = [1, 2];
const value: number = loss(at, new Float64Array(2)) + loss([1, 2], new Int16Array(2));
const [y, g] = both([1, 2], [3, 4]);
const slope: number = y + g[0] + g[1] + both.unchecked(g, g)[0]; // no `undefined` below the length
const bare: BodyLike = { pos: [0, 0] };
const given: BodyLike = { pos: g, vel: [1, 2], mass: 3 };
const next: Body = step(bare, 0.1);
const mass: number = next.mass + next.vel[1];
const rows = many([bare, given, next]);
const corner: number = rows[2][1];
const flat = many(new Float64Array(15), { out: new Float64Array(6) });
const out: Float64Array = flat;
const z = turned([1, 2]);
const re: number = z[0];
const first: number | undefined = long(Array.from({ length: 9 }, () => 1))[0];
const s: Float32Array = (await singles()).twice(new Float32Array(2));
export const all = [value, slope, mass, corner, out, re, first, s];

// @ts-expect-error a vector of 2 has 2 elements
loss([1, 2, 3], at);
// @ts-expect-error and its result
g[2].toFixed();
// @ts-expect-error numbers of 64 bits would be rounded
(await singles()).twice(new Float64Array(2));
// @ts-expect-error a field without a default
step({ vel: [1, 2] }, 0.1);
// @ts-expect-error no such field
step({ pos: [0, 0], velocity: [1, 2] }, 0.1);
// @ts-expect-error the length of a longer vector is not known
const certain: number = long([])[0];
// @ts-expect-error two packages are two, also of one file
const single: Float32Array = many([bare, given, next])[0];
"""


@rose.struct
class Body:
    """A body.

    Attributes:
        pos: Where it is, in metres.
        mass: How heavy it is, in kg.
    """

    pos: Vec[2]
    vel: Vec[2] = (0.5, 0.0)
    mass: Real = 2.0


@fn
def loss(x: Vec[2], y: Vec[2]) -> Real:
    """The squared distance of two points.

    Args:
        x: The first point, in metres.
        y: The second point, in metres.

    Returns:
        The squared distance, in square metres.
    """
    return rose.sum((x[i] - y[i]) ** 2 for i in rose.range(2))


@fn
def step(b: Body, dt: Real) -> Body:
    return Body([b.pos[0] + dt * b.vel[0], b.pos[1] + dt * b.vel[1]], b.vel, b.mass)


@fn
def many(bs: Vec[3, Body]) -> Vec[3, Vec[2]]:
    return [bs[0].pos, bs[1].vel, bs[2].pos]


@fn
def turned(z: Complex) -> Complex:
    return z * 1j


@fn
def long(x: Vec[9]) -> Vec[9]:
    return x


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two packages of one file."""
    folder = tmp_path_factory.mktemp("types")
    functions = {"loss": loss, "both": rose.value_and_grad(loss), "step": step, "many": many, "turned": turned}
    rose.compile({**functions, "long": long}).save(folder / "node_modules" / "bodies", "made", map=True)
    twice = rose.fn([Vec[2]], Vec[2])(lambda x: [2 * x[0], 2 * x[1]])
    rose.compile({"twice": twice}, dtype="f32").save(folder / "node_modules" / "singles", "made")
    (folder / "package.json").write_text(json.dumps({"name": "app", "private": True, "type": "module"}))
    (folder / "main.ts").write_text(USE)
    return folder


@pytest.mark.parametrize("version", TYPESCRIPTS)
def test_types(project: Path, version: str):
    tool(TSC(version), *STRICTEST, "main.ts", cwd=project)


def test_documentation(project: Path):
    text = (project / "node_modules" / "bodies" / "index.d.ts").read_text()
    assert " * @param x - The first point, in metres.\n" in text
    assert text.count("@returns The squared distance, in square metres.") == 1  # that of its gradient is another
    assert "=> [value: number, gradient: Float64s & Of2]" in text
    assert "  /**\n   * How heavy it is, in kg.\n   *\n   * @defaultValue 2.0\n   */\n" in text
