// A page of figures that change: elements stay, and what they say is replaced,
// so that a reader's focus, opened names and tooltips stay too.

const Shown = 120; // samples in the charts over time

const board = {
  state: null, samples: [], isPaused: false, isLost: false, filter: "", parts: [],

  /// Shows what there is in all parts.
  show() {
    for (const part of this.parts) part.update();
  },

  /// Makes the parts anew, in the colours of the theme.
  rebuild() {
    forgetCharts();
    this.parts = [];
    document.getElementById("main").replaceChildren(makeCards(),
      make("div", { class: "grid" },
        makePanel("Kernels a second", "", makeLive("Kernels a second", 200, () => overTime("kernels a second", launchRates(), formatNumber))),
        makePanel("Memory of devices", "", makeLive("Memory of devices", 200, () => overTime("bytes", this.samples.map((s) => ({ x: s[0], y: s[3] })), (value) => formatSI(value, "B")))),
        makePanel("Time by kernel", "the first 10", makeLive("Time by kernel", 270, timeByKernel)),
        makePanel("What warps do", "parts of the cycles in which they are there", makeLive("What warps do", 270, warpStates))),
      make("p"),
      makePanel("Faults", "the last ones first", makeFaults()),
      makePanel("Kernels", "", makeKernelTools(), makeLiveTable(KernelColumns, shownKernels, (kernel) => kernel.name, 1)),
      make("div", { class: "grid" },
        makePanel("Processes", "", makeLiveTable(ProcessColumns, () => this.state.processes, (process, index) => String(index), 2)),
        makePanel("Compilations", "by where code came from", makeLiveTable(OriginColumns, origins, (origin) => origin.name, 1))));
    if (this.state) this.show();
  },
};

//===-- Parts ------------------------------------------------------------===//

/// Something that says what the state is when it is told to.
function makePart(element, update) {
  board.parts.push({ update });
  return element;
}

/// Cards with figures: [title, figure, whether it is bad].
function makeCards() {
  const cards = make("div", { class: "cards" });
  return makePart(cards, () => {
    const { state } = board, rates = launchRates();
    const rows = [
      ["kernels a second", state.ended ? "0" : formatNumber(rates.length ? rates[rates.length - 1].y : 0)],
      ["launches", exact(state.launches)],
      ["time of kernels", formatTime(state.ns / 1e3)],
      ["memory of devices", formatSI(state.memory, "B")],
      ["loads found in L1", hits(state.l1)],
      ["loads found in L2", hits(state.l2)],
      ["compilations", exact(Object.values(state.compilations).reduce((sum, count) => sum + count, 0))],
      ["processes", `${state.processes.filter((process) => process.running).length} of ${state.processes.length}`],
      ["faults", exact(state.fault_count), state.fault_count > 0],
    ];
    if (cards.children.length !== rows.length) cards.replaceChildren(...rows.map(([title]) => makeCard(title, "")));
    rows.forEach(([, figure, isBad], index) => {
      cards.children[index].firstChild.textContent = figure;
      cards.children[index].classList.toggle("bad", Boolean(isBad));
    });
  });
}

function hits(cache) {
  return cache.sectors ? formatMetric(100 * cache.hits / cache.sectors, "%") : "\u2013";
}

/// A chart whose data are replaced. Its fallback is a table.
function makeLive(label, height, configure) {
  const box = make("div");
  const plain = () => {
    const { data } = configure();
    return makePlainTable(["", ...data.datasets.map((set) => set.label)],
      data.labels ? data.labels.map((name, index) => [name, ...data.datasets.map((set) => formatNumber(set.data[index]))])
        : data.datasets[0].data.slice(-8).map((point) => [formatNumber(Math.round(point.x)) + " s", formatNumber(point.y)]));
  };
  return makePart(box, () => {
    const chart = box.querySelector("canvas") && box.querySelector("canvas").chart;
    if (chart) {
      const next = configure();
      chart.data = next.data;
      chart.options.scales = next.options.scales;
      chart.update("none");
    } else if (!box.firstChild || !hasCharts) {
      box.replaceChildren(makeChart(label, height, configure, plain));
    }
  });
}

