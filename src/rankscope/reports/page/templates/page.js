// What every page needs: light and dark, packed data, and saving.
const at = id => document.getElementById(id);
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => root.dataset.theme || (dark.matches ? "dark" : "light");
const named = () => { at("theme").textContent = theme() === "dark" ? "Light" : "Dark"; };
at("theme").addEventListener("click", () => { root.dataset.theme = theme() === "dark" ? "light" : "dark"; named(); });
dark.addEventListener("change", named);
named();

// what sticks below the bar, and where a heading comes to rest, follow its height
const barHeight = () => document.querySelector(".top").offsetHeight;
const measureBar = () => root.style.setProperty("--bar", barHeight() + "px");
addEventListener("resize", measureBar);
measureBar();

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(at(id).textContent.trim()), sign => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
const option = (value, text) => element("option", {value}, text);

function save(content, file, type) {
  const link = document.createElement("a");
  link.href = typeof content === "string" && content.startsWith("data:") ? content : URL.createObjectURL(new Blob([content], {type}));
  link.download = file;
  link.click();
  if (link.href.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// numbers as everywhere: no leading 0, a true minus sign
function short(value, places = 3) {
  const text = Math.abs(value).toFixed(places);
  return (value < 0 && Number(text) ? "\u2212" : "") + (text.startsWith("0.") ? text.slice(1) : text);
}
const signed = value => { const text = short(value); return value > 0 && Number(text) ? "+" + text : text; };

// text that a spreadsheet would take for a formula gets a single quote in front, as in every CSV file of rankscope
function quoted(value) {
  const formula = typeof value === "string" && isNaN(value) && /^\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(value);
  const text = value === null || value === undefined ? "" : formula ? "'" + value : String(value);
  return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}
const csv = rows => rows.map(row => row.map(quoted).join(",")).join("\n") + "\n";
