(async () => {
  choice.start(await unpacked("data-systems"));
  drawKey();
  drawTicks();
  await startFigures();
  await startQueries();
  root.dataset.ready = "yes";
})();
