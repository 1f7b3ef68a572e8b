// Three hosts of an organization in one browser: what each shows, which cookies it gets, and what its policy stops.
import { watched } from "./inert.mjs";

/** Signs in at the console and visits the hosts. `site.clientId` is JSON: `{ base, email, password, share, status, inside, links }`. */
export async function domains({ site, visitor }) {
  const { base, email, password, share, status, inside, links } = JSON.parse(site.clientId);
  const said = { console: [], pages: {} };
  const page = await visitor();
  await watched(page);
  page.on("console", (message) => message.type() === "error" && said.console.push(`${page.url()}: ${message.text()}`));
  const look = async (name) => {
    said.pages[name] = {
      url: page.url(),
      heading: await page.locator("h1").first().innerText(),
      cookies: (await page.context().cookies(page.url())).map((cookie) => `${cookie.name} ${cookie.domain} ${cookie.path}`),
      reports: await page.evaluate(() => window.reports),
    };
  };

  await page.goto(`${base}/login`);
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", password);
  await page.click("main button[type=submit]");
  await page.waitForURL(`${base}/`);
  await look("console");

  await page.goto(`${base}/status/team`);
  await page.fill("[name=address]", "https://hooks.example.com/a");
  await page.click("main form button");
  await page.waitForURL(`${base}/status/team/subscribe?lang=en`);
  await look("member");

  await page.goto(`${status}/`);
  await look("status");
  said.summary = (await page.goto(`${status}/api/v2/summary.json`)).status();
  said.login = (await page.goto(`${status}/login`)).status();

  said.hidden = (await page.goto(`${inside}/feed.atom`)).status();
  await page.goto(`${inside}/`);
  await look("hidden");
  await page.fill("[name=password]", "battery staple");
  await page.click("main button");
  await page.waitForSelector("[role=alert]");
  await page.fill("[name=password]", "correct horse");
  await page.click("main button");
  await page.waitForSelector("#subscribe");
  await look("inside");
  said.inside = (await page.goto(`${inside}/feed.atom`)).status();

  await page.goto(`${share}/`);
  await look("locked");
  await page.fill("[name=password]", "correct horse");
  await page.click("main button[type=submit]");
  await page.waitForSelector("main .panel");
  await look("share");

  await page.goto(`${links}/sale?from=poster`);
  await look("landed");
  said.unknown = (await page.goto(`${links}/nothing`)).status();
  return said;
}
