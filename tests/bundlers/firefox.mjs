// What a page says, as soon as it says something, in Firefox: node firefox.mjs EXECUTABLE URL EXPRESSION
import { launch } from "puppeteer-core";

const [executablePath, url, what] = process.argv.slice(2);
const browser = await launch({ browser: "firefox", executablePath });
try {
  const page = await browser.newPage();
  await page.goto(url);
  console.log(await (await page.waitForFunction(what)).jsonValue());
} finally {
  await browser.close();
}
