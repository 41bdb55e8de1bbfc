"""`rose new`: an app for the web, whose page imports functions from Python by a plugin of Vite's."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import click

from wasm_backend.package.manifest import npm_name
from wasm_backend.package.write import write_files

from ..errors import RoseError
from .programs import Refused, say

PLUGIN = "vite-plugin-rose.js"
_VITE = "^8.0.0"

_MODEL = '''\
"""The functions of the page."""

import rose
from rose import Real, Vec, fn


@fn
def loss(p: Vec[2]) -> Real:
    """Rosenbrock's valley: it is lowest at (1, 1).

    Args:
        p: Where to look.
    """
    return (1 - p[0]) ** 2 + 10 * (p[1] - p[0] ** 2) ** 2


slope = rose.value_and_grad(loss)
'''

_MAIN = """\
import { loss, slope } from "./model.py";

const [canvas, output, path] = ["canvas", "output", "polyline"].map((name) => document.querySelector(name));
const [width, height] = [canvas.width, canvas.height];
const at = (x, y) => [((x + 2) / 4) * width, ((3 - y) / 4) * height];

// the valley, as shades of how deep it is
const picture = canvas.getContext("2d").createImageData(width, height);
for (let k = 0; k < width * height; k++) {
  const p = [((k % width) / width) * 4 - 2, 3 - (Math.floor(k / width) / height) * 4];
  picture.data.set([40, 70, 120, 255 - 26 * Math.log(1 + loss(p)) * 2], 4 * k);
}
canvas.getContext("2d").putImageData(picture, 0, 0);

// a ball that rolls down from where the picture is pressed
let frame = 0;
const roll = (p) => {
  cancelAnimationFrame(frame);
  const points = [];
  const velocity = [0, 0];
  const step = () => {
    for (let k = 0; k < 4; k++) {
      const [value, gradient] = slope(p);
      for (const i of [0, 1]) {
        velocity[i] = 0.97 * velocity[i] - 0.001 * gradient[i];
        p[i] += velocity[i];
      }
      points.push(at(...p));
      output.value = `loss ${value.toFixed(4)} at ${p.map((x) => x.toFixed(3)).join(", ")}`;
    }
    path.setAttribute("points", points.join(" "));
    if (points.length < 1600) frame = requestAnimationFrame(step);
  };
  step();
};
canvas.addEventListener("pointerdown", ({ offsetX, offsetY }) =>
  roll([(offsetX / canvas.clientWidth) * 4 - 2, 3 - (offsetY / canvas.clientHeight) * 4]),
);
roll([-1.5, 2.5]);
"""

_INDEX = """\
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>{title}</title>
    <style>
      body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }}
      figure {{ position: relative; margin: 0; aspect-ratio: 1 }}
      canvas, svg {{ position: absolute; inset: 0; width: 100%; height: 100% }}
      svg {{ pointer-events: none; fill: none; stroke: #e0483e; stroke-width: 2 }}
    </style>
  </head>
  <body>
    <h1>{title}</h1>
    <p>Press the picture: a ball rolls down, by the gradient of <code>loss</code> in <code>model.py</code>.</p>
    <figure>
      <canvas width="240" height="240"></canvas>
      <svg viewBox="0 0 240 240"><polyline /></svg>
    </figure>
    <output></output>
    <script type="module" src="./main.js"></script>
  </body>
</html>
"""

_CONFIG = f"""\
import {{ defineConfig }} from "vite";
import rose from "./{PLUGIN}";

export default defineConfig({{ base: "./", plugins: [rose({{ flags: [] }})] }});
"""

_README = """\
# {title}

```sh
npm install
npm run dev     # a page that is loaded again when a file is saved, model.py too
npm run build   # the page as files, in dist: any server has them
```

`model.py` has the functions, which `main.js` imports by name. `vite-plugin-rose.js` compiles them with `rose`, of
`.venv` or of the path; its head says what it can be told.
"""


@click.command("new")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--plugin", is_flag=True, help=f"Only {PLUGIN}, for an app that is there.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def new_(folder: Path, plugin: bool, quiet: bool) -> None:
    """Make an app for the web: a page, its functions in Python, and Vite with a plugin that compiles them.

    \b
    rose new app
    cd app && npm install && npm run dev
    """
    own = (Path(__file__).parent / PLUGIN).read_bytes()
    texts = {} if plugin else app(folder.resolve().name)
    try:
        if not plugin and folder.is_dir() and os.listdir(folder):
            raise RoseError(
                f"{folder} is not empty", None, "choose another directory, or --plugin for an app that is there"
            )
        paths = write_files({**{k: text.encode() for k, text in texts.items()}, PLUGIN: own}, folder)
    except RoseError as e:
        raise Refused(str(e)) from e
    for path in paths:
        click.echo(path)
    if not plugin and not quiet:
        say(f"cd {folder} && npm install && npm run dev", style="dim")


def app(name: str) -> dict[str, str]:
    """The files of an app, but for the plugin."""
    title = re.sub(r"[<>&{}]", "", name) or "app"
    about = {
        "name": npm_name(name), "private": True, "type": "module",
        "scripts": {"dev": "vite", "build": "vite build", "preview": "vite preview"},
        "devDependencies": {"vite": _VITE},
    }  # fmt: skip
    return {
        "package.json": json.dumps(about, indent=2) + "\n",
        "index.html": _INDEX.format(title=title),
        "main.js": _MAIN,
        "model.py": _MODEL,
        "vite.config.js": _CONFIG,
        "README.md": _README.format(title=title),
        ".gitignore": "node_modules\ndist\n__pycache__\n",
    }
