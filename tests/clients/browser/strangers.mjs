// What people see without an account: the sign-in, status pages, shared dashboards and short links.
import { send, shows } from "./forms.mjs";
import { HOOK, PASSWORD } from "./resources.mjs";

/** Visits what strangers may see of what was created; `urls` is of [`createEverything`]. */
export async function meetStrangers(walk, urls) {
  const page = await walk.enter();
  const visit = async (url, status = 200) => {
    await walk.load(page, url, status);
    walk.open.add(new URL(url).pathname);
    await walk.look(page);
  };
  await signIn(walk, page, visit);
  await readStatus(walk, page, visit);
  for (const url of [...urls.shares, urls.public]) await visit(url);
  await unlock(walk, page, visit, urls.locked);
  await followLinks(walk, page, visit);
  await accept(walk, page, visit, urls.invitation);
  await page.context().close();
}

async function signIn(walk, page, visit) {
  const { base, email } = walk.given;
  for (const path of ["/login", "/login?done=out", "/login/sso", "/login/code", "/reset"]) await visit(base + path);
  await walk.post(page, { email }, "Send reset link", "Email isn't configured");
  await visit(`${base}/reset/none`);
  await walk.post(page, { password: "one password", again: "another one" }, "Set password", "The passwords don't match");
  for (const path of ["/invite/none", "/share/0123456789abcdefghijAZ"]) await visit(base + path, 404);
}

/** A page with an incident and maintenance, its subscriptions, one with a password, and links that lead nowhere. */
async function readStatus(walk, page, visit) {
  const { base, tag } = walk.given;
  const status = `${base}/status/${tag}-status`;
  await visit(status);
  await shows(page, "Slow", "New database", "Backup");
  await walk.post(page, { address: "nobody" }, "Subscribe", "Enter");
  await visit(status);
  await walk.post(page, { address: HOOK }, "Subscribe", "A message is on its way");
  await unlock(walk, page, visit, `${base}/status/${tag}-private`);
  await visit(`${base}/status/none`, 404);
  await visit(`${base}/subscriptions/none`, 400);
}

async function unlock(walk, page, visit, url) {
  await visit(url, 403);
  await walk.post(page, { password: "battery staple" }, "Continue", "Wrong password");
  await send(page, { password: PASSWORD }, "Continue");
  await walk.look(page);
}

async function followLinks(walk, page, visit) {
  const { links, tag } = walk.given;
  await visit(`${links}/${tag}-locked`, 403);
  await walk.post(page, { password: "battery staple" }, "Open link", "Wrong password");
  await visit(`${links}/none`, 404);
}

/** Follows the link of an invitation, and is a member then. */
async function accept(walk, page, visit, url) {
  await visit(url);
  await walk.post(page, { name: "Grace", password: PASSWORD, again: "another one" }, "Create account", "The passwords don't match");
  await send(page, { name: "Grace", password: PASSWORD, again: PASSWORD }, "Create account");
  await shows(page, "Shop");
  await walk.look(page);
}
