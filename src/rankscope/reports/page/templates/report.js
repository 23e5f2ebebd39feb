"use strict";
(() => {
const at = id => document.getElementById(id);
const root = document.documentElement;

// light and dark: colours are variables of the style sheet, so nothing is drawn anew and print is always light
const button = at("theme");
const name = () => { button.textContent = root.dataset.theme === "dark" ? "Light" : "Dark"; };
button.addEventListener("click", () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; name(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", e => { root.dataset.theme = e.matches ? "dark" : "light"; name(); });
name();

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(at(id).textContent.trim()), sign => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

function save(text, file, type) {
  const link = document.createElement("a");
  link.href = typeof text === "string" && text.startsWith("data:") ? text : URL.createObjectURL(new Blob([text], {type}));
  link.download = file;
  link.click();
  if (link.href.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// graphs
const views = {};
async function draw(place) {
  const id = place.dataset.graph;
  try {
    const made = await vegaEmbed(place, JSON.parse(await unpacked("spec-" + id)), {actions: false, renderer: "svg", ast: false, tooltip: {disableDefaultStyle: true, sanitize: escaped}});
    views[id] = made.view;
    place.dataset.drawn = "yes";
  } catch (error) {
    place.innerHTML = "<p class=failed>This graph could not be drawn; a browser of 2023 or later is needed. Its numbers are in the data of the page.</p>";
    console.error(error);
  }
}
const escaped = value => String(value).replace(/&/g, "&amp;").replace(/</g, "&lt;");
const saving = {
  csv: async id => save(await unpacked("csv-" + id), id + ".csv", "text/csv"),
  "vega-lite": async id => save(JSON.stringify(JSON.parse(await unpacked("spec-" + id)), null, 1), id + ".vl.json", "application/json"),
  svg: async id => save(await views[id].toSVG(), id + ".svg", "image/svg+xml"),
  png: async id => save(await views[id].toImageURL("png", 3), id + ".png", "image/png"),
};
for (const each of document.querySelectorAll("[data-save]"))
  each.addEventListener("click", () => saving[each.dataset.save](each.dataset.graph));

// another graph of the same kind: title, words, picture and what is saved change together
async function choose(each) {
  const figure = each.closest("figure"), place = figure.querySelector(".plot"), told = each.selectedOptions[0].dataset;
  place.dataset.graph = each.value;
  place.setAttribute("aria-label", told.summary || told.title);
  figure.querySelector("h3").textContent = told.title;
  figure.querySelector(".subtitle").textContent = told.subtitle;
  for (const button of figure.querySelectorAll("[data-save]")) button.dataset.graph = each.value;
  await draw(place);
}
for (const each of document.querySelectorAll("[data-choose]"))
  each.addEventListener("change", () => choose(each));

// queries
const PAGE = 50, UNIT = 10000;
const STATUS = ["not in it", "answered", "missing", "no relevant", "not judged"];
let data, columns, rows = [], page = 0;
const order = {key: null, down: false};

const shown = (value, whole) => value === null ? "\u2013" : whole ? String(Math.round(value / UNIT)) : (value / UNIT).toFixed(4);
const signed = value => value === null ? "\u2013" : (value > 0 ? "+" : value < 0 ? "\u2212" : "") + (Math.abs(value) / UNIT).toFixed(4);

function statusOf(row) {
  const codes = data.status.map(each => Number(each[row]));
  if (codes.every(each => each === codes[0])) return STATUS[codes[0]];
  return codes.map((each, system) => [each, data.systems[system]]).filter(([each]) => each !== 1).map(([each, system]) => STATUS[each] + ": " + system).join(", ");
}

function columnsFor(measure) {
  const made = [{key: "query", title: "query", value: row => data.queries[row], text: true}];
  if (data.classes.length) made.push({key: "class", title: "class", value: row => data.classes[data.class[row]] || "", text: true});
  made.push({key: "relevant", title: "relevant", value: row => data.relevant[row], show: value => value === null ? "\u2013" : value.toLocaleString("en")});
  if (data.states.length > 1) made.push({key: "status", title: "status", value: statusOf, text: true});
  const several = data.systems.length > 1;
  const wanted = several ? [measure] : data.measures.keys();
  for (const number of wanted)
    data.systems.forEach((system, place) => {
      const whole = data.measures[number].whole;
      made.push({key: several ? "system " + place : "measure " + number, title: several ? system : data.measures[number].name, value: row => data.values[place][number][row], show: value => shown(value, whole)});
    });
  if (data.systems.length === 2)
    made.push({key: "difference", title: "difference", show: signed, signs: data.measures[measure].lower ? -1 : 1, value: row => {
      const [one, other] = data.values.map(each => each[measure][row]);
      return one === null || other === null ? null : other - one;
    }});
  return made;
}

function chosen() {
  const text = at("search").value.trim().toLowerCase(), kind = at("class").value, status = at("status").value;
  const made = [];
  for (let row = 0; row < data.queries.length; row++) {
    if (text && !data.hay[row].includes(text)) continue;
    if (kind !== "" && data.class[row] !== Number(kind)) continue;
    if (status !== "" && !data.status.some(each => each[row] === status)) continue;
    made.push(row);
  }
  const column = columns.find(each => each.key === order.key);
  if (!column) return made;
  const keyed = made.map(row => [column.value(row), row]);
  const turn = order.down ? -1 : 1;
  keyed.sort(([one, first], [other, second]) => {
    if (one === null || other === null) return (one === null) - (other === null) || first - second;
    return turn * (one < other ? -1 : one > other ? 1 : 0) || first - second;
  });
  return keyed.map(([, row]) => row);
}

function cell(column, row) {
  const made = document.createElement("td");
  const value = column.value(row);
  made.textContent = column.show ? column.show(value) : value;
  made.className = column.text ? "text" : "number";
  if (value === null) made.classList.add("none");
  else if (column.signs && value) made.classList.add(value * column.signs > 0 ? "plus" : "minus");
  return made;
}

function heading(column) {
  const made = document.createElement("th"), press = document.createElement("button");
  made.scope = "col";
  made.dataset.title = column.title;
  made.className = column.text ? "text" : "number";
  press.type = "button";
  press.textContent = column.title;
  press.dataset.key = column.key;
  press.addEventListener("click", () => {
    order.down = order.key === column.key ? !order.down : !column.text;
    order.key = column.key;
    update();
    document.querySelector(`#table [data-key="${CSS.escape(column.key)}"]`).focus();
  });
  made.append(press);
  if (order.key === column.key) made.setAttribute("aria-sort", order.down ? "descending" : "ascending");
  return made;
}

function turn(to) {
  page = Math.max(0, Math.min(to, Math.ceil(rows.length / PAGE) - 1));
  const part = rows.slice(page * PAGE, page * PAGE + PAGE);
  at("table").tBodies[0].replaceChildren(...part.map(row => {
    const line = document.createElement("tr");
    line.append(...columns.map(column => cell(column, row)));
    return line;
  }));
  const all = data.queries.length.toLocaleString("en"), some = rows.length.toLocaleString("en");
  const range = rows.length ? `${(page * PAGE + 1).toLocaleString("en")}\u2013${(page * PAGE + part.length).toLocaleString("en")} of ${some}` : "none";
  at("count").textContent = (rows.length === data.queries.length ? `${all} queries` : `${some} of ${all} queries`) + `, shown: ${range}.`;
  at("page").textContent = range;
  at("previous").disabled = page === 0;
  at("next").disabled = (page + 1) * PAGE >= rows.length;
}

function update() {
  columns = columnsFor(Number(at("measure").value));
  if (order.key && !columns.some(each => each.key === order.key)) order.key = null;
  const head = document.createElement("tr");
  head.append(...columns.map(heading));
  at("table").tHead.replaceChildren(head);
  rows = chosen();
  turn(0);
}

// text that a spreadsheet would take for a formula gets a single quote in front, as in every CSV file of rankscope
function quoted(value) {
  const formula = typeof value === "string" && isNaN(value) && /^\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(value);
  const text = value === null ? "" : formula ? "'" + value : String(value);
  return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

function saveQueries() {
  const head = ["query", "class", "relevant", ...data.systems.flatMap(system => ["status of " + system, ...data.measures.map(each => each.name + " of " + system)])];
  const lines = rows.map(row => [data.queries[row], data.classes[data.class[row]] || "", data.relevant[row],
    ...data.systems.flatMap((_, place) => [STATUS[data.status[place][row]], ...data.measures.map((each, number) => { const value = data.values[place][number][row]; return value === null ? null : value / UNIT; })])]);
  save([head, ...lines].map(line => line.map(quoted).join(",")).join("\n") + "\n", "queries.csv", "text/csv");
}

function option(value, text) {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = text;
  return made;
}

async function queries() {
  data = JSON.parse(await unpacked("data-queries"));
  data.states = [...new Set(data.status.flatMap(each => [...each]))].sort();
  data.hay = data.queries.map((query, row) => (query + " " + (data.classes[data.class[row]] || "")).toLowerCase());
  at("measure").append(...data.measures.map((each, number) => option(number, each.name)));
  at("measure").parentElement.hidden = data.systems.length < 2;
  if (data.classes.length) { at("class").append(...data.classes.map((each, number) => option(number, each))); at("class-choice").hidden = false; }
  if (data.states.length > 1) { at("status").append(...data.states.map(each => option(each, STATUS[each]))); at("states").hidden = false; }
  for (const id of ["search", "class", "status", "measure"]) at(id).addEventListener("input", update);
  at("previous").addEventListener("click", () => turn(page - 1));
  at("next").addEventListener("click", () => turn(page + 1));
  at("save-queries").addEventListener("click", saveQueries);
  if (data.systems.length === 2) Object.assign(order, {key: "difference", down: true});
  update();
}

(async () => {
  if (at("data-queries")) await queries();
  for (const each of document.querySelectorAll("[data-choose]")) each.value = each.querySelector("[selected]").value;
  for (const place of document.querySelectorAll(".plot")) {
    await draw(place);
    await new Promise(next => setTimeout(next));
  }
  root.dataset.ready = "yes";
})();
})();
