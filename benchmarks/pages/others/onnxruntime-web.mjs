// What loads a model, and runs it; it trains none.

import * as ort from "onnxruntime-web/wasm";

export const network = () => ort.InferenceSession;
