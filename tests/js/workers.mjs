// The package that tests/js/test_workers.py has made, in Workers: node workers.mjs FILE. Stacks are looked at in engines
// that have those of V8.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const { default: init, initSync, load, remote } = await import(pathToFileURL(process.argv[2]));
const v8 = typeof Bun == "undefined";
const fromHere = ({ stack }) => !v8 || assert.match(stack.split("\n")[1], /workers.mjs/);
const seen = (x) => x;
const all = await init(undefined, { seen });
const { wave, slope, moved, root, endless, asked, total } = all;
const numbers = (n, f) => Float64Array.from({ length: n }, (_, k) => f(k));
const bits = (x) => new BigUint64Array(x.buffer, x.byteOffset, x.length);
const point = { x: 1, v: [2, 3] };

const tries = {
  async "a map with Workers has the bits of one without"() {
    const v = numbers(3000, (k) => Math.sin(k) * 3);
    for (const workers of [1, 2, 5]) {
      assert.deepEqual(bits(await wave.map(v, { workers })), bits(wave.map(v)));
      assert.deepEqual(bits(await slope.map([...v], { workers })), bits(slope.map(v)));
      assert.deepEqual(await slope.map([], { workers }), new Float64Array());
      assert.deepEqual(await slope.map([1, 2, 3], { workers }), slope([1, 2, 3]));
    }
    const columns = [{ x: numbers(50, (k) => k), v: numbers(100, (k) => k / 3) }, numbers(50, (k) => k % 2)];
    const ups = Array.from(columns[1], (k) => k == 0);
    assert.deepEqual(await moved.map(...columns, ups, 0.5, { workers: 3 }), moved.map(...columns, ups, 0.5));
  },

  async "results are written where they are wanted"() {
    const v = numbers(300, Math.cos);
    for (const out of [new Float64Array(300), new Float64Array(new SharedArrayBuffer(2400))]) {
      assert.equal(await slope.map(v, { workers: 2, out }), out);
      assert.deepEqual([...out], [...slope.map(v)]);
    }
    await assert.rejects(slope.map(v, { workers: 2, out: [] }), {
      message: "slope.map: out must be a Float64Array, got object",
    });
  },

  async "arguments are those at the time of the call"() {
    const v = numbers(300, Math.cos);
    const [want, given] = [slope.map(v), slope.map(v, { workers: 2 })];
    v.fill(0);
    assert.deepEqual(await given, want);
    const m = await remote();
    const xs = [1, 2, 3];
    const answers = [m.wave(xs), m.wave(xs)];
    xs[0] = 7;
    for (const y of answers) assert.equal(await y, wave([1, 2, 3]));
    m.terminate();
  },

  async "progress is told in rows"() {
    const [v, heard, m] = [numbers(300, Math.cos), [], await remote()];
    const progress = (...told) => heard.push(told);
    await slope.map(v, { workers: 2, progress });
    assert.deepEqual(await m.slope.map(v, { progress }), slope.map(v));
    assert.deepEqual(heard.filter(([done]) => done == 100), [[100, 100], [100, 100]]); // prettier-ignore
    assert.ok(heard.length > 20);
    m.terminate();
  },

  async "an error says what the single call says"() {
    const x = numbers(1000, (k) => (k == 777 || k > 900 ? -1 : k));
    for (const workers of [1, 3])
      await assert.rejects(root.map(x, 0, { workers }), (e) => {
        assert.throws(() => root.map(x, 0), { message: e.message, name: "Error", row: 777 });
        assert.deepEqual([e.constructor, e.row], [Error, 777]);
        assert.ok(e.cause instanceof WebAssembly.RuntimeError);
        fromHere(e);
        return true;
      });
    const refused = (call, name, message) =>
      assert.rejects(call, (e) => {
        assert.deepEqual([e.name, e.message], [name, message]);
        fromHere(e);
        return true;
      });
    await refused(root.map([1, "2"], 0, { workers: 2 }), "TypeError", "root.map: x[1] must be a number, got string");
    const positive = "root.map: workers must be a positive integer, got 0";
    await refused(root.map([1], 0, { workers: 0 }), "TypeError", positive);
    assert.throws(() => total.map([1], { workers: 2 }), /total has no map, as its sizes are those of a call/);
    const m = await remote();
    await assert.rejects(m.root(-1, 2), (e) => {
      assert.throws(() => root(-1, 2), { message: e.message, name: "Error" });
      assert.match(e.message, /^x is not negative [(]mapped.py:[0-9]+[)]$/);
      assert.ok(!v8 || /wasm/.test(e.cause.stack));
      fromHere(e);
      return true;
    });
    await refused(m.wave([1, null, 3]), "TypeError", "wave: v[1] must be a number, got null");
    await refused(m.wave(), "TypeError", "the argument count of wave must be 1, got 0");
    await refused(m.wave([1, 2, 3], 4), "TypeError", "the argument count of wave must be 1, got 2");
    await assert.rejects(m.total.map([1]), /total has no map/);
    await assert.rejects(m.wave(seen), { name: "TypeError", message: /^wave: an argument cannot be sent to a Worker: / });
    await assert.rejects(m.wave.map([1, 2, 3], { workers: 2 }), /wave.map: this one has one Worker: call that of init/);
    const page = /seen is a function of the page, and a Worker cannot call it/;
    await assert.rejects(m.asked(1), page);
    await assert.rejects(asked.map([1], { workers: 1 }), page);
    m.terminate();
  },

  async "functions in a Worker give what they give here"() {
    const m = await remote();
    assert.equal(await m.wave([1, 2, 3]), wave([1, 2, 3]));
    assert.equal(await m.wave.unchecked([1, 2, 3]), wave([1, 2, 3]));
    assert.deepEqual(await m.slope([1, 2, 3]), slope([1, 2, 3]));
    assert.deepEqual(await m.moved(point, 1, true, 4), moved(point, 1, true, 4));
    assert.equal(await m.total(numbers(9, (k) => k).subarray(2, 4)), 5);
    assert.equal(await m.printed(3), 3);
    const out = new Float64Array(3);
    assert.equal(await m.slope([1, 2, 3], { out }), out);
    assert.deepEqual(out, slope([1, 2, 3]));
    m.terminate();
  },

  async "what is given up is moved"() {
    const [m, x, out] = [await remote(), Float64Array.of(1, 2, 3), new Float64Array(3)];
    const y = await m.slope(x, { out, transfer: [x.buffer, out.buffer] });
    assert.deepEqual([x.length, out.length, y], [0, 0, slope([1, 2, 3])]);
    m.terminate();
  },

  async "a signal stops a call at once, and others go on"() {
    const m = await remote();
    const controller = new AbortController();
    const { signal } = controller;
    const running = m.endless(1, { signal });
    const waiting = [m.wave([1, 2, 3]), m.wave([1, 2, 3], { signal }), m.wave([3, 2, 1])];
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await assert.rejects(running, { message: "enough" });
    await assert.rejects(waiting[1], { message: "enough" });
    assert.deepEqual([await waiting[0], await waiting[2]], [wave([1, 2, 3]), wave([3, 2, 1])]);
    await assert.rejects(m.wave([1, 2, 3], { signal }), { message: "enough" });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    await assert.rejects(endless.map([1, 1, 1], { workers: 2, signal: stop.signal }), { name: "AbortError" });
    assert.deepEqual(await slope.map([1, 2, 3, 4, 5, 6], { workers: 2 }), slope.map([1, 2, 3, 4, 5, 6]));
    const lost = m.endless(1);
    m.terminate();
    const over = /the Worker was terminated: remote[(][)] gives another one/;
    await assert.rejects(lost, over);
    await assert.rejects(m.wave([1, 2, 3]), over);
  },

  async "without shared memory a map is sent in pieces"() {
    globalThis.crossOriginIsolated = false;
    const [v, out] = [numbers(300, Math.cos), new Float64Array(300)];
    assert.equal(await slope.map(v, { workers: 2, out }), out);
    assert.deepEqual(bits(out), bits(slope.map(v)));
    const x = numbers(1000, (k) => (k > 900 ? -1 : k));
    await assert.rejects(root.map(x, 0, { workers: 3 }), { row: 901, message: /^x is not negative/ });
    delete globalThis.crossOriginIsolated;
  },

  async "dispose drops the memory"() {
    const over = (call) =>
      assert.throws(call, (e) => {
        assert.match(e.message, /this model was disposed: init[(][)] gives another one$/);
        fromHere(e);
        return true;
      });
    all.dispose();
    over(() => wave([1, 2, 3]));
    over(() => wave.unchecked([1, 2, 3]));
    over(() => root(1, 2));
    over(() => wave.map([1, 2, 3]));
    over(() => wave.map([1, 2, 3], { workers: 2 }));
    const another = initSync(await load(), { seen: () => another.dispose() });
    assert.throws(() => another.asked(1), /dispose: a call is running/);
    another[Symbol.dispose]();
    over(() => another.wave([1, 2, 3]));
  },
};

for (const [name, attempt] of Object.entries(tries)) await attempt().then(() => console.log(name));
// Bun and Deno go on with the loops of Workers that were stopped
if (typeof Bun != "undefined" || typeof Deno != "undefined") process.exit();
