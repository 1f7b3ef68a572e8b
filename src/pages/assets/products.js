// A link's preview while its form is filled; without this its page shows the same.
(() => {
  "use strict";
  const place = document.querySelector("[data-link-preview]");
  const form = place?.closest("form");
  if (!form) return;
  const fields = ["slug", "name", "targetUrl", "ogTitle", "ogDescription", "ogImageUrl"];
  let wait;
  let last = "";
  const show = async () => {
    const query = new URLSearchParams(fields.map((name) => [name, form.elements[name]?.value ?? ""])).toString();
    if (query === last) return;
    last = query;
    try {
      const answer = await fetch(`${place.dataset.linkPreview}?${query}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("main #preview");
      if (fresh && query === last) place.replaceChildren(...fresh.childNodes);
    } catch {}
  };
  form.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(show, 200); });
})();
