// What a page says, as soon as it says something, in Firefox: node firefox.mjs EXECUTABLE URL EXPRESSION
import { launch } from "puppeteer-core";

const [executablePath, url, what] = process.argv.slice(2);
const browser = await launch({ browser: "firefox", executablePath });
try {
  const page = await browser.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => {
    // a picture that the browser asks for by itself, and a strict policy refuses
    if (message.type() == "error" && !message.text().includes("/favicon.ico")) wrong.push(message.text());
  });
  await page.goto(url);
  console.log(await (await page.waitForFunction(what)).jsonValue());
  if (wrong.length) throw new Error(wrong.join("\n"));
} finally {
  await browser.close();
}
