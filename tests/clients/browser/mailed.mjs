// What is other where email is configured: invitations, alerts, reports, passwords and subscriptions, in a program of its own.
import { send, shows } from "./forms.mjs";

/** `given.mail` is that program: `{ base, email, password, website, status, confirm }`, with a link to confirm for each walk. */
export async function useEmail(walk) {
  await letPeopleIn(walk);
  const { given: { tag, mail }, scripted } = walk;
  const reader = await walk.enter();
  await walk.load(reader, `${mail.base}/reset`);
  await walk.post(reader, { email: mail.email }, "Send reset link", "a reset link is on its way");
  await walk.load(reader, mail.status);
  await walk.look(reader);
  await walk.post(reader, { address: `${tag}@example.com` }, "Subscribe", "A message is on its way");
  await walk.load(reader, mail.confirm[Number(scripted)]);
  await walk.look(reader);
  await walk.post(reader, {}, "Confirm subscription", "You are subscribed");
  await reader.context().close();
}

/** An invitation, an alert and a report by email. */
async function letPeopleIn(walk) {
  const { given: { tag, mail } } = walk;
  const page = await walk.enter();
  await walk.load(page, `${mail.base}/login`);
  await send(page, { email: mail.email, password: mail.password }, "Sign in");
  await walk.load(page, `${mail.base}/console/members`);
  await walk.post(page, { email: `${tag}-guest@example.com` }, "Invite member", "The link is sent by email.");
  await walk.load(page, `${mail.base}/console/alarms/new`);
  await walk.look(page);
  const to = { "destinations.0.type": "email", "destinations.0.identifier": "ops@example.com" };
  await send(page, { name: "Down", ...to }, "Create alert");
  await shows(page, "Down", "No alerts yet");
  await walk.look(page);
  await walk.post(page, {}, "Send test", "email: test delivered");
  await walk.load(page, `${mail.base}/console/site/${mail.website}/scheduled-reports`);
  await walk.post(page, { recipient: `${tag}@example.com` }, "Add recipient", "Recipient added.", "Waiting for confirmation");
  await page.context().close();
}
