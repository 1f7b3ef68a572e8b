// What visitors do. Nothing here waits for a time: it waits until the page, or the site, has seen something.

/** Waits until the page has sent an item that `test` accepts. */
const seen = (page, test, argument) =>
  page.waitForFunction(([test, argument]) => window.seen.some((item) => new Function("item", "argument", `return ${test}`)(item, argument)), [test, argument]);

/** Waits until the site has seen what `test` accepts. */
async function until(what, test) {
  const end = Date.now() + 20_000;
  while (!test()) {
    if (Date.now() > end) throw new Error(`it never happened: ${what}`);
    await new Promise((done) => setImmediate(done));
  }
}

/** A whole visit: landing, reading, clicking, failing, three routes, and away. */
export async function visit({ site, visitor }) {
  site.attributes = { "data-mask-patterns": '["/account/*"]', "data-skip-patterns": '["/admin/**"]' };
  site.body = `
    <div id="late"></div>
    <button id="declared" data-track="signup_clicked" data-plan-name="pro">Sign up</button>
    <button id="fail" onclick="Promise.reject(new RangeError('too late')); throw new TypeError('boom')">Fail</button>
    <a id="out" target="_blank" href="${site.url("/docs?page=2", "other.example.org")}">Read   the docs</a>
    <a id="inside" href="#more">More</a>
    <p style="height: 3000px">Long.</p>
    <script>
      // A shift that no visitor brought about.
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { late.style.height = "200px"; }, 50)));
    </script>`;
  const page = await visitor();
  await page.goto(site.url("/start?utm_source=news&utm_campaign=spring&gclid=abc&secret=1"), {
    referer: "https://www.google.com/search",
  });
  await seen(page, "item.name === 'screen_view'");
  await page.mouse.move(500, 300);
  await page.mouse.wheel(0, 10_000);
  await page.waitForFunction(() => scrollY + innerHeight >= document.documentElement.scrollHeight - 1);
  await page.evaluate(() => scrollTo(0, 0));
  await page.click("#declared");
  await page.evaluate(() => {
    pharos.setGlobalProperties({ tier: "gold" });
    pharos.track("api_event", { value: 3 });
  });
  await page.click("#fail");
  await seen(page, "item.errorType === 'RangeError'");
  const [opened] = await Promise.all([page.context().waitForEvent("page"), page.click("#out")]);
  await opened.close();
  await page.click("#inside");
  await seen(page, "item.metricName === 'FPS'");

  await page.evaluate(() => history.pushState({}, "", "/account/42?token=x"));
  await seen(page, "item.name === 'screen_view' && item.path.endsWith('/account/*')");
  await page.evaluate(() => history.pushState({}, "", "/admin/users"));
  await seen(page, "item.name === 'page_exit' && item.path.endsWith('/account/*')");
  await page.evaluate(() => pharos.track("never_sent"));
  await page.evaluate(() => history.replaceState({}, "", "/done"));
  await seen(page, "item.name === 'screen_view' && item.path.endsWith('/done')");
  await page.goBack();
  await seen(page, "item.name === 'page_exit' && item.path.endsWith('/done')");
  const items = await page.evaluate(() => seen);
  await page.goto(site.elsewhere);
  return { items };
}

const VISITORS_WHO_OPTED_OUT = {
  "by the storage": () => localStorage.setItem("databuddy_opt_out", "true"),
  "by the older key": () => localStorage.setItem("databuddy_disabled", "true"),
  "by a variable": () => { window.databuddyOptedOut = true; },
  "by GPC": () => Object.defineProperty(navigator, "globalPrivacyControl", { get: () => true }),
  "by DNT": () => Object.defineProperty(navigator, "doNotTrack", { get: () => "1" }),
};

