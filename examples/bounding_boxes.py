"""Bounding boxes of groups of groups of shapes (Listing 9 of the paper).

The IR has no recursion and no union types. Python has both: `bbox` looks at the kind of each shape while the
program is traced, and goes down into groups. What is left are calls of `bbox_circle`, and minima and maxima.
"""

from dataclasses import dataclass
from typing import Any

import rose
from rose import Real, Vec, fn


@rose.struct
class Rectangle:
    left: Real
    right: Real
    bottom: Real
    top: Real


@rose.struct
class Circle:
    center: Vec[2]
    radius: Real


@dataclass
class Group:  # of Python alone: it can hold anything
    shapes: list[Any]


@fn
def bbox_circle(circle: Circle) -> Rectangle:
    x, y, r = circle.center[0], circle.center[1], circle.radius
    return Rectangle(x - r, x + r, y - r, y + r)


def bbox_group(shapes):
    boxes = [bbox(shape) for shape in shapes]
    return Rectangle(
        left=rose.min(b.left for b in boxes),
        right=rose.max(b.right for b in boxes),
        bottom=rose.min(b.bottom for b in boxes),
        top=rose.max(b.top for b in boxes),
    )


def bbox(shape: Any) -> Any:
    match shape:
        case Rectangle():
            return shape
        case Circle():
            return bbox_circle(shape)
        case Group():
            return bbox_group(shape.shapes)


def water(center):
    """A molecule: oxygen, and two of hydrogen."""
    x, y = center[0], center[1]
    return Group([Circle([x, y], 1.0), Circle([x - 1, y - 0.75], 0.5), Circle([x + 1, y - 0.75], 0.5)])


@fn
def diagram(centers: Vec[2, Vec[2]]) -> Rectangle:
    label = Rectangle(-2, 2, 3, 4)
    return bbox(Group([label, water(centers[0]), water(centers[1])]))


@fn
def width(centers: Vec[2, Vec[2]]) -> Real:
    box = diagram(centers)
    return box.right - box.left


centers = [[-2, 0], [3, 1]]
module = rose.compile({"diagram": diagram, "pull": rose.grad(width)})
box, pull = module(centers), module.pull(centers)
calls = [line.strip() for line in rose.compile(diagram).pretty().splitlines() if "bbox_circle(" in line]
print("one function, and a call of it for each circle:")
print(*calls, sep="\n")
print()
print("the box:", box)
print("how its width changes with each center:", pull[0], pull[1])
