// What people do with pages: fill forms, follow links, read.

/** Fills a form's fields by their names, and sends it with the button of this name. */
export async function send(page, fields, button) {
  for (const [name, value] of Object.entries(fields)) {
    const field = page.locator(`main [name="${name}"]`).first();
    // What it has is looked for below it.
    const hidden = page.locator("main details:not([open])", { has: page.locator(`[name="${name}"]`) });
    while (await hidden.count()) await hidden.first().locator("> summary").click();
    if (typeof value === "boolean") await field.setChecked(value);
    else if ((await field.evaluate((own) => own.tagName)) === "SELECT") await field.selectOption(value);
    else await field.fill(value);
  }
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: button, exact: true }).first().click()]);
}

/** Where the page is, without the console's address. */
export const place = (page) => {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
};

export const text = (page) => page.locator("main").innerText();

/** Says what is missing where it is missed. */
export async function shows(page, ...words) {
  const shown = await text(page);
  for (const word of words) {
    if (!shown.includes(word)) throw new Error(`${page.url()} does not show "${word}":\n${shown}`);
  }
}

export async function follow(page, name) {
  await Promise.all([page.waitForNavigation(), page.getByRole("link", { name, exact: true }).first().click()]);
}

/** Loads the page again until its text is as wanted. */
export async function reloadUntil(page, what, test) {
  const end = Date.now() + 20_000;
  while (!test(await text(page))) {
    if (Date.now() > end) throw new Error(`it never happened: ${what}:\n${await text(page)}`);
    await page.reload();
  }
}
