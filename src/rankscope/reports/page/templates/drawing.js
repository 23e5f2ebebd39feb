// A graph drawn at its real width: axes, marks and what a pointer or the arrow keys tell.
const pen = document.createElement("canvas").getContext("2d");
const SIZE = 12.5;
function wide(text) { pen.font = `${SIZE}px system-ui, "Segoe UI", "DejaVu Sans", sans-serif`; return pen.measureText(text).width; }
function cut(text, room) {
  if (wide(text) <= room) return text;
  let end = text.length;
  while (end > 1 && wide(text.slice(0, end) + "\u2026") > room) end--;
  return text.slice(0, end) + "\u2026";
}

const STEPS = [1, 2, 2.5, 5, 10], SLACK = 1e-9;
function placed(axis) {
  const [low, high] = axis.domain;
  return axis.log ? value => Math.log2(value / low) / Math.log2(high / low) : value => (value - low) / (high - low);
}
function ticksOf(axis, most) {
  const [low, high] = axis.domain, share = placed(axis), made = [];
  if (axis.ticks) made.push(...axis.ticks);
  else if (axis.log) {
    const first = Math.ceil(Math.log2(low) - SLACK), last = Math.floor(Math.log2(high) + SLACK);
    const step = Math.max(1, Math.ceil((last - first) / Math.max(most - 1, 1)));
    for (let power = first + (((-first) % step) + step) % step; power <= last; power += step) made.push(2 ** power);
  } else {
    const least = (high - low) / Math.max(most - 1, 1), tenth = 10 ** Math.floor(Math.log10(least));
    let step = tenth * STEPS.find(each => tenth * each >= least * (1 - SLACK));
    if (axis.whole) step = Math.max(1, Math.ceil(step));
    for (let k = Math.ceil(low / step - SLACK); k <= Math.floor(high / step + SLACK); k++) made.push(Number((k * step).toPrecision(12)));
  }
  return made.filter(each => share(each) >= -SLACK && share(each) <= 1 + SLACK);
}
function tickText(value, axis) {
  if (axis.texts && axis.ticks) return axis.texts[axis.ticks.indexOf(value)];
  if (axis.log && value > 0 && value < 1 && Number.isInteger(Math.log2(value))) return "1/" + (1 / value).toLocaleString("en");
  const text = Math.abs(value).toLocaleString("en", {maximumFractionDigits: 6});
  return (value < 0 ? "\u2212" : "") + (text.startsWith("0.") ? text.slice(1) : text);
}
function told(value) {
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return Math.abs(value) < 1 ? short(value, Math.abs(value) < .001 && value ? 6 : 4) : value.toLocaleString("en", {maximumFractionDigits: 4});
}

