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

  // Search while typing; without all this the form leads to a page that does the same.
  const find = document.querySelector("#find");
  const sheet = find && find.form.querySelector(".sheet");
  const links = () => [...all("a", sheet)];
  const look = async () => {
    const words = find.value.trim();
    if (!words) { sheet.hidden = true; return; }
    try {
      const answer = await fetch("/console/search?q=" + encodeURIComponent(words));
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.querySelector("main #found");
      if (!found || words !== find.value.trim()) return;
      sheet.replaceChildren(...found.childNodes);
      sheet.hidden = false;
    } catch {}
  };
  if (find) {
    let wait;
    find.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(look, 120); });
    find.form.addEventListener("keydown", (event) => {
      const choices = sheet.hidden ? [] : links();
      const at = choices.indexOf(document.activeElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
      if (event.key === "Escape") { sheet.hidden = true; find.focus(); }
      else if (event.key === "Enter" && at < 0 && choices.length) { event.preventDefault(); choices[0].click(); }
      else if (to !== undefined && choices.length) { event.preventDefault(); (choices[to] || find).focus(); }
    });
    document.addEventListener("click", (event) => { if (!find.form.contains(event.target)) sheet.hidden = true; });
  }

  // What the keys do, above the page.
  const help = async () => {
    try {
      const answer = await fetch("/console/shortcuts");
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const dialog = document.createElement("dialog");
      dialog.setAttribute("aria-label", "Keyboard shortcuts");
      const close = document.createElement("button");
      close.className = "button";
      close.textContent = "Close";
      close.addEventListener("click", () => dialog.close());
      dialog.addEventListener("close", () => dialog.remove());
      dialog.append(close, page.querySelector("main #keys"));
      document.body.append(dialog);
      dialog.showModal();
    } catch { location.href = "/console/shortcuts"; }
  };

  // What a page itself says that a key does; n presses its main button.
  const press = (event) => {
    const named = document.querySelector(`main [aria-keyshortcuts="${CSS.escape(event.key)}"]`);
    const own = named || (event.key === "n" && document.querySelector("main .actions a.button.first, main .empty a.button.first"));
    if (!own || event.repeat) return;
    event.preventDefault();
    own.click();
    if (own.matches("summary")) own.parentElement.querySelector("select, input:not([type=hidden])")?.focus();
  };

  // Keys: Ctrl K and / search, g and a letter lead to a page, ? says all of them.
  let goes = 0;
  document.addEventListener("keydown", (event) => {
    const search = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input, textarea, select");
    if (!find || (!search && !plain) || document.querySelector("dialog[open]")) return;
    const went = plain && Date.now() < goes && document.querySelector(`nav.side [data-key="${CSS.escape(event.key)}"]`);
    goes = plain && event.key === "g" ? Date.now() + 1500 : 0;
    if (search || event.key === "/") { event.preventDefault(); find.focus(); find.select(); }
    else if (went) went.click();
    else if (event.key === "?") help();
    else if (plain && !goes) press(event);
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
    // The settings of the chosen channel alone.
    for (const row of all("[data-channels]", root)) {
      const [select, settings] = [row.querySelector("select"), row.querySelector("[data-settings]")];
      if (!settings) continue;
      const show = () => {
        const parts = [...all("[data-channel]", settings)];
        for (const part of parts) part.hidden = part.dataset.channel !== select.value;
        settings.hidden = parts.every((part) => part.hidden);
        if (!settings.hidden) settings.open = true;
      };
      select.addEventListener("change", show);
      show();
    }
    for (const form of all("form[data-confirm]", root)) {
      form.addEventListener("submit", (event) => { if (!confirm(form.dataset.confirm)) event.preventDefault(); });
    }
  };
  prepare(document);

  // Groups of the sidebar stay closed, but for the one with this page.
  const CLOSED = "pharos_closed";
  const groups = [...all("nav.side [data-group]")];
  try {
    const closed = (localStorage.getItem(CLOSED) || "").split("|");
    for (const group of groups) {
      if (closed.includes(group.dataset.group) && !group.querySelector("[aria-current]")) group.open = false;
      group.addEventListener("toggle", () => {
        const names = groups.filter((one) => !one.open).map((one) => one.dataset.group);
        localStorage.setItem(CLOSED, names.join("|"));
      });
    }
  } catch {}
  for (const bar of all("nav.side")) {
    const here = bar.querySelector("[aria-current]");
    bar.addEventListener("toggle", () => { if (bar.matches(":popover-open")) here?.scrollIntoView({ block: "nearest" }); });
  }

  // What is wrong with a form is brought into sight.
  const wrong = document.querySelector("main [aria-invalid], main .wrong");
  if (wrong) {
    for (let part = wrong.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    wrong.scrollIntoView({ block: "center" });
    wrong.focus({ preventScroll: true });
  }

  // An answer that is being written, word by word; at its end the page has all of it.
  const talk = document.querySelector("[data-talk]");
  const item = (id) => {
    let own = document.getElementById("m-" + id);
    if (own && !own.matches(".streaming")) return null;
    if (!own) { own = document.createElement("li"); own.id = "m-" + id; own.className = "assistant streaming"; talk.append(own); }
    let words = own.querySelector("[data-heard]");
    if (!words) { words = document.createElement("p"); words.className = "words"; words.dataset.heard = ""; own.replaceChildren(words); }
    return words;
  };
  const hear = async () => {
    const body = JSON.stringify({ id: talk.dataset.talk });
    const answer = await fetch("/agent-chats/resume", { method: "POST", headers: { "content-type": "application/json" }, body });
    // It has come to its end meanwhile.
    if (answer.status === 204) setTimeout(() => location.reload(), 1000);
    if (answer.status !== 200) return;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "";;) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        const name = /^event: (.*)$/m.exec(event)?.[1];
        if (name === "end") { location.reload(); return; }
        if (name !== "text") continue;
        const { messageId, text } = JSON.parse(/^data: (.*)$/m.exec(event)[1]);
        item(messageId)?.append(text);
      }
    }
  };
  if (talk) hear().catch(() => {});

  // Parts that are looked at again every so many seconds: the same page, of which only they are taken.
  for (const part of all("[data-live]")) {
    // As it was sent: scripts have added to what is shown.
    let sent = part.innerHTML;
    const again = async () => {
      if (document.hidden) return;
      try {
        const answer = await fetch(location.href, { headers: { accept: "text/html" } });
        if (!answer.ok || answer.redirected) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(part.id);
        if (fresh && fresh.innerHTML !== sent && !part.contains(document.activeElement) && !part.querySelector("details[open], input:checked")) {
          sent = fresh.innerHTML;
          part.replaceChildren(...fresh.childNodes);
          prepare(part);
        }
      } catch {}
    };
    setInterval(again, 1000 * Number(part.dataset.live));
  }
})();
