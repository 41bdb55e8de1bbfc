"""Source maps: what they say of modules, and that engines read them so."""

import itertools
import json
import pickle
import runpy
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import pytest
import wasmtime
from source_maps import decoded

import rose
from rose import Real, Vec, build, fn
from rose.frontend import text_programs
from wasm_backend.abi.signature import Lowered
from wasm_backend.binary import disassembler
from wasm_backend.binary.reader import Reader, items, names_of, sections_of
from wasm_backend.package.source_map import source_map

HERE = Path(__file__)
NODE = shutil.which("node")


# each of these operations stands on one line only, and no rule for a derivative makes it of another one


@fn
def in_rows(x: Vec[40], k: Real) -> Real:
    total = rose.accum(0.0)
    for i in rose.range(40):
        root = rose.sqrt(x[i] + k)
        total += (
            rose.exp(root / k)
            * rose.floor(k)
            + rose.ceil(x[i]) * x[i]
        )  # fmt: skip
    rose.assert_(k > 0.0, "k must be positive")
    return rose.trunc(total.value) * rose.log(total.value)


@fn
def in_turns(x: Vec[3], k: Real) -> Real:
    def body(state: Any) -> Any:
        return (rose.sqrt(state[0]) + k, state[1] + rose.ceil(k))

    far = rose.while_loop(lambda s: s[1] < 4.0, body, (x[0], 0.0))
    return rose.cond(
        far[0] > 2.0,
        lambda: rose.floor(far[1]) * x[1],
        lambda: rose.exp(x[2]),
    )


@fn
def in_pairs(x: Vec[41]) -> Vec[41]:
    return rose.vec(
        rose.sqrt(x[i])
        / (1.0 + rose.floor(x[i]) * x[i]) + rose.ceil(x[i]) * rose.exp(x[i])
        for i in rose.range(41)
    )  # fmt: skip


@fn
def in_pieces(x: Vec[3], k: Real) -> Real:
    y = x[0]
    for _ in range(400):
        y = rose.sqrt(y + k) + x[1]
        y = rose.floor(y) * x[2] + rose.ceil(k) * y
    return y


n = rose.dim("n")


@fn
def of_any_size(x: Vec[n]) -> Real:
    return rose.prod(rose.sqrt(x[i]) for i in rose.range(n))


def derived(f: Any) -> dict[str, Any]:
    grad = rose.grad(f) if f is not in_pairs else rose.jacfwd(f)
    return {"value": f, "grad": grad, "more": rose.jacfwd(grad)}


PROGRAMS: dict[str, Callable[..., Lowered]] = {
    "rows": lambda **how: build.lowered(derived(in_rows), **how),
    "turns": lambda **how: build.lowered(derived(in_turns), **how),
    "pieces": lambda **how: build.lowered(derived(in_pieces), **how),
    "pairs": lambda **how: build.lowered(derived(in_pairs), **how),
    "pairs at once": lambda **how: build.lowered(derived(in_pairs), simd=True, **how),
    "pairs, relaxed": lambda **how: build.lowered(derived(in_pairs), simd="relaxed", **how),
    "rows at once": lambda **how: build.lowered(derived(in_rows), simd=True, **how),
    "single": lambda **how: build.lowered(derived(in_rows), "f32", **how),
    "any size": lambda **how: build.lowered(build.fixed(derived(of_any_size), {}, dynamic=True), **how),
}


# reading


def instructions(wasm: bytes) -> Iterator[tuple[str, int, str]]:
    """Each instruction of a module: the function that it is in, its offset, and its text."""
    sections = dict(sections_of(wasm))
    names, start = names_of(sections), wasm.index(sections[10])
    imported = Reader(sections.get(2, b"\0")).unsigned()
    for k, r in enumerate(items(sections, 10)):
        head = Reader(r.data, r.at)
        head.unsigned()
        for _ in range(head.unsigned()):
            head.unsigned(), head.bytes(1)
        offset = head.at
        for text in cast("Any", disassembler)._body(r, names):
            if not text.startswith("  local "):
                yield names[imported + k], start + offset, text.strip()
                offset = r.at


