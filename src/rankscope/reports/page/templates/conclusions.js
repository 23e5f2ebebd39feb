// What to conclude from curves: who leads where, from the numbers that are drawn, and what the tests say of those who do.
const EQUAL = .0005;
const DEPENDS = {recall: "how far down a user reads", scope: "how far down a user reads", "generality index": "how rare relevant items are", "collection size": "how large the collection becomes", "round of feedback": "how many rounds a user gives"};
function axisNumber(value) {
  const text = Math.abs(value) >= 1000 ? Math.round(Math.abs(value)).toLocaleString("en") : String(Number(Math.abs(value).toPrecision(3)));
  return (value < 0 ? "\u2212" : "") + (text.startsWith("0.") ? text.slice(1) : text);
}
const joined = words => words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words[words.length - 1];
const quantityOf = graph => (graph.y.quantity === "mean" ? graph.y.title : (choice.queries > 1 ? "mean " : "") + graph.y.quantity).replace(" = recall", " (= recall)");

// the curve of each series as sorted points; pieces of one curve are one
function curvesOf(marks) {
  const curves = new Map();
  for (const mark of marks.filter(each => each.role === "curve")) {
    const own = curves.get(mark.name) || {name: mark.name, system: mark.system, at: new Map()};
    mark.x.forEach((x, k) => { if (x !== null && mark.y[k] !== null) own.at.set(x, mark.y[k]); });
    curves.set(mark.name, own);
  }
  return [...curves.values()].filter(each => each.at.size).map(each => ({...each, points: [...each.at].sort((one, other) => one[0] - other[0])}));
}
function heightAt(points, x) {
  if (x < points[0][0] || x > points[points.length - 1][0]) return null;
  const next = points.findIndex(each => each[0] >= x);
  if (points[next][0] === x) return points[next][1];
  const [[a, b], [c, d]] = [points[next - 1], points[next]];
  return b + (d - b) * (x - a) / (c - a);
}
function leadersOf(curves, lower) {
  const grid = [...new Set(curves.flatMap(each => each.points.map(point => point[0])))].sort((one, other) => one - other);
  const runs = [];
  let total = 0, alike = 0;
  for (const x of grid) {
    const here = curves.map(each => [heightAt(each.points, x), each]).filter(each => each[0] !== null);
    if (here.length < 2) continue;
    const heights = here.map(each => each[0]);
    if (Math.max(...heights) <= .001) continue;
    const best = lower ? Math.min(...heights) : Math.max(...heights);
    const near = here.filter(each => Math.abs(each[0] - best) <= EQUAL), last = runs[runs.length - 1];
    const stays = last && near.find(each => each[1] === last.curve);
    if (near.length > 1 && !stays) { alike++; continue; }
    total++;
    const leader = stays ? last.curve : near[0][1];
    if (last && last.curve === leader) { last.to = x; last.count++; }
    else runs.push({curve: leader, from: x, to: x, count: 1});
  }
  return {runs, total, alike};
}
function concludeCurves(graph, marks) {
  const curves = curvesOf(marks), what = quantityOf(graph), along = graph.x.quantity.replace(" of feedback", "");
  if (!curves.length) return "choose a system to see its curve.";
  if (curves.length === 1) {
    const [first, last] = [curves[0].points[0], curves[0].points[curves[0].points.length - 1]];
    return `${curves[0].name} has a ${what} of ${short(first[1])} at ${along} ${axisNumber(first[0])} and ${short(last[1])} at ${axisNumber(last[0])}.`;
  }
  const {runs, total, alike} = leadersOf(curves, graph.y.lower), lead = `has the ${graph.y.lower ? "lowest" : "highest"} ${what}`;
  if (!runs.length) return `no curve leads: all differ by less than .001.`;
  const leaders = [...new Set(runs.map(each => each.curve))];
  let text;
  if (leaders.length === 1) text = `${leaders[0].name} ${lead} ${alike ? "wherever the curves differ" : `at every ${along}`}.`;
  else if (runs.length <= 4) {
    text = joined(runs.map((run, number) => run.curve.name + (number ? "" : ` ${lead}`) + (run.from === run.to ? ` at ${along} ` + axisNumber(run.from) : ` from ${along} ${axisNumber(run.from)} to ${axisNumber(run.to)}`))) + ".";
  } else {
    const counts = leaders.map(each => [runs.filter(run => run.curve === each).reduce((sum, run) => sum + run.count, 0), each]).sort((one, other) => other[0] - one[0]);
    text = `${counts[0][1].name} ${lead} at ${counts[0][0]} of ${total} points, ${counts[1][1].name} at ${counts[1][0]}${counts.length > 2 ? `; ${counts.length - 2} more ${counts.length === 3 ? "leads" : "lead"} elsewhere` : ""}.`;
  }
  return text + tested(graph, curves, leaders, runs);
}
function tested(graph, curves, leaders, runs) {
  if (!choice.different.length || curves.some(each => each.system === undefined)) return "";
  const test = ` What is tested is ${choice.measure}, not these curves: `;
  if (leaders.length === 1) {
    const others = curves.filter(each => each !== leaders[0]), open = others.filter(each => !choice.differ(leaders[0].system, each.system));
    const ahead = others.filter(each => choice.differ(leaders[0].system, each.system) && choice.order.indexOf(each.system) < choice.order.indexOf(leaders[0].system));
    if (ahead.length) return `${test}${ahead[0].name} is significantly better.`;
    if (!open.length) return `${test}${leaders[0].name} is significantly better than ${others.length === 1 ? others[0].name : others.length === 2 ? "both others drawn" : `all ${others.length} others drawn`}.`;
    return `${test}no significant difference between ${leaders[0].name} and ${open.length === 1 ? open[0].name : open.length === others.length ? `any of the ${others.length} others drawn` : `${open.length} of the ${others.length} others drawn`}.`;
  }
  const [one, other] = [runs[0].curve, runs[runs.length - 1].curve === runs[0].curve ? leaders[1] : runs[runs.length - 1].curve];
  const better = choice.order.indexOf(one.system) < choice.order.indexOf(other.system) ? [one, other] : [other, one];
  if (choice.differ(one.system, other.system)) return `${test}${better[0].name} is significantly better than ${better[1].name}.`;
  return `${test}no significant difference between ${one.name} and ${other.name}; which to prefer depends on ${DEPENDS[graph.x.quantity] || "where on this axis a user stands"}.`;
}
