// Source, PTX and microcode beside each other.

/// What may colour lines: a title, a unit and the figure of an instruction.
const Heats = {
  cycles: { title: "warp cycles (samples)", of: (i) => sumOf(i.states) },
  stalls: { title: "stalls: warp cycles without issue", of: (i) => sumOf(i.states) - ((i.states || {}).selected || 0) },
  issued: { title: "instructions issued", of: (i) => i.issued || 0 },
  idle: { title: "divergence: threads that take no part", of: (i) => 32 * (i.issued || 0) - (i.active_threads || 0) },
  sectors: { title: "sectors of global and local memory", of: (i) => metricOf(i, "memory_l2_theoretical_sectors_global") + metricOf(i, "memory_l2_theoretical_sectors_local") },
  excess: { title: "sectors more than needed", of: (i) => metricOf(i, "memory_l2_theoretical_sectors_global") - metricOf(i, "memory_l2_theoretical_sectors_global_ideal") },
  conflicts: { title: "bank conflicts", of: (i) => metricOf(i, "memory_l1_wavefronts_shared") - metricOf(i, "memory_l1_wavefronts_shared_ideal") },
};

function sumOf(states) {
  return Object.values(states || {}).reduce((sum, count) => sum + count, 0);
}

function metricOf(instruction, name) {
  return (instruction.metrics || {})[name] || 0;
}

/// Where an instruction is in a pane: of the source, of the PTX, of itself.
function placesOf(instruction, isPTX) {
  const file = instruction.file || "", line = instruction.line || 0;
  const own = isPTX(file), at = instruction.inlined_at;
  return {
    source: own || !line ? "" : file + ":" + line,
    caller: at ? at.file + ":" + at.line : "",
    ptx: instruction.ptx_line ? String(instruction.ptx_line) : own && line ? String(line) : "",
    code: (instruction.section || "") + ":" + (instruction.pc || 0),
  };
}

/// The places of an instruction in a pane: what was inlined is also at the line of the kernel's file that called it.
function placesIn(places, pane) {
  return [pane === "source" && places.caller, places[pane]].filter(Boolean);
}

function showCode(view) {
  const { report, launch } = view, detail = launch && detailOf(report, launch);
  if (!detail) return [make("p", { class: "note" }, "There are no instructions of this kernel in the page.")];
  const isPTX = (name) => /\.ptx$/.test(name) || Boolean((report.files.get(name) || {}).ptx);
  const model = { view, report, heat: view.heat, instructions: detail.instructions, rows: new Map(), current: null };
  for (const instruction of model.instructions) instruction.places = placesOf(instruction, isPTX);
  model.before = beforeOf(view, detail.launch, isPTX);
  const panes = [...sourcePanes(model), ptxPane(model, isPTX), codePane(model)].filter(Boolean);
  const choice = make("select", { id: "heat", "aria-label": "What colours lines", onchange: () => {
    view.heat = choice.value;
    view.show();
  } }, ...Object.entries(Heats).filter(([name, heat]) => name === view.heat || model.instructions.some((i) => heat.of(i) > 0)).map(([name, heat]) => make("option", { value: name, selected: name === view.heat }, heat.title)));
  model.about = make("div", { id: "about", class: "panel" });
  const nodes = [
    make("h2", {}, makeName(launch.demangled), make("small", {}, detail.launch === launch ? `launch ${launch.index}` : `instructions of launch ${detail.launch.index}: this one is not in detail`)),
    make("div", { class: "tools" }, make("label", {}, "Heat: ", choice), make("button", { onclick: () => chooseHottest(model) }, "Hottest line (h)"), make("span", { class: "dim" }, "a line shows what belongs to it in the other panes; j, k: next, before")),
    make("div", { class: "panes" }, ...panes), model.about];
  view.code = model;
  requestAnimationFrame(() => {
    if (view.line) chooseLine(model, view.line.file, view.line.line);
    else chooseHottest(model);
    view.line = null;
  });
  return nodes;
}

/// The figures of the baseline by place.
function beforeOf(view, launch, isPTX) {
  const other = counterpart(view.baseline, launch), detail = other && detailOf(view.baseline, other);
  if (!detail) return null;
  const sums = new Map();
  for (const instruction of detail.instructions) {
    const places = placesOf(instruction, isPTX);
    for (const pane of ["source", "ptx"]) for (const place of placesIn(places, pane)) add(sums, pane + place, Heats[view.heat].of(instruction));
  }
  return sums;
}

function add(sums, key, value) {
  sums.set(key, (sums.get(key) || 0) + value);
}

/// The sums of the heat by the places of a pane.
function heatBy(model, pane) {
  const sums = new Map();
  for (const instruction of model.instructions) for (const place of placesIn(instruction.places, pane)) add(sums, place, Heats[model.heat].of(instruction));
  return sums;
}

