// The page: parts, the chosen launch, keys, the theme and the baseline.

const Tabs = [["overview", "Overview"], ["details", "Launch"], ["roofline", "Roofline"], ["memory", "Memory"], ["code", "Source"]];

const view = {
  report: null, baseline: null, launch: null, tab: "overview", heat: "cycles", line: null, filter: "", hidden: new Set(), code: null,

  /// Shows a part, perhaps of another launch. What was shown is in the history.
  open(tab, launch) {
    this.tab = tab;
    if (launch) this.launch = launch;
    const hash = `#${tab}/${this.launch ? this.launch.index : 0}`;
    try {
      if (location.hash !== hash) history.pushState(null, "", hash);
    } catch { /* a page in a frame of a notebook has no history of its own */ }
    this.show();
    window.scrollTo(0, 0);
  },

  /// Shows a line in the part of sources.
  openLine(file, line, heat) {
    this.line = { file, line };
    if (heat) this.heat = heat;
    this.open("code");
  },

  show() {
    forgetCharts();
    this.code = null;
    const parts = { overview: showOverview, details: showDetails, roofline: showRoofline, memory: showMemory, code: showCode };
    document.getElementById("main").replaceChildren(...parts[this.tab](this).filter(Boolean));
    for (const button of document.querySelectorAll("#tabs button")) {
      const isChosen = button.id === "tab-" + this.tab;
      button.setAttribute("aria-selected", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
    }
    document.getElementById("launch").value = this.launch ? this.launch.index : "";
    document.getElementById("chooser").hidden = this.tab === "overview";
  },

  /// Goes to a launch that stands so many places further.
  move(by) {
    const next = this.report.launches[(this.launch ? this.launch.index : 0) + by];
    if (next) this.open(this.tab, next);
  },
};

function showRoofline(view) {
  const { report } = view, timed = report.launches.filter((launch) => launch.roofline);
  const names = timed.length ? timed[0].roofline.levels.map((level) => level.name) : [];
  const boxes = names.map((name) => make("label", {}, make("input", { type: "checkbox", checked: !view.hidden.has(name), onchange: (event) => {
    if (event.target.checked) view.hidden.delete(name); else view.hidden.add(name);
    view.show();
  } }), make("i", { style: `display:inline-block;width:10px;height:10px;margin:0 5px;background:${LevelStyles[name][0]}` }), name));
  const pointsBefore = (r) => {
    const other = counterpart(view.baseline, r.launch);
    return other ? rooflinePoints(other) : [];
  };
  const pointBefore = (r, level) => pointsBefore(r).find((p) => !level || p.level === level);
  const best = timed.map((launch) => ({ launch, points: rooflinePoints(launch) })).filter(({ points }) => points.length);
  return [
    makePanel("Roofline", "all launches; hover a point for its figures, click it for its launch", make("div", { class: "tools" }, ...boxes),
      makeRoofline(report, timed, { hidden: view.hidden, chosen: view.launch, baseline: view.baseline, height: Math.max(360, Math.min(620, innerHeight - 260)), action: (launch) => view.open("details", launch) })),
    makePanel("Points", "", makeTable([
      { title: "#", value: (r) => r.launch.index, cell: (r) => make("td", { class: "n" }, String(r.launch.index)) },
      { title: "kernel", isText: true, value: (r) => r.launch.short, cell: (r) => make("td", {}, makeName(r.launch.demangled)) },
      { title: "performance", value: (r) => r.points[0].y, cell: (r) => make("td", { class: "n" }, formatSI(r.points[0].y, "FLOP/s"), makeChange(r.points[0].y, (pointBefore(r) || {}).y, 1)) },
      ...names.map((name) => ({ title: `FLOP/B of ${name}`, value: (r) => (r.points.find((p) => p.level === name) || { x: 0 }).x, cell: (r) => {
        const point = r.points.find((p) => p.level === name);
        return make("td", { class: "n" }, point ? trimmed(point.x) : "", point && makeChange(point.x, (pointBefore(r, name) || {}).x, 1));
      } })),
      { title: "of the roof", value: (r) => Math.max(...r.points.map((p) => p.y / p.bound)), cell: (r) => {
        const part = 100 * Math.max(...r.points.map((p) => p.y / p.bound));
        const before = pointsBefore(r);
        return make("td", { class: "n" }, formatMetric(part, "%"), before.length ? makeChange(part, 100 * Math.max(...before.map((p) => p.y / p.bound)), 1) : null, makeBar(part));
      } },
    ], best, (row) => view.open("details", row.launch), 2, 50))];
}

function setBaseline(report, name) {
  view.baseline = report;
  const label = document.getElementById("baseline-name");
  label.hidden = document.getElementById("drop-baseline").hidden = !report;
  label.textContent = report ? "against " + name : "";
  view.show();
}

async function loadBaseline(file) {
  try {
    setBaseline(readBaseline(await file.text()), file.name);
  } catch (error) {
    alert(`${file.name}: ${error.message}`);
  }
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const keys = {
    "[": () => view.move(-1), "]": () => view.move(1), t: () => changeTheme(view), b: () => document.getElementById("baseline").click(),
    "?": () => document.getElementById("keys").showModal(), j: () => view.code && step(view.code, 1), k: () => view.code && step(view.code, -1),
    h: () => view.code && chooseHottest(view.code),
    "/": () => {
      if (view.tab !== "overview") view.open("overview");
      document.getElementById("filter").focus();
    },
  };
  const tab = Tabs[Number(event.key) - 1];
  const action = tab ? () => view.open(tab[0]) : keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/// Arrows go through tabs, as they do in programs.
function onTabKey(event) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const now = Tabs.findIndex(([name]) => name === view.tab), next = Tabs[(now + by + Tabs.length) % Tabs.length][0];
  view.open(next);
  document.getElementById("tab-" + next).focus();
}

function fillBar() {
  const { report } = view;
  document.getElementById("title").textContent = document.title;
  document.getElementById("chip").textContent = [report.chip, report.chip_figures && `${report.chip_figures.cores} cores at ${formatNumber(report.chip_figures.clock_mhz)} MHz`].filter(Boolean).join(", ");
  document.getElementById("tabs").append(...Tabs.map(([name, title]) => make("button", { role: "tab", id: "tab-" + name, onclick: () => view.open(name), onkeydown: onTabKey }, title)));
  document.getElementById("launch").append(...report.launches.map((launch) => make("option", { value: launch.index }, `${launch.index}: ${clipped(launch.short)}  ${formatTime(launch.time)}`)));
}

function fromHash() {
  const [tab, index] = location.hash.slice(1).split("/");
  if (Tabs.some(([name]) => name === tab)) view.tab = tab;
  const launch = view.report.launches[Number(index)];
  if (index && launch) view.launch = launch;
}

document.addEventListener("DOMContentLoaded", () => {
  setTheme(initialTheme());
  view.report = reportOfPage(document);
  const slowest = view.report.kernels.length ? view.report.kernels[0].slowest : null;
  view.launch = slowest;
  fillBar();
  fromHash();
  document.getElementById("launch").addEventListener("change", (event) => view.open(view.tab, view.report.launches[Number(event.target.value)]));
  document.getElementById("previous").addEventListener("click", () => view.move(-1));
  document.getElementById("next").addEventListener("click", () => view.move(1));
  document.getElementById("theme").addEventListener("click", () => changeTheme(view));
  document.getElementById("help").addEventListener("click", () => document.getElementById("keys").showModal());
  document.getElementById("baseline").addEventListener("change", (event) => event.target.files[0] && loadBaseline(event.target.files[0]));
  document.getElementById("drop-baseline").addEventListener("click", () => setBaseline(null));
  document.addEventListener("keydown", onKey);
  window.addEventListener("popstate", () => {
    fromHash();
    view.show();
  });
  view.show();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
});
