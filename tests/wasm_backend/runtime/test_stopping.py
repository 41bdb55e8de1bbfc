"""Runs that are stopped: by Ctrl-C, in processes of their own, and by a time limit; the module stays usable."""

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from paths import ROOT
from processes import INTERRUPTIBLE

import rose
from rose import Real, Vec, fn
from wasm_backend.runtime import instances, stopping

LIMIT = 240  # seconds, in which a process that hears nothing is ended

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import rose
from rose import Real, Vec, fn

n = rose.dim("n")


def halves(s, x):  # endless for x > 0
    return rose.while_loop(lambda s: s > -x, lambda s: s * 0.5 + x, s)


@fn
def loop(x: Real) -> Real:
    return halves(x, x)

@fn
def long(x: Real, k: Real) -> Real:
    inner = lambda s: rose.scan(lambda j, t: t * 0.5 + x, s, 10**5)
    return rose.while_loop(lambda s: s[1] < k, lambda s: (inner(s[0]), s[1] + 1.0), (x, 0.0))[0]

@fn
def vectors(v: Vec[100]) -> Vec[100]:
    return rose.while_loop(lambda s: s[0] > -v[0], lambda s: rose.vec(s[i] * 0.5 + v[i] for i in rose.range(100)), v)

@fn
def sized(v: Vec[n]) -> Real:
    return rose.sum(halves(v[i], v[i]) for i in rose.range(n))

@rose.opaque
def own(x: Real) -> Real:
    return x

@rose.opaque
def inside(x: Real) -> Real:
    return module(x)

@fn
def hosts(x: Real) -> Real:
    return rose.while_loop(lambda s: s > -x, lambda s: own(s) * 0.5 + x, x)

@fn
def nested(x: Real) -> Real:
    return inside(x) * 2.0


@fn
def slide(x: Real) -> Real:  # it has no minimum
    return x


minimiser = rose.compile(rose.lib.gradient_descent(slide, rate=1.0, max_steps=10**9))
short = rose.compile(rose.lib.gradient_descent(slide, rate=1.0, max_steps=2))
module = rose.compile({"loop": loop, "slope": rose.grad(loop)})
single, fast = rose.compile(loop, dtype="f32"), rose.compile(vectors, simd=True)
several, dynamic, host = rose.compile(long), rose.compile(sized, dynamic=True), rose.compile(hosts)
for_scipy = rose.scipy(loop)
batch, xs = np.ones(1000), -np.ones(1000)
CASES = {
    "while": (lambda: module(1.0), lambda: module(-1.0) == -1.0),
    "eager": (lambda: loop(1.0), lambda: loop(-1.0) == -1.0),
    "long scans": (lambda: several(1.0, 1e9), lambda: several(1.0, 1.0) == 2.0),
    "f32": (lambda: single(1.0), lambda: single(-1.0) == -1.0),
    "vectors": (lambda: fast(np.ones(100)), lambda: (fast(xs[:100]) == -1.0).all()),
    "dynamic": (lambda: dynamic(np.ones(3)), lambda: dynamic(-np.ones(4)) == -4.0),
    "opaque": (lambda: host(1.0), lambda: host(-1.0) == -1.0),
    "nested": (lambda: nested(1.0), lambda: nested(-1.0) == -2.0),
    "map": (lambda: module.map(batch), lambda: (module.map(xs) == -1.0).all()),
    "map in threads": (lambda: module.map(batch, threads=2), lambda: (module.map(xs, threads=2) == -1.0).all()),
    "minimiser": (lambda: minimiser(1.0), lambda: short(1.0).x == -1.0),
    "scipy": (lambda: for_scipy.fun(np.ones(1)), lambda: for_scipy.fun(-np.ones(1)) == -1.0),
}
for name in sys.argv[1:]:
    run, right = CASES[name]
    for _ in range(2):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            run()
            print(name, "returned")
        except KeyboardInterrupt:
            timer.join()
            print(name, "stopped,", "right" if right() else "wrong", flush=True)
