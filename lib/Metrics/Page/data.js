// Reports: of this page, and of baselines. docs/profiling.md describes their members.

/// The parts of a page, put together as ptx-prof --json has them.
function reportOfPage(root) {
  const parts = (name) => [...root.querySelectorAll(`script.${name}`)].map((element) => element.textContent);
  const report = parse(parts("head")[0] || "{}") || {};
  report.launches = parts("launch").map(parse).filter((launch) => launch);
  report.details = new Map();
  // Instructions are read when somebody wants to see them.
  for (const element of root.querySelectorAll("script.detail"))
    report.details.set(Number(element.dataset.launch), element.textContent);
  report.files = new Map(parts("file").map(parse).filter((file) => file).map((file) => [file.name, file]));
  Object.assign(report, parse(parts("tail")[0] || "{}"));
  return complete(report);
}

/// What was cut short is left out.
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reportOfJSON(report) {
  if (!report || !Array.isArray(report.launches) || !report.catalog)
    throw new Error("this is no report of ptx-prof run --json");
  report.details = new Map();
  report.files = new Map();
  for (const launch of report.launches) {
    for (const name of Object.keys(launch.metrics || {})) launch.metrics[name] = launch.metrics[name].value;
    if (launch.profile) launch.detail = { instructions: launch.profile.instructions, occupancy: launch.occupancy, activity: launch.profile.activity };
  }
  return complete(report);
}

/// A baseline as text: JSON, or a page such as this one.
function readBaseline(text) {
  if (/^\s*</.test(text)) {
    const report = reportOfPage(new DOMParser().parseFromString(text, "text/html"));
    if (!report.launches.length) throw new Error("this page has no launches");
    return report;
  }
  return reportOfJSON(JSON.parse(text));
}

const Cycles = "gpc__cycles_elapsed.max", Duration = "gpu__time_duration.sum";
const Compute = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const Memory = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
const Achieved = "sm__warps_active.avg.pct_of_peak_sustained_active";
const Possible = "sm__maximum_warps_per_active_cycle_pct";

/// Adds what the page asks for often.
function complete(report) {
  const seen = new Map();
  report.launches.forEach((launch, index) => {
    launch.index = index;
    launch.demangled = launch.demangled || launch.kernel;
    launch.short = shortName(launch.demangled);
    launch.ordinal = seen.get(launch.kernel) || 0;
    seen.set(launch.kernel, launch.ordinal + 1);
    launch.metrics = launch.metrics || {};
    launch.cycles = launch.metrics[Cycles] || 0;
    launch.time = launch.metrics[Duration] || 0;
  });
  report.kernels = sumKernels(report);
  report.time = report.kernels.reduce((sum, kernel) => sum + kernel.time, 0);
  return report;
}

function sumKernels(report) {
  const kernels = new Map();
  const clock = (report.chip_figures || {}).clock_mhz || 1;
  for (const launch of report.launches) {
    let kernel = kernels.get(launch.kernel);
    if (!kernel) {
      kernel = { kernel: launch.kernel, demangled: launch.demangled, short: launch.short, launches: [], time: 0, cycles: 0 };
      kernels.set(launch.kernel, kernel);
    }
    kernel.launches.push(launch);
    kernel.time += launch.time;
    kernel.cycles += launch.cycles;
    if (!kernel.slowest || launch.cycles > kernel.slowest.cycles) kernel.slowest = launch;
  }
  for (const kernel of kernels.values()) kernel.count = kernel.launches.length;
  // Sums have launches too that are not in the page for themselves.
  for (const sum of report.left_out ? report.kernels || [] : []) {
    const kernel = kernels.get(sum.kernel);
    if (kernel) Object.assign(kernel, { count: sum.launches, cycles: sum.cycles, time: sum.cycles / clock });
  }
  return [...kernels.values()].sort((a, b) => b.time - a.time);
}

/// The instructions of a launch; of one without, those of the same kernel's
/// slowest launch that has some. Null if none has.
function detailOf(report, launch) {
  const own = ownDetail(report, launch);
  if (own) return { ...own, launch };
  const others = report.launches.filter((other) => other.kernel === launch.kernel && (other.detail || report.details.has(other.index)));
  others.sort((a, b) => b.cycles - a.cycles);
  return others.length ? { ...ownDetail(report, others[0]), launch: others[0] } : null;
}

