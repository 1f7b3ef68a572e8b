// Waiting for what happens, never for a time.

/** Waits until the page has sent an item that `test` accepts. */
export const seen = (page, test, argument) =>
  page.waitForFunction(([test, argument]) => window.seen.some((item) => new Function("item", "argument", `return ${test}`)(item, argument)), [test, argument]);

/** Waits until the site has seen what `test` accepts. */
export async function until(what, test) {
  const end = Date.now() + 20_000;
  while (!test()) {
    if (Date.now() > end) throw new Error(`it never happened: ${what}`);
    await new Promise((done) => setImmediate(done));
  }
}
