// Comfort for pages that work without it.
(() => {
  "use strict";
  const all = (what, root = document) => root.querySelectorAll(what);

  // Which time zone "the browser's" is, for who prefers that.
  try {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (zone && !document.cookie.includes("pharos_zone=" + encodeURIComponent(zone))) {
      document.cookie = "pharos_zone=" + encodeURIComponent(zone) + ";path=/;max-age=31536000;samesite=lax";
    }
  } catch {}

  // One menu is open at a time, and none after a click elsewhere or Escape.
  const shut = (but) => { for (const menu of all("details.menu[open]")) if (menu !== but) menu.open = false; };
  document.addEventListener("click", (event) => shut(event.target.closest("details.menu")));
  document.addEventListener("keydown", (event) => {
    const open = document.querySelector("details.menu[open]");
    if (event.key === "Escape" && open) { open.open = false; open.querySelector("summary").focus(); }
  });

  const prepare = (root) => {
    for (const button of all("[data-copy]", root)) {
      if (!navigator.clipboard) continue;
      button.hidden = false;
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
        button.textContent = "Copied";
      });
    }
    for (const select of all("[data-submit]", root)) {
      select.addEventListener("change", () => select.form.requestSubmit());
    }
    for (const form of all("form[data-confirm]", root)) {
      form.addEventListener("submit", (event) => { if (!confirm(form.dataset.confirm)) event.preventDefault(); });
    }
  };
  prepare(document);

  // Parts that are looked at again every so many seconds: the same page, of which only they are taken.
  for (const part of all("[data-live]")) {
    const again = async () => {
      if (document.hidden) return;
      try {
        const answer = await fetch(location.href, { headers: { accept: "text/html" } });
        if (!answer.ok || answer.redirected) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(part.id);
        if (fresh && fresh.innerHTML !== part.innerHTML && !part.contains(document.activeElement)) {
          part.replaceChildren(...fresh.childNodes);
          prepare(part);
        }
      } catch {}
    };
    setInterval(again, 1000 * Number(part.dataset.live));
  }
})();
