(async () => {
  root.dataset.ready = "yes";
})();
