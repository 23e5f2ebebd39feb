// Judging by keys or buttons: a key moves on at once, and nothing is shown as saved that the server has not said it has.

import { newKey, Outbox } from "./outbox.js";

const $ = id => document.getElementById(id);
const view = JSON.parse($("view").textContent);
const PAGE = 12, TRAIL = 12, FEW = 4;
const names = new Map(view.grades.map(each => [each.grade, each.name]));
const tab = sessionStorage.tab || (sessionStorage.tab = newKey());
const state = {
  queries: new Map(), // what is looked for, by number
  tasks: [], // to be judged, in order
  shown: [], // tasks on the stage: {task, query, item, mark}
  chosen: 0, // which of them
  undo: [], // marks of this tab that can be taken back
  settled: new Map(), // when the answer to a task was acknowledged; Infinity while it is on its way
  trail: [],
  seen: 0, // visible milliseconds since the last mark
  ended: false,
  marks: view.marks,
  left: view.left,
};
let outbox, asking = false, visibleSince = performance.now();

// time

function visibleTime() {
  return state.seen + (document.hidden ? 0 : performance.now() - visibleSince);
}

function startTime() {
  state.seen = 0;
  visibleSince = performance.now();
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) state.seen += performance.now() - visibleSince;
  else visibleSince = performance.now();
});

// what comes next

function open() {
  return [...state.shown.filter(each => !each.mark), ...state.tasks];
}

async function ask(hold = open().map(each => each.task)) {
  if (asking) return;
  asking = true;
  let pause = 300;
  for (;;) {
    const asked = new URLSearchParams({ tab, count: 2 * PAGE, hold: hold.slice(0, 2 * PAGE).join(",") });
    const sent = performance.now();
    try {
      const answer = await fetch(`/judge?${asked}`, { headers: { Accept: "application/json" } });
      if (answer.status === 401) trouble("You are signed out. Open your link again in another tab; this one goes on then.");
      if (answer.ok) {
        if (take(await answer.json(), sent)) break;
        hold = open().map(each => each.task);
      }
    } catch { /* the server is away: again */ }
    await new Promise(resolve => setTimeout(resolve, pause));
    pause = Math.min(5000, 2 * pause);
  }
  asking = false;
}

// What comes may have been answered since it was asked for: that is not shown again. Where it is all that came, the
// server did not know of the answers yet and may have more: false, ask again.
function take(found, sent) {
  for (const each of found.queries) state.queries.set(each.query, each);
  const known = new Set([...state.shown, ...state.tasks].filter(each => !each.mark).map(each => each.task));
  const isOld = task => (state.settled.has(task) ? state.settled.get(task) > sent : false);
  const more = found.tasks.filter(each => !known.has(each.task) && !isOld(each.task));
  state.tasks.push(...more);
  state.ended = !found.tasks.length && !open().length;
  $("decided").hidden = !found.decided;
  for (const each of more) if (each.item.kind === "picture") new Image().src = picture(each.item);
  if (!state.shown.some(each => !each.mark)) turn();
  count();
  return state.ended || open().length > 0;
}

function picture(item, size = "") { return `/picture/${item.number}${size && `?size=${size}`}`; }

function pageSize() { return $("judge").dataset.mode === "one" ? 1 : PAGE; }

// The next tasks of one query on the stage.
function turn() {
  if (!state.tasks.length) {
    if (!state.shown.some(each => !each.mark)) show([]);
    if (!state.ended) ask();
    return;
  }
  const query = state.tasks[0].query;
  let many = 0;
  while (many < pageSize() && many < state.tasks.length && state.tasks[many].query === query) many++;
  show(state.tasks.splice(0, many));
  if (state.tasks.length < FEW) ask();
}

function show(tasks) {
  state.shown = tasks;
  state.chosen = 0;
  $("stage").replaceChildren(...tasks.map(tile));
  $("stage").hidden = !tasks.length;
  $("empty").hidden = !!tasks.length || !state.ended;
  $("bar").classList.toggle("idle", !tasks.length);
  if (tasks.length) need(state.queries.get(tasks[0].query));
  startTime();
  choose(0, document.activeElement === document.body || $("judge").contains(document.activeElement));
}

function need(query) {
  $("query").textContent = query.text || (query.example ? "something like this" : "");
  $("narrative").textContent = query.narrative;
  $("narrative").hidden = !query.narrative;
  $("example").hidden = !query.example;
  $("example").replaceChildren(...(query.example ? [look(query.example, "The example")] : []));
}

function look(item, alt, size = "") {
  if (item.kind === "picture") {
    const image = new Image();
    image.alt = alt;
    image.src = picture(item, size);
    image.draggable = false;
    return image;
  }
  const box = document.createElement("div");
  box.className = "words";
  if (item.title) box.append(Object.assign(document.createElement("strong"), { textContent: item.title }));
  box.append(Object.assign(document.createElement("p"), { textContent: item.text }));
  return box;
}

