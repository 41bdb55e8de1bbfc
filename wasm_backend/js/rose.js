// @ts-check
/**
 * Runs functions compiled by Rose: checks what they are given, writes it where the compiled code reads
 * it, and reads what it answers. Sizes, offsets and addresses come from the compiler, as data: nothing
 * about layout is worked out here.
 *
 * @typedef {{ kind: "real" } | { kind: "bool" } | { kind: "unit" } | { kind: "index", size: number }
 *   | { kind: "vec", size: number, stride: number, elem: Type }
 *   | { kind: "struct", name: string, fields: [name: string, offset: number, type: Type][] }
 *   | { kind: "tuple", items: [offset: number, type: Type][] }} Type
 * @typedef {{ type: Type, at: number | null }} Slot
 * @typedef {{ name: string, params: (Slot & { name: string })[], result: Slot }} Export
 * @typedef {{ name: string, params: Type[], result: Type }} Import
 * @typedef {{ exports: Export[], imports: Import[] }} Signatures
 * @typedef {(...args: any[]) => any} Call
 * @typedef {BufferSource | WebAssembly.Module} Compiled
 * @typedef {string | URL | Response | Compiled} Source
 */

/**
 * How values of one type cross the border: `write` checks one and puts it at an address, `read` takes one
 * from there. What has `pack` and `unpack` can cross as a number; what is `empty` does not cross at all.
 * `depth` is the length of the path to the value.
 *
 * @typedef {{
 *   pack?: (x: any, depth: number) => number,
 *   unpack?: (x: number) => any,
 *   write: (at: number, x: any, depth: number) => void,
 *   read: (at: number) => any,
 *   empty?: boolean,
 * }} Codec
 */

/** How a value looks in an error message. @param {any} x */
const show = (x) =>
  typeof x == "string"
    ? JSON.stringify(x.slice(0, 40))
    : typeof x == "bigint"
      ? x + "n"
      : typeof x == "function"
        ? "a function"
        : Object(x) !== x
          ? String(x)
          : x.length >= 0
            ? "an array of length " + x.length
            : "an object";

/** What the page supplies for an import, or what the host has under a dotted name. @param {any} opaque @param {string} name */
const find = (opaque, name) => {
  let owner = opaque;
  let key = name;
  const path = name.split(".");
  if (!opaque[name] && path[1]) {
    key = /** @type {string} */ (path.pop());
    owner = path.reduce((x, k) => x?.[k], /** @type {any} */ (globalThis));
  }
  if (typeof owner?.[key] != "function")
    throw new Error(`the function ${name} is missing: give { ${JSON.stringify(name)}: ... } as the last argument`);
  return /** @type {Call} */ (owner[key].bind(owner));
};

/**
 * The exports of one instance of a module, each as a function of a list of arguments. They share one memory:
 * only one of them may run at a time.
 *
 * @param {WebAssembly.Module} module @param {Signatures} signatures @param {Call[]} hosts
 */
