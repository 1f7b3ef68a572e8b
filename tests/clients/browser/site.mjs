// A website of ours: every path is a page, and `/stats` hands on to the program, as a first-party proxy does.
import { readFile } from "node:fs/promises";
import { createServer, request } from "node:http";

const SDK = new URL("../node_modules/@databuddy/sdk/dist/", import.meta.url);

export class Site {
  /** What went through `/stats`, in order: `{ method, path, query, type, body, status }`. */
  requests = [];
  /** How often in a row `/stats` fails before it works; `"lost"` hands on, and loses the answer. */
  failures = [];
  /** The script's address (empty: none), its tag's attributes, what stands in front of it and what the page shows. */
  script = null;
  attributes = {};
  head = "";
  body = "";

  static async open(track, clientId) {
    const site = new Site();
    site.track = track;
    site.clientId = clientId;
    site.server = createServer((from, to) => site.#answer(from, to));
    await new Promise((done) => site.server.listen(0, "127.0.0.1", done));
    site.port = site.server.address().port;
    return site;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  url(path, host = "shop.example.com") {
    return `http://${host}:${this.port}${path}`;
  }

  /** A page without the tracker, of the same site: on the way to another one a browser under load may stop what the
   * page still does. */
  get elsewhere() {
    return this.url("/bye");
  }

  /** What `/stats` took in, the script aside. */
  get sent() {
    return this.requests.filter(({ path }) => !path.endsWith(".js"));
  }

  #page() {
    const attributes = Object.entries({ "data-client-id": this.clientId, "data-ignore-bot-detection": "", ...this.attributes })
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}='${value}'`)
      .join(" ");
    const script = this.script ?? `http://stats.example.com:${this.track.port}/pharos.js`;
    const tag = script && `<script defer src="${script}" ${attributes}></script>`;
    return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
      <script>window.seen = []; window.pharosConfig = { filter: (item) => { seen.push(item); } };</script>
      ${this.head}${tag}</head><body>${this.body}</body></html>`;
  }

  #answer(from, to) {
    const { pathname, search } = new URL(from.url, "http://site");
    if (pathname.startsWith("/stats/")) return this.#hand(from, to, pathname.slice("/stats".length), search);
    if (pathname.startsWith("/sdk/")) {
      to.setHeader("content-type", "text/javascript");
      return void readFile(new URL(pathname.slice("/sdk/".length), SDK)).then((module) => to.end(module));
    }
    to.setHeader("content-type", "text/html; charset=utf-8");
    to.end(["/favicon.ico", "/bye", "/docs"].includes(pathname) ? "<title>Bye</title>" : this.#page());
  }

  #hand(from, to, path, query) {
    const parts = [];
    from.on("data", (part) => parts.push(part));
    from.on("end", () => {
      const body = Buffer.concat(parts);
      const seen = { method: from.method, path, query, type: from.headers["content-type"], body: body.toString(), bytes: body.length };
      this.requests.push(seen);
      const failure = from.method === "POST" ? this.failures.shift() : undefined;
      const fail = () => {
        seen.status = 503;
        to.writeHead(503).end();
      };
      if (failure === "down") return fail();
      const { cookie, ...headers } = from.headers;
      headers["x-forwarded-for"] = "8.8.8.8";
      const onward = request(new URL(path + query, this.track), { method: from.method, headers }, (answer) => {
        if (failure === "lost") return answer.resume().on("end", fail);
        seen.status = answer.statusCode;
        to.writeHead(answer.statusCode, answer.headers);
        answer.pipe(to);
      });
      onward.on("error", fail);
      onward.end(body);
    });
  }
}
