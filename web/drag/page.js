// @ts-check
import { RoseDrag } from "./rose-drag.js";
import { leg } from "./leg.js";
import { triangle } from "./triangle.js";

customElements.define("rose-drag", RoseDrag);
await Promise.all([leg(), triangle()]);
