"""Batches (`map`): a function is called for each element of some arrays, in one call of WebAssembly.

A second module is generated for the signature: a loop, with a memory of its own, which holds a column for each argument
and one for the result; an argument that is the same for all elements is there once. The loop copies the arguments of an
element to the addresses where the function reads them, calls it, and copies the result back. So the code that runs is
that of a single call, with the same bits, prints and failures.

In Python, a batch is a list of columns: an array for each leaf of the arguments, with the axis of the batch first.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import accumulate
from math import inf
from operator import mul
from os import cpu_count
from time import thread_time_ns
from typing import Any, NamedTuple, cast

import numpy as np
import wasmtime

from rose.errors import OutOfRange, RoseError, TimedOut, TooLarge, TypeMismatch, here
from rose.host.argument_sizes import measured
from rose.host.marshal import Path, fields, is_listing, spell
from rose.ir import not_one_each, shown
from rose.ir.sizes import number as number_of
from rose.ir.sizes import rounded_up
from rose.ir.types import Bool, Fin, Tuple, Type, Vec, as_tuple, is_complex
from rose.ir.value import host_index

from ..abi.layout import is_aggregate, kind, offsets, plan, size
from ..abi.signature import ASKED, LARGEST, Lowered, Signature
from ..binary.encoder import PAGE
from . import handles, raw_call
from .arrays import Array, Leaf
from .instances import Instance, Module, Numbers, failure, known_sizes
from .places import filled, number, place_of
from .stopping import clock, watch
from .weaving import Weaving, has_singles, too_many_runs

CHUNK = 2**20  # bytes of elements in one call (but at least one element): they fit into a cache of the processor
FIRST = 16  # the address of the first column; at 0 is the number of the element that is being computed
FEWEST = 64  # elements for which a function of several at once is made
SAMPLE = 100_000  # nanoseconds of the elements that are computed in both ways
WRITTEN_OUT = 128  # bytes; more of them are copied by `memory.copy`, which is a call


AtOnce = Callable[[tuple[bool, ...]], Lowered | None]  # which arguments are shared -> the module of several elements


class Batch:
    """`map` of one export. `packed` pickles the export, for another process."""

    def __init__(
        self, module: Module, signature: Signature, packed: Callable[[], bytes], at_once: AtOnce | None = None
    ) -> None:
        self.module, self.signature = module, signature
        self.packed = functools.cache(packed)
        self.loop = functools.lru_cache(maxsize=16)(functools.partial(Loop, module, signature, at_once))

    def map(self, args: Sequence[Any], threads: Any, executor: Any, in_axes: Any = 0) -> Any:
        """The results for a batch of arguments, whose elements lie along these axes."""
        s = self.signature
        names = [p.name for p in s.params]
        if len(args) != len(names):
            raise not_one_each(s.name, names, len(args), {})
        if threads is not None and (threads.__class__ is not int or threads < 1 or executor is not None):
            what = f"threads must be an integer from 1 on, got {shown(threads)}"
            if executor is not None:
                what = "map takes threads or an executor, not both"
            raise TypeMismatch(what, here(), "write threads=4 to spread the batch over four threads of this process")
        axes = axes_of(in_axes, names, s.name)
        shared = tuple([_is_shared(a) for a in axes])
        loop, run = self.loop(_sizes(s, args, axes), shared), Run(self.module.timeout)
        columns, count = loop.columns(args, axes)
        results = loop.results(count)
        if executor is not None:
            self._spread(loop, columns, results, count, executor)
        elif threads is None or threads == 1:
            loop.run(run, columns, results, range(count))
        else:
            run.spread(functools.partial(loop.run, run, columns, results), count, threads)
        return _shaped(loop.signature.result.type, iter(results))

    def _spread(self, loop: Loop, columns: list[Array], results: list[Array], count: int, executor: Any) -> None:
        """Compute the results by an executor, one task for each piece."""
        pieces = _pieces(count, 4 * (getattr(executor, "_max_workers", None) or cpu_count() or 1))
        keys = self.packed(), loop.sizes, loop.shared
        tasks = [(*keys, [x[p.start : p.stop] for x in columns], p) for p in pieces]
        if hasattr(executor, "submit"):
            made = [x.result() for x in [executor.submit(work, task) for task in tasks]]
        elif hasattr(executor, "map"):
            made = list(executor.map(work, tasks))
        else:
            hint = "give an object with a method submit or map, such as concurrent.futures.ProcessPoolExecutor()"
            raise TypeMismatch(f"map cannot use {shown(executor)} as an executor", here(), hint)
        for p, part in zip(pieces, made, strict=True):
            for x, y in zip(results, part, strict=True):
                x[p.start : p.stop] = y


class Run:
    """One `map` in this process: its instances, which end together, and the time when that is."""

    def __init__(self, timeout: float | None) -> None:
        self.until = inf if timeout is None else clock() + timeout
        self.stopped = False
        self.instances: set[Instance] = set()

    def begin(self, instance: Instance) -> None:
        """An instance begins to run."""
        instance.until, instance.stopped = self.until, self.stopped
        self.instances.add(instance)

    def end(self, instance: Instance) -> None:
        """An instance has ended."""
        self.instances.discard(instance)
        instance.until, instance.stopped = inf, False

    def spread(self, piece: Callable[[range], None], count: int, threads: int) -> None:
        """Compute all pieces, in so many threads. If that is interrupted, the threads stop."""
        with ThreadPoolExecutor(threads) as pool:
            try:
                for _ in pool.map(piece, _pieces(count, 4 * threads)):
                    pass  # an error of the first piece that has one is raised here
            except KeyboardInterrupt:
                self.stopped = True
                pool.shutdown(wait=False, cancel_futures=True)
                for instance in [*self.instances]:
                    instance.stopped = True
                    instance.asked()
                raise


def elementwise(f: Callable[..., Array], name: str, names: Sequence[str], args: Sequence[Any]) -> Array:
    """The array of `f` of the elements of arrays, which are broadcast; `f` maps columns. Numbers stay numbers."""
    arrays = [np.asarray(x) for x in args]
    try:
        shape = np.broadcast_shapes(*[x.shape for x in arrays])
    except ValueError:
        shapes = [f"{k} has the shape {x.shape}" for k, x in zip(names, arrays, strict=True)]
        hint = "give arrays that NumPy broadcasts: axes of one length, or of length 1"
        raise TypeMismatch(f"{name} of arrays that do not fit: {', '.join(shapes)}", here(), hint) from None
    columns = [y if x.ndim == 0 else np.broadcast_to(x, shape).reshape(-1) for x, y in zip(arrays, args, strict=True)]
    return f(*columns).reshape(shape)


def work(task: tuple[bytes, Numbers, tuple[bool, ...], list[Array], range]) -> list[Array]:
    """Compute a piece of a batch, in another process, which compiles the module once."""
    packed, sizes, shared, columns, piece = task
    loop = _unpacked(packed).batch.loop(sizes, shared)
    results = loop.results(len(piece))
    loop.run(Run(loop.module.timeout), columns, results, range(len(piece)), piece.start)
    return results


@functools.lru_cache(maxsize=8)
def _unpacked(packed: bytes) -> Any:
    return pickle.loads(packed)


def _pieces(count: int, most: int) -> list[range]:
    """The batch in at most `most` pieces of nearly equal size."""
    n = min(count, most)
    return [range(count * k // n, count * (k + 1) // n) for k in range(n)]


# arguments and results as columns


def axes_of(axes: Any, names: Sequence[str | int], name: str, what: str = "argument") -> list[Any]:
    """The axis of the batch for each argument, or for each field of it; None if it is the same for all elements."""
    if is_listing(axes):
        if len(axes) != len(names):
            message = f"map was given {len(axes)} axes for the {len(names)} {what}{'s' * (len(names) != 1)} of {name}"
            raise TypeMismatch(message, here(), f"write one for each {what}, None for one that is shared")
        return list(axes)
    return [axes] * len(names)


def _is_shared(axes: Any) -> bool:
    """Whether no field of an argument has an axis of the batch."""
    return axes is None or (is_listing(axes) and len(axes) > 0 and all([_is_shared(a) for a in axes]))


class Part(NamedTuple):
    """A column, or what is the same for all elements, with its path and its type, without the axis of the batch."""

    path: Path
    x: Any
    type: Type
    shared: bool

    def length(self) -> int | None:
        """The length of a column; None for a number, which is the same for all elements."""
        x, shape = self.x, getattr(self.x, "shape", None)
        if is_listing(x) or isinstance(x, range):
            return len(x)
        if isinstance(shape, tuple) and shape:
            return cast("int", shape[0])
        if not is_aggregate(self.type) or is_complex(self.type):
            return None
        what = f"{spell(self.path)} must be a list or an array that has a {self.type!r} for each call, got {shown(x)}"
        raise TypeMismatch(
            what, here(), "leave out .map for one call, or repeat an array without copying it by np.broadcast_to"
        )

    def first(self) -> Any:
        """The first element of a column, or an array of its sizes."""
        n = None if self.shared else self.length()
        if n is None:
            return self.x
        if hasattr(self.x, "shape"):
            return np.empty(self.x.shape[1:])
        if not n:
            hint = "give an array, such as np.zeros((0, 3))"
            raise TypeMismatch(f"an empty list does not tell the sizes of {spell(self.path)}", here(), hint)
        return self.x[0]

    def columns(self, count: int) -> list[Array]:
        """The arrays of the leaves in memory; an array that is already such is not copied."""
        path, x, t, shared = self
        if shared:
            return [np.broadcast_to(leaf.view, (count, *leaf.view.shape)) for leaf in filled(x, t, path).leaves()]
        p = plan(t)
        if p.kind is not None and self.length() is None:
            one = complex(*number(x, t, path)) if is_complex(t) else number(x, t, path)
            return [np.broadcast_to(np.array(one, p.kind.dtype), (count,))]
        if x.__class__ is np.ndarray and p.kind is not None and not t.empty and not isinstance(p.elem, Fin):
            if x.dtype == p.kind.dtype and x.shape == (count, *p.dims):
                return [x]
        bytes = number_of(size(t))
        place = place_of(p, 0, bytearray(count * bytes), (count,), (bytes,))
        place = place if place.put(x) else filled(x, Vec(count, t), path)
        return [leaf.view for leaf in place.leaves()]


def _parts(x: Any, t: Type, path: Path, axes: Any) -> Iterator[Part]:
    """The columns of an argument: the arrays of a struct of arrays; a list is one column, and so is an array."""
    if axes is None:
        yield Part(path, x, t, True)
        return
    p = plan(t)
    if p.kind is not None or x.__class__ is list or getattr(x, "shape", ()):
        yield Part(path, _axis_first(x, axes, p.elem, path), t, False)
        return
    assert isinstance(p.elem, Tuple)
    xs, names = fields(x, p.elem, path, None)
    for y, u, k, a in zip(xs, p.elem.items, names, axes_of(axes, names, spell(path), "field"), strict=True):
        yield from _parts(y, functools.reduce(lambda e, n: Vec(n, e), reversed(p.dims), u), (*path, k), a)


def _axis_first(x: Any, axis: Any, leaf: Type, path: Path) -> Any:
    """A column with the axis of the batch in front."""
    k, loc = host_index(axis), here().into(["in_axes"])
    if k == 0:
        return x
    if k is None:
        hint = "write in_axes=0, or one for each argument: in_axes=(0, None)"
        raise TypeMismatch(f"an axis of {spell(path)} is an integer or None, not {shown(axis)}", loc, hint)
    array: Any = np.asarray(x) if x.__class__ is list and (not isinstance(leaf, Tuple) or is_complex(leaf)) else x
    rank = len(getattr(array, "shape", ()))
    if not -rank <= k < rank:
        has = f"{rank} {'axis' if rank == 1 else 'axes'}" if rank else "no axes"
        hint = f"write an axis from {-rank} to {rank - 1}" if rank else "write None: it is the same for all calls"
        raise OutOfRange(f"there is no axis {k}: {spell(path)} has {has}", loc, hint)
    return np.moveaxis(array, k, 0)


def _all_parts(s: Signature, args: Sequence[Any], axes: Sequence[Any]) -> list[Part]:
    return [part for p, x, a in zip(s.params, args, axes, strict=True) for part in _parts(x, p.type, (p.name,), a)]


def _sizes(s: Signature, args: Sequence[Any], axes: Sequence[Any]) -> Numbers:
    """The dynamic sizes of each element, if the module has any."""
    if not s.sizes:
        return ()
    parts = _all_parts(s, args, axes)
    found = measured(s.name, [spell(p.path) for p in parts], [p.type for p in parts], [p.first() for p in parts])
    return tuple([found[d.key] for d in s.sizes])


def _shaped(t: Type, columns: Iterator[Array]) -> Any:
    """The result for a user: arrays, and a struct of arrays if a single call returns a struct."""
    elem = plan(t).elem
    if not isinstance(elem, Tuple) or is_complex(elem):
        return next(columns)
    return elem.make([_shaped(x, columns) for x in elem.items])


# the loop


class Loop:
    """The loop over an export, for these dynamic sizes, and its instances that no call uses."""

    lanes = 1  # the elements of one iteration

    def __init__(
        self, module: Module, signature: Signature, at_once: AtOnce | None, sizes: Numbers, shared: tuple[bool, ...]
    ) -> None:
        self.module, self.general, self.sizes, self.shared = module, signature, sizes, shared
        self.signature = s = signature.sized(known_sizes(module.lowered, signature, sizes)) if sizes else signature
        self.types = [x.type for x in (*s.params, s.result)]
        self.bytes = [number_of(rounded_up(size(t), 8)) for t in self.types]
        least = sum(self.bytes)
        if FIRST + least > LARGEST:
            what = f"one element of the batch takes {least:,} bytes; WebAssembly has {LARGEST:,}"
            raise TooLarge(what, here(), "call the function itself for each element")
        each = sum([n for n, once in zip(self.bytes, (*shared, False), strict=True) if not once])
        self.room = max((CHUNK - least) // max(each, 1), 1)
        self.counts = [1 if once else self.room for once in (*shared, False)]
        *self.at, self.end = accumulate(map(mul, self.bytes, self.counts), initial=FIRST)
        self._compiled: dict[handles.Engine, handles.MachineCode] = {}
        self.at_once = (
            AtOnceWhereItPays(functools.partial(at_once, shared)) if at_once is not None and not sizes else None
        )
        self.free: list[_Running] = []

    def compiled(self) -> handles.MachineCode:
        """The module of the loop, for the engine of the function."""
        engine, _ = self.module.compiled()
        if engine not in self._compiled:
            self._compiled[engine] = handles.MachineCode(engine, self.text())
        return self._compiled[engine]

    def columns(self, args: Sequence[Any], axes: Sequence[Any]) -> tuple[list[Array], int]:
        """All arguments as columns, and their length."""
        parts = _all_parts(self.signature, args, axes)
        lengths = [(n, spell(p.path)) for p in parts if not p.shared and (n := p.length()) is not None]
        if not lengths:
            hint = "give an array for at least one argument"
            raise TypeMismatch(f"no argument of {self.signature.name}.map has an axis for the batch", here(), hint)
        count, first = lengths[0]
        for n, name in lengths:
            if n != count:
                hint = "give each argument one element for each call, or one number for all calls"
                raise TypeMismatch(f"{name} must have {count} elements, as {first} has, got {n}", here(), hint)
        return [x for p in parts for x in p.columns(count)], count

    def leaves(self, memory: Any) -> tuple[list[Leaf], list[Leaf]]:
        """The leaves of the columns in memory, of the arguments and of the result."""
        places = zip(self.types, self.at, self.counts, self.bytes, strict=True)
        *params, result = [place_of(plan(t), at, memory, (n,), (step,)).leaves() for t, at, n, step in places]
        return [leaf for x in params for leaf in x], result

    def results(self, count: int) -> list[Array]:
        """Empty columns for `count` results."""
        place = place_of(plan(self.types[-1]), 0, b"", (0,), (self.bytes[-1],))
        return [np.empty((count, *x.shape[1:]), x.result_dtype) for x in place.leaves()]

    def run(self, run: Run, columns: Sequence[Array], results: Sequence[Array], which: range, first: int = 0) -> None:
        """Compute the results `which`. The columns begin at the element `first` of the batch."""
        start = self._run_at_once(run, columns, results, which)
        if start < which.stop:
            with self.running(run) as running:
                for part in self.parts(range(start, which.stop)):
                    running.run([x[part] for x in columns], [x[part] for x in results], part, first)

    def _run_at_once(self, run: Run, columns: Sequence[Array], results: Sequence[Array], which: range) -> int:
        """Compute results several at once, if that pays, as far as it goes: the first one that is left."""
        loop = None if self.at_once is None else self.at_once.chosen(self, run, columns, results, which)
        if loop is None:
            return which.start
        end = which.stop - len(which) % loop.lanes
        with loop.running(run) as running:
            for part in loop.parts(range(which.start, end)):
                try:
                    running.run([x[part] for x in columns], [x[part] for x in results], part, 0)
                except TimedOut:
                    raise
                except RoseError:  # of which element it is, and whether of the first, single calls tell
                    return part.start
        return end

    def parts(self, which: range) -> Iterator[slice]:
        """The pieces for each of which the loop is called once."""
        for at in range(which.start, which.stop, self.room):
            yield slice(at, min(at + self.room, which.stop))

    @contextmanager
    def running(self, run: Run) -> Generator[_Running]:
        """An instance that no other call uses."""
        try:
            running = self.free.pop()
        except IndexError:
            running = _Running(self)
        try:
            run.begin(running.instance)
            yield running
        finally:
            run.end(running.instance)
            if not running.instance.large:
                self.free.append(running)

    def text(self) -> str:
        """The module of the loop, as text: `p0`, `p1`, ... are the addresses of an element, and `k` its number."""
        copies, call, kinds, result = self.iteration()
        steps = [0 if n == 1 else step for n, step in zip(self.counts, self.bytes, strict=True)]
        return _LOOP.format(
            params=" ".join(kinds), result=result, pages=-(-self.end // PAGE), copies=" ".join(copies), call=call,
            addresses=" ".join([f"(local $p{i} i32)" for i in range(len(steps))]), asked=ASKED,
            starts=" ".join([f"(local.set $p{i} (i32.const {at}))" for i, at in enumerate(self.at)]),
            steps=" ".join([_LOOP_STEP.format(i=i, step=step * self.lanes) for i, step in enumerate(steps) if step]),
        )  # fmt: skip

    def iteration(self) -> tuple[list[str], str, list[str], str]:
        """What copies the arguments, the call, and the types of what it is sent and gives."""
        s = self.signature
        copies, sent, kinds = list[str](), list[str](), list[str]()
        for i, x in enumerate(s.params):
            if x.placed:
                copies.append(_copy("$own", f"(i32.const {x.address})", "$batch", f"(local.get $p{i})", x.type))
            elif not x.type.empty:
                kinds.append(_RAW[kind(x.type).raw])
                sent.append(f"({kinds[-1]}.load{'8_u' * (x.type is Bool)} $batch (local.get $p{i}))")
        call, result, to = f"(call $f {' '.join(sent)})", "", f"(local.get $p{len(s.params)})"
        if s.result.placed:
            call += _copy("$batch", to, "$own", f"(i32.const {s.result.address})", s.result.type)
        elif not s.result.type.empty:
            result = _RAW[kind(s.result.type).raw]
            if s.result.type is Bool:
                call = f"(i32.ne (i32.const 0) {call})"
            call = f"({result}.store{'8' * (s.result.type is Bool)} $batch {to} {call})"
        return copies, call, kinds, result


_RAW = {"d": "f64", "f": "f32", "i": "i32"}
_LOOP = """
(module
  (import "f" "memory" (memory $own 0))
  (import "f" "f" (func $f (param {params}) (result {result})))
  (import "f" "stop" (func $stop (param i32)))
  (memory $batch (export "memory") {pages})
  (func (export "loop") (param $n i32) (local $k i32) (local $end i32) (local $to i32) (local $at i32) {addresses}
    {starts}
    (loop $piece
      (if (i32.load8_u $own (i32.const {asked})) (then (call $stop (i32.const -1))))
      (local.set $end (i32.add (local.get $k) (i32.const 8)))
      (local.set $end (select (local.get $end) (local.get $n) (i32.lt_u (local.get $end) (local.get $n))))
      (loop $next
        (i32.store $batch (i32.const 0) (local.get $k))
        {copies} {call} {steps}
        (local.tee $k (i32.add (local.get $k) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $end))))
      (br_if $piece (i32.lt_u (local.get $k) (local.get $n))))))
