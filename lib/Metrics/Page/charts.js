// Charts, by Chart.js where the page has it, else as tables.

const hasCharts = typeof Chart !== "undefined";
const Palette = ["#4c78d8", "#e0803a", "#3fa06c", "#c9524f", "#8a6bd1", "#a7794f", "#cf6fb0", "#7f8896", "#a9a12b", "#32a3b5", "#6f9c3c", "#b5557c", "#5a6acf"];
let charts = [];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/// The colour of a warp state; issuing is green.
function stateColour(report, name) {
  if (name === "selected") return "#3fa06c";
  const index = report.catalog.states.findIndex((state) => state.name === name);
  return Palette[(index + (index >= 2 ? 1 : 0)) % Palette.length];
}

function forgetCharts() {
  charts.forEach((chart) => chart.destroy());
  charts = [];
}

/// Charts are not taken away while they handle an event.
function afterwards(action) {
  setTimeout(action, 0);
}

/// A chart of some height; without Chart.js the table that \p fallback makes.
function makeChart(label, height, configure, fallback) {
  if (!hasCharts) return fallback();
  const canvas = make("canvas", { role: "img", "aria-label": label });
  const box = make("div", { class: "chart", style: `height:${height}px` }, canvas);
  // A canvas has a size when it is in the page.
  requestAnimationFrame(() => {
    if (!canvas.isConnected) return;
    Object.assign(Chart.defaults, { color: colour("--dim"), borderColor: colour("--line"), animation: false, maintainAspectRatio: false });
    Chart.defaults.font.family = "system-ui, 'DejaVu Sans', sans-serif";
    const chart = new Chart(canvas, configure());
    canvas.chart = chart; // for tests and for the console
    charts.push(chart);
  });
  return box;
}

function makePlainTable(heads, rows) {
  return make("div", { class: "scroll" }, make("table", {}, make("tr", {}, ...heads.map((head) => make("th", {}, head))),
    ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, String(cell)))))));
}

/// Horizontal bars. Rows are {name, value, before, colour, title, action}.
function makeBars(label, rows, options = {}) {
  const format = options.format || formatNumber;
  const hasBefore = rows.some((row) => row.before !== undefined && row.before !== null);
  const configure = () => ({
    type: "bar",
    data: {
      labels: rows.map((row) => row.name),
      datasets: [
        { label: "now", data: rows.map((row) => row.value), backgroundColor: rows.map((row) => row.colour || colour("--accent")), borderRadius: 2 },
        ...(hasBefore ? [{ label: "baseline", data: rows.map((row) => row.before), backgroundColor: colour("--base"), borderRadius: 2 }] : []),
      ],
    },
    options: {
      indexAxis: "y",
      onClick: (event, hit) => hit.length && rows[hit[0].index].action && afterwards(rows[hit[0].index].action),
      onHover: (event, hit) => { event.native.target.style.cursor = hit.length && rows[hit[0].index].action ? "pointer" : ""; },
      scales: {
        x: { min: 0, max: options.max, title: { display: Boolean(options.unit), text: options.unit }, ticks: { callback: options.ticks || format } },
        y: { grid: { display: false }, ticks: { autoSkip: false, color: colour("--text") } },
      },
      plugins: {
        legend: { display: hasBefore },
        tooltip: { callbacks: {
          label: (item) => `${hasBefore ? item.dataset.label + ": " : ""}${format(item.raw)}${options.after || ""}`,
          afterBody: (items) => items.length && rows[items[0].dataIndex].title ? wrapped(rows[items[0].dataIndex].title) : [],
        } },
      },
    },
  });
  return makeChart(label, 50 + rows.length * (hasBefore ? 32 : 22), configure,
    () => makePlainTable(["", "now", ...(hasBefore ? ["baseline"] : [])],
      rows.map((row) => [row.name, format(row.value), ...(hasBefore ? [format(row.before || 0)] : [])])));
}

/// Text for a tooltip, in lines.
function wrapped(text) {
  return text.match(/.{1,60}(\s|$)/g) || [text];
}

