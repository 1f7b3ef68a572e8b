// A walk through the program, with or without a script: it remembers which pages it has seen, and what was found on them.
import { place, send, shows } from "./forms.mjs";
import { watched } from "./inert.mjs";
import { inspect, listen, overflowOnPhone, unread } from "./look.mjs";

export class Walk {
  /** Paths of pages that can be visited again, of people who are signed in and of strangers. */
  seen = new Set();
  open = new Set();

  /** `refused` holds the addresses whose answer is a refusal, as it has to be. */
  constructor({ site, visitor, given, said, refused, axe, scripted }) {
    Object.assign(this, { site, visitor, given, said, refused, axe, scripted });
  }

  /** A page of a visitor that the program does not know. */
  async enter() {
    return this.observe(await this.visitor({ javaScriptEnabled: this.scripted }));
  }

  async observe(page) {
    if (this.scripted) await watched(page);
    listen(page, this.said);
    return page;
  }

  /** Looks at a page now. Without a script the checker cannot run. */
  async look(page = this.page) {
    if (this.scripted) return inspect(page, this.said, this.axe);
    this.said.unread.push(...(await unread(page)));
    this.said.overflow.push(...(await overflowOnPhone(page)));
  }

  /** Loads an address, which has to be answered so and by itself. */
  async load(page, url, status = 200) {
    const answer = await page.goto(url);
    // Or with 304, if the browser knows it.
    if (![status, 304].includes(answer.status())) throw new Error(`${url} is answered with ${answer.status()}`);
    if (answer.request().redirectedFrom()) throw new Error(`${url} leads to ${page.url()}`);
    if (status >= 400) this.refused.add(page.url());
  }

  /** Pages with a script are looked at when all of them are known. */
  async #arrive(path) {
    this.seen.add(path);
    if (!this.scripted) await this.look();
  }

  async go(path, status = 200) {
    await this.load(this.page, this.given.base + path, status);
    await this.#arrive(path);
  }

  /** Goes where the first link leads whose address holds this. */
  async visit(part) {
    await this.go(await this.page.locator(`main a[href*="${part}"]`).first().getAttribute("href"));
  }

  /** Creates something with the form of a page; gives the path that this leads to. */
  async make(path, fields, button, ...words) {
    await this.go(path);
    await send(this.page, fields, button);
    await shows(this.page, ...words);
    const made = place(this.page);
    // The answer to a form cannot be visited again.
    if (made === path) await this.look();
    else await this.#arrive(made);
    return made;
  }

  /** Sends a form whose answer is a page that cannot be visited again. */
  async post(page, fields, button, ...words) {
    await send(page, fields, button);
    await shows(page, ...words);
    this.refused.add(page.url());
    await this.look(page);
  }
}

/** Patterns of paths without a page that was seen; the first pattern that fits a path counts. */
export function unseen(patterns, paths) {
  const all = patterns.map((pattern) => ({ pattern, test: new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }));
  const matched = paths.map((path) => all.find(({ test }) => test.test(path.split("?")[0]))?.pattern);
  return patterns.filter((pattern) => !matched.includes(pattern));
}