/** Visitors and pages that are not tracked, and one at the end who is. */
export async function silent({ site, visitor }) {
  site.script = "/stats/pharos.js";
  site.body = `<button id="button" data-track="clicked" onclick="throw new Error('boom')">Go</button>
    <a id="out" href="${site.elsewhere}">Out</a>`;
  const stored = {};
  const usual = { "data-api-url": "/stats" };
  const act = async (name, { attributes = {}, prepare, host, path = "/", options } = {}) => {
    site.attributes = { ...usual, ...attributes };
    const page = await visitor(options);
    if (prepare) await page.addInitScript(prepare);
    await page.goto(site.url(path, host));
    await page.waitForFunction(() => window.pharos?.options);
    await page.click("#button");
    await page.evaluate(() => {
      pharos.track("said");
      pharos.identify("user_1", { plan: "pro" });
      pharos.screenView();
      pharos.flush();
      history.pushState({}, "", "?more");
    });
    stored[name] = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((key) => key.startsWith("did")));
    await page.click("#out");
    await page.waitForURL(site.elsewhere);
    await page.context().close();
  };
  for (const [name, prepare] of Object.entries(VISITORS_WHO_OPTED_OUT)) await act(name, { prepare });
  await act("disabled", { attributes: { "data-disabled": "true" } });
  await act("without a client id", { attributes: { "data-client-id": null } });
  await act("automated", { attributes: { "data-ignore-bot-detection": "false" } });
  await act("headless", {
    attributes: { "data-ignore-bot-detection": null },
    options: { userAgent: "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0.0.0 Safari/537.36" },
    prepare: () => Object.defineProperty(navigator, "webdriver", { get: () => false }),
  });
  await act("on a developer's machine", { host: "localhost" });
  await act("on a skipped page", { attributes: { "data-skip-patterns": '["/admin/**"]' }, path: "/admin" });
  await act("not in the sample", { attributes: { "data-sampling-rate": "0" } });
  const before = site.sent.length;

  // The same acts are seen when nothing stands against it; everything before has had its time.
  await act("seen", { attributes: { "data-sampling-rate": "1" } });
  await until("the visit of who is tracked", () => site.sent.some(({ path, body }) => path === "/batch" && body.includes("page_exit")));
  const routes = [...new Set(site.sent.slice(before).map(({ path }) => path))].sort();

  // Who leaves while the page is open is let go at once, and may come back.
  site.attributes = usual;
  const page = await visitor();
  await page.goto(site.url("/choice"));
  await page.waitForFunction(() => seen.length > 0);
  const left = await page.evaluate(() => {
    window.databuddyOptOut();
    const known = seen.length;
    pharos.track("after_leaving");
    return { more: seen.length - known, did: localStorage.did ?? null, out: localStorage.databuddy_opt_out };
  });
  await page.evaluate(() => {
    window.databuddyOptIn();
    pharos.track("after_coming_back");
    pharos.flush();
  });
  await until("the return", () => site.sent.some(({ body }) => body.includes("after_coming_back")));
  const leaked = site.sent.some(({ body }) => body.includes("after_leaving"));
  return { before, routes, stored, left, leaked };
}

/** Five views of a page that frustrates, with the browser's clock in hand. */
export async function frustration({ site, visitor }) {
  site.body = `
    <button id="dead">Buy 2 now</button>
    <button id="live" onclick="this.textContent += '.'">Count</button>
    <p id="text">Three quick clicks select this paragraph.</p>
    <form><input id="name" name="full_name"><input id="mail" name="email" type="email"></form>
    <p style="height: 4000px"></p>`;
  const page = await visitor();
  await page.clock.install();
  const spans = [];
  for (let view = 0; view < 5; view++) {
    await page.goto(site.url(`/form?view=${view}`));
    await seen(page, "item.name === 'screen_view'");
    await page.clock.runFor(2_000);
    await page.click("#live");
    await page.clock.runFor(1_500);
    for (let click = 0; click < 4; click++) await page.click("#dead");
    await page.clock.runFor(1_500);
    await page.click("#text", { clickCount: 3 });
    await page.fill("#name", "Jane Doe");
    await page.click("#mail");
    await page.keyboard.type("secret");
    // A minute without a sign of life.
    await page.clock.runFor(60_000);
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
    spans.push(...(await page.evaluate(() => seen.filter((item) => item.exitType))));
  }
  await page.goto(site.elsewhere);
  return { spans };
}