/// A pane for the source: the files, one below the other, hottest first.
function sourcePanes(model) {
  const sums = heatBy(model, "source"), files = new Map();
  for (const [place, heat] of sums) add(files, place.slice(0, place.lastIndexOf(":")), heat);
  if (!files.size) return [];
  const order = [...files].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const rows = make("div", { class: "rows" });
  for (const name of order) {
    const file = model.report.files.get(name);
    if (order.length > 1) rows.append(make("div", { class: "code" }, make("span", { class: "at" }), make("span"), make("b", {}, name.split("/").pop())));
    const lines = file ? (file.lines = file.lines || file.text.split("\n")) : linesOf(sums, name);
    addLines(model, rows, "source", lines, (line) => name + ":" + line, sums);
  }
  return [make("div", { class: "pane", id: "pane-source" }, make("h2", { title: order.join("\n") }, "Source", make("small", {}, order.map((name) => name.split("/").pop()).join(", "))), rows)];
}

/// Lines of a file that is not in the page: without text, as far as they count.
function linesOf(sums, name) {
  const lines = [];
  for (const place of sums.keys()) if (place.startsWith(name + ":")) lines[Number(place.slice(name.length + 1)) - 1] = "";
  return Array.from(lines, (text) => text === undefined ? null : text);
}

function ptxPane(model, isPTX) {
  const first = model.instructions.find((i) => isPTX(i.file || ""));
  const name = (model.view.launch.profile || {}).ptx_file || (first && first.file);
  if (!name) return null;
  const file = model.report.files.get(name), sums = heatBy(model, "ptx");
  const rows = make("div", { class: "rows" });
  const lines = file ? (file.lines = file.lines || file.text.split("\n")) : linesOf(new Map([...sums].map(([line, heat]) => [name + ":" + line, heat])), name);
  addLines(model, rows, "ptx", lines, String, sums);
  return make("div", { class: "pane", id: "pane-ptx" }, make("h2", {}, "PTX", make("small", {}, name.split("/").pop())), rows);
}

function codePane(model) {
  const rows = make("div", { class: "rows" }), sums = heatBy(model, "code"), most = Math.max(...sums.values(), 0);
  let section = "";
  for (const instruction of model.instructions) {
    if (instruction.section !== section) {
      section = instruction.section;
      rows.append(make("div", { class: "code" }, make("span"), make("span"), make("b", {}, nameOf(model, section.replace(/^\.text\./, "")))));
    }
    addRow(model, rows, "code", instruction.places.code, "0x" + (instruction.pc || 0).toString(16), instruction.text || instruction.mnemonic, sums, most);
  }
  return make("div", { class: "pane", id: "pane-code" }, make("h2", {}, "Microcode", make("small", {}, model.report.chip)), rows);
}

/// What a section's name is to people.
function nameOf(model, symbol) {
  const kernel = model.report.kernels.find((other) => other.kernel === symbol);
  return kernel ? kernel.short : symbol;
}

/// The text of a line; comments, line directives and waits stand back.
function makeText(text, pane) {
  const split = { source: /\/\/.*$/, ptx: /\/\/.*$|^\s*\.loc\b.*$/, code: /\s\{[^}]*\}$/ }[pane].exec(text);
  if (!split) return make("span", {}, text);
  return make("span", {}, text.slice(0, split.index), make("span", { class: "comment" }, text.slice(split.index)));
}

/// Lines of a text; long runs without figures are folded.
function addLines(model, into, pane, lines, placeOf, sums) {
  const around = 3, most = Math.max(...sums.values(), 0);
  let from = 0;
  const addRange = (begin, end, before) => {
    const fragment = document.createDocumentFragment();
    for (let line = begin; line < end; ++line)
      if (lines[line] !== null) addRow(model, fragment, pane, placeOf(line + 1), String(line + 1), lines[line], sums, most);
    into.insertBefore(fragment, before);
  };
  const fold = (begin, end) => {
    const count = lines.slice(begin, end).filter((text) => text !== null).length;
    if (!count) return;
    if (count <= 2 * around) return addRange(begin, end, null);
    const button = make("button", { class: "fold", onclick: () => {
      addRange(begin, end, button);
      button.remove();
    } }, `\u22ef ${count} lines`);
    into.append(button);
  };
  lines.forEach((text, line) => {
    if (!sums.has(placeOf(line + 1))) return;
    const begin = Math.max(from, line - around);
    if (begin > from) fold(from, begin);
    // What stands between two lines with figures is one piece with them.
    addRange(Math.max(from, begin), line + 1, null);
    from = line + 1;
  });
  fold(from, lines.length);
}

