"""The README of a package: its functions, and examples to copy that call them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rose.ir import Func

from ..abi.signature import Lowered, Signature
from .manifest import npm_name, stem
from .samples import arguments, written
from .typescript import in_python, parameters, property_name

_README = """\
# {title}

Functions compiled by Rose, from Python to WebAssembly. Nothing has to be installed beside this directory: it has no
dependencies, does no work when it is imported, and needs neither `eval` nor a build step.

{functions}

`init` returns the functions; called again, it returns the same ones. They check their arguments, and errors name the
wrong one; `model.f.unchecked(...)` does not check each number. Vectors of numbers come back as typed arrays, structs as
objects.
{opaque}{tried}
## In a page

```html
<script type="module">
  import init from "./{folder}/index.js";
  const model = await init({init});
  console.log({call});
</script>
```

## With Vite, or another bundler

With this directory beside your sources; if it is `node_modules/{npm}`, import from `"{npm}"`:

```js
import init from "./{folder}/index.js";

const model = await init({init});
console.log({call});
```
{bundled}
{more}## With Next.js, or another server that renders pages

```jsx
"use client";
import {{ useEffect, useState }} from "react";
import init from "{npm}"; // from node_modules: on the server, that is ./{folder}/inline.js

export default function Answer() {{
  const [answer, setAnswer] = useState();
  useEffect(() => {{
    init({init}).then((model) => setAnswer({call}));
  }}, []);
  return <output>{{JSON.stringify(answer)}}</output>;
}}
```

## In Node

```js
import init from "./{folder}/index.js"; // from node_modules: "{npm}"

const model = await init({init});
console.log({call});
```

## In a Worker

{worker}
## Content-Security-Policy

```
script-src 'self' 'wasm-unsafe-eval'{connect}
```

`{name}.json` has the signatures, the hashes of all files, and the sources and the compiler of the module.
"""

_REMOTE = """\
```js
import {{ remote }} from "./{folder}/index.js";

const model = await remote();
console.log(await {call});
model.terminate();
```

Options stand behind the arguments: `signal` stops a call at once, and buffers in `transfer` are moved, not copied.
"""

_WORKER = """\
```js
// page.js: compiles the module once, and sends it
import {{ load }} from "./{folder}/index.js";
const worker = new Worker(new URL("./worker.js", import.meta.url), {{ type: "module" }});
worker.onmessage = ({{ data }}) => console.log(data);
worker.postMessage(await load());

// worker.js
import {{ initSync }} from "./{folder}/index.js";
onmessage = ({{ data }}) => {{
  const model = initSync(data{init_after});
  postMessage({call});
}};
```
"""

_BUNDLED = """
Vite, webpack and Parcel find the module by `new URL("./{name}.wasm", import.meta.url)`. esbuild and Rollup do not: with
these, and for a server that renders pages, import `"./{folder}/inline.js"`, or `"{npm}/inline"` from `node_modules`,
which contains the module.
"""

_IIFE = """\
## In a script that is no module

```html
<script src="{folder}/iife.js"></script>
<script>
  console.log({alone});
</script>
```

"""

_DRAG = """\
## With `<rose-drag>`

`rose-drag.js` has a custom element that makes every point of a picture one that can be dragged, for the result of
`rose.lib.dragger`; `rose-drag.d.ts` says how.

```js
import {{ RoseDrag }} from "./{folder}/rose-drag.js"; // from node_modules: "{npm}/drag"
customElements.define("rose-drag", RoseDrag);
```

"""

_ANIMATE = """\
## In motion

`animate.js` takes steps of a simulation as fast as time goes, and draws once a frame; `animate.d.ts` says how.

```js
import {{ animate }} from "./{folder}/animate.js"; // from node_modules: "{npm}/animate"
const {{ play, pause }} = animate({{ step: (dt) => {{ /* yours */ }}, draw: () => {{ /* yours */ }} }});
```

"""

_MORE = {"iife.js": _IIFE, "rose-drag.js": _DRAG, "animate.js": _ANIMATE}

_TRIED = """
`{name}.html` is one page that contains everything, with a form for each function: open it in a browser.
"""

_OPAQUE = """
The functions call some of yours, which you pass as `init(undefined, opaque)`:

```js
const opaque = {{
{members}
}};
```
"""


def readme(
    lowered: Lowered, imports: Sequence[Func], name: str, docs: Mapping[str, str], files: Sequence[str],
    *, iife: str | None = None, workers: bool = False,
) -> str:  # fmt: skip
    """The README of a package with these files, in Markdown; with `workers`, its Worker is that of `remote`, unless the
    page supplies functions."""
    first = next(iter(lowered.signatures.values()))
    needed = [f for f in imports if "." not in f.name]
    title, name, npm = name, stem(name), npm_name(name)
    folder = npm.rpartition("/")[2]
    inline, call, init = "inline.js" not in files, _call(first), "undefined, opaque" if needed else ""
    told = {"npm": npm, "folder": folder, "iife": iife}
    told["alone"] = call.replace("model", f"{iife}.initSync({init})", 1)
    after = ", opaque" if needed else ""
    worker = (_REMOTE if workers and not needed else _WORKER).format(folder=folder, call=call, init_after=after)
    return _README.format(
        title=title,
        name=name,
        npm=npm,
        folder=folder,
        more="".join([text.format_map(told) for file, text in _MORE.items() if file in files]),
        functions="\n\n".join([_function(s, docs.get(s.name, "")) for s in lowered.signatures.values()]),
        opaque=_OPAQUE.format(members="\n".join([_member(f) for f in needed])) if needed else "",
        tried=_TRIED.format(name=name) * (f"{name}.html" in files),
        call=call,
        init=init,
        worker=worker,
        bundled="" if inline else _BUNDLED.format(name=name, npm=npm, folder=folder),
        connect=("" if inline else "; connect-src 'self'") + "; worker-src 'self' blob:" * workers,
    )


def _function(s: Signature, doc: str) -> str:
    """An item of a list: the signature of a function, and its docstring as it was written."""
    said = in_python(s)
    fence = _backticks(doc, 3)
    lines = ["", f"{fence}text", *doc.splitlines(), fence] if doc else []
    first = f"- {_code(said if len(said) <= 200 else s.name)}"
    return "\n".join([first, *[f"  {line}" if line else "" for line in lines]])


def _code(text: str) -> str:
    """A text as code in a line of Markdown."""
    line = " ".join(text.split())
    mark = _backticks(line, 1)
    return f"{mark}{line}{mark}" if len(mark) == 1 else f"{mark} {line} {mark}"


def _backticks(text: str, least: int) -> str:
    """Backticks that enclose a text as it is: more of them than it has in a row."""
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))


def _call(s: Signature) -> str:
    of = property_name(s.name)
    at = f"model.{of}" if of.isidentifier() else f"model[{of}]" if of.startswith('"') else f'model["{of}"]'
    return f"{at}({', '.join([written(x) for _, _, x in arguments(s)])})"


def _member(f: Func) -> str:
    names = parameters([str(p.attr) for p in f.params])
    return f"  {property_name(f.name)}: ({', '.join(names)}) => {{ /* yours */ }},"