/** Trouble on the way: refused, lost on the way back, too much at the end, one item that is wrong. */
export async function delivery({ site, visitor }) {
  site.script = "/stats/pharos.js";
  site.attributes = { "data-api-url": "/stats", "data-batch-size": "2" };
  const page = await visitor();
  await page.clock.install();
  site.failures = ["down", "lost", "down"];
  await page.goto(site.url("/trouble"));
  await seen(page, "item.name === 'screen_view'");
  await page.evaluate(() => pharos.flush());
  const attempts = () => site.sent.filter(({ path }) => path === "/batch");
  for (let attempt = 1; attempt <= 4; attempt++) {
    await until(`attempt ${attempt}`, () => attempts().length >= attempt && attempts()[attempt - 1].status);
    if (attempt < 4) await page.clock.runFor(700 * 2 ** (attempt - 1));
  }
  const tries = attempts().map(({ status, body }) => ({ status, id: JSON.parse(body)[0].eventId }));

  await page.evaluate(() => {
    pharos.track("good_before");
    pharos.track("too_large", { text: "x".repeat(40_000) });
    pharos.track("good_after");
    pharos.flush();
  });
  const kept = (name) => site.sent.some(({ path, body, status }) => path === "/track" && status === 200 && body.includes(name));
  await until("the good ones", () => kept("good_before") && kept("good_after"));

  // Held back until the page goes away: 48 kB of text that is three bytes a character.
  const from = site.requests.length;
  await page.evaluate(() => {
    pharos.options.batchSize = 100;
    for (let nth = 0; nth < 16; nth++) pharos.track("at_the_end", { nth, text: "語".repeat(1_000) });
  });
  await page.goto(site.elsewhere);
  const beacons = () => site.requests.slice(from).filter(({ path }) => path === "/track");
  const events = () => beacons().flatMap(({ body }) => JSON.parse(body));
  await until("sixteen events", () => events().length >= 16 && beacons().every(({ status }) => status));
  return { tries, beacons: beacons().map(({ bytes, type, status }) => ({ bytes, type, status })), events: events().length };
}

/** Who comes back, who is somebody, and who is handed over from another site; all through the site's own address. */
export async function people({ site, visitor }) {
  site.script = "/stats/app.js";
  site.attributes = { "data-api-url": "/stats" };
  const page = await visitor();
  await page.goto(site.url("/one"));
  await seen(page, "item.name === 'screen_view'");
  const first = await page.evaluate(() => pharos.getTrackingIds());
  await page.evaluate(() => pharos.identify("user_1", { plan: "pro" }));
  await page.goto(site.url("/two?gclid=ad7"));
  await seen(page, "item.name === 'screen_view'");
  const second = await page.evaluate(() => pharos.getTrackingIds());
  await page.evaluate(() => pharos.track("bought"));
  const view = await page.evaluate(() => seen.find((item) => item.name === "screen_view"));
  await page.goto(site.url("/three"));
  await seen(page, "item.name === 'screen_view'");
  await page.evaluate(() => pharos.track("paid"));
  const paid = await page.evaluate(() => seen.find((item) => item.name === "paid"));
  const storage = await page.evaluate(() => ({ local: { ...localStorage }, session: { ...sessionStorage } }));
  const after = await page.evaluate(() => {
    pharos.clearProfile();
    const profile = pharos.getProfileId();
    pharos.clear();
    return { profile, ids: pharos.getTrackingIds() };
  });
  await page.goto(site.elsewhere);

  const other = await visitor();
  const ids = { anonId: "anon_11111111-2222-4333-8444-555555555555", sessionId: "sess_11111111-2222-4333-8444-666666666666" };
  await other.goto(site.url(`/four?${new URLSearchParams(ids)}`));
  await seen(other, "item.name === 'screen_view'");
  const handed = await other.evaluate(() => pharos.getTrackingIds());
  await other.goto(site.url(`/five?${new URLSearchParams({ anonId: "<script>", sessionId: "sess_1" })}`));
  await seen(other, "item.name === 'screen_view'");
  const kept = await other.evaluate(() => pharos.getTrackingIds());
  await other.goto(site.elsewhere);
  await until("two visits", () => site.sent.filter(({ body, status }) => status && body.includes("page_exit")).length >= 5);
  const identified = site.sent.filter(({ path }) => path === "/identify").map(({ body }) => JSON.parse(body));
  return { first, second, view, paid, storage, after, ids, handed, kept, identified };
}