const instantiate = (module, signatures, hosts) => {
  /** @type {[Float64Array, Uint32Array, Uint8Array]} */
  let views;

  /** Where the value that is checked comes from: a name, then fields and indices. @type {any[]} */
  const path = [];

  const look = () => {
    const { buffer } = memory;
    if (views?.[0].buffer !== buffer) views = [new Float64Array(buffer), new Uint32Array(buffer), new Uint8Array(buffer)];
  };

  /** @param {any} x @param {number} depth @param {string} what @param {ErrorConstructor} [Kind] @returns {never} */
  const refuse = (x, depth, what, Kind = TypeError) => {
    const where = path.slice(0, depth).reduce((s, k) => s + (k.at ? "." + k : `[${k}]`));
    throw new Kind(`${where} must be ${what}, got ${show(x)}`);
  };

  /** @param {any} x @param {number} depth @param {number} size */
  const array = (x, depth, size) => {
    if (typeof x != "object" || x?.length !== size) refuse(x, depth, "an array of length " + size);
  };

  /**
   * @param {0 | 1 | 2} view @param {number} shift
   * @param {(x: any, depth: number) => number} pack @param {(x: number) => any} unpack
   * @returns {Codec}
   */
  const scalar = (view, shift, pack, unpack) => ({
    pack,
    unpack,
    write(at, x, depth) {
      views[view][at >>> shift] = pack(x, depth);
    },
    read: (at) => unpack(views[view][at >>> shift]),
  });

  /** @param {Type} t @returns {Codec} */
  const codec = (t) => {
    if (t.kind == "real")
      return scalar(0, 3, (x, depth) => (typeof x == "number" ? x : refuse(x, depth, "a number")), (x) => x);
    if (t.kind == "bool")
      return scalar(2, 0, (x, depth) => (typeof x == "boolean" ? +x : refuse(x, depth, "a boolean")), (x) => x != 0);
    if (t.kind == "index") {
      const { size } = t;
      const what = "an integer from 0 to " + (size - 1);
      return scalar(
        1,
        2,
        (x, depth) =>
          x >>> 0 === x && x < size ? x : refuse(x, depth, what, typeof x == "number" ? RangeError : TypeError),
        (x) => x >>> 0,
      );
    }
    if (t.kind == "unit")
      return { empty: true, write: (_, x, depth) => x == null || refuse(x, depth, "undefined"), read() {} };
    if (t.kind == "vec") {
      const { size, stride, elem } = t;
      const { write, read } = codec(elem);
      const view = elem.kind == "real" ? 0 : elem.kind == "index" ? 1 : 2;
      const width = view ? 4 : 8
      return {
        empty: !(size * stride),
        write(at, x, depth) {
          array(x, depth, size);
          if (elem.kind == "real" && x instanceof Float64Array) views[0].set(x, at / 8);
          else
            for (let i = 0; i < size; i++) {
              path[depth] = i;
              write(at + i * stride, x[i], depth + 1);
            }
        },
        read: (at) =>
          view == 2
            ? Array.from({ length: size }, (_, i) => read(at + i * stride))
            : views[view].slice(at / width, at / width + size),
      };
    }
    /** @type {[string | number, number, Codec][]} */
    const parts =
      t.kind == "struct"
        ? t.fields.map(([name, offset, type]) => [name, offset, codec(type)])
        : t.items.map(([offset, type], i) => [i, offset, codec(type)]);
    return {
      empty: parts.every((part) => part[2].empty),
      write(at, x, depth) {
        if (t.kind == "tuple") array(x, depth, parts.length);
        else if (typeof x != "object" || !x) refuse(x, depth, "an object");
        for (const [key, offset, { write }] of parts) {
          path[depth] = key;
          write(at + offset, x[key], depth + 1);
        }
      },
      read(at) {
        /** @type {any} */
        const all = parts.map(([key, offset, { read }]) => [key, read(at + offset)]);
        return t.kind == "struct" ? Object.fromEntries(all) : all.map((/** @type {any} */ x) => x[1]);
      },
    };
  };

  const opaque = Object.fromEntries(
    signatures.imports.map(({ name, params, result }, k) => {
      const ins = params.map(codec);
      const out = codec(result);
      /** @param {number[]} raw */
      const host = (...raw) => {
        let n = 0;
        look();
        const x = hosts[k](...ins.map((c) => (c.unpack ? c.unpack(raw[n++]) : c.read(c.empty ? 0 : raw[n++] >>> 0))));
        look();
        path[0] = `the result of ${name}(...)`;
        if (out.pack) return out.pack(x, 1);
        if (result.kind != "unit") out.write(raw[n] >>> 0, x, 1);
      };
      return [name, host];
    }),
  );
  const { memory, ...functions } = /** @type {any} */ (new WebAssembly.Instance(module, { opaque }).exports);

  return signatures.exports.map(({ name, params, result }) => {
    const ins = params.map((p) => codec(p.type));
    const out = codec(result.type);
    /** @param {any[]} args */
    const run = (args) => {
      /** @type {number[]} */
      const numbers = [];
      look();
      ins.forEach(({ pack, write }, k) => {
        path[0] = params[k].name;
        if (pack) numbers.push(pack(args[k], 1));
        else write(params[k].at ?? 0, args[k], 1);
      });
      const x = functions[name](...numbers);
      look();
      return out.unpack ? out.unpack(x) : out.read(result.at ?? 0);
    };
    return run;
  });
};

/**
 * The functions of a module, by name.
 *
 * @param {Compiled} source @param {Signatures} signatures
 * @param {object} [opaque] The functions that the module imports, by name.
 * @returns {Record<string, Call>}
 */
export const bind = (source, signatures, opaque = {}) => {
  const module = "byteLength" in source ? new WebAssembly.Module(source) : source;
  const hosts = signatures.imports.map(({ name }) => find(opaque, name));
  const make = () => instantiate(module, signatures, hosts);
  // a function that is called while another runs, by a host function, needs a memory of its own
  const idle = [make()];
  return Object.fromEntries(
    signatures.exports.map(({ name, params }, k) => [
      name,
      (...args) => {
        const n = params.length;
        if (args.length != n) throw new TypeError(`${name} takes ${n} argument${n == 1 ? "" : "s"}, got ${args.length}`);
        const calls = idle.pop() ?? make();
        try {
          return calls[k](args);
        } finally {
          idle.push(calls);
        }
      },
    ]),
  );
};

/** The bytes or the module behind a source. @param {Source} source @returns {Promise<Compiled>} */
const fetched = async (source) => {
  if (typeof source == "string" || source instanceof URL) {
    const url = String(source);
    const [, base64] = /^data:[^,]*;base64,(.*)/s.exec(url) ?? [];
    if (base64) return Uint8Array.from(atob(decodeURIComponent(base64)), (c) => c.charCodeAt(0));
    if (/^file:/.test(url) && /** @type {any} */ (globalThis).process?.versions?.node) {
      const fs = "node:fs/promises";
      return (await import(/* webpackIgnore: true */ /* @vite-ignore */ fs)).readFile(new URL(url));
    }
    source = await fetch(url);
  }
  if (!("arrayBuffer" in source)) return source;
  const type = source.headers.get("Content-Type");
  if (!source.ok || /html/.test(type)) throw new Error(`cannot load ${source.url}: ${source.status} ${source.statusText}`);
  return type == "application/wasm" ? WebAssembly.compileStreaming(source) : source.arrayBuffer();
};

/**
 * The functions of a module, wherever its bytes are: `bind`, of a source that may have to be fetched.
 *
 * @param {Source | Promise<Source>} source @param {Signatures} signatures @param {object} [opaque]
 */
export const load = async (source, signatures, opaque) => {
  const found = await fetched(await source);
  return bind("byteLength" in found ? await WebAssembly.compile(found) : found, signatures, opaque);
};