/// A table with a row for each item, which is known by its key. Columns are
/// those of makeTable, with \p text or \p cell of an item.
function makeLiveTable(columns, items, key, sorted) {
  const rows = new Map(), body = make("tbody"), heads = make("tr");
  let by = sorted, isUp = false;
  const update = () => {
    const value = columns[by].value, list = items();
    const order = [...list.entries()].sort(([, a], [, b]) => {
      const [x, y] = [value(a), value(b)];
      return (typeof x === "string" ? x.localeCompare(y) : x - y) * (isUp ? 1 : -1);
    }).map(([index, item]) => {
      const name = key(item, index);
      if (!rows.has(name)) rows.set(name, make("tr", {}, ...columns.map((column) => make("td", { class: column.isText ? "" : "n" }, column.cell ? column.cell(item) : null))));
      const row = rows.get(name);
      columns.forEach((column, place) => {
        if (column.text) row.children[place].textContent = column.text(item);
      });
      return row;
    });
    // Rows move only when their order changes: who is read keeps the focus.
    if (order.length !== body.children.length || order.some((row, index) => row !== body.children[index])) body.replaceChildren(...order);
    [...heads.children].forEach((head, index) => head.setAttribute("aria-sort", index !== by ? "none" : isUp ? "ascending" : "descending"));
  };
  columns.forEach((column, index) => {
    const sort = () => {
      isUp = by === index ? !isUp : Boolean(column.isText);
      by = index;
      update();
    };
    heads.append(make("th", { class: column.isText ? "" : "n", tabindex: "0", "aria-sort": "none", onclick: sort, onkeydown: (event) => {
      if (event.key === "Enter") sort();
    } }, column.title));
  });
  return makePart(make("div", { class: "scroll" }, make("table", {}, make("thead", {}, heads), body)), update);
}

/// Faults, which screen readers say as they come.
function makeFaults() {
  const list = make("div", { "aria-live": "polite" }), none = make("p", { class: "note" }, "None.");
  let last = null;
  return makePart(list, () => {
    const { faults, fault_count: count } = board.state;
    if (count === last) return;
    last = count;
    list.replaceChildren(...(count ? [...faults].reverse().map((fault) => make("div", { class: "fault" },
      make("b", {}, fault.kind), " in ", makeName(fault.kernel), make("span", { class: "dim" }, `, process ${fault.process}, after ${trimmed(fault.seconds)} s`), make("p", {}, fault.text))) : [none]));
  });
}

function makeKernelTools() {
  return make("div", { class: "tools" }, make("input", { type: "search", id: "filter", placeholder: "kernel", "aria-label": "Look for a kernel", value: board.filter, oninput: (event) => {
    board.filter = event.target.value.toLowerCase();
    board.show();
  } }));
}

//===-- What they show ---------------------------------------------------===//

const KernelColumns = [
  { title: "kernel", isText: true, value: (k) => k.name, cell: (k) => makeName(k.name) },
  { title: "time", value: (k) => k.ns, text: (k) => formatTime(k.ns / 1e3) },
  { title: "of all", value: (k) => k.ns, text: (k) => formatMetric(100 * k.ns / (board.state.ns || 1), "%") },
  { title: "launches", value: (k) => k.launches, text: (k) => exact(k.launches) },
  { title: "mean", value: (k) => k.ns / k.launches, text: (k) => formatTime(k.ns / k.launches / 1e3) },
  { title: "cycles of a launch", value: (k) => k.cycles / k.launches, text: (k) => formatNumber(Math.round(k.cycles / k.launches)) },
];
const ProcessColumns = [
  { title: "process", isText: true, value: (p) => p.program, text: (p) => `${p.process} ${p.program}` },
  { title: "", isText: true, value: (p) => String(p.running), text: (p) => p.running ? "running" : "ended" },
  { title: "launches", value: (p) => p.launches, text: (p) => exact(p.launches) },
  { title: "time of kernels", value: (p) => p.ns, text: (p) => formatTime(p.ns / 1e3) },
  { title: "memory", value: (p) => p.memory, text: (p) => formatSI(p.memory, "B") },
  { title: "faults", value: (p) => p.faults, text: (p) => exact(p.faults) },
];
const OriginColumns = [
  { title: "origin", isText: true, value: (o) => o.name, text: (o) => o.name },
  { title: "modules", value: (o) => o.count, text: (o) => exact(o.count) },
];

function shownKernels() {
  return board.state.kernels.filter((kernel) => kernel.name.toLowerCase().includes(board.filter));
}

function origins() {
  return Object.entries(board.state.compilations).map(([name, count]) => ({ name, count }));
}

/// Launches a second between neighbouring samples.
function launchRates() {
  return board.samples.slice(1).map((sample, index) => {
    const before = board.samples[index];
    return { x: sample[0], y: (sample[1] - before[1]) / Math.max(1e-3, sample[0] - before[0]) };
  });
}

