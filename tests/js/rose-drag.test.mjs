/** The custom element: what can be seen of it without a browser. What it does in one, `tests/web/test_drag.py` tests. */

import assert from "node:assert/strict";
import { test } from "node:test";

test("importing the element needs no browser, and does nothing", async () => {
  const before = Object.getOwnPropertyNames(globalThis);
  const module = await import("../../wasm_backend/js/rose-drag.js");
  assert.deepEqual(Object.keys(module), ["RoseDrag"]);
  assert.deepEqual(Object.getOwnPropertyNames(globalThis), before);
});
