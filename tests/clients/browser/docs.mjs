// The documentation in a browser: every page on a phone and on a desk, light and dark; the search, copying and old addresses.
import { readFile } from "node:fs/promises";

import { watched } from "./inert.mjs";
import { AXE, PHONE, listen, overflow, violations } from "./look.mjs";

const WIDTHS = [PHONE.width, 1280];

/** Types words, and gives the first result and where it leads. */
async function search(page, words) {
  await page.locator("#docs-find").fill(words);
  const first = page.locator(".docs-search .sheet a").first();
  await first.waitFor();
  const name = await first.evaluate((link) => link.firstChild.textContent);
  await Promise.all([page.waitForURL("**/docs/**"), page.keyboard.press("Enter")]);
  return { name, path: new URL(page.url()).pathname };
}

export async function docs({ site, visitor }) {
  const given = JSON.parse(site.clientId);
  const said = { console: [], reports: [], violations: [], overflow: [], pages: 0 };
  const page = await visitor();
  await watched(page);
  listen(page, said);
  const axe = await readFile(AXE, "utf8");
  for (const path of given.paths) {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(given.base + path);
      said.overflow.push(...(await overflow(page)));
    }
    await page.evaluate(axe);
    for (const colorScheme of ["dark", "light"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const { id, nodes } of await violations(page, colorScheme)) said.violations.push(`${path} (${colorScheme}) ${id}: ${nodes[0].html.slice(0, 160)}`);
    }
    said.reports.push(...(await page.evaluate(() => window.reports)));
    said.pages += 1;
  }
  await page.goto(`${given.base}/docs`);
  said.found = await search(page, "first-party proxy");
  await page.goto(`${given.base}/docs/quickstart`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy" }).first().click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  said.copied = await page.evaluate(() => navigator.clipboard.readText());
  await Promise.all([page.waitForURL("**/docs/tracker"), page.goto(`${given.base}/docs#tracker-script`).catch(() => {})]);
  said.old = new URL(page.url()).pathname;
  // That nothing was found says something only if it would have been.
  await page.evaluate(() => document.querySelector("main").append(document.createElement("button")));
  await page.evaluate(axe);
  said.control = (await violations(page)).length;
  return said;
}