let plots = 0;
function draw(place, graph, marks, wear, room) {
  const W = Math.max(260, Math.min(760, Math.round(room)));
  const yTicksAll = graph.y.texts ? graph.y.ticks : null;
  const names = yTicksAll ? graph.y.texts.map(each => cut(each, W * .34)) : null;
  // as high as the picture that stands in the file, so that nothing moves: inline.py has the same numbers
  const drawn = graph.y.rows ? Math.max(110, (graph.y.domain[1] - graph.y.domain[0]) * graph.y.rows * 17) : Math.max(190, Math.min(430, 480 * (graph.ratio || .56)));
  const high = Math.max(110, W * (drawn + 64) / 480 - 64);
  const yTicks = ticksOf(graph.y, Math.max(2, high / 42));
  const yTexts = yTicks.map(each => names ? names[graph.y.ticks.indexOf(each)] : tickText(each, graph.y));
  const left = Math.ceil(Math.max(16, ...yTexts.map(wide))) + 8;
  const rightTexts = graph.right ? yTicks.map(each => tickText(Number((each * graph.right.factor).toPrecision(3)), graph.right)) : [];
  const edge = 14 + (rightTexts.length ? Math.ceil(Math.max(...rightTexts.map(wide))) + 4 : 0) + (graph.z ? 34 : 0);
  const topSide = 24, wideInside = W - left - edge;
  const H = topSide + high + 40;
  const xShare = placed(graph.x), yShare = placed(graph.y);
  const X = value => left + xShare(value) * wideInside, Y = value => topSide + (1 - yShare(value)) * high;
  const made = shape("svg", {viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-hidden": "true"});
  const clip = `plot-${++plots}`;
  made.append(shape("clipPath", {id: clip}, shape("rect", {x: left - 4, y: topSide - 4, width: wideInside + 8, height: high + 8})));

  // axes
  const unit = graph.x.texts ? wideInside / Math.max(1, graph.x.domain[1] - graph.x.domain[0]) : 0;
  const longest = graph.x.texts ? 0 : Math.max(...ticksOf(graph.x, 4).map(each => wide(tickText(each, graph.x))));
  const xTicks = ticksOf(graph.x, Math.max(2, Math.floor(wideInside / Math.max(46, longest + 18))));
  let lastEnd = -Infinity;
  for (const each of xTicks) {
    made.append(shape("path", {class: "grid", d: `M${X(each)} ${topSide}V${topSide + high}`}));
    const text = graph.x.texts ? cut(tickText(each, graph.x), unit - 6) : tickText(each, graph.x), half = wide(text) / 2;
    if (X(each) - half < lastEnd + 4) continue;
    lastEnd = X(each) + half;
    made.append(shape("text", {x: X(each), y: topSide + high + 17, "text-anchor": "middle"}, text));
  }
  yTicks.forEach((each, number) => {
    made.append(shape("path", {class: "grid", d: `M${left} ${Y(each)}H${left + wideInside}`}));
    made.append(shape("text", {x: left - 7, y: Y(each) + 4, "text-anchor": "end"}, yTexts[number]));
    if (graph.right) made.append(shape("text", {x: left + wideInside + 6, y: Y(each) + 4}, rightTexts[number]));
  });
  made.append(shape("text", {x: left + wideInside, y: topSide + high + 34, "text-anchor": "end"}, graph.x.title));
  made.append(shape("text", {x: names ? 0 : left, y: 12}, graph.y.title));
  if (graph.right) made.append(shape("text", {x: W - 2, y: 12, "text-anchor": "end"}, graph.right.title));

  // marks
  const inside = shape("g", {"clip-path": `url(#${clip})`}), over = shape("g", {});
  const taken = [[names ? 0 : left, 0, wide(graph.y.title), 14]];
  const words = shape("g", {class: marks.some(each => each.role === "tile") ? "" : "halo"});
  const points = [];
  const spot = (mark, k, x, y) => {
    const facts = mark.facts ? Object.entries(mark.facts).map(([name, all]) => [name, told(all[k])]) : [];
    points.push({mark, x: X(x), y: Y(y), name: mark.name || "", facts: [[graph.x.title, graph.x.texts ? "" : told(x)], [graph.y.title, graph.y.texts ? "" : told(y)], ...facts].filter(each => each[1] !== "")});
  };
  const area = (mark, attributes) => {
    const there = mark.x.map((_, k) => k).filter(k => mark.low[k] !== null && mark.high[k] !== null && mark.x[k] !== null);
    if (!there.length) return;
    const up = there.map(k => `${X(mark.x[k]).toFixed(1)} ${Y(mark.high[k]).toFixed(1)}`), down = there.reverse().map(k => `${X(mark.x[k]).toFixed(1)} ${Y(mark.low[k]).toFixed(1)}`);
    inside.append(shape("path", {d: "M" + up.concat(down).join("L") + "Z", ...attributes}));
  };
  const inDomain = (x, y) => xShare(x) >= -.001 && xShare(x) <= 1.001 && yShare(y) >= -.001 && yShare(y) <= 1.001;
  const drawers = {
    region: mark => area(mark, {class: "region"}),
    band: mark => area(mark, {style: `fill:${wear(mark).colour}`, "fill-opacity": .18}),
    guide: mark => {
      inside.append(shape("path", {class: "guide", d: line(mark, X, Y), "stroke-dasharray": mark.dashed ? "3 3" : ""}));
      if (mark.name) words.append(...guideWord(mark, X, Y, inDomain, {left, right: left + wideInside, foot: topSide + high}, taken));
    },
    curve: mark => {
      const dress = wear(mark), style = `stroke:${dress.colour};fill:none`;
      const thin = new Set(mark.thin || []);
      const dash = mark.light ? "2 3" : dress.dash;
      const strokes = thin.size ? [[k => thin.has(k), 1.1], [k => !thin.has(k), 2.3]] : [[() => true, 2.3]];
      for (const [wanted, width] of strokes)
        inside.append(shape("path", {d: line(mark, X, Y, wanted), style, "stroke-width": width, "stroke-dasharray": dash, "stroke-linejoin": "round"}));
      for (const k of mark.markers || []) if (mark.y[k] !== null) over.append(marker(X(mark.x[k]), Y(mark.y[k]), dress, thin.has(k)));
      mark.x.forEach((x, k) => { if (mark.y[k] !== null && x !== null) spot(mark, k, x, mark.y[k]); });
    },
    point: mark => dots(mark, false),
    "open point": mark => dots(mark, true),
    bar: mark => mark.x.forEach((x, k) => {
      if (mark.y[k] === null) return;
      const one = X(x - mark.thick / 2), other = X(x + mark.thick / 2), a = Y(mark.base), b = Y(mark.y[k]);
      inside.append(shape("rect", {x: one.toFixed(2), y: Math.min(a, b).toFixed(2), width: Math.max(.6, other - one).toFixed(2), height: Math.max(.5, Math.abs(a - b)).toFixed(2), style: `fill:${wear(mark).colour}`, "fill-opacity": .85}));
      spot(mark, k, x, mark.y[k]);
    }),
    span: mark => mark.y.forEach((y, k) => inside.append(shape("path", {d: `M${X(mark.low[k]).toFixed(1)} ${Y(y).toFixed(1)}H${X(mark.high[k]).toFixed(1)}`, style: `stroke:${wear(mark).colour}`, "stroke-width": 2.6}))),
    label: mark => words.append(shape("text", {x: X(mark.x), y: Y(mark.y) + 4, "text-anchor": {left: "start", center: "middle", right: "end"}[mark.align], class: "word"}, mark.name)),
    tile: mark => mark.x.forEach((x, k) => {
      const one = X(x - .5), other = X(x + .5), a = Y(mark.y[k] + .5), b = Y(mark.y[k] - .5), shade = mark.shade[k];
      const tint = shade === null ? "var(--bg)" : `color-mix(in srgb, ${shade < 0 ? "var(--amber)" : "var(--tint)"} ${Math.round(42 * Math.min(1, Math.abs(shade)))}%, var(--bg))`;
      inside.append(shape("rect", {x: one + .6, y: a + .6, width: other - one - 1.2, height: b - a - 1.2, style: `fill:${tint}`}));
      const under = mark.below[k] && b - a > 30 && wide(mark.below[k]) < other - one - 6;
      words.append(shape("text", {x: (one + other) / 2, y: (a + b) / 2 + (under ? -2 : 4), "text-anchor": "middle", class: "word"}, cut(mark.words[k], other - one - 4)));
      if (under) words.append(shape("text", {x: (one + other) / 2, y: (a + b) / 2 + 13, "text-anchor": "middle"}, mark.below[k]));
      spot(mark, k, x, mark.y[k]);
    }),
    surface: mark => {
      for (const [x, x2, y, y2, z] of mark.cells) {
        const tint = heat(z, graph.z);
        inside.append(shape("rect", {x: X(x), y: Y(y2), width: X(x2) - X(x) + .4, height: Y(y) - Y(y2) + .4, style: `fill:${tint}`}));
        points.push({mark, x: (X(x) + X(x2)) / 2, y: (Y(y) + Y(y2)) / 2, name: mark.name, facts: [[graph.x.title, told((x + x2) / 2)], [graph.y.title, told(Number(((y + y2) / 2).toPrecision(3)))], [graph.z.title, told(z)]]});
      }
      for (let k = 0; k < 20; k++) words.append(shape("rect", {x: W - 26, y: topSide + high * (1 - (k + 1) / 20), width: 9, height: high / 20 + .4, style: `fill:${heat(graph.z.domain[0] + (k + .5) / 20 * (graph.z.domain[1] - graph.z.domain[0]), graph.z)}`}));
      words.append(shape("text", {x: W - 14, y: topSide + 9}, tickText(graph.z.domain[1], graph.z)), shape("text", {x: W - 14, y: topSide + high}, tickText(graph.z.domain[0], graph.z)), shape("text", {x: W - 2, y: 12, "text-anchor": "end"}, graph.z.title));
    },
  };
  function dots(mark, hollow) {
    const dress = mark.edge ? {...wear(mark), shape: "down"} : wear(mark);
    mark.x.forEach((x, k) => {
      if (mark.y[k] === null || x === null) return;
      over.append(marker(X(x), Y(mark.y[k]), dress, hollow));
      spot(mark, k, x, mark.y[k]);
    });
  }
  for (const mark of marks) drawers[mark.role](mark);
  made.append(inside, over, words);
  place.replaceChildren(made);
  return {points, W, H};
}
const heat = (z, axis) => `color-mix(in srgb, var(--tint) ${Math.round(92 * (z - axis.domain[0]) / (axis.domain[1] - axis.domain[0]))}%, var(--bg))`;

function line(mark, X, Y, wanted = () => true) {
  let d = "", open = false, before = null;
  mark.x.forEach((x, k) => {
    if (mark.y[k] === null || x === null) { open = false; return; }
    const at = `${X(x).toFixed(1)} ${Y(mark.y[k]).toFixed(1)}`;
    if (open && wanted(k)) d += (d.endsWith(before) ? "" : "M" + before) + (mark.steps ? `H${X(x).toFixed(1)}L` : "L") + at;
    open = true;
    before = at;
  });
  return d;
}
function guideWord(mark, X, Y, inDomain, inside, taken) {
  const there = mark.x.map((_, k) => k).filter(k => mark.x[k] !== null && mark.y[k] !== null && inDomain(mark.x[k], mark.y[k]));
  if (!there.length) return [];
  const k = mark.at === undefined ? there[there.length - 1] : there[Math.round(mark.at * (there.length - 1))];
  const x = X(mark.x[k]), y = Y(mark.y[k]), upright = mark.x[0] === mark.x[mark.x.length - 1];
  const [vertical, side] = upright ? ["below", "right"] : mark.side.split(" ");
  const width = wide(mark.name), fits = side === "right" ? x + 4 + width <= inside.right + 10 : x - 4 - width < inside.left;
  const across = fits ? x + 4 : x - 4;
  const down = (upright ? Math.min(...there.map(each => Y(mark.y[each]))) : y) + (vertical === "above" || y + 13 > inside.foot ? -4 : 13);
  const box = [fits ? across : across - width, down - 11, width, 14];
  if (taken.some(other => box[0] < other[0] + other[2] && other[0] < box[0] + box[2] && box[1] < other[1] + other[3] && other[1] < box[1] + box[3])) return [];
  taken.push(box);
  return [shape("text", {x: across.toFixed(1), y: down.toFixed(1), "text-anchor": fits ? "start" : "end", class: "over"}, mark.name)];
}

// what a pointer or the arrow keys tell
function telling(place, drawn) {
  place.querySelectorAll(".tip").forEach(each => each.remove());
  const tip = element("div", {class: "tip", role: "status"});
  tip.hidden = true;
  place.append(tip);
  let current = -1;
  const svg = place.querySelector("svg");
  const ring = shape("circle", {r: 6, style: "fill:none;stroke:var(--ink)", "stroke-width": 1.5});
  function tell(number) {
    current = number;
    ring.remove();
    if (number < 0) { tip.hidden = true; return; }
    const point = drawn.points[number], scale = svg.clientWidth / drawn.W;
    tip.replaceChildren(element("b", {}, point.name), ...point.facts.map(([name, value]) => element("span", {}, element("i", {}, name), value)));
    ring.setAttribute("cx", point.x);
    ring.setAttribute("cy", point.y);
    svg.append(ring);
    tip.hidden = false;
    const x = point.x * scale, fits = x + 16 + tip.offsetWidth <= place.clientWidth;
    tip.style.left = Math.max(0, fits ? x + 14 : x - 14 - tip.offsetWidth) + "px";
    tip.style.top = Math.max(0, point.y * scale - tip.offsetHeight / 2) + "px";
  }
  place.onpointermove = event => {
    const box = svg.getBoundingClientRect(), scale = drawn.W / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    let best = -1, least = 44 * 44;
    drawn.points.forEach((each, number) => { const far = (each.x - x) ** 2 + (each.y - y) ** 2; if (far < least) [best, least] = [number, far]; });
    if (best !== current) tell(best);
  };
  place.onpointerleave = () => tell(-1);
  place.onblur = () => tell(-1);
  place.onkeydown = event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key], other = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (event.key === "Escape") return tell(-1);
    if ((!step && !other) || !drawn.points.length) return undefined;
    event.preventDefault();
    if (current < 0) return tell(0);
    if (step) return tell((current + step + drawn.points.length) % drawn.points.length);
    const all = [...new Set(drawn.points.map(each => each.mark))], now = drawn.points[current];
    const next = all[(all.indexOf(now.mark) + other + all.length) % all.length];
    const found = drawn.points.map((each, number) => [Math.abs(each.x - now.x), number]).filter(([, number]) => drawn.points[number].mark === next);
    return tell(found.sort((one, two) => one[0] - two[0])[0][1]);
  };
}
