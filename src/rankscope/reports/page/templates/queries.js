// Query by query: two systems, where one wins and loses most, and what both have first.
const PAGE = 100;
const STATUS = ["not in it", "answered", "missing", "no relevant", "not judged"];
const byName = new Intl.Collator("en", {numeric: true}).compare;

async function startQueries() {
  if (!at("data-queries")) return;
  const data = await unpacked("data-queries"), several = choice.names.length > 1;
  const names = choice.names, listed = data.listed || {systems: [], queries: []};
  const best = choice.order[0], second = best === 0 ? choice.order[1] : 0;
  let current = null, page = PAGE, rows = [];
  const words = row => data.words && data.words.length ? data.words[row] : ["", ""];
  const hay = data.queries.map((query, row) => [query, ...words(row), data.classes[data.class[row]] || ""].join(" ").toLowerCase());
  const states = [...new Set(data.status.flatMap(each => [...each]))].sort();
  const withWords = Boolean(data.words && data.words.length);

  // what can be chosen
  const select = (label, options, value) => {
    const made = element("select", {});
    made.append(...options.map(([key, text]) => option(key, text)));
    if (value !== undefined) made.value = value;
    made.addEventListener("change", () => { current = null; page = PAGE; list(); });
    return [element("label", {}, label + " ", made), made];
  };
  const everyone = choice.order.map(each => [each, names[each]]);
  const [labelA, chooseA] = select(several ? "A" : "System", everyone, best);
  const [labelB, chooseB] = select("B", everyone, second);
  const orders = several ? [["win", "A\u2019s largest wins"], ["loss", "A\u2019s largest losses"], ["id", "query number"]] : [["best", "best first"], ["worst", "worst first"], ["id", "query number"]];
  const [labelOrder, chooseOrder] = select("order", orders, several ? "win" : "worst");
  const [labelMeasure, chooseMeasure] = select("measure", data.measures.map((each, number) => [number, each.name]), data.main);
  const [labelClass, chooseClass] = select("class", [["", "all"], ...data.classes.map((each, number) => [number, each])], "");
  const [labelStatus, chooseStatus] = select("status", [["", "all"], ...states.map(each => [each, STATUS[each]])], "");
  const find = element("input", {type: "search", placeholder: withWords ? "Find words" : "Find a query", "aria-label": "Find a query by its number, words or class", autocomplete: "off"});
  find.addEventListener("input", () => { page = PAGE; list(); });
  const store = element("button", {type: "button", id: "save-queries"}, "Save as CSV");
  store.addEventListener("click", saveQueries);
  const tools = [labelA, ...(several ? [labelB] : []), labelOrder, ...(data.measures.length > 1 ? [labelMeasure] : []), ...(data.classes.length ? [labelClass] : []), ...(states.length > 1 ? [labelStatus] : []), find, store];
  at("query-tools").append(...tools);

  const measure = () => data.measures[Number(chooseMeasure.value)];
  const valueOf = (system, row) => { const value = data.values[system][Number(chooseMeasure.value)][row]; return value === null ? null : value / data.unit; };
  const text = value => value === null ? "\u2013" : measure().whole ? String(Math.round(value)) : short(value);
  const systemA = () => Number(chooseA.value), systemB = () => Number(chooseB.value);
  const differs = () => several && systemA() !== systemB();
  function difference(row) {
    const [one, other] = [valueOf(systemA(), row), valueOf(systemB(), row)];
    return one === null || other === null ? null : one - other;
  }
  const gain = value => value === null ? null : measure().lower ? -value : value;

  function chosen() {
    const wanted = find.value.trim().toLowerCase(), kind = chooseClass.value, status = chooseStatus.value;
    const made = data.queries.map((_, row) => row).filter(row => (!wanted || hay[row].includes(wanted)) && (kind === "" || data.class[row] === Number(kind)) && (status === "" || data.status.some(each => each[row] === status)));
    const order = chooseOrder.value;
    if (order === "id") return made;
    const key = several ? row => gain(difference(row)) : row => gain(valueOf(systemA(), row));
    const turn = order === "win" || order === "best" ? -1 : 1;
    return made.map(row => [key(row), row]).sort(([one, first], [other, next]) => {
      if (one === null || other === null) return (one === null) - (other === null) || first - next;
      return turn * (one - other) || first - next;
    }).map(each => each[1]);
  }

  function conclude() {
    const place = at("query-conclusion"), all = data.queries.map((_, row) => row);
    if (!several) {
      const known = all.filter(row => valueOf(systemA(), row) !== null);
      if (known.length < 2) { place.hidden = true; return; }
      const sorted = known.sort((one, other) => gain(valueOf(systemA(), other)) - gain(valueOf(systemA(), one)));
      place.textContent = `What to conclude: ${measure().name} is best on query ${named(sorted[0])} (${text(valueOf(systemA(), sorted[0]))}) and worst on ${named(sorted[sorted.length - 1])} (${text(valueOf(systemA(), sorted[sorted.length - 1]))}).`;
      return;
    }
    if (!differs()) { place.textContent = "Choose two different systems."; return; }
    const gains = all.map(row => gain(difference(row))), known = all.filter(row => gains[row] !== null);
    const won = known.filter(row => gains[row] > 1e-9), lost = known.filter(row => gains[row] < -1e-9);
    const top = (some, sign) => some.reduce((one, other) => sign * gains[other] > sign * gains[one] ? other : one);
    if (known.length === 1) {
      const [better, worse] = lost.length ? [systemB(), systemA()] : [systemA(), systemB()], values = [better, worse].map(each => text(valueOf(each, known[0]))).join(" against ");
      place.textContent = won.length + lost.length ? `What to conclude: on this query ${names[better]} is better by ${measure().name}, ${values}; other queries may show the opposite.` : `What to conclude: on this query both have the same ${measure().name}.`;
      return;
    }
    let told = `What to conclude: ${names[systemA()]} is better by ${measure().name} on ${won.length.toLocaleString("en")} of ${known.length.toLocaleString("en")} queries, ${names[systemB()]} on ${lost.length.toLocaleString("en")}.`;
    if (won.length) told += ` Largest win: ${named(top(won, 1))} (${signed(difference(top(won, 1)))})`;
    if (lost.length) told += `${won.length ? "; largest" : " Largest"} loss: ${named(top(lost, -1))} (${signed(difference(top(lost, -1)))})`;
    place.textContent = told.endsWith(".") ? told : told + ".";
  }
  const named = row => words(row)[0] ? `\u201c${words(row)[0]}\u201d` : data.queries[row];

  function drawnBar(value, most) {
    const made = shape("svg", {viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true"});
    if (value !== null) {
      const reach = several ? value / most * 48 : value / most * 98, start = several ? 50 : 1;
      const better = measure().lower ? reach < 0 : reach > 0;
      made.append(shape("rect", {x: reach < 0 ? start + reach : start, y: 2, width: Math.abs(reach), height: 10, style: `fill:${better || !several ? "var(--tint)" : "var(--bad)"}`}));
    }
    if (several) made.append(shape("path", {d: "M50 0V14", "stroke-width": .8}));
    return made;
  }

  function line(row, most) {
    const made = element("tr", row === current ? {"aria-current": "true"} : {});
    const press = element("button", {type: "button", class: "query", title: words(row)[1] || data.queries[row]}, withWords ? words(row)[0] || "\u2013" : data.queries[row]);
    press.addEventListener("click", () => {
      current = row;
      list();
      const again = at("query-list").querySelector("[aria-current] button");
      if (again) again.focus({preventScroll: true});
      if (innerWidth <= 1050) at("panel").scrollIntoView({block: "start"});
    });
    if (withWords) made.append(element("td", {class: "id"}, data.queries[row]));
    made.append(element("td", {class: withWords ? "words" : "id alone"}, press));
    made.append(element("td", {class: "value"}, text(valueOf(systemA(), row))));
    if (several) {
      const less = difference(row);
      made.append(element("td", {class: "value"}, text(valueOf(systemB(), row))), element("td", {class: "less"}, less === null ? "\u2013" : signed(less)));
    }
    made.append(element("td", {class: "drawn"}, drawnBar(several ? difference(row) : valueOf(systemA(), row), most)));
    return made;
  }

  function list() {
    rows = chosen();
    if (current === null || !rows.includes(current)) current = rows.length ? rows[0] : null;
    const all = data.queries.map((_, row) => Math.abs((several ? difference(row) : valueOf(systemA(), row)) || 0));
    const most = all.reduce((one, other) => Math.max(one, other), 0) || 1;
    const name = measure().name;
    const heads = [...(withWords ? [["id", "no."], ["words", "query"]] : [["id alone", "query"]]), ["value", several ? name + ", A" : name], ...(several ? [["value", name + ", B"], ["less", "A \u2212 B"]] : [])];
    const head = element("tr", {}, ...heads.map(([kind, words]) => element("th", {scope: "col", class: kind}, words)), element("th", {scope: "col", class: "drawn"}, element("span", {class: "sr"}, "drawn")));
    const longest = data.queries.reduce((most, each) => Math.max(most, each.length), 3);
    const table = element("table", {style: `--id:${Math.min(14, longest) + 2}ch`}, element("caption", {class: "sr"}, "Queries with " + name), element("thead", {}, head), element("tbody", {}, ...rows.slice(0, page).map(row => line(row, most))));
    const parts = [table];
    const count = element("p", {class: "note", id: "query-count", role: "status"}, rows.length === data.queries.length ? `${rows.length.toLocaleString("en")} ${rows.length === 1 ? "query" : "queries"}` : `${rows.length.toLocaleString("en")} of ${data.queries.length.toLocaleString("en")} queries`);
    if (rows.length > page) {
      count.append(`, the first ${page.toLocaleString("en")} shown `);
      const more = element("button", {type: "button", class: "screen", id: "more-queries"}, "Show more");
      more.addEventListener("click", () => { page += 5 * PAGE; list(); });
      count.append(more);
    }
    at("query-list").replaceChildren(...parts, count);
    conclude();
    panel();
  }

  // the query chosen
  function markOf(grade) {
    if (grade === null) return ["open", "?", data.open];
    if (grade < data.rel) return ["none", grade > 0 ? String(grade) : "\u00d7", grade > 0 ? `judged not relevant, grade ${grade}` : "judged not relevant"];
    const scale = data.top > 1 ? `, grade ${grade}` : "";
    return [grade >= data.top ? "full" : "some", data.top > 1 ? String(grade) : "\u2713", "relevant" + scale];
  }
  function mark(grade) {
    const [kind, sign, told] = markOf(grade);
    return [element("span", {class: "grade " + kind, "aria-hidden": "true", title: told}, sign), element("span", {class: "sr"}, told)];
  }
  function what(id) {
    const title = (data.titles || {})[id], label = title || id || "\u2013";
    const own = title ? document.createTextNode(label) : element("code", {}, label);
    const shown = data.link && id && /^https?:/.test(data.link) ? element("a", {href: data.link.replaceAll("{id}", encodeURIComponent(id)), target: "_blank", rel: "noopener noreferrer"}, own) : own;
    const made = element("span", {class: "what"}, shown), text = (data.texts || {})[id];
    if (text) made.append(element("span", {class: "text"}, text));
    return made;
  }
  function column(letter, system, other, row) {
    const made = element("div", {}, element("h4", {}, (several ? letter + " " : "") + names[system]));
    const place = listed.systems.indexOf(system), found = listed.queries[row];
    if (place < 0 || !found) { made.append(element("p", {class: "small dim"}, `The lists in this page are of ${listed.systems.length} systems: the best and the ${choice.baseline}.`)); return made; }
    const first = found.first[place], beside = other === null ? [] : found.first[listed.systems.indexOf(other)] || [];
    const status = STATUS[data.status[system][row]];
    if (!first.length) {
      const some = listed.queries.filter(each => each.first.some(own => own.length)).length;
      made.append(element("p", {class: "small dim"}, status === "missing" ? "The run has no results for this query." : `The lists in this page are of ${some.toLocaleString("en")} of ${data.queries.length.toLocaleString("en")} queries.`));
      return made;
    }
    const good = first.filter(each => found.grades[each] !== null && found.grades[each] >= data.rel).length, open = first.filter(each => found.grades[each] === null).length;
    const fewer = first.length < listed.count ? ` of ${first.length}` : "";
    made.append(element("p", {class: "small dim"}, `${good} relevant, ${open} ${data.open}${fewer}`));
    const pictured = first.some(each => (data.pictures || {})[found.ids[each]]);
    const items = first.map((each, rank) => {
      const id = found.ids[each], also = id ? beside.indexOf(each) : -1;
      if (pictured) {
        const source = data.pictures[id], told = markOf(found.grades[each])[2];
        const shot = source ? element("img", {class: "shot", src: source, alt: `${id}: ${told}`}) : element("span", {class: "shot"}, id);
        return element("li", {title: id}, shot, element("span", {class: "grade " + markOf(found.grades[each])[0], "aria-hidden": "true"}, markOf(found.grades[each])[1]), element("span", {class: "name"}, `${rank + 1} ${id}`));
      }
      return element("li", {}, element("span", {class: "rank"}, String(rank + 1)), ...mark(found.grades[each]), what(id), element("span", {class: "also"}, also >= 0 ? `${letter === "A" ? "B" : "A"} at ${also + 1}` : ""));
    });
    made.append(element("ol", pictured ? {class: "pictures"} : {}, ...items));
    return made;
  }
  function panel() {
    const place = at("panel");
    if (current === null) { place.replaceChildren(element("p", {class: "dim"}, "No query fits.")); return; }
    const [title, question] = words(current), row = current, a = systemA(), b = systemB();
    const parts = [element("h3", {}, [data.queries[row], title].filter(Boolean).join("  "))];
    if (question) parts.push(element("p", {class: "dim"}, question));
    const asked = (data.pictures || {})[data.queries[row]];
    if (asked) parts.push(element("img", {class: "asked", src: asked, alt: "the query"}));
    const facts = [data.relevant[row] === null ? "" : `${data.relevant[row].toLocaleString("en")} relevant ${data.relevant[row] === 1 ? "item" : "items"}`, data.classes[data.class[row]] ? `class ${data.classes[data.class[row]]}` : ""].filter(Boolean).join(", ");
    const one = valueOf(a, row), other = several ? valueOf(b, row) : null, less = differs() ? difference(row) : null;
    let values = several ? `${measure().name} ${text(one)} and ${text(other)}` : `${measure().name} ${text(one)}`;
    if (less !== null) values += Math.abs(less) < .0005 ? ": no difference" : `: ${(less > 0) !== measure().lower ? "A" : "B"} is better by ${short(Math.abs(less))}`;
    parts.push(element("p", {class: "small"}, [facts, values].filter(Boolean).join(". ") + "."));
    const columns = several ? [column("A", a, b, row), column("B", b, a, row)] : [column("A", a, null, row)];
    parts.push(element("div", {class: several ? "two" : "two single"}, ...columns));
    const grades = data.top > 1 ? [[data.top, "relevant"], [Math.max(data.rel, 1), "partly relevant"], [0, "not relevant"], [null, data.open]] : [[1, "relevant"], [0, "not relevant"], [null, data.open]];
    parts.push(element("div", {class: "marks"}, ...grades.map(([grade, told]) => element("span", {}, element("span", {class: "grade " + markOf(grade)[0], "aria-hidden": "true"}, markOf(grade)[1]), told))));
    place.replaceChildren(...parts);
  }

  function saveQueries() {
    const head = ["query", "class", "relevant", ...names.flatMap(system => ["status of " + system, ...data.measures.map(each => each.name + " of " + system)])];
    const lines = rows.map(row => [data.queries[row], data.classes[data.class[row]] || "", data.relevant[row],
      ...names.flatMap((_, place) => [STATUS[data.status[place][row]], ...data.measures.map((each, number) => { const value = data.values[place][number][row]; return value === null ? null : value / data.unit; })])]);
    save(csv([head, ...lines]), "queries.csv", "text/csv");
  }
  list();
}