"""


def printed(program: str, folder: Path, *args: str) -> str:
    """What a program prints that can be interrupted."""
    (folder / "program.py").write_text(program)
    command, env = [sys.executable, "program.py", *args], {**os.environ, "PYTHONPATH": str(ROOT)}
    options = {"cwd": folder, "env": env, "capture_output": True, "text": True, "timeout": LIMIT}
    done = subprocess.run(command, **options, **INTERRUPTIBLE, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "cases",
    [
        ["while", "eager", "long scans", "f32", "vectors", "dynamic"],
        ["opaque", "nested", "map", "map in threads", "scipy", "minimiser"],
    ],
    ids=["calls", "calls by others"],
)
def test_ctrl_c_ends_a_run_and_the_module_stays_usable(cases: list[str], tmp_path: Path):
    stopped = "".join([f"{name} stopped, right\n" * 2 for name in cases])
    assert printed(PROGRAM, tmp_path, *cases) == stopped


HANDLERS = """
import os, signal, threading
import rose
from rose import Real, fn

@fn
def sure(x: Real) -> Real:
    inner = lambda s: rose.scan(lambda j, t: t * 0.5 + x, s, 10**5)
    return rose.while_loop(lambda s: s[1] < 5000.0, lambda s: (inner(s[0]), s[1] + 1.0), (x, 0.0))[0]

def heard(number, frame):
    print("heard", number == signal.SIGINT)

class Own(Exception):
    pass

def raising(number, frame):
    raise Own

module = rose.compile(sure)
for handler in (heard, raising, signal.SIG_IGN, signal.default_int_handler):
    signal.signal(signal.SIGINT, handler)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        print(module(1.0))
    except (Own, KeyboardInterrupt) as e:
        print(type(e).__name__)
    assert signal.getsignal(signal.SIGINT) is handler
    assert signal.set_wakeup_fd(-1) == -1
"""


def test_the_handlers_of_the_user_are_run_and_stay(tmp_path: Path):
    assert printed(HANDLERS, tmp_path) == "heard True\n2.0\nOwn\n2.0\nKeyboardInterrupt\n"


THREADS = """
import os, signal, threading, time
import rose
from rose import Real, fn

@fn
def loop(x: Real) -> Real:
    return rose.while_loop(lambda s: s > -x, lambda s: s * 0.5 + x, x)

limited, module = rose.compile(loop, timeout=5), rose.compile(loop)
found, begun, done = [], threading.Event(), threading.Event()
module(-1.0)

def worker():
    begun.set()
    try:
        limited(1.0)
    except rose.TimedOut as e:
        found.append(type(e).__name__)
    done.set()

threading.Thread(target=worker).start()
begun.wait()
for wait in (module, lambda x: done.wait()):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        wait(1.0)
    except KeyboardInterrupt:
        print("stopped", done.is_set())
done.wait()
print(found, limited(-1.0), module(-1.0))
"""


def test_the_call_of_another_thread_goes_on(tmp_path: Path):
    assert printed(THREADS, tmp_path) == "stopped False\nstopped False\n['TimedOut'] -1.0 -1.0\n"


FORKED = """
import os, signal, threading
import rose
from rose import Real, fn

@fn
def loop(x: Real) -> Real:
    return rose.while_loop(lambda s: s > -x, lambda s: s * 0.5 + x, x)

