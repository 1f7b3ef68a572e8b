// The search of the documentation, and old addresses. Without it the contents lead everywhere.
(() => {
  "use strict";
  const box = document.querySelector(".docs-search");
  const input = box.querySelector("input");
  const sheet = box.querySelector(".sheet");
  const MAX_SHOWN = 12;
  box.hidden = false;

  let index;
  const load = () => {
    index ??= fetch(box.dataset.index)
      .then((answer) => answer.json())
      .then((all) => all.map((entry) => ({
        ...entry,
        title: entry.p.toLowerCase(), heading: entry.h.toLowerCase(), text: entry.t.toLowerCase(),
      })));
    index.catch(() => { index = undefined; });
    return index;
  };

  // Every word has to be there; a word of a title counts more than one of a heading, and that more than one of the text.
  const score = (entry, words) => {
    let sum = entry.h ? 0 : 1;
    for (const word of words) {
      const own = (entry.title.includes(word) && 6) + (entry.heading.includes(word) && 8) + (entry.text.includes(word) && 2);
      if (!own) return 0;
      sum += own;
    }
    return sum;
  };

  const show = (found) => {
    const rows = found.slice(0, MAX_SHOWN).map(({ entry }) => {
      const link = document.createElement("a");
      link.href = entry.u;
      link.textContent = entry.h || entry.p;
      const about = document.createElement("span");
      about.textContent = entry.h ? entry.p : "Guide";
      link.append(about);
      return link;
    });
    if (!rows.length) {
      const empty = document.createElement("p");
      empty.textContent = "No results. Try fewer words.";
      rows.push(empty);
    }
    sheet.replaceChildren(...rows);
    sheet.hidden = false;
  };

  const search = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) { sheet.hidden = true; return; }
    const text = input.value;
    const all = await load();
    if (text !== input.value) return;
    const found = all.map((entry) => ({ entry, score: score(entry, words) })).filter((one) => one.score);
    show(found.sort((a, b) => b.score - a.score));
  };

  input.addEventListener("focus", () => load().catch(() => {}));
  input.addEventListener("input", () => search().catch(() => { sheet.hidden = true; }));
  box.addEventListener("keydown", (event) => {
    const links = sheet.hidden ? [] : [...sheet.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (event.key === "Escape") { sheet.hidden = true; input.focus(); }
    else if (event.key === "Enter" && at < 0 && links.length) { event.preventDefault(); links[0].click(); sheet.hidden = true; }
    else if (to !== undefined && links.length) { event.preventDefault(); (links[to] || input).focus(); }
  });
  document.addEventListener("click", (event) => { if (!box.contains(event.target) || event.target.closest("a")) sheet.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    input.focus();
  });

  // An anchor of the one page that this once was leads to its page; one of an operation opens it.
  const follow = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.matches("details")) target.open = true;
    const link = target.matches("span") && target.parentElement.querySelector("a");
    if (link) location.replace(link.href);
  };
  addEventListener("hashchange", follow);
  follow();
})();
