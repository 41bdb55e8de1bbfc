// What tests/laws/test_same_bits.py runs in node and in a browser: each module over all of its points. It gives, as
// JSON, the functions with the number of points that were compared, and the first points where a bit differs.

const doubles = (text) => new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const words = (numbers) => new BigUint64Array(numbers.buffer, numbers.byteOffset, numbers.length);

function sameBits(bundle) {
  const compared = [];
  const wrong = [];
  for (const { name, wasm, from, to, points, wanted, per } of bundle) {
    const bytes = Uint8Array.from(atob(wasm), (c) => c.charCodeAt(0));
    const { sweep, memory } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
    const given = doubles(points);
    new Float64Array(memory.buffer, from, given.length).set(given);
    sweep();
    const expected = doubles(wanted);
    const got = new Float64Array(memory.buffer, to, expected.length);
    const [a, b] = [words(got), words(expected)];
    const isWrong = (k) => a[k] !== b[k] && !(Number.isNaN(got[k]) && Number.isNaN(expected[k]));
    const first = expected.findIndex((_, k) => isWrong(k));
    if (first >= 0) {
      const row = Math.floor(first / per[1]);
      const at = Array.from(given.subarray(row * per[0], (row + 1) * per[0]), String);
      wrong.push([name, at, first % per[1], String(got[first]), String(expected[first])]);
    }
    compared.push([name, given.length / per[0]]);
  }
  return JSON.stringify([compared, wrong]);
}
