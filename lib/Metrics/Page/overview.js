// The first part: which kernels and which launches matter.

function changeOfTime(now, before) {
  return before === undefined ? null : makeChange(now, before, -1);
}

/// The summary of all launches, kernels, and the launches that take most time.
function showOverview(view) {
  const { report, baseline } = view, timed = report.launches.filter((launch) => launch.profile);
  const slowest = [...timed].sort((a, b) => b.time - a.time);
  const cards = make("div", { class: "cards" },
    makeCard("time of all launches", formatTime(report.time), baseline && makeChange(report.time, baseline.time, -1)),
    makeCard("launches", exact(report.launches.length + (report.left_out || 0)), baseline && makeChange(report.launches.length, baseline.launches.length)),
    makeCard("kernels", exact(report.kernels.length), baseline && makeChange(report.kernels.length, baseline.kernels.length)),
    ...savings(report, baseline));
  const top = report.kernels.slice(0, 12);
  const bars = makeBars("Time by kernel", top.map((kernel, index) => {
    const before = baseline && baseline.kernels.find((other) => other.kernel === kernel.kernel);
    return { name: clipped(kernel.short), value: kernel.time, before: baseline ? (before ? before.time : null) : undefined, colour: Palette[index % Palette.length], action: () => view.open("details", kernel.slowest) };
  }), { format: formatTime });
  const height = Math.max(190, 50 + top.length * (baseline ? 32 : 22));
  return [cards,
    make("div", { class: "grid" },
      makePanel("Time by kernel", report.kernels.length > top.length ? `the first ${top.length}` : "a click shows the slowest launch", bars),
      makePanel("Launches in their order", "a click shows the launch", makeSequence(view, timed, height))),
    make("p"),
    makePanel("Kernels", "", makeKernels(view)),
    makePanel("Launches", "", makeLaunches(view, slowest)),
    ...whatIf(view)];
}

/// What advice would save of all launches together, the best first.
function savings(report, baseline) {
  const won = savedBy(report), before = baseline && savedBy(baseline);
  const best = [...won].sort((a, b) => b[1] - a[1]).slice(0, 2);
  return best.map(([limiter, part]) => makeCard(`of all cycles without ${limiter}`, "\u2212" + formatMetric(part, "%"), before && makeChange(part, before.get(limiter) || 0, -1)));
}

/// The per cent of all cycles that each limiter costs.
function savedBy(report) {
  const won = new Map(), total = report.launches.reduce((sum, launch) => sum + launch.cycles, 0);
  for (const launch of report.launches)
    for (const advice of launch.advice || [])
      if (advice.proved) won.set(advice.limiter, (won.get(advice.limiter) || 0) + 100 * advice.cycles_won / total);
  return won;
}

/// A bar for each launch, in the kernel's colour.
function makeSequence(view, launches, height) {
  const colours = new Map(view.report.kernels.map((kernel, index) => [kernel.kernel, Palette[index % Palette.length]]));
  const timeBefore = (launch) => {
    const other = counterpart(view.baseline, launch);
    return other ? other.time : null;
  };
  const before = view.baseline ? [{
    label: "baseline", type: "line", data: launches.map(timeBefore), showLine: false, pointStyle: "line", pointRadius: launches.length > 60 ? 2 : 6, borderColor: colour("--text"), borderWidth: 2,
  }] : [];
  const configure = () => ({
    type: "bar",
    data: { labels: launches.map((launch) => launch.index), datasets: [...before, {
      label: "now", data: launches.map((launch) => launch.time), backgroundColor: launches.map((launch) => colours.get(launch.kernel)), barPercentage: 1, categoryPercentage: launches.length > 60 ? 1 : 0.9,
    }] },
    options: {
      onClick: (event, hit) => hit.length && afterwards(() => view.open("details", launches[hit[0].index])),
      interaction: { mode: "index", intersect: false },
      scales: { x: { grid: { display: false }, title: { display: true, text: "launch" }, ticks: { maxRotation: 0, autoSkipPadding: 20 } }, y: { min: 0, ticks: { callback: formatTime } } },
      plugins: { legend: { display: false }, tooltip: { callbacks: {
        title: (items) => items.length ? `launch ${launches[items[0].dataIndex].index}: ${launches[items[0].dataIndex].short}` : "",
        label: (item) => (view.baseline ? item.dataset.label + ": " : "") + formatTime(item.raw || 0),
      } } },
    },
  });
  return makeChart("Time of each launch", height, configure, () => makePlainTable(["launch", "time"], launches.slice(0, 50).map((launch) => [launch.index, formatTime(launch.time)])));
}

