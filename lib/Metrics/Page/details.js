// One launch: what it reaches, what holds it back, and every metric.

function showDetails(view) {
  const { report, launch } = view, other = counterpart(view.baseline, launch);
  if (!launch || !launch.profile) return [make("p", { class: "note" }, "This launch was not timed.")];
  const was = (name) => other ? other.metrics[name] || 0 : undefined;
  const value = (name) => launch.metrics[name] || 0;
  return [
    make("h2", {}, makeName(launch.demangled), make("small", {}, `launch ${launch.index}, ${sizeOf(launch)}`)),
    make("div", { class: "cards" },
      makeCard("time", formatTime(launch.time), other && makeChange(launch.time, other.time, -1)),
      makeCard("cycles", formatNumber(launch.cycles), other && makeChange(launch.cycles, other.cycles, -1)),
      makeCard("compute throughput", formatMetric(value(Compute), "%"), makeChange(value(Compute), was(Compute), 1)),
      makeCard("memory throughput", formatMetric(value(Memory), "%"), makeChange(value(Memory), was(Memory), 1)),
      makeCard("occupancy", formatMetric(value(Achieved), "%"), makeChange(value(Achieved), was(Achieved), 1)),
      makeCard("registers of a thread", formatNumber(value("launch__registers_per_thread")), makeChange(value("launch__registers_per_thread"), was("launch__registers_per_thread"), -1))),
    launch.profile.sample ? make("p", { class: "note" }, `${exact(launch.profile.sample.timed_ctas)} of ${exact(launch.profile.sample.ctas)} CTAs were timed: the cycles are known to \u00b1 ${exact(launch.profile.sample.error || 0)}.`) : null,
    showAdvice(view),
    make("div", { class: "columns" },
      makePanel("Speed of light", "of what the chip can do", makeSpeedOfLight(view, other)),
      makePanel("Warp states", "cycles for each issued instruction", makeStates(view, other)),
      makePanel("Occupancy", `limited by ${launch.profile.occupancy_limit}`, ...makeOccupancy(view, other)),
      makePanel("Pipes", "busy, of the cycles of active cores", makeSection(view, other, "Pipes", 100)),
      makePanel("Instruction mix", "thread instructions whose guard holds", makeSection(view, other, "Instruction mix")),
      makePanel("Roofline", "", makeRoofline(report, [launch], { hidden: new Set(), chosen: launch, baseline: view.baseline, height: 330, action: () => view.open("roofline", launch) }))),
    ...makeActivity(view, other),
    ...makeOccupancyCurves(view, other),
    ...makeMetrics(view, other),
  ].filter(Boolean);
}

/// The advice on a launch; on one that is not in detail, or that was not run
/// again, that on the slowest launch of its kernel that was.
function adviceOn(report, launch) {
  const isTried = (other) => other.advice && other.advice.some((a) => !a.suspected);
  if (isTried(launch)) return launch.advice;
  const detailed = report.launches.filter((other) => other.kernel === launch.kernel && other.advice), tried = detailed.filter(isTried);
  if (launch.advice && !tried.length) return launch.advice;
  const known = tried.length ? tried : detailed;
  return known.length ? known.reduce((a, b) => b.cycles > a.cycles ? b : a).advice : [];
}

function placeText({ file, line }) {
  return file ? file.split("/").pop() + ":" + line : "(no line)";
}

function showAdvice(view) {
  const advice = adviceOn(view.report, view.launch);
  const proved = advice.filter((a) => a.proved), suspected = advice.filter((a) => a.suspected), others = advice.filter((a) => !a.proved && !a.suspected);
  const list = [...proved, ...suspected].map((a) => make("div", { class: "advice" },
    make("p", {}, make("b", {}, a.limiter), " ", ...(a.suspected ? [make("span", { class: "dim" }, a.untried ? `(suspected; not tried: ${a.untried})` : "(suspected)")] : [
      `\u2212${formatMetric(100 * a.cycles_won / a.cycles, "%")} `, make("span", { class: "dim" }, `(${formatNumber(a.cycles)} \u2192 ${formatNumber(a.cycles_without || 0)} cycles if ${a.without})`)])),
    make("p", {}, a.symptom), make("p", {}, make("b", { style: "font-size:inherit" }, "Try: "), a.remedy),
    a.culprits && a.culprits.length ? make("div", { class: "lines" }, ...a.culprits.map((c) => make("button", {
      title: c.inlined ? `Show the line, at which code of ${c.inlined.file} was inlined` : "Show the line", onclick: () => view.openLine(c.file || "", c.line || 0, heatOfLimiter(a.limiter)),
    }, `${placeText(c)}${c.inlined ? ` (inlined from ${placeText(c.inlined)})` : ""}  ${formatMetric(100 * c.share, "%")}`))) : null));
  if (!list.length) list.push(make("p", { class: "note" }, advice.length ? "Nothing that a rule finds costs time." : "No rule finds anything, or nobody asked."));
  return makePanel("Advice", suspected.length && !proved.length ? "what rules suspect" : "cycles that the model saves when it runs again without the limiter", ...list,
    suspected.length ? make("p", { class: "note" }, "What each would save is known when the launch runs again without it: ptx-env --capture keeps launches, and ptx-prof run runs them.") : null,
    others.length ? make("p", { class: "note" }, "Nothing to win, or less than 1 %: " + others.map((a) => a.limiter).join(", ")) : null);
}

/// The metric of lines that shows best where a limiter is at work.
function heatOfLimiter(limiter) {
  return { uncoalesced: "excess", "bank-conflicts": "conflicts", divergence: "idle" }[limiter] || "cycles";
}