module = rose.compile(loop, timeout=1.5)
for _ in range(2):
    try:
        module(1.0)
    except rose.TimedOut:
        print("timed out", flush=True)
    child = os.fork()
    if not child:
        try:
            module(1.0)
        except rose.TimedOut:
            print("timed out in a child", module(-1.0), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_a_watch_of_its_own(tmp_path: Path):
    assert printed(FORKED, tmp_path) == "timed out\ntimed out in a child -1.0\n" * 2


# time limits


@fn
def loop(x: Real) -> Real:
    return rose.while_loop(lambda s: s > -x, lambda s: s * 0.5 + x, x)


@fn
def of_vector(v: Vec[3]) -> Real:
    return loop(v[0]) + v[1]


def test_a_call_that_takes_too_long_is_an_error_that_names_the_loop():
    module = rose.compile(of_vector, timeout=1.5)
    for _ in range(2):
        with pytest.raises(
            rose.TimedOut, match=r"the time of the call was up in the loop at test_stopping.py:\d+"
        ) as e:
            module([1.0, 2.0, 3.0])
        assert e.value.loc is not None and "test_stopping.py" in str(e.value.loc)
        assert module([-1.0, 2.0, 3.0]) == 1.0


def test_each_call_has_its_own_time():
    module = rose.compile(loop, timeout=60)
    assert [module(-1.0) for _ in range(3)] == [-1.0] * 3
    assert all([x.until == np.inf for x in [*stopping.watch._instances]])  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("options", [{}, {"threads": 2}])
def test_a_map_has_one_time_for_all(options: dict[str, int]):
    module = rose.compile(loop, timeout=1.5)
    with pytest.raises(rose.TimedOut):
        module.map(np.ones(10), **options)
    assert list(module.map(-np.ones(3), **options)) == [-1.0] * 3


def test_a_thread_that_is_not_the_main_one_has_its_time():
    found, module = list[str](), rose.compile(loop, timeout=1.5)

    def run() -> None:
        with pytest.raises(rose.TimedOut):
            module(1.0)
        found.append("in time")

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(LIMIT)
    assert found == ["in time"]


def test_the_bytes_have_no_stops_in_them():
    module = rose.compile(loop)
    stops = module._lowered.stops  # pyright: ignore[reportPrivateUsage]
    assert module.wasm == rose.compile(loop, timeout=1.0).wasm
    assert stopping.stoppable(module.wasm, ()) == module.wasm != stopping.stoppable(module.wasm, stops)


def test_the_watch_sleeps_when_nothing_runs(monkeypatch: pytest.MonkeyPatch):
    class Still:
        pages, until, apart, stopped = bytearray(16), np.inf, False, False

    watch, still = stopping.Watch(), Still()
    watch.add(still)
    assert still.pages[12] == 1
    assert not watch.round()
    still.pages[12] = 0  # as a stop does
    assert watch.round()
    assert still.pages[12] == 1


@pytest.mark.parametrize("apart", [{}, {"until": 0.0}, {"stopped": True}], ids=str)
def test_what_runs_apart_is_seldom_asked_unless_it_is_to_end(apart: dict[str, object]):
    class Running:
        pages, until, apart, stopped = bytearray(16), np.inf, True, False

    watch, running = stopping.Watch(), Running()
    watch.add(running)
    watch._count = 1  # pyright: ignore[reportPrivateUsage]
    running.pages[12] = 0
    vars(running).update(apart)
    assert watch.round() == bool(apart)
    assert running.pages[12] == bool(apart)


# tapes


@fn
def grown(x: Real, k: Real) -> Real:
    return rose.while_loop(lambda s: s[1] < k, lambda s: (rose.sin(s[0]), s[1] + 1.0), (x, 0.0))[0]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> rose.Compiled:
    """The gradient of `grown`, of whose tape an instance keeps nothing, with `tape_limit`s that can be reached."""
    monkeypatch.setattr(instances, "SPARE", 2**22)
    return rose.compile({"slope": rose.grad(grown), "both": rose.value_and_grad(grown)}, tape_limit=2**25)


def sizes() -> list[int]:
    """The bytes of the memories of all instances with stops."""
    gc.collect()
    found: list[int] = []
    for x in [*stopping.watch._instances]:  # pyright: ignore[reportPrivateUsage]
        assert isinstance(x, instances.Instance)
        found.append(x.exports["memory"].data_len(x.store))  # pyright: ignore
    return found


def look_up(module: rose.Compiled) -> None:
    """Let a call see how much memory there is, as a call does that takes its time."""
    stopping.watch.round()
    module(1.0, 3.0)


def test_the_memory_of_a_large_tape_is_given_back(module: rose.Compiled):
    small, view = module(1.0, 3.0), module.both(1.0, 3.0)
    before = max(sizes(), default=0)
    large = module(1.0, 4e5)
    look_up(module)
    assert max(sizes(), default=0) <= max(before, 2**22)
    assert (module(1.0, 3.0), module.both(1.0, 3.0), module(1.0, 4e5)) == (small, view, large)


def test_a_tape_beyond_its_limit_is_an_error_that_names_the_loop(module: rose.Compiled):
    before = max(sizes(), default=0)
    for _ in range(2):
        with pytest.raises(rose.TooLarge, match="exhausted: its tape_limit is 33,554,432 bytes") as e:
            module(1.0, 1e9)
        assert e.value.loc is not None and e.value.loc.position()[1] == grown.loc.position()[1] + 1
    look_up(module)
    assert max(sizes(), default=0) <= max(before, 2**22)
    assert module(1.0, 0.0) == 1.0


def test_a_batch_gives_it_back_too(module: rose.Compiled):
    before = max(sizes(), default=0)
    with pytest.raises(rose.TooLarge, match="exhausted"):
        module.map(1.0, np.array([1.0, 1e9]))
    module.map(1.0, np.array([3.0, 3.0]))
    assert max(sizes(), default=0) <= max(before, 2**22)