function ownDetail(report, launch) {
  if (!launch.detail && report.details.has(launch.index)) {
    launch.detail = parse(report.details.get(launch.index));
    report.details.delete(launch.index);
  }
  return launch.detail;
}

/// What is shown over a launch's time, in parts of what the chip can do.
const Series = [{ name: "dram", title: "DRAM" }, { name: "l2", title: "L2" }, { name: "matrix", title: "matrix pipes" }];

/// By name of a series, points of microseconds and per cent; null if the launch
/// is not in detail.
function activityOf(report, launch) {
  const detail = ownDetail(report, launch), activity = detail && detail.activity, chip = report.chip_figures || {};
  if (!activity || !activity.cycles_per_sample) return null;
  const cycles = launch.profile.cycles, width = activity.cycles_per_sample, most = {
    dram: chip.dram_bytes_per_cycle, l2: chip.l2_bytes_per_cycle / chip.sector_bytes, matrix: chip.cores * chip.schedulers_per_core };
  const points = (values, peak) => values.map((value, index) => {
    const length = Math.min(width, cycles - index * width);
    return [(index * width) / chip.clock_mhz, Math.min(100, 100 * value / (length * peak))];
  });
  return { dram: points(activity.dram_bytes, most.dram), l2: points(activity.l2_sectors, most.l2), matrix: points(activity.matrix_cycles, most.matrix) };
}

/// The launch of the baseline that a launch is compared with: the same kernel's,
/// of the same number among its launches.
function counterpart(baseline, launch) {
  if (!baseline || !launch) return null;
  if (!baseline.pairs) baseline.pairs = new Map(baseline.launches.map((other) => [other.kernel + "\n" + other.ordinal, other]));
  return baseline.pairs.get(launch.kernel + "\n" + launch.ordinal) || null;
}

/// The state, other than issuing, in which warps are longest.
function mainState(states) {
  const waits = Object.entries(states || {}).filter(([name]) => name !== "selected");
  waits.sort((a, b) => b[1] - a[1]);
  return waits.length && waits[0][1] ? waits[0][0] : "";
}

/// The ways by which bytes go: what is on each, and what it takes at most.
function traffic(report, launch) {
  const chip = report.chip_figures || {}, memory = (launch.profile || {}).memory || {};
  const seconds = launch.time / 1e6, clock = (chip.clock_mhz || 0) * 1e6, sector = chip.sector_bytes || 32;
  const way = (bytes, peak) => ({ bytes, rate: seconds ? bytes / seconds : 0, peak, part: seconds && peak ? bytes / seconds / peak : 0 });
  const access = (name) => ({ requests: 0, sectors: 0, wavefronts: 0, conflicts: 0, l1_hits: 0, ideal_sectors: 0, ...(memory[name] || {}) });
  const cores = chip.cores || 1, l1 = clock * cores * (chip.wavefront_bytes || 128);
  const core = (name) => {
    const a = access(name);
    return { ...a, ...way(a.wavefronts * (chip.wavefront_bytes || 128), l1) };
  };
  const sum = (...names) => {
    const total = core(names[0]);
    for (const name of names.slice(1)) {
      const other = core(name);
      for (const member of Object.keys(total)) if (member !== "peak") total[member] += other[member];
    }
    return total;
  };
  return {
    globalReads: core("global_loads"), globalWrites: sum("global_stores", "global_atomics", "global_reductions"),
    localReads: core("local_loads"), localWrites: core("local_stores"),
    sharedReads: core("shared_loads"), sharedWrites: sum("shared_stores", "shared_atomics"),
    l2Reads: way((memory.l2_read_sectors || 0) * sector, clock * cores * (chip.core_l2_bytes_per_cycle || 0)),
    l2Writes: way((memory.l2_write_sectors || 0) * sector, clock * cores * (chip.core_l2_bytes_per_cycle || 0)),
    dramReads: way(memory.dram_read_bytes || 0, clock * (chip.dram_bytes_per_cycle || 0)),
    dramWrites: way(memory.dram_write_bytes || 0, clock * (chip.dram_bytes_per_cycle || 0)),
  };
}