/// Lines over a number of some resource; \p at is where the launch is, and
/// \p before where that of the baseline is. Points at the edge are whole.
function makeCurve(label, unit, points, at, before, most) {
  const point = (name, place, tint) => ({ label: name, data: [place], borderColor: tint, backgroundColor: tint, pointRadius: 6, showLine: false, clip: false });
  const configure = () => ({
    type: "line",
    data: { datasets: [
      { label: "warps on a core", data: points.map(([x, y]) => ({ x, y })), borderColor: colour("--accent"), borderWidth: 2, pointRadius: 0, pointHitRadius: 8, stepped: "before" },
      point("this launch", at, Palette[3]),
      ...(before ? [point("baseline", before, colour("--base"))] : []),
    ] },
    options: {
      scales: {
        x: { type: "linear", min: 0, title: { display: true, text: label }, ticks: { maxRotation: 0, autoSkipPadding: 14, callback: (value) => unit ? formatSI(value, unit) : formatNumber(value) } },
        y: { min: 0, max: most, title: { display: true, text: "warps" } },
      },
      plugins: { legend: { display: false }, tooltip: { callbacks: {
        title: () => "",
        label: (item) => `${unit ? formatSI(item.raw.x, unit) : formatNumber(item.raw.x)} ${label}: ${item.raw.y} warps${item.datasetIndex ? ` (${item.dataset.label})` : ""}`,
      } } },
    },
  });
  return makeChart(label, 190, configure, () => makePlainTable([label, "warps"], points.map(([x, y]) => [formatNumber(x), y])));
}

/// Per cent over the time of a launch, in steps; \p before is {time, points} of
/// the baseline.
function makeSeries(label, time, points, before) {
  const steps = (own, end) => [...own, [end, own[own.length - 1][1]]].map(([x, y]) => ({ x, y }));
  const set = (name, data, tint, extra) => ({ label: name, data, borderColor: tint, borderWidth: 1.5, pointRadius: 0, pointHitRadius: 6, stepped: "before", ...extra });
  const configure = () => ({
    type: "line",
    data: { datasets: [
      set("now", steps(points, time), colour("--accent"), { fill: "origin", backgroundColor: colour("--accent") + "33" }),
      ...(before ? [set("baseline", steps(before.points, before.time), colour("--base"), { borderDash: [4, 3] })] : []),
    ] },
    options: {
      scales: {
        x: { type: "linear", min: 0, max: Math.max(time, before ? before.time : 0), title: { display: true, text: label }, ticks: { maxRotation: 0, autoSkipPadding: 14, callback: (value) => formatTime(value) } },
        y: { min: 0, max: 100, ticks: { callback: (value) => value + " %" } },
      },
      plugins: { legend: { display: Boolean(before) }, tooltip: { callbacks: {
        title: () => "",
        label: (item) => `${before ? item.dataset.label + ", " : ""}${formatTime(item.raw.x)}: ${formatMetric(item.raw.y, "%")}`,
      } } },
    },
  });
  return makeChart(label + " over time", 190, configure, () => makePlainTable(["time", label], points.map(([x, y]) => [formatTime(x), formatMetric(y, "%")])));
}

const LevelStyles = { "DRAM": ["#c9524f", "circle"], "L2": ["#e0803a", "triangle"], "L1 and shared": ["#8a6bd1", "rect"] };

/// The points of a launch in a roofline, one for each level that has bytes.
function rooflinePoints(launch) {
  const roofline = launch.roofline;
  if (!roofline || !roofline.operations || !roofline.seconds) return [];
  return roofline.levels.filter((level) => level.bytes).map((level) => {
    const x = roofline.operations / level.bytes, y = roofline.operations / roofline.seconds;
    return { x, y, launch, level: level.name, bound: Math.min(x * level.peak_bytes, roofline.peak_operations) };
  });
}

