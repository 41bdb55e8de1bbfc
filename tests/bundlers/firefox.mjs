// What a page says, as soon as it says something, in Firefox: node firefox.mjs EXECUTABLE URL EXPRESSION
import { launch } from "puppeteer-core";

const [executablePath, url, what] = process.argv.slice(2);
const browser = await launch({ browser: "firefox", executablePath });
try {
  const page = await browser.newPage();
  const wrong = [];
  // a strict policy refuses the picture that the browser asks for by itself
  const note = (said) => said.includes("/favicon.ico") || wrong.push(said);
  page.on("pageerror", (error) => note(String(error)));
  page.on("console", (message) => message.type() == "error" && note(message.text()));
  await page.goto(url);
  console.log(await (await page.waitForFunction(what)).jsonValue());
  if (wrong.length) throw new Error(wrong.join("\n"));
} finally {
  await browser.close();
}