function overTime(label, points, format) {
  const shown = points.slice(-Shown);
  return {
    type: "line",
    data: { datasets: [{ label, data: shown, borderColor: colour("--accent"), backgroundColor: colour("--accent"), borderWidth: 2, pointRadius: 0, pointHitRadius: 8 }] },
    options: {
      scales: {
        x: { type: "linear", min: shown.length ? shown[0].x : 0, max: shown.length ? shown[shown.length - 1].x : 1, title: { display: true, text: "seconds" }, ticks: { maxRotation: 0, autoSkipPadding: 20, callback: (value) => formatNumber(Math.round(value)) } },
        y: { min: 0, ticks: { callback: format } },
      },
      plugins: { legend: { display: false }, tooltip: { callbacks: { title: () => "", label: (item) => `${trimmed(item.raw.x)} s: ${format(item.raw.y)}` } } },
    },
  };
}

function bars(names, values, colours, titles, format) {
  return {
    type: "bar",
    data: { labels: names, datasets: [{ label: "now", data: values, backgroundColor: colours, borderRadius: 2, titles }] },
    options: {
      indexAxis: "y",
      scales: { x: { min: 0, ticks: { maxRotation: 0, callback: format } }, y: { grid: { display: false }, ticks: { autoSkip: false, color: colour("--text") } } },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: (item) => format(item.raw), afterBody: (items) => items.length ? wrapped(items[0].dataset.titles[items[0].dataIndex]) : [] } } },
    },
  };
}

function timeByKernel() {
  const top = board.state.kernels.slice(0, 10);
  return bars(top.map((kernel) => clipped(shortName(kernel.name))), top.map((kernel) => kernel.ns / 1e3), colour("--accent"), top.map((kernel) => kernel.name), formatTime);
}

function warpStates() {
  const { states } = board.state, total = states.reduce((sum, state) => sum + state.cycles, 0);
  const order = [...states].filter((state) => state.cycles).sort((a, b) => b.cycles - a.cycles);
  return bars(order.map((state) => state.name), order.map((state) => 100 * state.cycles / total),
    order.map((state) => state.name === "selected" ? Palette[2] : colour("--accent")),
    order.map((state) => state.name === "selected" ? state.meaning : "waits for " + state.meaning), (value) => formatNumber(value) + " %");
}

//===-- Events -----------------------------------------------------------===//

function showStatus() {
  const element = document.getElementById("status"), { state } = board;
  const text = state && state.ended ? `ended after ${trimmed(state.seconds)} s` : board.isLost ? "no connection" : board.isPaused ? "held" : "running";
  element.textContent = text;
  element.className = text === "running" ? "running" : text === "no connection" ? "lost" : "";
}

function take(state) {
  board.samples = board.samples.concat(state.samples).slice(-1200);
  board.state = state;
  if (!document.documentElement.dataset.ready) {
    document.getElementById("title").textContent = state.program;
    document.title = state.program + " - live";
    board.rebuild();
    document.documentElement.dataset.ready = "1";
  } else if (!board.isPaused || state.ended) {
    board.show();
  }
  showStatus();
}

function listen() {
  const source = new EventSource("events");
  // Each connection begins with all samples.
  source.onopen = () => {
    board.samples = [];
    board.isLost = false;
  };
  source.onmessage = (event) => {
    const state = JSON.parse(event.data);
    take(state);
    if (state.ended) source.close();
  };
  source.onerror = () => {
    board.isLost = true;
    showStatus();
  };
}

function pause() {
  board.isPaused = !board.isPaused;
  document.getElementById("pause").setAttribute("aria-pressed", String(board.isPaused));
  document.getElementById("pause").textContent = board.isPaused ? "Go on" : "Pause";
  if (!board.isPaused && board.state) board.show();
  showStatus();
}

/// For changeTheme, which draws a view again.
const themed = { show: () => board.rebuild() };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const keys = { p: pause, t: () => changeTheme(themed), "?": () => document.getElementById("keys").showModal(), "/": () => document.getElementById("filter").focus() };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

document.addEventListener("DOMContentLoaded", () => {
  setTheme(initialTheme());
  document.getElementById("pause").addEventListener("click", pause);
  document.getElementById("theme").addEventListener("click", () => changeTheme(themed));
  document.getElementById("help").addEventListener("click", () => document.getElementById("keys").showModal());
  document.addEventListener("keydown", onKey);
  listen();
});
