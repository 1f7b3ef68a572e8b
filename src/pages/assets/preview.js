// Previews that follow what is typed in a form. Without this, a button or the next page shows them.
(() => {
  "use strict";
  // `from` is the id of what is taken from the answer; nothing is asked while `read` gives nothing.
  const follow = (form, place, delay, read, ask, { from = place.id, events = ["input"] } = {}) => {
    let wait, last = "";
    const look = async () => {
      const sent = read();
      if (!sent || sent === last) return;
      last = sent;
      try {
        const answer = await ask(sent);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(from);
        if (fresh && sent === read()) place.replaceChildren(...fresh.childNodes);
      } catch {}
    };
    for (const event of events) form.addEventListener(event, () => { clearTimeout(wait); wait = setTimeout(look, delay); });
  };

  // A button that sends the form for its preview.
  for (const button of document.querySelectorAll("button[data-preview]")) {
    const form = button.form;
    const read = () => new URLSearchParams(new FormData(form)).toString();
    follow(form, document.getElementById(button.dataset.preview), 800, read, (sent) => {
      const body = new URLSearchParams(sent);
      body.set(button.name, button.value);
      return fetch(form.getAttribute("action"), { method: "POST", body });
    });
  }

  // Values that complete a filter.
  for (const form of document.querySelectorAll("form[data-suggest]")) {
    const read = () => new URLSearchParams(new FormData(form)).toString();
    follow(form, form.querySelector("datalist"), 150, read, (sent) => fetch(`${form.dataset.suggest}?${sent}`));
    form.parentElement.addEventListener("toggle", () => form.dispatchEvent(new Event("input")), { once: true });
  }

  // Values that complete saved filters: those of the field in the same row.
  const list = document.getElementById("row-values");
  const site = /^\/console\/site\/[^/]+/.exec(location.pathname);
  if (list && site) {
    const read = () => {
      const row = document.activeElement?.closest(".inline");
      const typed = (name) => row?.querySelector(`[name$=".${name}"]`)?.value ?? "";
      return typed("field") && new URLSearchParams({ field: typed("field"), value: typed("value") }).toString();
    };
    follow(list.closest("form"), list, 150, read, (sent) => fetch(`${site[0]}/values?${sent}`), { from: "values", events: ["input", "focusin"] });
  }

  // A link's QR code and social card, from a page of their own.
  const place = document.querySelector("[data-link-preview]");
  const form = place?.closest("form");
  if (!form) return;
  const fields = ["domain", "slug", "name", "targetUrl", "ogTitle", "ogDescription", "ogImageUrl"];
  const read = () => new URLSearchParams(fields.map((name) => [name, form.elements[name]?.value ?? ""])).toString();
  follow(form, place, 200, read, (sent) => fetch(`${place.dataset.linkPreview}?${sent}`));
})();
