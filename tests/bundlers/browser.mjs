// What a page says, as soon as it says something: node browser.mjs chrome|firefox EXECUTABLE URL EXPRESSION
import { launch } from "puppeteer-core";

const [kind, executablePath, url, what] = process.argv.slice(2);
const args = kind === "chrome" ? ["--no-sandbox"] : [];
const extraPrefsFirefox = { "ui.prefersReducedMotion": 1 }; // a page that moves says one thing, and then another
const browser = await launch({ browser: kind, executablePath, args, extraPrefsFirefox });
try {
  const page = await browser.newPage();
  const wrong = [];
  // the browser asks for a picture by itself, which is not there, or refused by a strict policy
  const note = (said, from = "") => (said + from).includes("/favicon.ico") || wrong.push(said);
  page.on("pageerror", (error) => note(String(error)));
  page.on("console", (message) => message.type() == "error" && note(message.text(), message.location()?.url));
  await page.goto(url);
  console.log(await (await page.waitForFunction(what)).jsonValue());
  if (wrong.length) throw new Error(wrong.join("\n"));
} finally {
  await browser.close();
}
