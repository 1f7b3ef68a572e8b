// Documents whose owners wrote whatever they liked into them: nothing of it may do anything.

/** What does something by itself, wherever it came from. */
export const ACTIVE = "script, iframe, object, embed, base, meta[http-equiv], link[rel=stylesheet], img, video, audio, math, template, animate, svg svg";

/** Looks for elements and attributes that act, and pokes at everything there is. */
export const poke = ([active, harmless]) => {
  const found = [];
  for (const element of document.querySelectorAll(active)) found.push(element.outerHTML.slice(0, 200));
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      // The script of charts places its card, and nothing else.
      const places = name === "style" && /^((left|top|width): [\d.]+(px|%);? ?)*$/.test(value);
      const acts = name.startsWith("on") || (name === "style" && !places) || name === "srcdoc";
      const leads = ["href", "xlink:href", "src", "action", "formaction"].includes(name) && !new RegExp(harmless).test(value);
      if (acts || leads) found.push(`${name}="${value}"`.slice(0, 200));
    }
    for (const type of ["mouseover", "focus", "blur", "toggle", "load", "error"]) element.dispatchEvent(new Event(type));
  }
  return found;
};

/** Has a page keep what its policy stops. */
export const watched = (page) =>
  page.addInitScript(() => {
    window.reports = [];
    document.addEventListener("securitypolicyviolation", (event) => {
      window.reports.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });

/** Does what nobody may; gives how much of it was kept by [`watched`]. */
export const provoke = (page) =>
  page.evaluate(async () => {
    const reported = new Promise((done) => document.addEventListener("securitypolicyviolation", done));
    const holder = document.createElement("div");
    holder.innerHTML = "<img src=x onerror=alert(1)>";
    document.body.append(holder);
    await reported;
    return window.reports.length;
  });

/** Visits documents (addresses as JSON in place of a client id), and says what they did. */
export async function inert({ site, visitor }) {
  const page = await visitor({ javaScriptEnabled: true });
  const said = { dialogs: [], popups: 0, requests: [], reports: [], found: [], titles: [] };
  await watched(page);
  page.on("dialog", async (dialog) => {
    said.dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  page.on("popup", () => { said.popups += 1; });
  let wanted = "";
  let watching = true;
  page.on("request", (request) => {
    if (watching && request.url() !== wanted && !request.url().endsWith("/favicon.ico")) said.requests.push(request.url());
  });
  for (const url of JSON.parse(site.clientId)) {
    wanted = url;
    const response = await page.goto(url, { waitUntil: "load" });
    const type = response.headers()["content-type"];
    if (type.startsWith("text/html") || type.startsWith("image/svg")) {
      said.found.push(...(await page.evaluate(poke, [ACTIVE, "^(https?:|mailto:|#|[?]lang=[a-z]{2}$)"])).map((what) => `${url}: ${what}`));
    }
    if (type.startsWith("text/html")) {
      said.titles.push(await page.evaluate(() => document.querySelector("h1").textContent));
    }
    said.reports.push(...(await page.evaluate(() => window.reports)).map((what) => `${url}: ${what}`));
  }
  watching = false;
  // That nothing was seen says something only if it would have been.
  await page.goto((wanted = JSON.parse(site.clientId)[0]), { waitUntil: "load" });
  said.control = await provoke(page);
  return said;
}