/** Routes in the hash, redirects of a router, a page that is hidden, options in the script's address, the SDK. */
export async function routing({ site, visitor }) {
  const views = (page) => page.evaluate(() => seen.filter((item) => item.name === "screen_view").map(({ path, title }) => [new URL(path).pathname + new URL(path).hash, title]));
  const page = await visitor();
  site.attributes = { "data-track-hash-changes": "", "data-mask-patterns": '["/app#/users/*"]', "data-batch-size": "50" };
  await page.goto(site.url("/app#/home"));
  await seen(page, "item.path.endsWith('#/home')");
  await page.evaluate(() => { location.hash = "#/users/7?token=x"; });
  await seen(page, "item.path.endsWith('#/users/*')");
  await page.evaluate(() => {
    // A route that redirects, and names itself once it is drawn.
    history.pushState({}, "", "/old");
    history.replaceState({}, "", "/new");
    history.replaceState({}, "", "/new?tab=2");
    queueMicrotask(() => { document.title = "The new page"; });
  });
  await seen(page, "item.path.endsWith('/new')");
  const hashed = await views(page);

  // Hidden: what waits is sent, and vitals are final; the page is still there.
  const before = await page.evaluate(() => seen.length);
  const answered = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/batch");
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { get: () => true });
    dispatchEvent(new Event("visibilitychange"));
  });
  const batch = (await answered).request().postDataJSON().map(({ name }) => name);
  const whenHidden = await page.evaluate((before) => seen.slice(before).map(({ metricName }) => metricName), before);
  await page.goto(site.elsewhere);

  site.attributes = { "data-client-id": null, "data-ignore-bot-detection": null };
  site.script = `http://stats.example.com:${site.track.port}/databuddy.js?clientId=${site.clientId}&ignoreBotDetection=true&trackErrors=false`;
  await page.goto(site.url("/plain#/a"));
  await seen(page, "item.name === 'screen_view'");
  await page.evaluate(() => { location.hash = "#/b"; });
  await page.evaluate(() => history.pushState({}, "", "/plain?query=1"));
  await page.evaluate(() => history.pushState({}, "", "/plain/next"));
  await seen(page, "item.path.endsWith('/plain/next')");
  const plain = await views(page);
  const options = await page.evaluate(() => pharos.options);
  await page.goto(site.elsewhere);

  site.script = "";
  const config = {
    clientId: site.clientId, scriptUrl: site.url("/stats/pharos.js"), apiUrl: site.url("/stats"), ignoreBotDetection: true,
    samplingRate: 1, skipPatterns: ["/nowhere"], trackWebVitals: false,
  };
  site.body = `<script type="module">
    import { createScript, identify, track } from "/sdk/core/index.mjs";
    track("from_the_sdk", { early: true });
    identify("user_sdk");
    document.head.append(createScript(${JSON.stringify(config)}));
  </script>`;
  await page.goto(site.url("/sdk-page"));
  await seen(page, "item.name === 'from_the_sdk'");
  await seen(page, "item.profileId === 'user_sdk'");
  const sdk = await page.evaluate(() => window.databuddy.options.skipPatterns);
  await page.goto(site.elsewhere);
  await until("the SDK's event", () => site.sent.some(({ path, status }) => path === "/track" && status === 200));
  return { hashed, batch, whenHidden, plain, options, sdk };
}
