"""The calls of a package: for each function the JavaScript that checks its arguments, calls it, and gives its result.

`functions` writes it from the signatures as data. A *direct* function takes numbers, and calls nothing of the page: it
is the export behind a check of its arguments, and a read of its result. In all others, code of the page may run, of
getters too. Of an *instance* of the module only one call may run at a time: a call from within another one is made in
another instance, and direct functions have one of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from .accessors import (
    ARRAYS,
    VIEWS,
    Accessors,
    Address,
    Described,
    Path,
    filled,
    flat_kind,
    key,
    literal,
    member,
    times,
)
from .accessors import parts as parts_of
from .maps import mapped

Data = Mapping[str, Any]
_LOOK = "\0"  # in texts, until it is known which views of the memory there are


def is_direct(export: Data) -> bool:
    """True for a function of numbers of 64 bits that calls nothing of the page."""
    params = export["params"]
    return not export.get("calls") and all([p["type"]["kind"] == "real" and p["at"] is None for p in params])


class Extras(NamedTuple):
    """What a package has besides calls: `f.map`, Workers, and `dispose`."""

    maps: bool = False
    workers: bool = False
    dispose: bool = False


PLAIN = Extras()


def functions(data: Data, extras: Extras = PLAIN) -> tuple[str, list[str]]:
    """The statements that make `functions`, of a module and what the page supplies, and what they need."""
    made = Calls(data, extras)
    return made.text(), list(made.accessors.uses)


class Calls:
    """The calls of a module, whose signatures are `data`."""

    def __init__(self, data: Data, extras: Extras) -> None:
        self.data, self.extras = data, extras
        self.given = "module,page,pool" if extras.maps and extras.workers else "module,page"
        self.exports: Sequence[Data] = data["exports"]
        self.hosted: Sequence[Data] = [*data["imports"], *data.get("prints", [])]
        written = [p["type"] for x in self.exports for p in x["params"]] + [f["result"] for f in self.hosted]
        read = [x["result"]["type"] for x in self.exports] + [p["type"] for f in self.hosted for p in f["params"]]
        self.accessors = Accessors(written, read)
        self.variables: list[str] = []  # of an instance
        self.told: dict[str, str] = {}  # the variable of each size that a call tells

    def text(self) -> str:
        a = self.accessors
        direct = [is_direct(x) for x in self.exports]
        name = "instance" if any(direct) and not all(direct) else "functions"
        listed = "".join([self._property(x, d) for x, d in zip(self.exports, direct, strict=True)])
        imports = self._imports()
        views = sorted(a.views)
        look = f"{views[0]}.length||look();" if views else ""
        fresh = ";".join([f"{v}=new {ARRAYS[v]}(b)" for v in views])
        looks = f"const look=()=>{{const b=x.memory.buffer;{fresh}}};look();\n" if views else ""
        given = f",{{{','.join(imports)}}}" if imports else ""
        nested = ["busy", "q", "more"] if self.hosted or not all(direct) else []
        again = f"const again=(p,k)=>{{const f=(more??={name}({self.given}))[k];return p?f.unchecked:f}};\n"
        held = "let" if self.extras.dispose else "const"
        variables = [*views, *nested, *self.variables, *self.told.values(), *a.dynamic.values()]
        text = (
            (f"const said={literal(self.data['failed']['said'])};\n" if "failed" in self.data else "")
            + f"const {name}=({self.given})=>{{\n"
            + (f"let {','.join(variables)};\n" if variables else "")
            + ("let t=0;\n" if self.told else "")
            + "".join(a.text)
            + f"{held} {{exports:x}}=new WebAssembly.Instance(module{given});\n{looks}{again if nested else ''}"
            + f"return {self._returned(listed, name, views, nested)};\n}};\n"
        ).replace(_LOOK, look)
        if name == "functions":
            return text
        pairs = zip(self.exports, direct, strict=True)
        chosen = ",".join([f"{key(x['name'])}:{member('n' if d else 'm', x['name'])}" for x, d in pairs])
        two = f"const n=instance({self.given}),m=instance({self.given});"
        both = self._disposable(f"{{{chosen}}}", "m.dispose();n.dispose()")
        return f"{text}const functions=({self.given})=>{{{two}return {both}}};\n"

    def _returned(self, listed: str, name: str, views: Sequence[str], nested: Sequence[str]) -> str:
        """What an instance gives: its functions, and with `dispose` what drops all that it holds."""
        made = f"{{\n{listed}}}"
        if not self.extras.dispose:
            return made
        running = f"if(busy)throw Error({literal('dispose: a call is running')});" if nested else ""
        dropped = f"{running}{'='.join(['x', *views, *nested[2:]])}=0"
        if name == "instance":
            return f"{{\n{listed}dispose(){{{dropped}}}}}"
        return self._disposable(made, dropped)

    def _disposable(self, made: str, dropped: str) -> str:
        """The functions, with what drops them."""
        if not self.extras.dispose:
            return made
        ended = ";pool?.end(module)" if "pool" in self.given else ""
        return f"{self.accessors.use('disposable')}({made},module,()=>{{{dropped}{ended}}})"

    def _export(self, name: str, by: str = "g") -> tuple[str, str]:
        """The export in a call, and the statement before it: one that can be dropped is not held by the function."""
        if not self.extras.dispose:
            return "f", ""
        return member("x", name), f"x||{self.accessors.use('ended')}({literal(name)},{by});"

    def _property(self, export: Data, direct: bool) -> str:
        """A function, as a property of an object."""
        made = self._direct(export) if direct else self._other(export)
        if self.extras.maps:
            f, pool = self._export(export["name"], "m"), self.extras.workers
            made = mapped(self.accessors, export, made, _LOOK, f, direct=direct, pool=pool)
        return f"{key(export['name'])}:{made},\n"

    def _direct(self, export: Data) -> str:
        """A function of numbers."""
        use, name, result = self.accessors.use, export["name"], export["result"]
        args = [f"a{k}" for k in range(len(export["params"]))]
        listed, names = ",".join(args), literal([p["name"] for p in export["params"]])
        tests = [f'typeof {a}=="number"' for a in args]
        wrong = f"{use('misfit')}(g,{literal(name)},{names},[{listed}],arguments.length)"
        f, t = member("x", name), result["type"]
        g, check = self._export(name)
        if t["kind"] == "real" and result["at"] is None and not export.get("fails") and not check:
            fits = "&&".join([*tests, f"arguments.length=={len(args)}"])
            return f"{use('numeric')}({f},(f)=>function g({listed}){{return {fits}?f({listed}):{wrong}}})"
        out = self._out(result)
        called = self._called(f"{g}({listed})", t, result["at"], out, name)
        if export.get("fails"):
            called = f"try{{{called}}}catch(e){{throw {use('failed')}(e,g,x,said)}}"
        n = f"(o?.out?{len(args) + 1}:{len(args)})" if out else str(len(args))
        fits = f"arguments.length=={n}" + (f"&&(p||{'&&'.join(tests)})" if tests else "")
        given = ",".join([*args, *["o"] * bool(out)])
        ended = "return;" if t["kind"] == "unit" else ""
        held = 0 if check else f
        return f"{use('both')}({held},(f,p)=>function g({given}){{{check}if({fits}){{{called}{ended}}}{wrong}}})"

    def _other(self, export: Data) -> str:
        """A function that reads and writes memory, with its form that checks no numbers."""
        a, name, params, result = self.accessors, export["name"], export["params"], export["result"]
        args, sent, body = [f"a{k}" for k in range(len(params))], list[str](), self._sizes(export)
        for arg, p in zip(args, params, strict=True):
            t, path = p["type"], Path("", f"{name}: {p['name']}")
            if p["at"] is not None or t["kind"] not in VIEWS:
                body += a.put(t, arg, a.at(p["at"]), path)
            else:
                body += f"const {arg.replace('a', 'n')}={a.checked(t, arg, path)};"
                sent.append(arg.replace("a", "n"))
        body += "q=0;" * bool(self.hosted)
        out = self._out(result)
        f, check = self._export(name)
        body += self._called(f"{f}({','.join(sent)})", result["type"], result["at"], out, name)
        n, given = len(args), ",".join([*args, *["o"] * bool(out)])
        count = f"(o?.out?{n + 1}:{n})" if out else str(n)
        caught = f"{a.use('told')}(e,g)"
        if export.get("fails"):
            caught = f"{a.use('failed')}({caught},g,x,said)"
        return (
            f"{a.use('both')}({0 if check else member('x', name)},(f,p)=>function g({given}){{{check}"
            f"if(arguments.length!={count}){a.use('count')}({literal(name)},{n},arguments.length,g);"
            f"if(busy)return again(p,{literal(name)})(...arguments);"
            f"busy=1;q=p;try{{{body}}}catch(e){{throw {caught}}}finally{{busy=0}}}})"
        )

    def _called(self, call: str, t: Described, at: Any, out: str, name: str) -> str:
        """The statements that call the export and return what it gives."""
        a = self.accessors
        if t["kind"] == "unit":
            return f"{call};"
        if t["kind"] in VIEWS and at is None:
            made = {"index": f"{call}>>>0", "bool": f"!!{call}"}
            return f"return {made.get(t['kind'], call)};"
        into = f"if(o)return {a.use('into')}({out},o.out,{literal(f'{name}: out')});" if out else ""
        return f"{call};{_LOOK}{into}return {a.get(t, a.at(at))};"

    def _out(self, result: Data) -> str:
        """Of a result that is nothing but numbers, the view that it is in, its start and its end there."""
        a, t = self.accessors, result["type"]
        kind = filled(t)
        if kind is None:
            return ""
        view, bytes = a.view(kind)
        at, n, stride = a.at(result["at"]), a.number(t["size"]), a.number(t["stride"])
        return f"{view},{at.index(bytes)},{at.plus(times(n, stride)).index(bytes)}"

    def _sizes(self, export: Data) -> str:
        """The statements that tell the module the sizes of this call, if they are others, and look at the memory."""
        sizes = export.get("sizes", ())
        if not sizes:
            return _LOOK
        text, known = "", list[str]()
        for name, *way in sizes:
            z = self.told.setdefault(name, f"z{len(self.told)}")
            known.append(z)
            text += f"const s{z}={self._length(export['params'], way)};if({z}!==s{z}){{{z}=s{z};t++}}"
        mine = f"t{len(self.variables)}"
        self.variables.append(mine)
        tell = member("x", f"#{export['name']}")
        return f"{text}if({mine}!==t){{{tell}({','.join(known)});{self._refreshed(export)}{mine}=t}}{_LOOK}"

    def _length(self, params: Sequence[Data], way: Sequence[Any]) -> str:
        """The length of a vector in the arguments, which is at the end of a path."""
        x, t = f"a{way[0]}", cast("Described", params[way[0]]["type"])
        for k in way[1:]:
            x += f"?.[{literal(k)}]"
            if k == "length":  # of complex numbers, both parts
                return f"{x}/2>>>0"
            t = cast("Described", t["elem"]) if t["kind"] == "vec" else {name: x for name, _, x in parts_of(t)}[k]
        kind = flat_kind(t)
        per = t["stride"] // VIEWS[kind][1] if kind else 1
        return f"{self.accessors.use('size')}({x},{per})"

    def _refreshed(self, data: Any) -> str:
        """The statements that read the dynamic sizes in a signature from the module."""
        exports = dict.fromkeys(_dynamic(data))
        return "".join([f"{self.accessors.number({'#': k})}={member('x', k)}.value>>>0;" for k in exports])

    # what the module imports

    def _imports(self) -> list[str]:
        """The properties of the imports of an instance."""
        imports, prints = self.data["imports"], self.data.get("prints", [])
        found: list[str] = []
        if imports:
            find = self.accessors.use("find")
            supplied = [f"{find}(page,{literal(f['name'])})" for f in imports]
            listed = [f"{key(f['name'])}:{self._host(f, x)}" for f, x in zip(imports, supplied, strict=True)]
            found.append(f"opaque:{{{','.join(listed)}}}")
        if prints:
            line = self.accessors.use("line")
            said = [f"(...v)=>console.log({line}({literal(f['pieces'])},{literal(f['params'])},v))" for f in prints]
            found.append(f"print:[{','.join([self._host(f, x) for f, x in zip(prints, said, strict=True)])}]")
        return found

    def _host(self, f: Data, supplied: str) -> str:
        """A function for the module, which calls one of the page."""
        a, given, raw, body = self.accessors, list[str](), list[str](), ""
        for k, p in enumerate(f["params"]):
            t, x = p["type"], f"p{k}"
            if not p["empty"]:
                raw.append(x)
            if p["empty"] or t["kind"] not in VIEWS:
                body += "" if p["empty"] else f"{x}>>>=0;"
                given.append(a.get(t, Address("" if p["empty"] else x, 0)))
            else:
                given.append({"index": f"{x}>>>0", "bool": f"!!{x}"}.get(t["kind"], x))
        t, path = f["result"], Path("", f"the result of {f['name']}")
        call = f"h({','.join(given)})"
        if t["kind"] in VIEWS:
            call = f"return {a.checked(t, call, path)}"
        elif put := a.put(t, "y", Address("to", 0), path):
            raw.append("to")
            call = f"const y={call};to>>>=0;{put}"
        return f"((h)=>({','.join(raw)})=>{{{_LOOK}{self._refreshed(f)}{body}{call}}})({supplied})"


def _dynamic(data: Any) -> Iterator[str]:
    """Yield the exports that have the dynamic sizes in a signature."""
    if isinstance(data, Mapping):
        held = cast("Mapping[str, Any]", data)
        if "#" in held:
            yield held["#"]
        else:
            for x in held.values():
                yield from _dynamic(x)
    elif isinstance(data, (list, tuple)):
        for x in cast("Sequence[Any]", data):
            yield from _dynamic(x)
