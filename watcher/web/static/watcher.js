/* What a browser with scripts gets on top: copying, ignoring in place, keys. Every page works without. */
"use strict";

(() => {
  const announce = (() => {
    const place = document.createElement("p");
    place.className = "unseen";
    place.setAttribute("role", "status");
    document.body.append(place);
    return (words) => { place.textContent = words; };
  })();

  const copy = async (button) => {
    const words = button.textContent;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
      announce("Copied");
    } catch {
      const code = button.parentElement.querySelector("code");
      if (code) { getSelection().selectAllChildren(code); }
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => { button.textContent = words; }, 1600);
  };

  const swap = async (form) => {
    const row = form.closest("[data-row]");
    const answer = await fetch(form.action, {
      method: "POST", body: new FormData(form), headers: { "X-Fragment": "1" }, credentials: "same-origin",
    });
    if (!answer.ok) { form.removeAttribute("data-swap"); form.submit(); return; }
    const holder = document.createElement("template");
    holder.innerHTML = await answer.text();
    const fresh = holder.content.querySelector("[data-row]");
    row.replaceWith(fresh);
    show(fresh);
    focusRow(fresh);
    announce(fresh.classList.contains("put-aside") ? "Ignored" : "Taken back");
  };

  const show = (root) => {
    root.querySelectorAll(".copy").forEach((button) => { button.hidden = false; });
  };

  const rows = () => [...document.querySelectorAll("[data-row]")];
  const focusRow = (row) => {
    document.querySelectorAll(".row.here").forEach((one) => one.classList.remove("here"));
    row.classList.add("here");
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  };
  const present = () => document.querySelector(".row.here");
  const move = (step) => {
    const all = rows();
    const at = all.indexOf(present());
    const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1)];
    if (next) { focusRow(next); }
  };
  const unfold = (row, name) => {
    const part = row.querySelector(`details[data-${name}]`);
    if (!part) { return; }
    part.open = !part.open;
    const field = part.open && part.querySelector("input:not([type=hidden])");
    if (field) { field.focus(); }
  };

  const keys = {
    "/": () => { const field = document.querySelector("[data-search]"); if (field) { field.focus(); field.select(); } },
    j: () => move(1),
    k: () => move(-1),
    w: () => present() && unfold(present(), "why"),
    i: () => present() && unfold(present(), "ignore"),
    c: () => { const button = present() && present().querySelector("[data-pick] .copy"); if (button) { copy(button); } },
    Enter: () => { const row = present(); if (row && document.activeElement === row) { location.href = row.dataset.open; return true; } return false; },
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (button) { copy(button); }
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("[data-swap]") && form.closest("[data-row]")) { event.preventDefault(); swap(form); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) { return; }
    if (event.target.closest("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") { event.target.blur(); }
      return;
    }
    const act = keys[event.key];
    if (!act || (event.key !== "/" && !rows().length)) { return; }
    if (event.key === "Enter") { if (act()) { event.preventDefault(); } return; }
    event.preventDefault();
    act();
  });

  show(document);
})();