def origin_of(wasm: bytes, data: bytes) -> Iterator[tuple[str, str, tuple[int, int, int] | None]]:
    """Each instruction of a module: the function that it is in, its text, and where it comes from."""
    found = decoded(data)
    at, place, rest = -1, None, iter([*found.items(), (len(wasm), None)])
    coming = next(rest)
    for f, offset, text in instructions(wasm):
        while coming[0] <= offset:
            at, place = coming
            coming = next(rest)
        assert at <= offset
        yield f, text, place


def modules(made: Lowered) -> list[tuple[bytes, bytes]]:
    """The modules that were made, each with its source map."""
    return [(x.wasm, source_map("m.wasm", x.origins)) for x in (made, made.plain) if x is not None]


def lines(word: str) -> set[int]:
    """The lines of the programs above that call `rose.word`."""
    programs = HERE.read_text().partition("\ndef derived")[0].splitlines()
    return {k for k, x in enumerate(programs, 1) if f"rose.{word}(" in x}


# laws


@pytest.mark.parametrize("name", PROGRAMS)
def test_that_places_are_noted_changes_no_byte(name: str):
    plain, noted = PROGRAMS[name](), PROGRAMS[name](asking=())
    assert plain.wasm == noted.wasm
    assert not plain.origins
    assert noted.origins
    if plain.plain is not None:
        assert noted.plain is not None
        assert plain.plain.wasm == noted.plain.wasm
        assert noted.plain.origins


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_place_begins_where_an_instruction_does(name: str):
    for wasm, data in modules(PROGRAMS[name](asking=())):
        starts = {offset for _, offset, _ in instructions(wasm)}
        assert {at for at, place in decoded(data).items() if place is not None} <= starts


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_instruction_comes_from_the_line_that_it_is_written_on(name: str):
    words = {"sqrt": "sqrt", "ceil": "ceil", "floor": "floor", "trunc": "trunc"}
    seen = 0
    for wasm, data in modules(PROGRAMS[name](asking=())):
        assert json.loads(data)["sources"] == [HERE.name]
        for f, text, place in origin_of(wasm, data):
            word = words.get(text.rpartition(".")[2]) or ("exp" if text in ("call exp", "call expf") else None)
            if word is not None and f.removesuffix(" twice") not in ("exp", "expf", "log", "logf"):
                if (f, word) == ("#more", "floor"):  # a Jacobian of any size divides its columns among sweeps
                    continue
                assert place is not None
                assert place[1] in lines(word), (f, text)
                seen += 1
    assert seen >= 3


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_that_is_not_ours_has_a_place(name: str):
    for wasm, data in modules(PROGRAMS[name](asking=())):
        by_function = {f: [*xs] for f, xs in itertools.groupby(origin_of(wasm, data), key=lambda x: x[0])}
        for f in ("exp", "expf", "log", "logf", "add", "#value"):
            assert not [x for x in by_function.get(f, ()) if x[2] is not None], f
        own = [place for _, _, place in by_function["value"]]
        own = own[4:] if "turns" in name else own  # before which it says where the heap begins
        assert None not in own[:-1]
        assert own[-1] is None  # the end of all


def test_columns_are_counted_in_units_of_16_bits():
    f = rose.fn([Real], Real)(lambda ë: ("🌹", "é", rose.sqrt(ë))[2])
    ((wasm, data),) = modules(build.lowered({"f": f}, asking=()))
    (found,) = {place for _, text, place in origin_of(wasm, data) if text == "f64.sqrt"}
    assert found is not None
    before = HERE.read_text().splitlines()[found[1] - 1].partition("rose.sqrt")[0]
    assert found[2] == len(before) + 1 == len(before.encode()) - 4


def test_what_asks_for_a_module_is_no_place(tmp_path: Path):
    (tmp_path / "model.py").write_text(DEBUGGED)
    f = runpy.run_path(str(tmp_path / "model.py"))["f"]
    rose.compile({"f": f, "grad": rose.grad(f)}).save(tmp_path, "made")
    data = (tmp_path / "made.wasm.map").read_bytes()
    assert json.loads(data)["sources"] == ["model.py"]
    assert {place[1] for place in decoded(data).values() if place is not None} <= {5, 6, 7, 8, 9, 10, 11}


