// Grids by keyboard, one tab stop each; a picture dropped anywhere on the page; a choice that is sent at once.

const said = text => { document.getElementById("said").textContent = text; };

// How many tiles stand in the first row.
function columns(tiles) {
  const top = tiles[0].getBoundingClientRect().top;
  const next = tiles.findIndex(each => each.getBoundingClientRect().top > top + 4);
  return next < 0 ? tiles.length : next;
}

const STEPS = { ArrowRight: () => 1, l: () => 1, ArrowLeft: () => -1, h: () => -1, ArrowDown: wide => wide, j: wide => wide, ArrowUp: wide => -wide, k: wide => -wide };

// One tile of a grid is reached by Tab, the others by arrows or h j k l.
export function rove(grid, selector = "a, [data-tile]") {
  const tiles = () => [...grid.querySelectorAll(selector)];
  const take = (chosen, focus = true) => {
    for (const each of tiles()) each.tabIndex = each === chosen ? 0 : -1;
    if (focus) chosen.focus();
  };
  const all = tiles();
  if (all.length) take(all[0], false);
  grid.addEventListener("focusin", event => {
    const tile = event.target.closest(selector);
    if (tile && grid.contains(tile)) take(tile, false);
  });
  grid.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const there = tiles(), place = there.indexOf(event.target.closest(selector));
    if (place < 0) return;
    const step = STEPS[event.key], ends = { Home: 0, End: there.length - 1 };
    const next = event.key in ends ? ends[event.key] : step ? place + step(columns(there)) : -1;
    if (next < 0 || next >= there.length) return;
    event.preventDefault();
    take(there[next]);
  });
  return { take, tiles };
}

for (const each of document.querySelectorAll("[data-roving]")) rove(each);

for (const each of document.querySelectorAll("[data-submit]")) each.addEventListener("change", () => each.form.requestSubmit());

const drop = document.querySelector("[data-drop]");
if (drop) {
  const input = drop.querySelector('input[type="file"]');
  const over = is => drop.classList.toggle("over", is);
  addEventListener("dragover", event => { event.preventDefault(); over(true); });
  addEventListener("dragleave", event => { if (!event.relatedTarget) over(false); });
  addEventListener("drop", event => {
    event.preventDefault();
    over(false);
    if (!event.dataTransfer.files.length) return;
    drop.closest("details").open = true;
    input.files = event.dataTransfer.files;
    drop.requestSubmit();
  });
  drop.addEventListener("submit", () => said("The picture is being sent."));
}
