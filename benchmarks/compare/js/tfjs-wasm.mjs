// TensorFlow.js with its back end in WebAssembly.
import { withBackend } from "./tfjs.mjs";

export const bound = 2e-3;
export const forms = withBackend("wasm");