def test_the_sources_of_several_files(tmp_path: Path):
    for folder, f in (("one", "sqrt"), ("two", "sqrt"), ("two", "exp")):
        (tmp_path / folder).mkdir(exist_ok=True)
        file = f"{'p q' if f == 'exp' else 'm'}.py"
        (tmp_path / folder / file).write_text(
            f"import rose\n\ng = rose.fn([rose.Real], rose.Real)(lambda x: rose.{f}(x))\n"
        )
    one, two, three = [runpy.run_path(str(tmp_path / x))["g"] for x in ("one/m.py", "two/m.py", "two/p q.py")]
    ((_, data),) = modules(build.lowered({"one": one, "two": two, "three": three}, asking=()))
    assert json.loads(data)["sources"] == ["one/m.py", "two/m.py", "two/p%20q.py"]
    assert json.loads(data)["sourcesContent"][2] == (tmp_path / "two/p q.py").read_text()
    assert str(tmp_path).encode() not in data
    ((_, data),) = modules(build.lowered({"one": one, "three": three}, asking=()))
    assert json.loads(data)["sources"] == ["m.py", "p%20q.py"]


def test_a_program_that_is_text(tmp_path: Path):
    (tmp_path / "m.rose").write_text("def f(x: Real): Real =\n  let y = sqrt(x) in\n  y * y\n")
    ((wasm, data),) = modules(build.lowered({"f": text_programs.parse_file(tmp_path / "m.rose")["f"]}, asking=()))
    assert [place for _, text, place in origin_of(wasm, data) if text == "f64.sqrt"] == [(0, 2, 10)]
    assert [place for _, text, place in origin_of(wasm, data) if text == "f64.mul"] == [(0, 3, 2)]
    assert json.loads(data)["sources"] == ["m.rose"]


def test_a_source_that_cannot_be_had():
    scope: dict[str, Any] = {"rose": rose}
    exec("f = rose.fn([rose.Real], rose.Real)(lambda x: rose.sqrt(x))", scope)
    ((_, data),) = modules(build.lowered({"f": scope["f"]}, asking=()))
    assert json.loads(data)["sourcesContent"] == [None]


# packages


def test_a_package_has_the_map_that_its_module_names(tmp_path: Path):
    made = rose.compile(derived(in_pairs), simd=True)
    made.save(tmp_path, "größe")
    for file in ("größe.wasm", "größe.simd.wasm"):
        wasm, data = (tmp_path / file).read_bytes(), (tmp_path / f"{file}.map").read_bytes()
        assert dict(sections_of(wasm))["sourceMappingURL"][1:].decode() == f"./{quote(file)}.map"
        assert json.loads(data)["file"] == file
        assert json.loads(data)["sourcesContent"] == [HERE.read_text()]
        assert wasm.startswith(made.wasm if ".simd" in file else made.running.lowered.plain.wasm)
        wasmtime.Module.validate(wasmtime.Engine(), wasm)
        assert [place for _, text, place in origin_of(wasm, data) if "sqrt" in text]
    again = tmp_path / "again"
    rose.compile(derived(in_pairs), simd=True).save(again, "größe")
    assert all((again / f.name).read_bytes() == f.read_bytes() for f in tmp_path.iterdir() if f.is_file())


def test_a_pickled_module_has_no_map(tmp_path: Path):
    made = rose.compile(in_rows)
    files = pickle.loads(pickle.dumps(made)).save(tmp_path, "made")
    assert (tmp_path / "made.wasm").read_bytes() == made.wasm
    assert not [f for f in files if f.suffix == ".map"]


def test_a_stripped_package_has_neither_names_nor_a_map(tmp_path: Path):
    made = rose.compile(derived(in_pairs), simd=True)
    files = made.save(tmp_path, "made", strip=True)
    assert not [f for f in files if f.suffix == ".map"]
    for file in ("made.wasm", "made.simd.wasm"):
        wasm = (tmp_path / file).read_bytes()
        assert all(isinstance(id, int) for id in dict(sections_of(wasm)))
        assert (made.wasm if ".simd" in file else made.running.lowered.plain.wasm).startswith(wasm)
    assert b'.map"' not in (tmp_path / "package.json").read_bytes()