function makeKernels(view) {
  const { report, baseline } = view;
  const other = (kernel) => baseline && baseline.kernels.find((k) => k.kernel === kernel.kernel);
  const before = (kernel, member) => baseline ? (other(kernel) || {})[member] : undefined;
  return makeTable([
    { title: "kernel", isText: true, value: (k) => k.short, cell: (k) => make("td", {}, makeName(k.demangled)) },
    { title: "time", value: (k) => k.time, cell: (k) => make("td", { class: "n", title: exact(k.cycles) + " cycles" }, formatTime(k.time), changeOfTime(k.time, before(k, "time")), makeBar(100 * k.time / report.time)) },
    { title: "of all", value: (k) => k.time, cell: (k) => {
      const old = other(k);
      return makeFigure(100 * k.time / (report.time || 1), "%", { before: baseline ? (old ? 100 * old.time / (baseline.time || 1) : 0) : undefined });
    } },
    { title: "launches", value: (k) => k.count, cell: (k) => makeFigure(k.count, "", { before: before(k, "count") }) },
    { title: "mean", value: (k) => k.time / k.count, cell: (k) => make("td", { class: "n" }, formatTime(k.time / k.count), changeOfTime(k.time / k.count, other(k) ? other(k).time / other(k).count : undefined)) },
    { title: "slowest", value: (k) => k.slowest.time, cell: (k) => make("td", { class: "n" }, formatTime(k.slowest.time), changeOfTime(k.slowest.time, other(k) ? other(k).slowest.time : undefined)) },
    { title: "waits most for", isText: true, value: (k) => mainState((k.slowest.profile || {}).states), cell: (k) => make("td", {}, mainState((k.slowest.profile || {}).states)) },
    { title: "held back by", isText: true, value: adviceOf, cell: (k) => make("td", {}, adviceOf(k)) },
  ], report.kernels, (kernel) => view.open("details", kernel.slowest), 1);
}

function adviceOf(kernel) {
  const advice = adviceOn(view.report, kernel.slowest), best = advice.find((a) => a.proved), suspected = advice.find((a) => a.suspected);
  if (best) return `${best.limiter} (${formatMetric(100 * best.cycles_won / best.cycles, "%")})`;
  return suspected ? suspected.limiter + "?" : "";
}

function makeLaunches(view, slowest) {
  const box = make("div"), search = make("input", { type: "search", id: "filter", placeholder: "kernel\u2026 (/)", value: view.filter, "aria-label": "Look for a kernel" });
  const before = (launch, name) => {
    const other = counterpart(view.baseline, launch);
    return view.baseline ? (other ? other.metrics[name] || 0 : undefined) : undefined;
  };
  const metric = (title, name, unit, better, extra = {}) => ({ title, value: (l) => l.metrics[name] || 0,
    cell: (l) => makeFigure(l.metrics[name] || 0, unit, { before: before(l, name), better, ...(extra.bar ? { bar: l.metrics[name] || 0 } : {}) }) });
  const fill = () => {
    view.filter = search.value;
    const words = search.value.toLowerCase().split(/\s+/);
    const rows = slowest.filter((launch) => words.every((word) => launch.demangled.toLowerCase().includes(word)));
    box.replaceChildren(makeTable([
      { title: "#", value: (l) => l.index, cell: (l) => make("td", { class: "n" }, String(l.index)) },
      { title: "kernel", isText: true, value: (l) => l.short, cell: (l) => make("td", {}, makeName(l.demangled)) },
      { title: "grid \u00d7 block", isText: true, value: (l) => sizeOf(l), cell: (l) => make("td", { class: "dim" }, sizeOf(l)) },
      metric("time", Duration, "us", -1), metric("cycles", Cycles, "", -1),
      metric("compute", Compute, "%", 1, { bar: true }), metric("memory", Memory, "%", 1, { bar: true }), metric("occupancy", Achieved, "%", 1, { bar: true }),
      { title: "waits most for", isText: true, value: (l) => mainState(l.profile.states), cell: (l) => make("td", {}, mainState(l.profile.states)) },
    ], rows, (launch) => view.open("details", launch), 3, 50));
  };
  search.addEventListener("input", fill);
  fill();
  return make("div", {}, make("div", { class: "tools" }, search), box,
    view.report.left_out ? make("p", { class: "note" }, `${exact(view.report.left_out)} more launches are only in the sums of their kernels.`) : null);
}

function sizeOf(launch) {
  const text = (size) => (size || []).map((n) => n || 0).join("\u00b7").replace(/(\u00b71)+$/, "");
  return text(launch.grid) + " \u00d7 " + text(launch.block);
}

function whatIf(view) {
  const answers = view.report.what_if || [];
  if (!answers.length) return [];
  const rows = view.report.launches.map((launch) => make("tr", {}, make("td", {}, makeName(launch.demangled)), make("td", { class: "n" }, formatNumber(launch.cycles)),
    ...answers.map((answer) => make("td", { class: "n" }, formatNumber(answer.cycles[launch.index] || 0), makeChange(answer.cycles[launch.index] || 0, launch.cycles, -1)))));
  return [makePanel("What if", "cycles on a chip with other figures", make("div", { class: "scroll" }, make("table", {},
    make("tr", {}, make("th", {}, "kernel"), make("th", { class: "n" }, "cycles"), ...answers.map((answer) => make("th", { class: "n" }, answer.changes))), ...rows)))];
}
