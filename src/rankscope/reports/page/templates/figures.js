// The figures of the page: those of all systems follow the one choice, those of single systems one chooser.
const figures = new Map();
let paperWidth = 0;

function marksOf(figure, graph) {
  if (figure.data.systems && figure.data.systems.length > 1) return graph.marks;
  return graph.marks.filter(each => each.system === undefined || choice.shown.includes(each.system));
}
function wearing(graph) {
  const series = [...new Set(graph.marks.filter(each => each.system === undefined && SERIES.has(each.role)).map(each => each.name))];
  return mark => mark.system !== undefined ? choice.wear(mark.system) : choice.dress(1 + series.indexOf(mark.name) % 7);
}
const SERIES = new Set(["curve", "point", "open point", "band", "bar", "span"]);

function legendOf(marks, wear) {
  const entries = new Map();
  for (const mark of marks) {
    if (!mark.name || !(SERIES.has(mark.role) || mark.role === "region")) continue;
    const key = (mark.role === "region" ? "region " : "") + mark.name;
    const entry = entries.get(key) || {name: mark.name, system: mark.system, note: "", line: false, mark: false, swatch: false, dress: mark.role === "region" ? {colour: "var(--line)", dash: "", shape: "square"} : wear(mark)};
    entry.line ||= mark.role === "curve" || mark.role === "span";
    entry.mark ||= mark.role.includes("point") || (mark.markers || []).length > 0;
    entry.swatch ||= ["band", "bar", "region"].includes(mark.role);
    entry.note ||= mark.note || "";
    entries.set(key, entry);
  }
  const place = each => each.system === undefined ? -1 : choice.order.indexOf(each.system);
  const all = [...entries.values()].sort((one, other) => place(one) - place(other)), note = all.length > 1 && all.every(each => each.note === all[0].note) ? all[0].note : "";
  const items = all.map(each => element("li", {}, sample(each.dress, each), element("span", {}, each.name + (each.note && !note ? ": " + each.note : ""))));
  return note ? [...items, element("li", {class: "dim"}, "each: " + note)] : items;
}

function update(figure) {
  const graph = figure.data.graphs[figure.current], place = figure.node.querySelector(".plot");
  const marks = marksOf(figure, graph), wear = wearing(graph);
  figure.node.querySelector("h3").textContent = graph.title;
  figure.node.querySelector(".subtitle").textContent = graph.subtitle;
  figure.node.querySelector(".legend").replaceChildren(...legendOf(marks, wear));
  place.setAttribute("aria-label", graph.summary + " Arrow keys tell the numbers.");
  const words = graph.conclusion || (graph.marks.some(each => each.role === "curve") ? concludeCurves(graph, marks) : "");
  const conclusion = figure.node.querySelector(".conclusion");
  conclusion.textContent = words ? "What to conclude: " + words : "";
  conclusion.hidden = !words;
  const drawn = draw(place, graph, marks, wear, paperWidth || place.clientWidth || 480);
  telling(place, drawn);
  figure.marks = marks;
  place.dataset.drawn = "yes";
}

