// On a narrow screen the pages stand in one line that can be moved: the one that is open comes into view.
const current = document.querySelector(".top nav [aria-current]");
if (current) {
  const list = current.closest("ul");
  list.scrollLeft = current.offsetLeft - list.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
}