function addRow(model, into, pane, place, label, text, sums, most) {
  const has = sums.has(place), heat = sums.get(place) || 0;
  const row = make("div", { class: has ? "code has" : "code", tabindex: has ? "-1" : undefined, onclick: has ? () => choose(model, pane, place) : undefined },
    make("span", { class: "at" }, label),
    make("span", { class: "heat", title: has ? exact(heat) + " " + Heats[model.heat].title : undefined }, heat ? formatNumber(heat) : ""),
    makeText(text.replace(/\t/g, "    "), pane));
  if (heat && most) row.children[1].style.background = `rgba(var(--heat), ${(0.08 + 0.72 * heat / most).toFixed(3)})`;
  if (model.before && pane !== "code") {
    // Offsets of instructions mean nothing in other code.
    row.classList.add("compared");
    row.insertBefore(make("span", { class: "heat" }, has ? makeChange(heat, model.before.get(pane + place) || 0, -1) : ""), row.children[2]);
  }
  into.append(row);
  if (has) model.rows.set(pane + " " + place, row);
}

/// Marks a line, and what belongs to it in the other panes.
function choose(model, pane, place) {
  for (const row of model.rows.values()) row.classList.remove("current", "linked");
  const own = model.instructions.filter((i) => placesIn(i.places, pane).includes(place));
  const scrolled = new Set([pane]);
  for (const name of ["source", "ptx", "code"]) {
    // Of several lines, the hottest comes into view.
    const places = new Map();
    for (const i of own) for (const other of placesIn(i.places, name)) if (name !== pane || other === place) add(places, other, Heats[model.heat].of(i));
    const order = [...places].sort((a, b) => b[1] - a[1]);
    for (const [other] of order) {
      const row = model.rows.get(name + " " + other);
      if (!row) continue;
      row.classList.add(name === pane ? "current" : "linked");
      if (name !== pane && scrolled.has(name)) continue;
      scrolled.add(name);
      bringIntoView(row);
    }
  }
  model.current = { pane, place };
  describe(model, own, model.rows.get(pane + " " + place));
}

function bringIntoView(row) {
  const box = row.closest(".rows");
  const top = row.offsetTop - box.offsetTop;
  if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 3;
}

/// What is known of the chosen line: its states, its metrics, what belongs to it.
function describe(model, own, row) {
  const states = new Map(), metrics = new Map();
  for (const i of own) {
    for (const [name, count] of Object.entries(i.states || {})) add(states, name, count);
    for (const [name, count] of Object.entries(i.metrics || {})) add(metrics, name, count);
  }
  const total = [...states.values()].reduce((sum, count) => sum + count, 0), all = model.instructions.reduce((sum, i) => sum + sumOf(i.states), 0);
  const order = [...states].filter(([, count]) => count).sort((a, b) => b[1] - a[1]);
  const meaning = new Map(model.report.catalog.states.map((state) => [state.name, state.meaning]));
  const bar = make("div", { class: "states" }, ...order.map(([name, count]) => make("i", { title: `${name}: ${exact(count)}`, style: `width:${100 * count / total}%;background:${stateColour(model.report, name)}` })));
  const legend = make("div", { class: "legend" }, ...order.map(([name, count]) => make("span", { title: meaning.get(name) }, make("i", { style: `background:${stateColour(model.report, name)}` }), `${name} ${formatMetric(100 * count / total, "%")}`)));
  const titles = model.report.catalog.source_metrics.filter((metric) => metrics.get(metric.name));
  model.about.replaceChildren(
    make("h2", {}, row ? row.lastChild.textContent.trim() : "", make("small", {}, `${formatNumber(total)} warp cycles, ${formatMetric(100 * total / (all || 1), "%")} of the launch; ${own.length} instruction${own.length === 1 ? "" : "s"}`)),
    bar, legend,
    make("p", { class: "legend" }, ...titles.map((metric) => make("span", { title: metric.name }, `${metric.title}: ${formatNumber(metrics.get(metric.name))}`))));
}

function chooseHottest(model) {
  const pane = ["source", "ptx", "code"].find((name) => model.instructions.some((i) => i.places[name] && model.rows.has(name + " " + i.places[name])));
  if (!pane) return;
  const order = [...heatBy(model, pane)].sort((a, b) => b[1] - a[1]);
  if (order.length) choose(model, pane, order[0][0]);
}

/// Advice names lines as line information does: of the source, or of the PTX.
function chooseLine(model, file, line) {
  for (const [pane, place] of [["source", file + ":" + line], ["ptx", String(line)]])
    if (model.rows.has(pane + " " + place)) return choose(model, pane, place);
  const bare = model.instructions.filter((i) => !i.line).sort((a, b) => Heats[model.heat].of(b) - Heats[model.heat].of(a));
  if (!line && bare.length) choose(model, "code", bare[0].places.code);
}

/// The next line with figures in the pane of the chosen one.
function step(model, by) {
  const pane = model.current ? model.current.pane : "code";
  const places = [...document.querySelectorAll(`#pane-${pane} .code.has`)];
  const now = model.current ? places.indexOf(model.rows.get(pane + " " + model.current.place)) : -1;
  const next = places[Math.max(0, Math.min(places.length - 1, now + by))];
  if (next) next.click();
}
