// Buttons that copy the text of a field.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    await navigator.clipboard.writeText(field.value).catch(() => document.execCommand("copy"));
    document.getElementById("said").textContent = button.textContent = "Copied";
  });
}
