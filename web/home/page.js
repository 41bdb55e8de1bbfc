// @ts-check
import init from "./model/spring.js";
import { timed } from "./shared/page.js";

const model = await init();
timed(() => model.slope([1, 2]));