/// Rooflines of all launches, or of one: both axes are logarithmic.
function makeRoofline(report, launches, options) {
  const points = launches.flatMap(rooflinePoints);
  const before = options.baseline ? launches.map((launch) => counterpart(options.baseline, launch)).filter(Boolean).flatMap(rooflinePoints) : [];
  const first = launches.find((launch) => launch.roofline && launch.roofline.levels);
  if (!first) return make("p", { class: "note" }, "No launch was timed.");
  if (!points.length) return make("p", { class: "note" }, launches.length > 1 ? "No launch has floating-point arithmetic and traffic." : "The launch has no floating-point arithmetic, or no traffic.");
  const { levels, ceilings } = first.roofline;
  const all = [...points, ...before], [left, right, bottom, top] = rooflineRange(all, levels, ceilings);
  const highest = Math.max(...ceilings.map((ceiling) => ceiling.peak_operations));
  const roof = (peak) => [left, highest / peak, right].filter((x) => x >= left && x <= right).map((x) => ({ x, y: Math.min(x * peak, highest) }));
  const shown = (name) => !options.hidden.has(name);
  const configure = () => ({
    type: "scatter",
    data: { datasets: [
      ...levels.filter((level) => shown(level.name)).map((level) => ({
        label: `${level.name}: ${formatSI(level.peak_bytes, "B/s")}`, data: roof(level.peak_bytes), showLine: true, pointRadius: 0, pointHitRadius: 0,
        borderColor: LevelStyles[level.name][0], borderWidth: 1.5,
      })),
      ...ceilings.map((ceiling) => ({
        label: `${ceiling.name}: ${formatSI(ceiling.peak_operations, "FLOP/s")}`, data: [{ x: left, y: ceiling.peak_operations }, { x: right, y: ceiling.peak_operations }],
        showLine: true, pointRadius: 0, pointHitRadius: 0, borderColor: colour("--dim"), borderDash: [5, 4], borderWidth: 1,
      })),
      ...levels.filter((level) => shown(level.name)).map((level) => {
        const data = points.filter((point) => point.level === level.name);
        const isChosen = (point) => point.launch === options.chosen;
        return {
          label: level.name, data, pointStyle: LevelStyles[level.name][1], backgroundColor: LevelStyles[level.name][0], isPoints: true,
          borderColor: data.map((point) => isChosen(point) ? colour("--text") : colour("--page")), borderWidth: data.map((point) => isChosen(point) ? 2.5 : 1),
          pointRadius: data.map((point) => isChosen(point) ? 9 : 6), pointHoverRadius: 10, order: -1,
        };
      }),
      ...levels.filter((level) => shown(level.name)).map((level) => ({
        label: `${level.name}, baseline`, data: before.filter((point) => point.level === level.name), pointStyle: LevelStyles[level.name][1], isPoints: true,
        backgroundColor: "transparent", borderColor: LevelStyles[level.name][0], borderWidth: 2, pointRadius: 6,
      })),
    ] },
    plugins: [roofLabels],
    options: {
      onClick: (event, hit, chart) => {
        const found = hit.map((item) => chart.data.datasets[item.datasetIndex].data[item.index]).find((point) => point.launch);
        if (found && found.launch.metrics && report.launches.includes(found.launch)) afterwards(() => options.action(found.launch));
      },
      onHover: (event, hit, chart) => { event.native.target.style.cursor = hit.some((item) => chart.data.datasets[item.datasetIndex].isPoints) ? "pointer" : ""; },
      scales: {
        x: logAxis("arithmetic intensity: FLOP for each byte", left, right, (value) => value >= 1 ? formatNumber(value) : String(Number(value.toPrecision(1)))),
        y: logAxis("performance: FLOP/s", bottom, top, (value) => formatSI(value, "FLOP/s")),
      },
      plugins: {
        legend: { display: false },
        tooltip: { filter: (item) => item.dataset.isPoints, callbacks: {
          title: (items) => items.length ? wrapped(items[0].raw.launch.short) : "",
          label: ({ raw, dataset }) => [
            `${dataset.label}, launch ${raw.launch.index}`,
            `${formatSI(raw.y, "FLOP/s")} of ${formatSI(raw.bound, "FLOP/s")} possible (${formatMetric(100 * raw.y / raw.bound, "%")})`,
            `${trimmed(raw.x)} FLOP for each byte`,
            `${formatTime(raw.launch.time)}`],
        } },
      },
    },
  });
  const chart = makeChart("Roofline", options.height || 480, configure,
    () => makePlainTable(["kernel", "level", "FLOP for each byte", "FLOP/s", "of what is possible"],
      points.filter((point) => shown(point.level)).map((p) => [p.launch.short, p.level, trimmed(p.x), formatSI(p.y, "FLOP/s"), formatMetric(100 * p.y / p.bound, "%")])));
  return chart;
}

