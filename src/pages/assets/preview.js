// Previews of forms that follow what is typed. Without this, the button shows them.
(() => {
  "use strict";
  for (const button of document.querySelectorAll("button[data-preview]")) {
    const form = button.form;
    let wait, last = "";
    const look = async () => {
      const body = new URLSearchParams(new FormData(form));
      if (body.toString() === last) return;
      last = body.toString();
      body.set(button.name, button.value);
      try {
        const answer = await fetch(form.getAttribute("action"), { method: "POST", body });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(button.dataset.preview);
        const now = new URLSearchParams(new FormData(form)).toString();
        if (fresh && now === last) document.getElementById(button.dataset.preview).replaceChildren(...fresh.childNodes);
      } catch {}
    };
    form.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(look, 800); });
  }
})();