function tile(task, place) {
  const found = $("tile").content.firstElementChild.cloneNode(true);
  found.querySelector(".look").append(look(task.item, `item ${place + 1}`, pageSize() === 1 ? "large" : ""));
  found.addEventListener("pointerdown", () => choose(place, false));
  found.addEventListener("focus", () => choose(place, false));
  found.addEventListener("dblclick", () => enlarge());
  found.dataset.task = task.task;
  task.tile = found;
  describe(task, place);
  return found;
}

function describe(task, place = state.shown.indexOf(task)) {
  if (!task.tile) return;
  const { mark } = task;
  task.tile.dataset.state = mark ? mark.state : "open";
  task.tile.querySelector(".said").textContent = mark ? `${mark.words}: ${stateWord(mark)}` : "";
  task.tile.setAttribute("aria-label", `Item ${place + 1} of ${state.shown.length}, ${mark ? `${mark.words}, ${stateWord(mark)}` : "not marked"}`);
}

function choose(place, focus = true) {
  state.chosen = Math.max(0, Math.min(state.shown.length - 1, place));
  state.shown.forEach((each, number) => {
    each.tile.tabIndex = number === state.chosen ? 0 : -1;
    each.tile.classList.toggle("chosen", number === state.chosen);
  });
  const { mark } = state.shown[state.chosen] || {};
  for (const button of document.querySelectorAll(".grade"))
    button.setAttribute("aria-pressed", String(!!mark && mark.body.grade === Number(button.dataset.grade)));
  if (focus && state.shown.length) state.shown[state.chosen].tile.focus({ preventScroll: pageSize() === 1 });
}

function chooseNone() {
  state.chosen = -1;
  for (const each of state.shown) each.tile.classList.remove("chosen");
}

// marks

const STATES = { saving: "saving", saved: "saved", again: "again", refused: "not possible" };
function stateWord(mark) { return STATES[mark.state] || mark.state; }

function answer(kind, grade = null) {
  const task = state.shown[state.chosen];
  if (!task) return;
  const body = { key: newKey(), kind, task: task.task, grade, ms: Math.round(visibleTime()) };
  const fresh = !task.mark;
  add("/judge/marks", body, task, kind === "grade" ? names.get(grade) : { unsure: "unsure", skip: "skipped" }[kind]);
  if (fresh) { state.marks++; state.left = Math.max(0, state.left - 1); }
  startTime();
  onward();
  count();
}

function add(address, body, task, words) {
  const mark = { key: body.key, body, task, words, state: "saving", before: task ? task.mark : null };
  if (body.kind && body.kind !== "comment") task.mark = mark;
  if (address === "/judge/marks") state.undo.push(mark);
  state.trail.push(mark);
  marks.set(body.key, mark);
  outbox.add(address, body);
  return mark;
}

const marks = new Map(); // by key

// To the next task that is not marked, or to the next page.
function onward() {
  const place = next(state.chosen + 1);
  if (place !== null) choose(place);
  else {
    chooseNone(); // a key that comes while the next items are on their way must not grade the last one again
    turn();
  }
  if (open().length < FEW) ask();
}

function next(from) {
  for (let step = 0; step < state.shown.length; step++) {
    const place = (from + step) % state.shown.length;
    if (!state.shown[place].mark) return place;
  }
  return null;
}

function undo() {
  const last = state.undo.pop();
  const body = { key: newKey(), of: last ? last.key : null, tab };
  const words = last ? `undo ${last.words}` : "undo";
  add("/judge/undo", body, last ? last.task : null, words);
  if (last && last.body.kind !== "comment") back(last.task, last.before);
}

// A task is to be judged again, or says again what it said before: where it stands, or in front of the others.
function back(task, before = null) {
  task.mark = before;
  state.settled.delete(task.task);
  if (!before) {
    state.marks = Math.max(0, state.marks - 1);
    state.left++;
  }
  const place = state.shown.indexOf(task);
  if (place >= 0) {
    describe(task);
    choose(place);
  } else {
    state.tasks = [task, ...state.shown.filter(each => !each.mark), ...state.tasks.filter(each => each.task !== task.task)];
    turn();
  }
  count();
}

function comment() {
  const task = state.shown[state.chosen];
  if (!task) return;
  $("comment-text").value = "";
  $("comment").querySelector("form").onsubmit = event => {
    const text = $("comment-text").value.trim();
    if (event.submitter && event.submitter.value === "save" && text)
      add("/judge/marks", { key: newKey(), kind: "comment", task: task.task, text }, task, "comment");
  };
  $("comment").onclose = () => choose(state.chosen);
  $("comment").showModal();
}

// what the outbox says of each mark

function tell(entry, now, more) {
  let mark = marks.get(entry.key);
  if (!mark) { // from before this page was opened
    mark = { key: entry.key, body: entry.body, task: null, words: entry.body.kind === "grade" ? names.get(entry.body.grade) : entry.body.kind || "undo", state: now };
    marks.set(entry.key, mark);
    state.trail.push(mark);
  }
  mark.state = now;
  if (["grade", "unsure", "skip"].includes(entry.body.kind))
    state.settled.set(entry.body.task, now === "saved" ? performance.now() : Infinity);
  mark.why = more.why || more.error || "";
  if (mark.task && mark.task.mark === mark) describe(mark.task);
  if (now === "saved") {
    say(`saved, ${mark.words}`);
    if (entry.address === "/judge/undo" && !mark.task && more.task) found(more);
    marks.delete(mark.key);
  }
  if (now === "refused") say(`not possible: ${mark.why}`);
  warn();
  trail();
}

