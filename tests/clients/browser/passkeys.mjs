// Passkeys in a real browser, with an authenticator that its debugging port gives it.
import { shows } from "./forms.mjs";
import { listen } from "./look.mjs";

async function press(page, name) {
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name, exact: true }).click()]);
}

async function password(page, given) {
  await page.goto(`${given.base}/login`);
  await page.locator("[name=email]").fill(given.email);
  await page.locator("[name=password]").fill(given.password);
  await press(page, "Sign in");
}

/** An authenticator that checks its person, and says yes by itself. */
async function authenticator(page) {
  const port = await page.context().newCDPSession(page);
  await port.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
    automaticPresenceSimulation: true,
  };
  const { authenticatorId } = await port.send("WebAuthn.addVirtualAuthenticator", { options });
  const verify = (isUserVerified) => port.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  const credentials = async () => (await port.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
  return { verify, credentials };
}

export async function passkeys({ site, visitor }) {
  const given = JSON.parse(site.clientId);
  const said = { console: [] };
  const page = await visitor();
  listen(page, said);
  const { verify, credentials } = await authenticator(page);

  await password(page, given);
  await page.goto(`${given.base}/console/account/passkeys`);
  await shows(page, "No passkeys yet");
  await page.locator("[name=name]").fill("Laptop");
  await press(page, "Add passkey");
  await press(page, "Create passkey");
  await shows(page, "Passkey added", "Backup codes", "Laptop");
  said.credentials = await credentials();

  // Without a password, and as the second factor.
  await page.context().clearCookies();
  await page.goto(`${given.base}/login?next=/console/account`);
  await press(page, "Sign in with a passkey");
  await shows(page, "Your account", "Passkey");
  said.next = new URL(page.url()).pathname;
  await page.context().clearCookies();
  await password(page, given);
  await shows(page, "Enter a backup code");
  await press(page, "Use a passkey");
  await shows(page, "Websites");

  // Without a person whom the authenticator has checked there is none.
  await page.context().clearCookies();
  await verify(false);
  await page.goto(`${given.base}/login`);
  await page.getByRole("button", { name: "Sign in with a passkey", exact: true }).click();
  await page.getByText("Your browser didn't use a passkey.").waitFor();
  await verify(true);
  await press(page, "Sign in with a passkey");
  await shows(page, "Websites");

  await page.goto(`${given.base}/console/account/passkeys`);
  await press(page, "Remove passkey");
  await shows(page, "Changes saved", "No passkeys yet");
  await page.context().clearCookies();
  await page.goto(`${given.base}/login`);
  await press(page, "Sign in with a passkey");
  await shows(page, "This passkey wasn't accepted");

  // On another host, and where no script runs, there is no button, and the password works.
  const button = (page) => page.locator("form[data-passkey]").isVisible();
  await page.goto(`${given.base.replace("localhost", "127.0.0.1")}/login`);
  said.elsewhere = await button(page);
  const plain = await visitor({ javaScriptEnabled: false });
  await plain.goto(`${given.base}/login`);
  said.plain = await button(plain);
  await password(plain, given);
  await shows(plain, "Websites");
  return said;
}