function makeSpeedOfLight({ launch, report }, other) {
  const rows = report.catalog.metrics.filter((metric) => metric.section === "Speed of light" && metric.unit === "%");
  return makeBars("Speed of light", rows.map((metric) => ({
    name: metric.title.replace(" throughput", "").replace(" and shared memory,", ","), value: launch.metrics[metric.name] || 0, before: other ? other.metrics[metric.name] || 0 : undefined, title: `${metric.title}: ${metric.name}`,
  })), { format: (value) => formatMetric(value, "%"), max: 100, ticks: (v) => v + " %" });
}

function makeStates({ launch, report }, other) {
  const issued = (l) => l.profile.warp_instructions || 1;
  const states = report.catalog.states.map((state) => ({
    name: state.name, title: state.meaning, value: ((launch.profile.states || {})[state.name] || 0) / issued(launch),
    before: other && other.profile ? ((other.profile.states || {})[state.name] || 0) / issued(other) : undefined, colour: stateColour(report, state.name),
  })).filter((row) => row.value || row.before).sort((a, b) => b.value - a.value);
  return makeBars("Warp states", states, { format: formatNumber, after: " cycles", unit: "cycles" });
}

function makeOccupancy({ launch }, other) {
  const value = (l, name) => l.metrics[name] || 0;
  const limits = [["warps", "launch__occupancy_limit_warps"], ["number", "launch__occupancy_limit_blocks"], ["registers", "launch__occupancy_limit_registers"], ["shared memory", "launch__occupancy_limit_shared_mem"]];
  return [
    makeBars("Occupancy", [["possible", Possible], ["reached", Achieved]].map(([name, metric]) => ({ name, value: value(launch, metric), before: other ? value(other, metric) : undefined })), { format: (v) => formatMetric(v, "%"), max: 100, ticks: (v) => v + " %" }),
    makeBars("CTAs on a core by each limit", limits.map(([name, metric]) => ({ name, value: value(launch, metric), before: other ? value(other, metric) : undefined, colour: name.startsWith((launch.profile.occupancy_limit || "").toLowerCase().replace("ctas", "number")) ? Palette[3] : Palette[0] })), { unit: "CTAs on a core, as each resource allows" })];
}

/// How many warps a core would hold if the launch took another amount of one
/// resource.
function makeOccupancyCurves({ launch, report }, other) {
  const detail = detailOf(report, launch), curves = detail && detail.occupancy;
  if (!curves) return [];
  const most = (report.chip_figures || {}).warps_per_core;
  const value = (of, ...names) => names.reduce((sum, name) => sum + (of.metrics[name] || 0), 0);
  const at = (of, ...names) => ({ x: value(of, ...names), y: value(of, Possible) * most / 100 });
  const curve = (label, unit, points, ...names) => makeCurve(label, unit, points, at(launch, ...names), other && at(other, ...names), most);
  return [makePanel("Occupancy by resource", "warps on a core, if the launch took another amount of one of them", make("div", { class: "thirds" },
    curve("registers of a thread", "", curves.by_registers, "launch__registers_per_thread"),
    curve("threads of a CTA", "", curves.by_threads, "launch__block_size"),
    curve("shared memory of a CTA", "B", curves.by_shared_bytes, "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic")))];
}

/// What DRAM, L2 and the matrix pipes do while the launch runs.
function makeActivity({ launch, report, baseline }, other) {
  const now = activityOf(report, launch), before = other ? activityOf(baseline, other) : null;
  if (!now) return [];
  const charts = Series.filter(({ name }) => [now, before].some((set) => set && set[name].some(([, value]) => value)))
    .map(({ name, title }) => makeSeries(title, launch.time, now[name], before && { time: other.time, points: before[name] }));
  return charts.length ? [makePanel("Over time", "of what the chip can do", make("div", { class: "thirds" }, ...charts))] : [];
}

function makeSection({ launch, report }, other, section, max) {
  const isPart = section === "Pipes";
  const rows = report.catalog.metrics.concat(isPart ? pipesOf(launch) : []).filter((metric) => metric.section.startsWith(section))
    .map((metric) => ({ name: metric.title, title: metric.name, value: launch.metrics[metric.name] || 0, before: other ? other.metrics[metric.name] || 0 : undefined }))
    .filter((row) => row.value || row.before).sort((a, b) => b.value - a.value);
  return rows.length ? makeBars(section, rows, { format: isPart ? (value) => formatMetric(value, "%") : formatNumber, max: isPart ? max : undefined, ticks: isPart ? (v) => v + " %" : undefined }) : make("p", { class: "note" }, "None.");
}

/// Pipes are the chip's, so that the catalog has none; their names are in those
/// of the metrics.
function pipesOf(launch) {
  return Object.keys(launch.metrics).map((name) => /inst_executed_pipe_(\w+)\.avg/.exec(name)).filter(Boolean)
    .map((match) => ({ name: match.input, title: match[1], unit: "%", section: "Pipes" }));
}

/// Every metric, a table for each section.
function makeMetrics({ launch, report, baseline }, other) {
  const sections = new Map();
  for (const metric of [...report.catalog.metrics, ...pipesOf(launch)]) {
    const value = launch.metrics[metric.name] || 0, before = other ? other.metrics[metric.name] || 0 : undefined;
    if (!value && !before) continue;
    if (!sections.has(metric.section)) sections.set(metric.section, []);
    sections.get(metric.section).push(make("tr", {}, make("td", {}, metric.title), makeFigure(value, metric.unit, { before, bar: metric.unit === "%" ? value : undefined }),
      make("td", { class: "name dim hide" }, metric.name)));
  }
  return [make("div", { class: "columns" }, ...[...sections].map(([title, rows]) => make("section", { class: "panel" },
    make("details", { open: true }, make("summary", {}, title), make("div", { class: "scroll" }, make("table", {}, ...rows))))))];
}
