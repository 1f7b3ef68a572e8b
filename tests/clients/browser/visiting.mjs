// Whole visits: what there is to see, and how routes are followed.
import { seen, until } from "./wait.mjs";

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
  await page.goto(site.url("/start?utm_source=news&utm_campaign=spring&gclid=abc&ref=0198a7f0-1111-7222-8333-444455556666&secret=1"), {
    referer: "https://www.google.com/search",
  });
  await seen(page, "item.name === 'screen_view'");
  await page.waitForFunction(() => late.offsetHeight === 200);
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

/** Five views of a page that frustrates, with the browser's clock in hand. */
export async function frustration({ site, visitor }) {
  site.body = `
    <button id="dead">Buy 2 now</button>
    <button id="live" onclick="this.textContent += '.'">Count</button>
    <p id="text">Three quick clicks select this paragraph.</p>
    <form><input id="name" name="full_name"><input id="mail" name="email" type="email"></form>
    <p style="height: 4000px"></p>`;
  const page = await visitor();
  // Time passes when the scenario says so, and only then.
  const start = Date.now();
  await page.clock.install({ time: start });
  await page.clock.pauseAt(start + 1_000);
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
  // Into the browser's cache of pages, and out of it.
  await page.evaluate(() => {
    dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  });
  await page.waitForFunction(() => seen.filter((item) => item.path.endsWith("/plain/next") && item.name === "screen_view").length === 2);
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
