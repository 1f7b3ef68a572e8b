// The console in a browser: its keys, its charts, and what people wrote into it.
import { place, send } from "./forms.mjs";
import { ACTIVE, poke, provoke, watched } from "./inert.mjs";

/** Keys that search and lead elsewhere. */
export async function keys(page, base, own) {
  await page.goto(base);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("backup");
  await page.waitForSelector(".find .sheet a");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  if (!place(page).startsWith("/console/monitor/")) throw new Error(`a search leads to ${place(page)}`);
  await page.keyboard.press("g");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("l")]);
  if (place(page) !== "/console/links") throw new Error(`g l leads to ${place(page)}`);
  await page.keyboard.press("?");
  await page.locator("dialog").getByText("⌘ K on a Mac").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await Promise.all([page.waitForNavigation(), page.keyboard.press("n")]);
  if (place(page) !== "/console/links/new") throw new Error(`n leads to ${place(page)}`);
  await page.goto(base + own);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("4")]);
  if (!page.url().includes("preset=last_30d")) throw new Error(`4 leads to ${page.url()}`);
  await page.keyboard.press("f");
  await page.locator("#field:focus").waitFor();
}

/** What charts do beyond being looked at: a card by pointer and by keys, series on and off, and zoom. */
export async function charts(page, base, own) {
  await page.goto(base + own);
  const card = page.locator(".card");
  const says = async (what) => {
    const text = await card.innerText();
    if (!text.includes(what)) throw new Error(`the card says: ${text}`);
  };
  await page.locator(".plot .over").hover({ position: { x: 40, y: 40 } });
  await says("Previous period");
  await page.mouse.move(0, 0);
  await card.waitFor({ state: "hidden" });
  const slider = page.getByRole("slider").first();
  await slider.focus();
  await slider.press("Home");
  const first = await slider.getAttribute("aria-valuetext");
  await slider.press("ArrowRight");
  const next = await slider.getAttribute("aria-valuetext");
  if (first === next || !next.includes("Visitors")) throw new Error(`arrows lead from ${first} to ${next}`);
  await page.locator(".legend button").nth(1).click();
  if (await page.locator(".plot path.before").isVisible()) throw new Error("a series that is off is drawn");
  await slider.focus();
  if ((await card.innerText()).includes("Previous period")) throw new Error("a series that is off is in the card");
  await slider.press("Shift+ArrowRight");
  await Promise.all([page.waitForNavigation(), slider.press("Enter")]);
  if (!/from=[-0-9]{10}&to=[-0-9]{10}/.test(page.url())) throw new Error(`zoom leads to ${page.url()}`);
}

/** What a line in a list says by keys, and its numbers in the table of the list. */
export async function sparklines(page, base) {
  await page.goto(base);
  const line = page.locator("svg.spark").first();
  await line.focus();
  await line.press("Home");
  const first = await line.getAttribute("aria-valuetext");
  await line.press("End");
  const last = await line.getAttribute("aria-valuetext");
  if (first === last || !last.includes("pageview")) throw new Error(`keys lead from ${first} to ${last}`);
  const name = await line.getAttribute("aria-label");
  await page.getByText("View as table").click();
  const cells = await page.locator(".behind tbody tr").first().locator("td").allInnerTexts();
  if (cells.length !== 7 || !name.endsWith(`: ${cells.join(", ")}`)) throw new Error(`${name} has the table ${cells.join(", ")}`);
}

/** Values that complete a saved filter: of the field in its row. */
export async function suggestions(page, base, own) {
  await page.goto(`${base}${own}/segments`);
  for (const [row, field, typed, found] of [[0, "path", "/pri", "/pricing"], [1, "trust", "", "client"]]) {
    await page.locator(`[name="filters.${row}.field"]`).fill(field);
    await page.locator(`[name="filters.${row}.value"]`).fill(typed);
    await page.locator(`datalist#row-values option[value="${found}"]`).waitFor({ state: "attached" });
  }
}

/** Signs in, looks at pages on which people wrote what they liked (addresses as JSON), and says what they did. */
export async function consoleInert({ site, visitor }) {
  const given = JSON.parse(site.clientId);
  const page = await visitor();
  await watched(page);
  const said = { dialogs: [], popups: 0, requests: [], reports: [], found: [], pages: 0, seen: [] };
  page.on("dialog", async (dialog) => {
    said.dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  page.on("popup", () => { said.popups += 1; });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${given.base}/`)) said.requests.push(request.url());
  });
  await page.goto(`${given.base}/login`);
  await send(page, { email: given.email, password: given.password }, "Sign in");
  const active = `${ACTIVE.replace("script,", "script:not([src^='/console/assets/']),").replace("link[rel=stylesheet]", "link[rel=stylesheet]:not([href^='/console/assets/'])").replace(" img,", " img:not([src^='/links/']),")}`;
  for (const path of given.paths) {
    await page.goto(given.base + path, { waitUntil: "load" });
    const found = await page.evaluate(poke, [active, "^(https?:|mailto:|#|/(?!/)|[?])"]);
    said.found.push(...found.map((what) => `${path}: ${what}`));
    said.reports.push(...(await page.evaluate(() => window.reports)).map((what) => `${path}: ${what}`));
    const shown = await page.evaluate(() => document.querySelector("main").textContent + [...document.querySelectorAll("main input, main textarea")].map((field) => field.value).join(" "));
    said.seen.push(...given.texts.filter((text) => shown.includes(text)));
    said.pages += 1;
  }
  said.seen = [...new Set(said.seen)];
  said.control = await provoke(page);
  return said;
}
