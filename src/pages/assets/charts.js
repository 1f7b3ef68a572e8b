// What charts do beyond being looked at: a card at the cursor, arrow keys, touch, zoom, series on and off.
// The contract with the markup is in src/pages/chart/mod.rs.
(() => {
  "use strict";
  const make = (name, cls, text) => {
    const made = document.createElement(name);
    made.className = cls;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const clamp = (value, most) => Math.max(0, Math.min(most, value));

  // One card serves all charts. It is for eyes alone: a slider says its value to screen readers.
  const card = make("div", "card");
  card.setAttribute("aria-hidden", "true");
  card.hidden = true;
  document.body.append(card);
  const put = (area, share, parts) => {
    card.replaceChildren(...parts);
    card.hidden = false;
    const box = area.getBoundingClientRect();
    const x = box.left + share * box.width;
    const left = x + 14 + card.offsetWidth > innerWidth ? x - 14 - card.offsetWidth : x + 14;
    const high = box.height < 60 ? box.top - card.offsetHeight - 6 : box.top + 6;
    card.style.left = clamp(left, innerWidth - card.offsetWidth) + scrollX + "px";
    card.style.top = Math.max(high, 0) + scrollY + "px";
  };

  // Moves over the steps of a chart by pointer and by keys. `show(step, other)` marks one or a range, `zoom` opens it, and `span` names it.
  const follow = (target, area, count, { name, show, hide, zoom, span }) => {
    let at = count - 1;
    let from = null;
    let held = false;
    target.tabIndex = 0;
    target.setAttribute("role", "slider");
    target.setAttribute("aria-valuemin", "1");
    target.setAttribute("aria-valuemax", count);
    const tell = () => {
      target.setAttribute("aria-valuenow", at + 1);
      target.setAttribute("aria-valuetext", from === null || from === at ? name(at) : span(name(Math.min(from, at)), name(Math.max(from, at))));
    };
    tell();
    const move = (to) => { at = clamp(to, count - 1); tell(); show(at, from === null ? at : from); };
    const leave = () => { from = null; held = false; hide(); };
    const place = (event) => {
      const box = area.getBoundingClientRect();
      return Math.floor((event.clientX - box.left) / box.width * count);
    };
    area.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      held = true;
      from = zoom ? clamp(place(event), count - 1) : null;
      if (area.setPointerCapture) area.setPointerCapture(event.pointerId);
      move(place(event));
    });
    area.addEventListener("pointermove", (event) => { if (held || event.pointerType === "mouse") move(place(event)); });
    area.addEventListener("pointerup", () => {
      held = false;
      if (zoom && from !== null && from !== at) zoom(Math.min(from, at), Math.max(from, at));
      from = null;
    });
    area.addEventListener("pointercancel", leave);
    area.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && !held && !target.matches(":focus-visible")) leave(); });
    target.addEventListener("focus", () => { if (!held) move(at); });
    target.addEventListener("blur", leave);
    target.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageDown: at - 7, PageUp: at + 7, Home: 0, End: count - 1 }[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (to !== undefined) {
        if (!event.shiftKey || !zoom) from = null;
        else if (from === null) from = at;
        move(to);
      } else if (event.key === "Enter" && zoom) zoom(Math.min(from ?? at, at), Math.max(from ?? at, at));
      else if (event.key === "Escape") leave();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  };

  // A chart over time, whose data is its table.
  const plot = (chart) => {
    const own = chart.querySelector(".plot");
    const table = chart.querySelector("table");
    const rows = table ? [...table.tBodies[0].rows].reverse() : [];
    if (!own || !rows.length) return;
    const count = rows.length;
    const columns = [...table.tHead.rows[0].cells].flatMap((head, place) => "series" in head.dataset ? [{ head, place, series: head.dataset.series }] : []);
    const is = (series) => !(" " + (own.dataset.off || "") + " ").includes(` ${series} `);
    const seen = () => columns.filter(({ series }) => series ? is(series) : is("current") && is("before"));
    const over = make("div", "over");
    const cross = make("div", "cross");
    over.append(cross);
    own.append(over);
    const label = (step) => rows[step].cells[0].textContent;
    const value = (column, step) => rows[step].cells[column.place].textContent;
    const notes = (step) => [...chart.querySelectorAll(`.mark[data-step="${step}"]`)].map((mark) => mark.textContent);
    const points = (series) => [...own.querySelectorAll(`path.${series}:not(.area, .layer)`)].flatMap((path) =>
      [...(path.getAttribute("d") || "").matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map((found) => [Number(found[1]), Number(found[2])]));
    const lines = ["current", "before"].map((series) => [series, points(series)]).filter(([, known]) => known.length);
    const body = (step) => [
      make("strong", "", label(step)),
      ...seen().map((column) => {
        const row = make("div", "row");
        row.append(make("span", column.series ? "key " + column.series : "", column.head.textContent), make("b", "", value(column, step)));
        return row;
      }),
      ...notes(step).map((text) => make("p", "note", text)),
    ];
    const { zoom: first, hint } = own.dataset;
    const span = (low, high) => own.dataset.span.split("%").reduce((text, words, place) => text + (place > 1 ? high : low) + words);
    const range = (low, high) => [make("strong", "", span(label(low), label(high))), make("p", "", hint)];
    const zoom = first && ((low, high) => {
      const day = (step) => new Date(Date.parse(first) + Math.floor(step / own.dataset.perDay) * 864e5).toISOString().slice(0, 10);
      const to = new URL(location);
      to.searchParams.delete("preset");
      to.searchParams.set("from", day(low));
      to.searchParams.set("to", day(high));
      to.hash = "";
      location.assign(to);
    });
    follow(own, over, count, {
      zoom,
      span,
      name: (step) => [label(step), ...seen().map((column) => `${column.head.textContent} ${value(column, step)}`), ...notes(step)].join(", "),
      hide: () => { card.hidden = true; over.classList.remove("on"); },
      show: (step, other) => {
        const [low, high] = [Math.min(step, other), Math.max(step, other)];
        const middle = (step + 0.5) / count;
        over.classList.add("on");
        over.classList.toggle("range", low < high);
        cross.style.left = (low < high ? low / count : middle) * 100 + "%";
        cross.style.width = low < high ? (high + 1 - low) / count * 100 + "%" : "";
        for (const old of over.querySelectorAll(".point")) old.remove();
        for (const [series, known] of lines) {
          const found = is(series) && known.find(([x]) => Math.abs(x - middle * 1000) < 0.1);
          if (!found) continue;
          const point = make("i", "point " + series);
          point.style.left = middle * 100 + "%";
          point.style.top = found[1] + "%";
          over.append(point);
        }
        put(over, middle, low < high ? range(low, high) : body(step));
      },
    });
    const keys = chart.querySelectorAll(".legend [data-series]");
    for (const key of keys.length > 1 ? keys : []) {
      const button = make("button", key.className, key.textContent);
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        const off = new Set((own.dataset.off || "").split(" ").filter(Boolean));
        if (!off.delete(key.dataset.series)) off.add(key.dataset.series);
        own.dataset.off = [...off].join(" ");
        button.setAttribute("aria-pressed", String(is(key.dataset.series)));
      });
      key.className = "";
      key.replaceChildren(button);
    }
  };

  // A small chart, which has a line of text a step, or bars with a card each.
  const small = (chart) => {
    const bars = [...chart.querySelectorAll("i")];
    const steps = bars.length ? bars.map((bar) => bar.textContent) : chart.dataset.steps.split("\n");
    const mark = (step) => bars.forEach((bar, place) => bar.classList.toggle("on", place === step));
    for (const bar of bars) bar.replaceChildren();
    follow(chart, chart, steps.length, {
      name: (step) => steps[step],
      show: (step) => { mark(step); put(chart, (step + 0.5) / steps.length, [make("strong", "", steps[step])]); },
      hide: () => { mark(); card.hidden = true; },
    });
  };

  // The countries of a map are one stop of the Tab key, and arrows lead from one to the next.
  const map = (chart) => {
    const all = [...chart.querySelectorAll("a")];
    all.forEach((link, place) => link.setAttribute("tabindex", place ? "-1" : "0"));
    chart.addEventListener("keydown", (event) => {
      const at = all.indexOf(document.activeElement);
      const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
      if (at < 0 || !all[to]) return;
      event.preventDefault();
      all[at].setAttribute("tabindex", "-1");
      all[to].setAttribute("tabindex", "0");
      all[to].focus();
    });
  };

  const prepare = (root) => {
    root.querySelectorAll(".chart").forEach(plot);
    root.querySelectorAll("svg[data-steps], .uptime-bars").forEach(small);
    root.querySelectorAll("svg.map").forEach(map);
  };
  prepare(document);
  // Parts that are refreshed get new charts.
  for (const part of document.querySelectorAll("[data-live]")) {
    new MutationObserver(() => { card.hidden = true; prepare(part); }).observe(part, { childList: true });
  }
})();
