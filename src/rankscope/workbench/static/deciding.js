// Keys for pages where one thing is decided after another: each button or link says its own keys; and the time of looking.

const opened = performance.now();
let seen = 0, since = document.hidden ? null : opened;

document.addEventListener("visibilitychange", () => {
  if (document.hidden && since !== null) { seen += performance.now() - since; since = null; }
  else if (!document.hidden) since = performance.now();
});

const visibleTime = () => Math.round(seen + (since === null ? 0 : performance.now() - since));

for (const form of document.querySelectorAll("form[data-timed]"))
  form.addEventListener("submit", () => { form.elements.ms.value = visibleTime(); });

// One answer a page: a second press while the first is on its way does nothing.
let sent = false;
document.addEventListener("submit", event => {
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => { sent = false; });

document.addEventListener("keydown", event => {
  if (localStorage.judgeKeys === "off") return; // the switch in the list of keys on the page Judge
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
  if (event.target.matches("input:not([type=checkbox]), textarea, select") || event.target.closest("[tabindex='0'].words")) return;
  const found = [...document.querySelectorAll("[data-key]")].find(each => each.dataset.key.split(" ").includes(event.key));
  if (!found) return;
  event.preventDefault();
  found.click();
});

document.documentElement.dataset.ready = "yes";