def test_wabt_accepts_a_package(tmp_path: Path):
    if shutil.which("wasm-validate") is None:
        pytest.skip("wasm-validate (wabt) is not installed")
    rose.compile(derived(in_rows)).save(tmp_path, "made")
    subprocess.run(["wasm-validate", tmp_path / "made.wasm"], check=True)
    said = subprocess.run(["wasm-objdump", "-h", tmp_path / "made.wasm"], check=True, capture_output=True, text=True)
    assert '"sourceMappingURL"' in said.stdout


# engines


def test_the_trap_of_an_assertion_is_at_its_line():
    f = rose.fn([Real], Real)(lambda x: (rose.assert_(x > 0.0, "no"), x)[1])
    ((wasm, data),) = modules(build.lowered({"f": f}, asking=()))
    store = wasmtime.Store()
    exports = wasmtime.Instance(store, wasmtime.Module(store.engine, wasm), []).exports(store)
    with pytest.raises(wasmtime.Trap) as e:
        cast("Any", exports["f"])(store, -1.0)
    offset = e.value.frames[0].module_offset
    place = [x for at, x in decoded(data).items() if at <= offset][-1]
    assert place is not None
    assert 'rose.assert_(x > 0.0, "no")' in HERE.read_text().splitlines()[place[1] - 1]


SCRIPT = """
import { readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { SourceMap } from "node:module";

const [, , name, ...offsets] = process.argv;
const map = new SourceMap(JSON.parse(readFileSync(`${name}.map`, "utf8")));
const lineOf = (offset) => map.findEntry(0, offset).originalLine + 1;
const session = new Session();
const post = (method, params) => {
  let said;
  session.post(method, params, (error, result) => {
    if (error) throw new Error(`${method}: ${error.message}`);
    said = result;
  });
  return said;
};
let script;
const hits = [];
session.connect();
session.on("Debugger.scriptParsed", ({ params }) => {
  if (params.scriptLanguage === "WebAssembly") script = params;
});
session.on("Debugger.paused", ({ params }) => hits.push(lineOf(params.callFrames[0].location.columnNumber)));
post("Debugger.enable");
const module = new WebAssembly.Module(readFileSync(name));
const { f } = new WebAssembly.Instance(module).exports;
const actual = offsets.map((offset) => {
  const location = { scriptId: script.scriptId, lineNumber: 0, columnNumber: Number(offset) };
  return post("Debugger.setBreakpoint", { location }).actualLocation.columnNumber;
});
const result = f(2);
post("Debugger.disable");
let stack;
try {
  f(-1);
} catch (error) {
  stack = lineOf(Number(/wasm-function\\[\\d+\\]:(0x[0-9a-f]+)/.exec(error.stack)[1]));
}
console.log(JSON.stringify({ url: script.sourceMapURL, actual, hits, result, stack }));
"""

DEBUGGED = """
import rose

@rose.fn
def f(x: rose.Real) -> rose.Real:
    def turn(i, y):
        root = rose.sqrt(y + x)
        return rose.floor(root) + y / 4
    y = rose.scan(turn, x, 20)
    rose.assert_(x > 0.0, "no")
    return rose.ceil(y)
"""


def test_a_debugger_stops_at_lines_of_python(tmp_path: Path):
    if NODE is None:
        pytest.skip("node is not installed")
    (tmp_path / "model.py").write_text(DEBUGGED)
    f = runpy.run_path(str(tmp_path / "model.py"))["f"]
    rose.compile(f).save(tmp_path, "made")
    wasm = (tmp_path / "made.wasm").read_bytes()
    wanted = {"f64.sqrt": 7, "f64.floor": 8, "f64.ceil": 11}
    offsets = {text: offset for _, offset, text in instructions(wasm) if text in wanted}
    (tmp_path / "debug.mjs").write_text(SCRIPT)
    command = [NODE, "debug.mjs", "made.wasm", *map(str, offsets.values())]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["url"] == "./made.wasm.map"
    assert said["actual"] == [*offsets.values()]
    assert said["hits"] == [*[7, 8] * 20, 11]
    assert said["result"] == f(2.0)
    assert said["stack"] == 10
