// A newcomer's first half hour, with and without the script; every page is looked at: light, dark and on a phone.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { charts, keys, sparklines, suggestions } from "./console.mjs";
import { place, reloadUntil, send, shows } from "./forms.mjs";
import { AXE, further, inspect, overflowOnPhone, unread, violations } from "./look.mjs";
import { useEmail } from "./mailed.mjs";
import { createEverything, visitTheRest } from "./resources.mjs";
import { meetStrangers } from "./strangers.mjs";
import { seen } from "./wait.mjs";
import { Walk, unseen } from "./walk.mjs";

/** The first half hour of a person who has just started the program; gives the path of the website. */
async function halfHour(walk) {
  const { page, given } = walk;
  await page.goto(given.base);
  if (place(page) !== "/login") throw new Error(`a stranger is led to ${place(page)}`);
  await walk.post(page, { email: given.email, password: "not this one" }, "Sign in", "Sign in");
  await send(page, { email: given.email, password: given.password }, "Sign in");
  await shows(page, "Websites");
  await walk.go("/");
  const own = await install(walk);
  await walk.go(own);
  await shows(page, "/pricing", "Visitors");
  const urls = await createEverything(walk, own);
  await visitTheRest(walk, own);
  await askModel(walk);
  await connectApp(walk);
  await Promise.all([meetStrangers(walk, urls), useEmail(walk)]);
  return own;
}

/** Adds a website and installs the script on it: first a test event arrives, then what its visitors do. */
async function install(walk) {
  const { page, site, given } = walk;
  await walk.make("/console/sites/new", { domain: given.domain, name: "Shop" }, "Add website", "Waiting for the first event");
  const own = place(page).replace(/\/setup$/, "");
  const snippet = await page.locator("code", { hasText: "data-client-id" }).first().innerText();
  site.clientId = /data-client-id="([^"]+)"/.exec(snippet)[1];
  await send(page, {}, "Send test event");
  await reloadUntil(page, "the test event arrives", (text) => text.includes("Last 5 minutes"));

  const guest = await walk.visitor();
  const flush = async (act) => {
    const taken = guest.waitForResponse((answer) => answer.request().method() === "POST" && answer.ok());
    await guest.evaluate(act);
    await guest.evaluate(() => pharos.flush());
    await taken;
  };
  for (const path of ["/pricing", "/thanks"]) {
    await guest.goto(site.url(path, given.domain));
    await seen(guest, "item.name === 'screen_view'");
    await flush(() => {});
  }
  await flush(() => pharos.track("signup", { plan: "pro" }));
  await guest.context().close();
  return own;
}

/** Asks the model. Without a script the answer is there when the page is looked at again, with one it comes by itself. */
async function askModel(walk) {
  const { page, scripted } = walk;
  await walk.go("/console/chats");
  await send(page, { message: "How is the shop?" }, "Ask question");
  const path = place(page);
  if (!path.startsWith("/console/chat/")) throw new Error(`the chat is at ${path}`);
  const writes = () => page.locator("[data-talk]").count();
  while (await writes()) {
    if (!scripted) await page.reload();
    else await page.locator("[data-talk]").waitFor({ state: "detached" });
  }
  await shows(page, "How is the shop?", "All is well.");
  await walk.go(path);
}

/** Connects an app. Its own page, to which the form leads, is another origin. */
async function connectApp(walk) {
  const { page, given: { base } } = walk;
  const robot = createServer((_, answer) => answer.end("Robot"));
  await new Promise((listens) => robot.listen(0, "127.0.0.1", listens));
  const callback = `http://127.0.0.1:${robot.address().port}/callback`;
  const metadata = JSON.stringify({ client_name: "Robot", redirect_uris: [callback] });
  const registered = await fetch(`${base}/oauth/register`, { method: "POST", headers: { "content-type": "application/json" }, body: metadata });
  const { client_id } = await registered.json();
  const challenge = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" };
  const query = new URLSearchParams({ response_type: "code", client_id, redirect_uri: callback, ...challenge });
  await walk.go(`/console/oauth/authorize?${query}`);
  await shows(page, "Connect “Robot”?", "an app on your computer", "Read short links (read:links)");
  await send(page, { organization: await page.locator("[name=organization] option").first().getAttribute("value") }, "Allow");
  const { origin, searchParams } = new URL(page.url());
  if (origin !== new URL(callback).origin || !searchParams.get("code")) throw new Error(`consent leads to ${page.url()}`);
  if (searchParams.get("iss") !== base) throw new Error(`the answer is of ${searchParams.get("iss")}`);
  await walk.go("/console/account");
  robot.close();
  robot.closeAllConnections();
}

/** Looks at every page of a walk, two at a time. */
async function inspectAll(walk) {
  const rest = [...walk.seen];
  const second = await walk.observe(await walk.page.context().newPage());
  const work = async (page) => {
    for (let path = rest.shift(); path !== undefined; path = rest.shift()) {
      await page.goto(walk.given.base + path);
      walk.said.further.push(...(await further(page)).map((what) => `${path}: ${what}`));
      await inspect(page, walk.said, walk.axe);
    }
  };
  await Promise.all([walk.page, second].map(work));
}

/** The same half hour without a script and with it; then every page that was seen is checked, light, dark and on a phone. */
export async function newcomer({ site, visitor }) {
  const { first, second, patterns, ...given } = JSON.parse(site.clientId);
  const said = { console: [], reports: [], violations: [], further: [], targets: [], overflow: [], unread: [], pages: 0 };
  const refused = new Set();
  const axe = await readFile(AXE, "utf8");
  const start = async (own, scripted) => {
    const walk = new Walk({ site, visitor, given: { ...given, ...own }, said, refused, axe, scripted });
    walk.page = await walk.enter();
    return walk;
  };
  const plain = await start(first, false);
  await halfHour(plain);
  await plain.page.context().close();

  const walk = await start(second, true);
  const own = await halfHour(walk);
  await keys(walk.page, given.base, own);
  await charts(walk.page, given.base, own);
  await sparklines(walk.page, given.base);
  await suggestions(walk.page, given.base, own);
  await inspectAll(walk);
  said.unseen = unseen(patterns, [...walk.seen, ...walk.open]);
  // Browsers say so, too, when a page is refused that has to be.
  const isMeant = (line) => [...refused].some((url) => line.startsWith(`${url}: Failed to load resource: the server responded with a status of 4`));
  said.console = said.console.filter((line) => !isMeant(line));
  // That nothing was found says something only if it would have been.
  await walk.page.evaluate(() => document.querySelector("main").append(document.createElement("button")));
  said.control = [(await violations(walk.page)).length];
  await walk.page.evaluate(() => { document.querySelector("main").lastElementChild.style.width = "2000px"; });
  said.control.push((await overflowOnPhone(walk.page)).length);
  await walk.page.evaluate(() => { Object.assign(document.querySelector("main").lastElementChild, { className: "spark" }).dataset.steps = "1"; });
  said.control.push((await unread(walk.page)).length);
  return said;
}
