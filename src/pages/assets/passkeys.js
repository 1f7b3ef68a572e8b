// Passkeys: forms that the browser's own dialog fills. They are shown where there is one.
(() => {
  "use strict";
  const keys = window.PublicKeyCredential;
  if (!keys || !keys.parseCreationOptionsFromJSON || !keys.parseRequestOptionsFromJSON) return;

  const use = async (options) => {
    if (options) return navigator.credentials.create({ publicKey: keys.parseCreationOptionsFromJSON(JSON.parse(options)) });
    const asked = await fetch("/api/auth/passkey/generate-authenticate-options");
    return navigator.credentials.get({ publicKey: keys.parseRequestOptionsFromJSON(await asked.json()) });
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    // A passkey belongs to one host.
    if (form.dataset.passkey !== location.hostname) continue;
    form.hidden = false;
    for (const other of document.querySelectorAll("[data-no-passkey]")) other.hidden = true;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const [button, wrong] = [form.querySelector("button"), form.querySelector("[role=alert]")];
      button.disabled = true;
      wrong.hidden = true;
      try {
        const credential = await use(form.dataset.options);
        form.elements.credential.value = JSON.stringify(credential.toJSON());
        form.submit();
      } catch {
        wrong.hidden = false;
        button.disabled = false;
      }
    });
  }
})();
