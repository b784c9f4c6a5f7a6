// Units of memory, and what goes on the ways between them.

function showMemory(view) {
  const { report, launch } = view;
  if (!launch || !launch.profile) return [make("p", { class: "note" }, "This launch was not timed.")];
  const other = counterpart(view.baseline, launch);
  const now = traffic(report, launch), before = other && other.profile ? traffic(view.baseline, other) : null;
  const hit = (name, of = launch) => of.metrics[name] || 0;
  const row = (text, value, old, format, better) => make("div", { class: "row" }, `${text}: ${format(value)}`, before ? makeChange(value, old, better) : null);
  const hits = (text, name) => row(text, hit(name), other && hit(name, other), (value) => formatMetric(value, "%"), 1);
  const conflicts = (ways) => ways.sharedReads.conflicts + ways.sharedWrites.conflicts;
  const units = [
    make("div", { class: "unit split" }, make("b", {}, "Kernel"), make("div", { class: "row" }, "global"), make("div", { class: "row" }, "local"), make("div", { class: "row" }, "shared")),
    ways(now, before, [["globalReads", true], ["globalWrites"], ["localReads", true], ["localWrites"], ["sharedReads", true], ["sharedWrites"]], requestsOf),
    make("div", { class: "unit" }, make("b", {}, "L1 and shared"), make("span", {}, formatSI(report.chip_figures.l1_bytes || 0, "B") + " a core"),
      hits("hits of global loads", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"),
      row("bank conflicts", conflicts(now), before && conflicts(before), formatNumber, -1)),
    ways(now, before, [["l2Reads", true], ["l2Writes"]], () => ""),
    make("div", { class: "unit" }, make("b", {}, "L2"), make("span", {}, formatSI(report.chip_figures.l2_bytes || 0, "B")), hits("hits", "lts__t_sector_hit_rate.pct")),
    ways(now, before, [["dramReads", true], ["dramWrites"]], () => ""),
    make("div", { class: "unit" }, make("b", {}, "DRAM"), make("span", {}, formatSI((report.chip_figures.dram_bytes_per_cycle || 0) * report.chip_figures.clock_mhz * 1e6, "B/s"))),
  ];
  return [
    make("h2", {}, makeName(launch.demangled), make("small", {}, `launch ${launch.index}, ${formatTime(launch.time)}`)),
    makePanel("Memory", "rates on the ways between units; colour and width: the part of what the way can carry",
      make("div", { class: "scroll" }, make("div", { class: "memory" }, ...units)),
      make("p", { class: "note" }, "0 % ", make("span", { class: "scale", style: "background:linear-gradient(to right, rgba(var(--heat), .15), rgb(var(--heat)))" }), " 100 % of the peak")),
    makePanel("Accesses", "", accessTable(now, before)),
  ];
}

function requestsOf(way) {
  return `${formatNumber(way.requests)} requests`;
}

/// The ways between two units. \p rows are [name, whether it leads back].
function ways(now, before, rows, note) {
  return make("div", { class: "ways" }, ...rows.map(([name, isBack]) => {
    const way = now[name], line = make("i"), part = Math.min(1, way.part);
    const tint = way.bytes ? `rgba(var(--heat), ${0.15 + 0.85 * part})` : "var(--line)";
    line.style.cssText = `height:${2 + 8 * part}px;background:${tint}`;
    return make("div", { class: `way${isBack ? " back" : ""}${way.bytes ? "" : " idle"}`, id: "way-" + name, style: `--tip:${tint}`, title: `${exact(way.bytes)} bytes; at most ${formatSI(way.peak, "B/s")}` },
      make("div", {}, make("b", {}, way.bytes ? formatSI(way.rate, "B/s") : "0"), before ? makeChange(way.rate, before[name].rate) : null),
      make("div", { class: "arrow" }, line),
      make("div", { class: "dim" }, way.bytes ? [formatSI(way.bytes, "B"), formatMetric(100 * way.part, "%"), note(way)].filter(Boolean).join(", ") : "\u00a0"));
  }));
}

function accessTable(now, before) {
  const columns = [["requests", (a) => a.requests, -1], ["sectors", (a) => a.sectors, -1], ["sectors at best", (a) => a.ideal_sectors], ["of a request", (a) => a.requests ? a.sectors / a.requests : 0, -1],
    ["found in L1", (a) => a.l1_hits, 1], ["wavefronts", (a) => a.wavefronts, -1], ["bank conflicts", (a) => a.conflicts, -1]];
  const rows = [["global reads", "globalReads"], ["global writes and atomics", "globalWrites"], ["local reads", "localReads"], ["local writes", "localWrites"],
    ["shared reads", "sharedReads"], ["shared writes and atomics", "sharedWrites"]].filter(([, name]) => now[name].requests || (before && before[name].requests));
  if (!rows.length) return make("p", { class: "note" }, "None.");
  return make("div", { class: "scroll" }, make("table", {},
    make("tr", {}, make("th", {}), ...columns.map(([title]) => make("th", { class: "n" }, title))),
    ...rows.map(([title, name]) => make("tr", {}, make("td", {}, title),
      ...columns.map(([, of, better]) => makeFigure(of(now[name]), "", { before: before ? of(before[name]) : undefined, better }))))));
}
