// TensorFlow.js with its back end in JavaScript.
import { withBackend } from "./tfjs.mjs";

export const bound = 2e-3;
export const forms = withBackend("cpu");
