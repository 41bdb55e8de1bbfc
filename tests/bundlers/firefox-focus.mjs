// Pictures of a page before and after an element has the focus, in Firefox, and where it is:
// node firefox-focus.mjs EXECUTABLE URL SELECTOR DIRECTORY
import { launch } from "puppeteer-core";

const [executablePath, url, selector, directory] = process.argv.slice(2);
const extraPrefsFirefox = { "ui.prefersReducedMotion": 1 }; // so that nothing else moves
const browser = await launch({ browser: "firefox", executablePath, extraPrefsFirefox });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(url);
  await page.waitForFunction("time.value != 'not yet'");
  await page.evaluate((selector) => document.querySelector(selector).scrollIntoView({ block: "center" }), selector);
  await new Promise((done) => setTimeout(done, 1000)); // what is drawn late
  await page.screenshot({ path: `${directory}/before.png` });
  const box = await page.evaluate((selector) => {
    const element = document.querySelector(selector);
    element.focus({ preventScroll: true });
    const { x, y, width, height } = element.querySelector(".reach").getBoundingClientRect();
    return { x, y, width, height };
  }, selector);
  await page.screenshot({ path: `${directory}/after.png` });
  console.log(JSON.stringify(box));
} finally {
  await browser.close();
}
