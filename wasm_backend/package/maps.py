"""`map` in JavaScript: a function is called for each row of some columns, which are flat typed arrays.

What is written is a loop over the rows, which copies the arguments of a row to where the export reads them, calls it,
and copies the result into a column: so the code that runs is that of a single call, with the same bits. The columns
are made and checked by `js/rose-map.js`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rose.ir.sizes import number as number_of
from rose.ir.types import Four, as_tuple, count_leaves

from ..abi.layout import offsets
from ..abi.signature import AT_ONCE, Signature
from .accessors import ARRAYS, VIEWS, Accessors, Described, leaf_kinds, literal, member, parts

Data = Mapping[str, Any]
_WRITTEN_OUT = 8  # numbers of a row that are copied without a loop


class Column(NamedTuple):
    """A parameter or a result in columns: so many numbers of a kind a row."""

    kind: str
    width: int


def column(t: Described) -> Column | None:
    """The column of a type, if it has one: of a scalar, and of what is nothing but numbers, of a known count."""
    kinds = leaf_kinds(t)
    if t["kind"] in VIEWS:
        return Column(t["kind"], 1)
    if kinds not in ({"real"}, {"single"}):
        return None
    (kind,) = kinds
    width = _width(t)
    return None if width is None else Column(kind, width)


def _width(t: Described) -> int | None:
    if t["kind"] == "vec":
        inner = _width(t["elem"])
        return None if inner is None or not isinstance(t["size"], int) else t["size"] * inner
    if t["kind"] in VIEWS:
        return 1
    widths = [_width(x) for _, _, x in parts(t)]
    return sum([w for w in widths if w is not None]) if None not in widths else None


def _fields(t: Described, path: tuple[str | int, ...] = (), given: str = "") -> Iterator[str]:
    """Yield for each field of a struct, and of structs in it, its path, its numbers a row, and what it is if it is left
    out."""
    if t["kind"] not in ("struct", "tuple"):
        yield f"[{','.join([literal([*path]), str(_width(t) or 0), *[given] * bool(given)])}]"
        return
    for name, _, x in parts(t):
        yield from _fields(x, (*path, name), t.get("defaults", {}).get(name, ""))


def why_not(export: Data) -> str:
    """Why a function has no map; empty if it has one."""
    if export.get("sizes"):
        return "its sizes are those of a call"
    for p in export["params"]:
        if p["type"]["kind"] != "unit" and column(p["type"]) is None:
            return f"{p['name']} is not a number, or numbers of one kind"
    return "" if column(export["result"]["type"]) else "its result is not a number, or numbers of one kind"


def mapped(a: Accessors, export: Data, made: str, look: str, f: tuple[str, str], *, direct: bool, pool: bool) -> str:
    """The function that an expression has `made`, with its map; `f` is its export, and the statement before."""
    name = export["name"]
    if why := why_not(export):
        return f"{a.use('mapped')}({made},{a.use('unmapped')}({literal(name)},{literal(why)}))"
    params, result = export["params"], export["result"]
    columns = [column(p["type"]) for p in params]
    layout = [_layout(p, c) for p, c in zip(params, columns, strict=True) if c is not None]
    sent, starts, steps, copies = list[str](), ["r=0"], list[str](), ""
    for k, (p, c) in enumerate(zip(params, columns, strict=True)):
        if c is None:
            continue
        starts.append(f"p{k}=0")
        steps.append(f"p{k}+=s{k}")
        if p["at"] is None and p["type"]["kind"] in VIEWS:
            sent.append(f"b{k}[p{k}]")
        elif c.width:
            view, bytes = a.view(c.kind)
            copies += _copied(c.width, view, a.at(p["at"]).index(bytes), f"b{k}", f"p{k}")
    of = column(result["type"])
    assert of is not None
    call, held = f"{f[0]}({','.join(sent)})", "0" if f[1] else member("x", name)
    if result["at"] is None and result["type"]["kind"] in VIEWS:
        call = f"w[r]={call};"
    else:
        view, bytes = a.view(of.kind)
        call += f";{look}{_copied(of.width, 'w', 'r', view, a.at(result['at']).index(bytes))}"
    steps.append(f"r+={of.width}")
    named = [k for k, c in enumerate(columns) if c is not None]
    args = [f"c{k}" for k in range(len(params))]
    checked = (
        f"const {{n,b:[{','.join([f'b{k}' for k in named])}],s:[{','.join([f's{k}' for k in named])}]}}="
        f"{a.use('columns')}({literal(name + '.map')},[{','.join(layout)}],[{','.join([args[k] for k in named])}],"
        f"{len(args)},arguments.length-(o?.out?1:0),m),"
        f"w={a.use('results')}({ARRAYS[VIEWS[of.kind][0]]},n*{of.width},o,{literal(name + '.map: out')},m);"
    )
    error = "e" if direct else f"{a.use('told')}(e,m)"
    if export.get("fails"):
        error = f"{a.use('failed')}({error},m,x,said)"
    caught = f"catch(e){{throw {a.use('inRow')}({error},i)}}"
    loop = f"for(;i<n;i++,{','.join(steps)}){{{look if copies else ''}{copies}{call}}}"
    loop = f"let {','.join(starts)};{_several(a, export, columns, of, look)}{loop}"
    again, busy, idle = "", "", ""
    if not direct:
        again = f"if(busy)return again(0,{literal(name)}).map(...arguments);"
        busy, idle = "busy=1;q=0;", "finally{busy=0}"
    spread = ""
    if pool:
        given = [f"b{k}" if c else "undefined" for k, c in enumerate(columns)]
        far = [f"s{k}" if c else "0" for k, c in enumerate(columns)]
        job = f"name:{literal(name)},n,w,width:{of.width},args:[{','.join(given)}],steps:[{','.join(far)}]"
        counted = checked.replace("(o?.out?1:0)", "1")
        spread = f"if(o?.workers!==undefined)return pool(module,()=>{{{counted}return {{{job}}}}},o,m);"
    body = f"{f[1]}{spread}{again}{checked}let i=0;{busy}try{{{loop}}}{caught}{idle}return w"
    return f"{a.use('mapped')}({made},((f)=>function m({','.join([*args, 'o'])}){{{body}}})({held}))"


def at_once(s: Signature) -> Data:
    """The form of a function for several elements, as data: how many, and where its arguments and its result lie."""
    (given,) = s.params
    count = 4 if any([count_leaves(x.type, lambda leaf: leaf is Four) for x in (given, s.result)]) else 2
    at = [given.address + number_of(k) for k in offsets(as_tuple(given.type))]
    return {"count": count, "params": at, "result": s.result.address}


def _several(a: Accessors, export: Data, columns: Sequence[Column | None], of: Column, look: str) -> str:
    """The loop over several rows at once. It ends where that over single rows is to go on: also before rows of which
    one fails, as that loop tells which it is, and why."""
    form = export.get("atOnce")
    if form is None or any([c is not None and c.kind not in ("real", "single") for c in (*columns, of)]):
        return ""
    n, copies = form["count"], ""
    steps = [f"i+={n}", *[f"p{k}+={n}*s{k}" for k, c in enumerate(columns) if c is not None], f"r+={n * of.width}"]
    for k, (at, c) in enumerate(zip(form["params"], columns, strict=True)):
        if c is not None and c.width:
            view, bytes = a.view(c.kind)
            copies += _woven(
                c.width, n, at // bytes, lambda to, row, j, k=k, v=view: f"{v}[{to}]=b{k}[p{k}+{row}*s{k}+{j}];"
            )
    view, bytes = a.view(of.kind)
    results = _woven(
        of.width, n, form["result"] // bytes, lambda at, row, j: f"w[r+{row * of.width}+{j}]={view}[{at}];"
    )
    loop = f"for(;i+{n}<=n;{','.join(steps)}){{{look}{copies}g();{look}{results}}}"
    return f"const g={member('x', AT_ONCE + export['name'])};if(g)try{{{loop}}}catch{{}}"


def _woven(width: int, count: int, start: int, copy: Callable[[str, int, str], str]) -> str:
    """The statements that `copy` the numbers of so many rows, which lie side by side from a place in memory on.

    It is given where a number is there, of which row it is, and which in that.
    """
    if width * count > _WRITTEN_OUT:
        copies = [copy(f"{start + row}+{count}*j", row, "j") for row in range(count)]
        return f"for(let j=0;j<{width};j++){{{''.join(copies)}}}"
    each = [(j, row) for j in range(width) for row in range(count)]
    return "".join([copy(str(start + count * j + row), row, str(j)) for j, row in each])


def _layout(p: Data, c: Column) -> str:
    """A parameter for `columns`: name, array, numbers a row, size of an index, and fields of a struct."""
    t = p["type"]
    fields = f"[{','.join(_fields(t))}]" if t["kind"] in ("struct", "tuple") else "0"
    size = literal(t.get("size", 0) if t["kind"] == "index" else 0)
    return f"[{literal(p['name'])},{ARRAYS[VIEWS[c.kind][0]]},{c.width},{size},{fields}]"


def _copied(n: int, to: str, there: str, source: str, here: str) -> str:
    """The statements that copy so many numbers."""
    if n > _WRITTEN_OUT:
        return f"for(let j=0;j<{n};j++){to}[{there}+j]={source}[{here}+j];"

    def at(start: str, k: int) -> str:
        return str(int(start) + k) if start.isdigit() else f"{start}+{k}" if k else start

    return "".join([f"{to}[{at(there, k)}]={source}[{at(here, k)}];" for k in range(n)])
