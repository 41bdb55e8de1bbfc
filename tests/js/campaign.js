// What tests/fuzz/engines.py runs in node and in browsers: each call of a package gives what it gave in the
// interpreter, to the bit. `compare` gives how many calls were compared, and the first that differ.

const view = new DataView(new ArrayBuffer(8));

const float = (bits) => {
  view.setBigUint64(0, BigInt("0x" + bits));
  return view.getFloat64(0);
};

/** A value of the calls as JavaScript has it. */
const made = (x) => {
  if (typeof x == "string") return float(x);
  if (x === null) return undefined;
  if (Array.isArray(x)) return x.map(made);
  if (x.struct) return Object.fromEntries(x.struct.map(([k, y]) => [k, made(y)]));
  if (typeof x != "object") return x;
  return Object.values(x)[0].map(made);
};

/** Whether what a function gave is what was wanted: every nan is the same one. */
const same = (got, want) => {
  if (typeof want == "string") return Object.is(got, float(want));
  if (want === null) return got === undefined;
  if (Array.isArray(want)) return got.length == want.length && want.every((y, k) => same(got[k], y));
  if (want.struct) return want.struct.every(([k, y]) => same(got[k], y));
  if (typeof want != "object") return got === want;
  const items = Object.values(want)[0];
  return got.length == items.length && items.every((y, k) => same(got[k], y));
};

export function compare(functions, calls) {
  const wrong = [];
  for (const { name, args, wanted } of calls) {
    let got;
    try {
      got = functions[name](...args.map(made));
    } catch (error) {
      wrong.push([name, String(error)]);
      continue;
    }
    if (!same(got, wanted)) wrong.push([name, JSON.stringify(got)]);
  }
  return JSON.stringify({ compared: calls.length, wrong: wrong.slice(0, 20) });
}