"""
_LOOP_STEP = "(local.set $p{i} (i32.add (local.get $p{i}) (i32.const {step})))"
_PIECES = (("v128", "", 16), ("i64", "", 8), ("i32", "", 4), ("i32", "16", 2), ("i32", "8", 1))


def _copy(to: str, there: str, source: str, here: str, t: Type) -> str:
    """Copy a value between two memories, a few bytes by loads and stores."""
    n, at, copies = number_of(size(t)), 0, list[str]()
    if n > WRITTEN_OUT:
        return f"(memory.copy {to} {source} {there} {here} (i32.const {n}))"
    for raw, part, step in _PIECES:
        unsigned = "_u" if part else ""
        while n - at >= step:
            read = f"({raw}.load{part}{unsigned} {source} offset={at} {here})"
            copies.append(f"({raw}.store{part} {to} offset={at} {there} {read})")
            at += step
    return " ".join(copies)


class LoopAtOnce(Loop):
    """The loop over a function of several elements at once, whose numbers lie side by side in its memory."""

    def __init__(self, loop: Loop, made: Lowered) -> None:
        super().__init__(Module(made, loop.module.timeout), loop.general, None, (), loop.shared)
        self.made = made.signatures[loop.general.name]
        self.lanes = 4 if has_singles(self.made) else 2
        self.room = max(self.room // self.lanes * self.lanes, self.lanes)
        self.counts = [1 if once else self.room for once in (*self.shared, False)]
        *self.at, self.end = accumulate(map(mul, self.bytes, self.counts), initial=FIRST)

    def iteration(self) -> tuple[list[str], str, list[str], str]:
        (given,), copies, weaving = self.made.params, list[str](), Weaving(self.lanes)
        for i, (t, at) in enumerate(zip(self.types[:-1], offsets(as_tuple(given.type)), strict=True)):
            to = given.address + number_of(at)
            if self.shared[i]:
                copies.append(_copy("$own", f"(i32.const {to})", "$batch", f"(local.get $p{i})", t))
            else:
                copies += weaving.woven(t, f"$p{i}", self.bytes[i], to)
        last = len(self.types) - 1
        result = weaving.parted(self.types[-1], f"$p{last}", self.bytes[-1], self.made.result.address)
        return copies, " ".join(["(call $f)", *result]), [], ""


class AtOnceWhereItPays:
    """The loop over several elements at once, which is made when it is first needed, and used if it is faster.

    No estimate tells how many iterations a while loop has in each of some elements, nor how well a machine guesses
    which way a branch goes. So the first elements of the first batch are computed in both ways, which have the same
    bits.
    """

    def __init__(self, make: Callable[[], Lowered | None]) -> None:
        self.make = make
        self.pays: bool | None = None
        self.several: LoopAtOnce | None = None

    def chosen(
        self, loop: Loop, run: Run, columns: Sequence[Array], results: Sequence[Array], which: range
    ) -> LoopAtOnce | None:
        """The loop over several elements at once, if it is to be used for these."""
        if len(which) < FEWEST or self.pays is False:
            return None
        if self.several is None:
            made = None if too_many_runs(loop.types) else self.make()
            if made is None:
                self.pays = False
                return None
            self.several = LoopAtOnce(loop, made)
        if self.pays is None:
            self.pays = self._measured(loop, self.several, run, columns, results, which)
        return self.several if self.pays else None

    def _measured(
        self,
        loop: Loop,
        at_once: LoopAtOnce,
        run: Run,
        columns: Sequence[Array],
        results: Sequence[Array],
        which: range,
    ) -> bool | None:
        """True if several elements at once take less time than one after the other; None if one of them fails."""
        with loop.running(run) as one, at_once.running(run) as several:

            def taken(running: _Running, count: int) -> int:
                part = slice(which.start, which.start + count)
                start = thread_time_ns()
                running.run([x[part] for x in columns], [x[part] for x in results], part, 0)
                return thread_time_ns() - start

            most = min(len(which), at_once.room) // 4 * 4
            try:
                count = FEWEST // 4
                taken(one, count)  # of the first call the system gives memory
                while count < most and taken(one, count) < SAMPLE:
                    count = min(4 * count, most)
                times = [(taken(one, count), taken(several, count)) for _ in range(3)]
            except TimedOut:
                raise
            except RoseError:
                return None
        return min([y for _, y in times]) < 0.97 * min([x for x, _ in times])


class _Running:
    """An instance of the function, and one of the loop over it."""

    def __init__(self, loop: Loop) -> None:
        self.instance = own = loop.module.instance()
        watch.add(own)
        if loop.sizes:
            own.resize(loop.general, loop.sizes)
        imports = [own.exports["memory"], own.exports[loop.general.name], own.stop[0]]
        made = wasmtime.Instance(own.store, loop.compiled(), imports)
        exports: Any = made.exports(own.store)
        self.entry = raw_call.entry(own.store, exports["loop"], "i", "", own.raised)
        self.memory = exports["memory"].get_buffer_ptr(own.store)
        self.params, self.result = loop.leaves(self.memory)
        self.lanes = loop.lanes

    def run(self, columns: Sequence[Array], results: Sequence[Array], which: slice, first: int) -> None:
        """Call the loop once, for at most as many elements as fit into its memory."""
        (call, args, fail, _, _, words, _), own = self.entry, self.instance
        count = which.stop - which.start
        for leaf, x in zip(self.params, columns, strict=True):
            if leaf.dtype.kind != "O":  # of Units, which have no bytes
                leaf.view[:count] = x[: len(leaf.view)]
        words[2] = count // self.lanes
        own.asked()
        error = call(*args)
        if error is not None or words[0]:
            e = failure(fail, own.failures, own.pages, error)
            k = int.from_bytes(bytes(self.memory[:4]), "little")
            e.add_note(f"in element {first + which.start + k} of the batch")
            raise e
        for leaf, x in zip(self.result, results, strict=True):
            x[...] = leaf.view[:count]
