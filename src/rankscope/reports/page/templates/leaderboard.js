// The leaderboard: sort by any column, find a system, leave out what does not fit; the baseline stays in view.
const leaderboard = (() => {
const table = at("leaderboard");
if (!table) return null;
const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
const natural = new Intl.Collator("en", {numeric: true}).compare;

const columnOf = key => heads.findIndex(each => each.dataset.column === key);
const valueOf = (row, column) => row.cells[column].dataset.v;

function sort(head, up) {
  const column = heads.indexOf(head), turn = up ? 1 : -1;
  const named = head.dataset.column === "system";
  for (const each of heads) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const place = row => Number(row.cells[0].dataset.v);
  const rows = [...body.rows].sort((one, other) => {
    const [x, y] = [valueOf(one, column), valueOf(other, column)];
    if (named) return turn * natural(x, y);
    if (x === "nan" || y === "nan") return (x === "nan") - (y === "nan");
    return turn * (x - y) || place(one) - place(other);
  });
  body.append(...rows);
}
for (const head of heads) {
  const button = head.querySelector("button");
  if (button) button.addEventListener("click", () => {
    const now = head.getAttribute("aria-sort");
    sort(head, now ? now === "descending" : "up" in button.dataset);
  });
}

const find = at("find");
if (find) {
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    let count = 0;
    for (const row of body.rows) {
      const there = row.dataset.name.includes(wanted);
      count += there;
      row.hidden = !there && !row.classList.contains("baseline");
    }
    const all = body.rows.length;
    at("systems-shown").textContent = wanted ? `${count} of ${all} systems` : `${all} systems`;
  });
  document.addEventListener("keydown", event => {
    if (event.key !== "/" || /INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    find.focus();
  });
}

// which columns a width has room for: what can go first goes first, and a list offers what is gone
const kept = new Set(["place", "system", "bar", heads[2].dataset.column]);
const optional = heads.map(each => each.dataset.column).filter(key => !kept.has(key));
const measures = optional.filter(key => /^[mk]\d/.test(key));
const chooser = at("column");
let wanted = optional.includes("difference") ? "difference" : measures[0];

function leftOutAt(width) {
  if (width <= 830) return optional.filter(key => key !== wanted);
  const last = measures.filter(key => key !== wanted).reverse();
  const gone = [];
  if (width <= 1160) gone.push("groups", "with", ...last.slice(0, 1));
  if (width <= 980) gone.push("unjudged", ...last.slice(1, 2));
  return gone.filter(key => key !== wanted || key === "groups");
}
function show(gone) {
  const off = heads.map(each => gone.has(each.dataset.column));
  for (const row of table.rows) [...row.cells].forEach((cell, place) => cell.classList.toggle("off", off[place]));
}
function fit() {
  const gone = new Set(leftOutAt(innerWidth)), room = table.parentElement;
  table.classList.remove("plain");
  show(gone);
  const wide = () => table.scrollWidth > room.clientWidth + 1;
  if (wide()) table.classList.add("plain");
  for (const key of [...optional.filter(key => !/^(difference|unjudged|groups|with)$/.test(key)).reverse(), "with", "groups", "unjudged", "difference"]) {
    if (!wide()) break;
    if (key === wanted || gone.has(key) || !optional.includes(key)) continue;
    gone.add(key);
    show(gone);
  }
  document.documentElement.style.setProperty("--head", barHeight() + table.tHead.offsetHeight + "px");
  if (!chooser) return;
  const names = optional.filter(key => gone.has(key) || (innerWidth <= 830 && key === wanted));
  const choices = names.includes(wanted) ? names : [wanted, ...names];
  chooser.replaceChildren(...choices.map(key => option(key, headText(key))));
  chooser.value = wanted;
  at("other-column").hidden = !names.length;
}
const headText = key => { const head = heads[columnOf(key)]; return (head.querySelector("button") || head).textContent; };
if (chooser) chooser.addEventListener("change", () => { wanted = chooser.value; fit(); });
let waiting;
addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(fit, 60); });
fit();
return {fit, table};
})();
