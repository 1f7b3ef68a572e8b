// What a page looks like to an accessibility checker, on a desk and on a phone, and what its console says.
import { createRequire } from "node:module";

export const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
export const PHONE = { width: 390, height: 844 };

/** In the dark only colors are other, on a phone only places and sizes. */
const RULES = {
  light: { rules: { "target-size": { enabled: true } } },
  dark: { runOnly: ["color-contrast"] },
  phone: { runOnly: ["target-size", "scrollable-region-focusable"] },
};

/** What an accessibility checker finds on a page that it was put into. */
export async function violations(page, view = "light") {
  const options = { resultTypes: ["violations"], preload: false, ...RULES[view] };
  return (await page.evaluate((options) => axe.run(document, options), options)).violations;
}

/** What a page's console says, and what its policy stopped. */
export function listen(page, said) {
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.console.push(`${message.location().url || page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => said.console.push(`${page.url()}: ${error.message}`));
}

/** Whether a page is wider than its window, and the first element that is too wide. */
export async function overflow(page) {
  const found = await page.evaluate(() => {
    const wide = document.documentElement.scrollWidth;
    if (wide <= innerWidth) return null;
    const scrolls = (one) => one && (getComputedStyle(one).overflowX !== "visible" || scrolls(one.parentElement));
    const beyond = [...document.body.querySelectorAll("*")].find((one) => one.getBoundingClientRect().right > innerWidth && !scrolls(one.parentElement));
    return `${wide} > ${innerWidth}: ${beyond?.outerHTML.slice(0, 160)}`;
  });
  return found ? [`${page.url()}: ${found}`] : [];
}

/** Does something with a page in a phone's window. */
async function onPhone(page, act) {
  const size = page.viewportSize();
  await page.setViewportSize(PHONE);
  const done = await act();
  await page.setViewportSize(size);
  return done;
}

export const overflowOnPhone = (page) => onPhone(page, () => overflow(page));

/** How many requests a page needs whose files the browser has already, beside the page itself. */
export const further = (page) =>
  page.evaluate(() => performance.getEntriesByType("resource").filter((one) => one.transferSize > 0 || one.initiatorType === "fetch").map((one) => one.name));

/** Targets that are less than 24 px high; links in sentences may be. */
const targets = (page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll("main table a, main summary, main .exports a, main .pages a, main .sankey a, main .checklist a, main .now, main button:not(.hide), main select")];
    const low = all.filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 24);
    return low.map((one) => one.outerHTML.slice(0, 160));
  });

/** Charts without a name, without a table of what they show, or with a script without keys. */
export async function unread(page) {
  const found = await page.evaluate(() => {
    const all = [...document.querySelectorAll(".plot:has(.axis.x text), .spark[data-steps], .uptime-bars:has(i:not(.none))")];
    // The table of a chart is in the same panel, below it or below the list that it is in.
    const hasTable = (one) => one !== null && one.tagName !== "MAIN" && (one.querySelector(".behind tbody tr") !== null || (one.tagName !== "SECTION" && hasTable(one.parentElement)));
    const hasKeys = (one) => one.getAttribute("role") === "slider" && one.tabIndex === 0 && Boolean(one.getAttribute("aria-valuetext"));
    // Only the script of charts makes the card that all of them share.
    const isScripted = document.querySelector("body > .card") !== null;
    const isSilent = (one) => !one.getAttribute("aria-label")?.trim() || !hasTable(one) || (isScripted && !hasKeys(one));
    return all.filter(isSilent).map((one) => one.outerHTML.slice(0, 160));
  });
  return found.map((what) => `${page.url()}: ${what}`);
}

/** Looks at the page that is shown, light, dark and on a phone. */
export async function inspect(page, said, axe) {
  const check = async (view) => {
    for (const { id, nodes } of await violations(page, view)) said.violations.push(`${page.url()} (${view}) ${id}: ${nodes[0].html.slice(0, 160)}`);
  };
  const measure = async () => said.targets.push(...(await targets(page)).map((what) => `${page.url()}: ${what}`));
  await measure();
  said.unread.push(...(await unread(page)));
  await page.evaluate(axe);
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await check(colorScheme);
  }
  await onPhone(page, async () => {
    said.overflow.push(...(await overflow(page)));
    await measure();
    await check("phone");
  });
  said.reports.push(...(await page.evaluate(() => window.reports)).map((what) => `${page.url()}: ${what}`));
  said.pages += 1;
}