// saving: what is drawn, and nothing else
function rowsOf(graph, marks) {
  const rows = [];
  for (const mark of marks) {
    const head = {role: mark.role, name: mark.name || ""};
    if (mark.cells) for (const [x, x2, y, y2, z] of mark.cells) rows.push({...head, x: (x + x2) / 2, y: (y + y2) / 2, z});
    else if (mark.low && mark.x) mark.x.forEach((x, k) => rows.push({...head, x, low: mark.low[k], high: mark.high[k]}));
    else if (mark.low) mark.y.forEach((y, k) => rows.push({...head, y, low: mark.low[k], high: mark.high[k]}));
    else if (Array.isArray(mark.x)) mark.x.forEach((x, k) => rows.push({...head, x, y: mark.y[k], ...Object.fromEntries(Object.entries(mark.facts || {}).filter(([name]) => !(name in head)).map(([name, all]) => [name, all[k]]))}));
  }
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  return [names, ...rows.map(row => names.map(name => row[name]))];
}
function standalone(figure) {
  const seen = figure.node.querySelector(".plot svg"), copy = seen.cloneNode(true);
  const originals = [seen, ...seen.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((each, number) => {
    const own = getComputedStyle(each);
    for (const name of ["fill", "stroke", "fill-opacity", "stroke-opacity", "stroke-width", "paint-order", "font-size", "font-family"])
      if (own.getPropertyValue(name)) copies[number].style.setProperty(name, own.getPropertyValue(name));
  });
  copy.setAttribute("xmlns", SVG);
  copy.removeAttribute("aria-hidden");
  copy.prepend(shape("rect", {width: "100%", height: "100%", style: `fill:${getComputedStyle(document.body).backgroundColor}`}));
  return copy;
}
async function picture(figure) {
  const copy = standalone(figure), image = new Image(), width = Number(copy.getAttribute("width")), height = Number(copy.getAttribute("height"));
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(copy));
  await image.decode();
  const canvas = element("canvas", {width: 3 * width, height: 3 * height}), context = canvas.getContext("2d");
  context.scale(3, 3);
  context.drawImage(image, 0, 0, width, height);
  return canvas.toDataURL("image/png");
}
const saving = {
  csv: figure => { const graph = figure.data.graphs[figure.current]; save(`# ${graph.title}; x: ${graph.x.title}; y: ${graph.y.title}${graph.z ? "; z: " + graph.z.title : ""}\n`.replace(/[\r\n]+(?=.)/g, " ") + csv(rowsOf(graph, figure.marks)), figure.id + ".csv", "text/csv"); },
  svg: figure => save(new XMLSerializer().serializeToString(standalone(figure)), figure.id + ".svg", "image/svg+xml"),
  png: async figure => save(await picture(figure), figure.id + ".png", "image/png"),
};

function chooseSystem(system) {
  for (const figure of figures.values()) {
    const own = figure.data.systems;
    if (!own || own.length < 2) continue;
    const number = own.indexOf(system);
    figure.node.hidden = number < 0;
    if (number >= 0) { figure.current = number; update(figure); }
  }
}
function startSingle() {
  const select = at("single");
  if (!select) return;
  const all = new Set([...figures.values()].flatMap(each => each.data.systems && each.data.systems.length > 1 ? each.data.systems : []));
  const order = choice.order.filter(each => all.has(each));
  select.append(...order.map(each => option(each, choice.names[each])));
  const first = order.find(each => each !== 0);
  select.value = first === undefined ? order[0] : first;
  select.addEventListener("change", () => chooseSystem(Number(select.value)));
  chooseSystem(Number(select.value));
}
function redraw() { for (const figure of figures.values()) if (!figure.node.hidden) update(figure); }

async function startFigures() {
  await Promise.all([...document.querySelectorAll("[data-figure]")].map(async node => {
    const id = node.dataset.figure, data = await unpacked("data-" + id);
    figures.set(id, {id, node, data, current: data.first, marks: []});
  }));
  for (const figure of figures.values()) {
    for (const button of figure.node.querySelectorAll("[data-save]"))
      button.addEventListener("click", () => saving[button.dataset.save](figure));
    const select = figure.node.querySelector("[data-choose]");
    if (select) {
      select.value = String(figure.current);
      select.addEventListener("change", () => { figure.current = Number(select.value); update(figure); });
    }
  }
  startSingle();
  redraw();
  choice.listeners.push(redraw);
  let waiting;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 80); });
  const opened = [];
  addEventListener("beforeprint", () => {
    paperWidth = 480;
    redraw();
    for (const each of document.querySelectorAll("details.fold:not([open])")) { each.open = true; opened.push(each); }
  });
  addEventListener("afterprint", () => {
    paperWidth = 0;
    redraw();
    for (const each of opened.splice(0)) each.open = false;
  });
}
