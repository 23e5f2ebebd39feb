// One choice of systems for every graph: a system takes the first free colour when it is chosen and keeps it while it is
// shown; the baseline is ink and dashed. A marker's shape goes with the colour, so that colour alone says nothing.
const SHAPES = ["circle", "circle", "square", "triangle", "diamond", "cross", "down", "star"];
const choice = {
  names: [], order: [], values: [], different: [], measure: "", first: 3, most: 8, baseline: "", queries: 2,
  shown: [], slots: new Map(), listeners: [],

  start(data) {
    Object.assign(this, data);
    this.reset();
  },
  wear(system) {
    const slot = this.slots.get(system);
    return slot === undefined ? {colour: "var(--dim)", dash: "", shape: "circle"} : this.dress(slot);
  },
  dress(slot) {
    return {colour: `var(--c${slot % 8})`, dash: slot === 0 ? "6 4" : "", shape: SHAPES[slot % 8]};
  },
  add(system) {
    if (this.shown.includes(system) || this.shown.length >= this.most) return;
    if (!this.slots.has(system)) {
      const taken = new Set(this.shown.map(each => this.slots.get(each)));
      let slot = 1;
      while (taken.has(slot)) slot++;
      this.slots.set(system, slot);
    }
    this.shown.push(system);
    this.shown.sort((one, other) => this.order.indexOf(one) - this.order.indexOf(other));
  },
  remove(system) {
    this.shown = this.shown.filter(each => each !== system);
    if (!this.isBaseline(system)) this.slots.delete(system);
  },
  toggle(system) {
    if (this.shown.includes(system)) this.remove(system); else this.add(system);
    this.tell();
  },
  reset() {
    this.slots = new Map(this.baseline ? [[0, 0]] : []);
    this.shown = [];
    for (const each of this.order.slice(0, this.first)) this.add(each);
    if (this.baseline) this.add(0);
  },
  isBaseline(system) { return this.baseline !== "" && system === 0; },
  differ(one, other) { return this.different.length > 0 && this.different[one][other] === "1"; },
  tell() { for (const each of this.listeners) each(); },
};

const SVG = "http://www.w3.org/2000/svg";
function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== "") made.setAttribute(name, value);
  made.append(...children);
  return made;
}
const OUTLINES = {
  circle: r => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  square: r => `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}Z`,
  triangle: r => `M0 ${-1.2 * r}L${1.15 * r} ${r}H${-1.15 * r}Z`,
  down: r => `M0 ${1.2 * r}L${1.15 * r} ${-r}H${-1.15 * r}Z`,
  diamond: r => `M0 ${-1.35 * r}L${1.35 * r} 0L0 ${1.35 * r}L${-1.35 * r} 0Z`,
  cross: r => `M${-r} ${-r / 3}h${r * 2 / 3}v${-r * 2 / 3}h${r * 2 / 3}v${r * 2 / 3}h${r * 2 / 3}v${r * 2 / 3}h${-r * 2 / 3}v${r * 2 / 3}h${-r * 2 / 3}v${-r * 2 / 3}h${-r * 2 / 3}Z`,
  star: r => "M" + [...Array(10).keys()].map(k => { const a = Math.PI * k / 5, d = k % 2 ? r * .55 : r * 1.35; return `${(d * Math.sin(a)).toFixed(2)} ${(-d * Math.cos(a)).toFixed(2)}`; }).join("L") + "Z",
};
function marker(x, y, dress, hollow = false, size = 3) {
  const style = `fill:${hollow ? "var(--bg)" : dress.colour};stroke:${dress.colour}`;
  return shape("path", {d: OUTLINES[dress.shape](size), transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, style, "stroke-width": 1.2});
}
function sample(dress, {line = true, mark = true, swatch = false} = {}) {
  const made = shape("svg", {viewBox: "0 0 30 10", "aria-hidden": "true"});
  if (swatch) made.append(shape("path", {d: "M2 1H28V9H2Z", style: `fill:${dress.colour};fill-opacity:${line ? .25 : .85}`}));
  if (line) made.append(shape("path", {d: "M0 5H30", style: `stroke:${dress.colour};fill:none`, "stroke-width": 2.4, "stroke-dasharray": dress.dash}));
  if (mark) made.append(marker(15, 5, dress));
  return made;
}

// the key is the chooser
function drawKey() {
  const place = at("key");
  if (!place) return;
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.focus : "";
  const items = choice.shown.map(system => {
    const name = choice.names[system] + (choice.isBaseline(system) ? ` (${choice.baseline})` : "");
    const item = element("li", {}, sample(choice.wear(system)), element("span", {class: "name"}, name));
    if (choice.values.length) item.append(element("span", {class: "value"}, choice.measure + " " + choice.values[system]));
    const button = element("button", {type: "button", "aria-label": "Remove " + choice.names[system], "data-focus": "remove " + system, class: "screen"}, "\u00d7");
    button.addEventListener("click", () => choice.toggle(system));
    item.append(button);
    return item;
  });
  const full = choice.shown.length >= choice.most;
  const add = element("select", {"aria-label": "Add a system to the graphs", "data-focus": "add"}, option("", full ? `${choice.most} systems at most` : "Add a system \u2026"));
  if (!full) for (const system of choice.order) if (!choice.shown.includes(system)) add.append(option(system, choice.names[system]));
  add.addEventListener("change", () => { if (add.value !== "") choice.toggle(Number(add.value)); });
  const back = element("button", {type: "button", "data-focus": "reset"}, `Best ${choice.first} and ${choice.baseline}`);
  back.addEventListener("click", () => { choice.reset(); choice.tell(); });
  const more = [...(choice.names.length > choice.shown.length ? [add, " "] : []), ...(choice.values.length && choice.names.length > choice.first + 1 ? [back] : [])];
  place.replaceChildren(...items, ...(more.length ? [element("li", {class: "screen"}, ...more)] : []));
  const again = focused && (place.querySelector(`[data-focus="${focused}"]`) || (focused.startsWith("remove") && place.querySelector("[data-focus]")));
  if (again) again.focus();
}

function drawTicks() {
  const full = choice.shown.length >= choice.most;
  for (const box of document.querySelectorAll(".pick input")) {
    const system = Number(box.dataset.system);
    box.checked = choice.shown.includes(system);
    box.disabled = full && !box.checked;
    box.parentElement.style.setProperty("--own", box.checked ? choice.wear(system).colour : "");
  }
}
for (const box of document.querySelectorAll(".pick input"))
  box.addEventListener("change", () => choice.toggle(Number(box.dataset.system)));
choice.listeners.push(drawKey, drawTicks);