// What an undo of something from before brought back.
function found(undone) {
  state.queries.set(undone.query.query, undone.query);
  if (undone.kind !== "comment") back({ ...undone.task, mark: null });
}

function trail() {
  state.trail = state.trail.filter((each, place) => each.state !== "saved" || place >= state.trail.length - TRAIL);
  $("trail").replaceChildren(...state.trail.map(mark => {
    const line = document.createElement("li");
    line.dataset.state = mark.state;
    const words = `${mark.words}: ${stateWord(mark)}`;
    if (mark.state === "again") {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: words, title: mark.why });
      button.addEventListener("click", () => outbox.now());
      line.append(button);
    } else line.textContent = words;
    if (mark.why) line.title = mark.why;
    return line;
  }));
}

function warn() {
  const failed = state.trail.filter(each => each.state === "again" || each.state === "refused");
  const last = failed[failed.length - 1];
  trouble(last ? `Not saved: ${last.why}.${last.state === "again" ? ` ${waitingWords()}` : ""}` : "");
}

function waitingWords() {
  return `${outbox && outbox.size > 1 ? `${outbox.size} marks are` : "The mark is"} kept in this browser and sent again by itself.`;
}

function trouble(words) {
  if ($("trouble").textContent !== words) $("trouble").textContent = words;
  $("trouble").hidden = !words;
}

function say(words) { $("said").textContent = words; }

function count() {
  $("done").textContent = state.marks.toLocaleString("en");
  $("left").textContent = state.left.toLocaleString("en");
}

// dialogs, modes, keys

function enlarge() {
  const task = state.shown[state.chosen];
  if (!task) return;
  $("large").querySelector(".large-look").replaceChildren(look(task.item, `item ${state.chosen + 1}`, "large"));
  $("large").onclose = () => choose(state.chosen);
  $("large").showModal();
}

function dialog(name) {
  if (!$(name)) return;
  $(name).onclose = () => choose(state.chosen);
  $(name).showModal();
}

function setMode(mode) {
  $("judge").dataset.mode = mode;
  $("mode").textContent = mode === "one" ? "Grid of 12" : "One at a time";
  localStorage.judgeMode = mode;
}

function switchMode() {
  setMode($("judge").dataset.mode === "one" ? "grid" : "one");
  state.tasks = open();
  state.shown = [];
  turn();
}

function columns() {
  const tops = state.shown.map(each => each.tile.offsetTop);
  return Math.max(1, tops.filter(each => each === tops[0]).length);
}

const MOVES = {
  ArrowLeft: () => -1, h: () => -1, ArrowRight: () => 1, l: () => 1,
  ArrowUp: () => -columns(), k: () => -columns(), ArrowDown: () => columns(), j: () => columns(),
};
const ACTS = {
  u: () => answer("unsure"), s: () => answer("skip"), z: undo, c: comment,
  g: () => dialog("guideline"), "?": () => dialog("keys"),
};

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input, textarea, select") || !$("keys-on").checked) return;
  const onButton = event.target.matches("button, a");
  let done = true;
  if (event.key in MOVES) choose(state.chosen + MOVES[event.key]());
  else if (/^[0-9]$/.test(event.key) && names.has(Number(event.key))) answer("grade", Number(event.key));
  else if (event.key in ACTS) ACTS[event.key]();
  else if (event.key === "Enter" && !onButton) enlarge();
  else done = false;
  if (done) event.preventDefault();
});

for (const button of document.querySelectorAll(".grade"))
  button.addEventListener("click", () => answer("grade", Number(button.dataset.grade)));
for (const button of document.querySelectorAll("[data-act]"))
  button.addEventListener("click", () => ({ unsure: ACTS.u, skip: ACTS.s, undo, comment })[button.dataset.act]());
$("mode").addEventListener("click", switchMode);
$("keys-open").addEventListener("click", () => dialog("keys"));
if ($("guideline-open")) $("guideline-open").addEventListener("click", () => dialog("guideline"));
$("keys-on").checked = localStorage.judgeKeys !== "off";
$("keys-on").addEventListener("change", () => { localStorage.judgeKeys = $("keys-on").checked ? "on" : "off"; });
addEventListener("pagehide", () => {
  navigator.sendBeacon("/judge/away", new Blob([JSON.stringify({ tab })], { type: "application/json" }));
});
addEventListener("pageshow", event => { if (event.persisted) location.reload(); });

setMode(localStorage.judgeMode || (matchMedia("(max-width: 40rem)").matches ? "one" : "grid"));
outbox = await Outbox.open(view.outbox, tell);
await ask((new URLSearchParams(location.search).get("hold") || "").split(",").filter(Boolean));
document.documentElement.dataset.ready = "yes";