/// Powers of ten around all points and all knees.
function rooflineRange(points, levels, ceilings) {
  const lowest = Math.min(...ceilings.map((ceiling) => ceiling.peak_operations)), highest = Math.max(...ceilings.map((ceiling) => ceiling.peak_operations));
  const knees = levels.map((level) => highest / level.peak_bytes);
  const down = (value) => 10 ** Math.floor(Math.log10(value)), up = (value) => 10 ** Math.ceil(Math.log10(value));
  return [down(Math.min(0.1, ...points.map((p) => p.x))), up(Math.max(...knees, ...points.map((p) => p.x)) * 1.01),
    down(Math.min(lowest, ...points.map((p) => p.y / 1.5))), up(highest * 1.2)];
}

function logAxis(text, min, max, format) {
  return {
    type: "logarithmic", min, max, title: { display: true, text },
    ticks: { autoSkip: false, maxRotation: 0, callback: (value) => Math.abs(Math.log10(value) % 1) < 1e-9 || Math.abs(Math.abs(Math.log10(value) % 1) - 1) < 1e-9 ? format(value) : null },
    grid: { color: (context) => context.tick && context.tick.label ? colour("--line") : colour("--raised") },
  };
}

/// Writes what a roof is along it.
const roofLabels = {
  id: "roofLabels",
  afterDatasetsDraw(chart) {
    const { ctx: context, scales: { x, y }, chartArea: area } = chart;
    context.save();
    context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    for (const set of chart.data.datasets) {
      if (set.isPoints) continue;
      const [first, second] = set.data, isFlat = set.data.length === 2 && first.y === second.y;
      context.fillStyle = set.borderColor;
      if (isFlat) {
        context.textAlign = "right";
        context.fillText(set.label, area.right - 6, y.getPixelForValue(first.y) - 4);
        continue;
      }
      const [x0, y0, x1, y1] = [x.getPixelForValue(first.x), y.getPixelForValue(first.y), x.getPixelForValue(second.x), y.getPixelForValue(second.y)];
      const lower = Math.min(y0, area.bottom), at = x0 + (x1 - x0) * (y0 - lower) / ((y0 - y1) || 1);
      context.save();
      context.translate(at, lower);
      context.rotate(Math.atan2(y1 - y0, x1 - x0));
      context.textAlign = "left";
      context.fillText(set.label, 14, -5);
      context.restore();
    }
    nameLaunches(chart);
    context.restore();
  },
};

/// Writes the kernels' names beside the first points of their launches, if
/// these are few.
function nameLaunches(chart) {
  const { ctx: context, scales: { x, y }, chartArea: area } = chart, named = new Map();
  for (const set of chart.data.datasets)
    for (const point of set.isPoints && !/baseline/.test(set.label) ? set.data : [])
      if (!named.has(point.launch) || point.x > named.get(point.launch).x) named.set(point.launch, point);
  if (named.size > 12) return;
  context.fillStyle = colour("--text");
  for (const [launch, point] of named) {
    const at = x.getPixelForValue(point.x), text = clipped(launch.short), width = context.measureText(text).width;
    const isRight = at + width + 14 < area.right;
    context.textAlign = isRight ? "left" : "right";
    context.fillText(text, isRight ? at + 13 : at - 13, y.getPixelForValue(point.y) + 14);
  }
}
