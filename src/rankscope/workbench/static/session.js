// A feedback session without reloading: a mark is shown as said when the server has it, and graphs follow.

import { rove } from "./gallery.js";
import { newKey } from "./outbox.js";

const place = document.getElementById("session");
const number = place.dataset.session;
const grid = place.querySelector("[data-marks]");
const said = text => { document.getElementById("said").textContent = text; };
const WORDS = { relevant: "relevant", not: "not relevant", open: "no example any more" };
const WAIT = 300; // ms after the last mark until graphs are asked for
let drawing, due;

const roving = rove(grid, "[data-tile]");
for (const each of grid.querySelectorAll(".answers button")) each.tabIndex = -1; // y and n do the same

async function post(body) {
  let pause = 300;
  for (let tries = 0; ; tries++) { // with the same key: what was saved already is saved once
    try {
      const answer = await fetch(`/session/${number}/marks`, { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" }, body: JSON.stringify(body) });
      if (answer.ok) return "";
      if (answer.status < 500 && answer.status !== 429) return (await answer.json()).error;
    } catch { /* the server is away: again */ }
    if (tries === 5) return "the server does not answer: say it again";
    await new Promise(resolve => setTimeout(resolve, pause));
    pause *= 2;
  }
}

function show(tile, opinion) {
  tile.dataset.mark = opinion;
  for (const each of tile.querySelectorAll("[data-says]")) {
    each.setAttribute("aria-pressed", String(each.dataset.says === opinion));
    each.value = each.dataset.says === opinion ? "open" : each.dataset.says;
  }
}

// Puts an item into one of the sets, or takes it out of both.
function sort(item, opinion, look) {
  for (const set of place.querySelectorAll("[data-set]")) {
    const list = set.querySelector(".examples");
    list.querySelector(`[data-item="${item}"]`)?.remove();
    if (set.dataset.set === opinion && look) list.append(exampleOf(item, look, list.children.length + 1));
    set.querySelector(".set-count").textContent = list.children.length;
  }
}

function exampleOf(item, look, rank) {
  const entry = document.createElement("li");
  entry.dataset.item = item;
  const shown = look.cloneNode(true);
  if (shown.alt) shown.alt = `Example ${rank}`;
  const out = document.createElement("button");
  out.textContent = "×";
  out.type = "button";
  out.setAttribute("aria-label", `Take example ${rank} out`);
  out.addEventListener("click", () => mark(item, "open"));
  entry.append(shown, out);
  return entry;
}

async function mark(item, opinion) {
  const tile = grid.querySelector(`[data-tile][data-item="${item}"]`);
  const before = tile?.dataset.mark ?? "open";
  if (tile) { show(tile, opinion); tile.dataset.state = "saving"; }
  const trouble = await post({ item: Number(item), opinion, key: newKey() });
  const box = document.getElementById("trouble");
  box.hidden = !trouble;
  if (trouble) {
    box.textContent = trouble;
    if (tile) { show(tile, before); tile.dataset.state = "again"; }
    return;
  }
  if (tile) tile.dataset.state = "saved";
  sort(item, opinion, tile?.querySelector("img, .snippet"));
  said(`saved, ${WORDS[opinion]}`);
  redraw();
}

function redraw() {
  clearTimeout(due);
  drawing?.abort(); // a newer one is due
  due = setTimeout(async () => {
    drawing = new AbortController();
    const target = document.getElementById("graphs");
    try {
      const answer = await fetch(`/session/${number}/graphs?truth=${place.dataset.truth}`, { headers: { Accept: "text/html" }, signal: drawing.signal });
      if (!answer.ok) return;
      const open = [...target.querySelectorAll("details")].map(each => each.open);
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      target.replaceChildren(...made.body.childNodes);
      target.querySelectorAll("details").forEach((each, row) => { each.open = open[row] ?? false; });
    } catch { /* dropped, or away: the next mark asks again */ }
  }, WAIT);
}

for (const form of place.querySelectorAll("form[data-opinion]")) {
  form.addEventListener("submit", event => {
    event.preventDefault();
    mark(form.querySelector('[name="item"]').value, event.submitter.value); // elements.item is a function
  });
}

const KEYS = { y: "relevant", "+": "relevant", 1: "relevant", n: "not", "-": "not", 0: "not", u: "open", Backspace: "open" };
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  if (event.key === "r") { event.preventDefault(); place.querySelector(".next").requestSubmit(); return; }
  const tile = document.activeElement.closest?.("[data-tile]");
  if (!tile || !(event.key in KEYS)) return;
  event.preventDefault();
  mark(tile.dataset.item, KEYS[event.key]);
  const tiles = roving.tiles(), next = tiles[tiles.indexOf(tile) + 1];
  if (next) roving.take(next);
});

const method = document.getElementById("method");
function tellUsual() { document.getElementById("usual").textContent = method.selectedOptions[0]?.dataset.written ?? ""; }
method.addEventListener("change", () => { document.getElementById("parameters").value = ""; tellUsual(); });
tellUsual(); // where the usual method cannot be used, another is chosen

place.querySelector(".next").addEventListener("submit", () => said("Learning."));
if (location.hash === "#shown" && roving.tiles().length) roving.take(roving.tiles()[0]);
document.documentElement.dataset.ready = "yes";
