(async () => {
  if (at("data-systems")) {
    choice.start(await unpacked("data-systems"));
    drawKey();
  }
  await startFigures();
  root.dataset.ready = "yes";
})();
