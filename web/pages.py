"""The pages of the demo site: a page is a row here, and a folder of the same name.

The folder has `body.html`, which is what stands in the page's <main>, `page.js`, its module, and whatever else the page
loads. What it computes with is compiled from an example.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """A package: these functions of an example, compiled into a folder of the page."""

    example: str
    functions: tuple[str, ...]
    folder: str = "model"


@dataclass(frozen=True)
class Page:
    """One page. `csp` adds to its Content-Security-Policy: what a directive allows, more than on the other pages."""

    slug: str
    title: str
    about: str  # one sentence, for the front page
    models: tuple[Model, ...]
    csp: tuple[tuple[str, str], ...] = ()
    python: bool = False  # it can load Python, and the compiler
    elements: tuple[str, ...] = ()  # what it takes of the custom elements in wasm_backend/js


HOME = Page(
    "home",
    "Rose for Python",
    "Write a Python function, get its derivatives, ship them as a few kilobytes of WebAssembly.",
    (Model("spring", ("spring", "slope")),),
)

_FUNCTIONS = ("power", "himmelblau", "waves", "rosenbrock")
_QUADRATIC = tuple([f"{name}_{what}" for name in _FUNCTIONS for what in ("local", "heights")])

PAGES: tuple[Page, ...] = (
    Page(
        "quadratic",
        "Quadratic explorer",
        "A function of two variables, and the bowl, dome or saddle that fits it best where you are.",
        (Model("quadratic", _QUADRATIC),),
    ),
    Page(
        "billiards",
        "Billiards",
        "Gradient descent through 1,024 steps of collisions finds the shot that sends a ball to the goal.",
        (Model("billiards", ("loss", "improve", "replay")),),
    ),
    Page(
        "robot",
        "Robot",
        "A robot of springs learns to walk: the gradient in 5,757 weights goes back through 1,364 steps of physics.",
        (Model("robot", ("improve", "replay", "newborn", "springs")),),
    ),
    Page(
        "slide",
        "The fastest slide",
        "A bead on a curve: the derivative of its time with respect to the whole curve leads to the fastest one.",
        (Model("slide", ("seconds", "descend", "pull", "look", "cycloid")),),
    ),
    Page(
        "drag",
        "Drag anything",
        "A walking leg and a triangle, drawn from a few parameters: every point that is drawn can be dragged.",
        (Model("drag", ("leg", "drag_leg", "triangle", "drag_triangle")),),
        elements=("rose-drag.js",),
    ),
    Page(
        "fit",
        "Fit",
        "Drag a point, and a curve is fitted again in the same frame: five searches, which run inside the module.",
        (Model("fit", ("curve", "gauss_newton", "newton", "lbfgs", "adam", "gradient_descent")),),
    ),
    Page(
        "asked",
        "Asked for",
        "Four questions of people who use other libraries: a training, a leak, a derivative and a fit, in this page.",
        (Model("asked", ("train", "logits", "hand", "moves", "fit")),),
    ),
    Page(
        "live",
        "Live",
        "Write Python in the page: the compiler itself runs there, and the picture follows each pause.",
        (Model("quadratic", ("himmelblau_local", "himmelblau_heights")),),
        python=True,
    ),
)
