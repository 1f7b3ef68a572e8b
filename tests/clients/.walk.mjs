import { chromium } from "playwright-core";
const [base, email, password, site, out] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const pages = ["/", `/console/site/${site}?preset=last_30d`, `/console/site/${site}/setup`, "/console/monitors", "/console/monitors/new", "/console/alarms", "/console/alarms/new", "/console/status-pages", "/console/flags", "/console/flags/new", "/console/links", "/console/links/new", "/console/boards", "/console/boards/new", "/console/members", "/console/keys", "/console/account", `/console/site/${site}/people`, `/console/site/${site}/engagement`, `/console/site/${site}/vitals`, `/console/site/${site}/errors`, `/console/site/${site}/paths`, `/console/site/${site}/retention`, `/console/site/${site}/funnels`, `/console/site/${site}/goals`, `/console/site/${site}/now`, `/console/site/${site}/revenue`, `/console/site/${site}/settings`, "/console/audit", "/console/usage", "/console/import"];
const sets = [["light", 1280, 800, "light"], ["dark", 1280, 800, "dark"], ["phone", 390, 844, "light"]];
const only = process.argv[7];
for (const [name, width, height, colorScheme] of sets) {
  if (only && only !== name) continue;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.on("console", (m) => { if (m.type() === "error") console.log(name, page.url(), m.text()); });
  await page.goto(base + "/login");
  await page.fill("#email", email); await page.fill("#password", password);
  await Promise.all([page.waitForNavigation(), page.click("button[type=submit]")]);
  for (const path of pages) {
    try {
      await page.goto(base + path, { waitUntil: "load" });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      const file = path.replace(site, "S").replace(/[^a-z0-9]+/gi, "_");
      await page.screenshot({ path: `${out}/${name}${file}.png` });
      if (over > 0) console.log("overflow", name, path, over);
    } catch (error) { console.log(name, path, String(error).slice(0, 200)); }
  }
}
await browser.close();
