// The page of AI workloads: tables, with charts where the page has the library of charts.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
const hasCharts = typeof Chart !== "undefined";
let charts = [];

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick" || key === "oninput") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

const round = (value) => value >= 100 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString();
const percent = (value) => `${Math.round(100 * value)} %`;
const micro = (seconds) => seconds >= 1e-3 ? `${round(1e3 * seconds)} ms` : `${round(1e6 * seconds)} us`;

// Columns whose cells are numbers stand to the right. A row may be [cells, action].
function table(head, rows, numbers = []) {
  const place = (index) => numbers.includes(index) ? { class: "n" } : {};
  const body = rows.map((row) => {
    const [cells, action] = typeof row[1] === "function" ? row : [row, null];
    const attributes = action ? { class: "link", onclick: action } : {};
    return make("tr", attributes, ...cells.map((cell, index) => make("td", place(index), String(cell))));
  });
  const heads = head.map((text, index) => make("th", place(index), text));
  return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body)));
}

function section(title, note, ...children) {
  return make("section", {}, make("h2", {}, title), make("p", {}, note), ...children);
}

function chart(configuration) {
  if (!hasCharts) return make("p", {}, "Built without the library of charts.");
  const canvas = make("canvas");
  const box = make("div", { class: "chart" }, canvas);
  const dim = getComputedStyle(document.documentElement).getPropertyValue("--dim");
  Chart.defaults.color = dim;
  requestAnimationFrame(() => charts.push(new Chart(canvas, configuration)));
  return box;
}

function axis(text) { return { type: "logarithmic", title: { display: true, text } }; }

// Operations a second against operations a byte, under the chip's roofs.
function roofline(row) {
  const points = row.rows.filter((part) => part.flops > 0 && part.bytes > 0).map((part) => ({
    x: part.flops / part.bytes, y: part.flops / part.seconds / 1e12, label: part.label,
  }));
  const { flops, bytes } = row.roofs;
  const least = Math.min(...points.map((point) => point.x), 1) / 2;
  const most = Math.max(...points.map((point) => point.x), 2 * flops / bytes);
  const roof = [least, flops / bytes, most].map((x) => ({ x, y: Math.min(flops, x * bytes) / 1e12 }));
  return chart({
    type: "scatter",
    data: { datasets: [
      { label: "operators", data: points, backgroundColor: "#2563c9", pointRadius: 5 },
      { label: "roofs", data: roof, type: "line", borderColor: "#c55a11", pointRadius: 0, tension: 0 },
    ] },
    options: {
      maintainAspectRatio: false, animation: false,
      scales: { x: axis("operations for each byte"), y: axis("10^12 operations a second") },
      plugins: { tooltip: { callbacks: { label: (item) => `${item.raw.label || "roof"}: ${round(item.raw.y)}` } } },
    },
  });
}

function shares(row) {
  const parts = row.rows.map((part) => [part.label, part.seconds])
    .concat([["launches", row.parts.launches], ["links", row.parts.links], ["copies", row.parts.copies]])
    .filter(([, seconds]) => seconds > 0);
  return chart({
    type: "bar",
    data: { labels: parts.map(([label]) => label),
      datasets: [{ label: "part of the time, %", data: parts.map(([, s]) => 100 * s / row.seconds), backgroundColor: "#2563c9" }] },
    options: { indexAxis: "y", maintainAspectRatio: false, animation: false, plugins: { legend: { display: false } } },
  });
}

function kernels(row) {
  return table(["kernel", "in", "part of the time", "each", "DRAM", "matrix units", "warps wait for"],
    row.kernels.map((kernel) => [kernel.name, kernel.label, percent(kernel.share), micro(kernel.each),
      percent(kernel.dram), percent(kernel.matrix), kernel.stalls]), [2, 3, 4, 5]);
}

const detail = make("div");

function show(row) {
  charts.forEach((made) => made.destroy());
  charts = [];
  detail.replaceChildren(section(`${row.workload} on ${row.chip}`,
    `${round(row.rate)} +- ${round(row.error)} ${row.unit} a second; a step takes ${micro(row.seconds)}, of which kernels `
    + `${percent(row.parts.kernels / row.seconds)}, launches ${percent(row.parts.launches / row.seconds)}, links `
    + `${percent(row.parts.links / row.seconds)}, copies ${percent(row.parts.copies / row.seconds)}.`,
    roofline(row), shares(row), make("h2", {}, "The ten kernels that matter"), kernels(row)));
}

function rates() {
  const search = make("input", { type: "search", placeholder: "words of a workload or chip", "aria-label": "search" });
  const place = make("div");
  const fill = () => {
    const words = search.value.split(" ").filter(Boolean);
    const rows = data.rates.filter((row) => words.every((word) => `${row.workload} ${row.chip}`.includes(word)));
    place.replaceChildren(table(["workload", "chip", "a second", "", "error", "of the roof", "most of the time"],
      rows.map((row) => [[row.workload, row.chip, round(row.rate), row.unit, percent(row.error / row.rate),
        percent(row.roof), row.bound], () => { show(row); detail.scrollIntoView(); }]), [2, 4, 5]));
  };
  search.oninput = fill;
  fill();
  return section("What workloads reach", "A row leads to its roofline and kernels. Roof: the part of the time that the "
    + "bytes, or the operations, would take at the chip's rates.", search, place);
}

function memory() {
  return section("What fits", "Sequences of a context that fit beside the weights, in pages of 16 tokens, with nine "
    + "tenths of the memory.", table(["model", "weights", "chip", "devices", "weights, GB", ...data.memory.contexts.map((c) => `${c} tokens`)],
    data.memory.rows.map((row) => [row.model, row.weights, row.chip, row.devices, round(row.gb), ...row.sequences]),
    [3, 4, ...data.memory.contexts.map((_, index) => 5 + index)]));
}

function gains() {
  const names = ["DRAM", "L2", "tensor", "launch", "link"];
  return section("Twice as wide in one resource", "How many times as fast a workload is.",
    table(["workload", "chip", ...names], data.gains.map((row) => [row.workload, row.chip,
      ...names.map((name) => name in row.gains ? row.gains[name].toFixed(2) : "")]), [2, 3, 4, 5, 6]));
}

function advice() {
  return section("What the advisor says", "Of the kernels that matter most over all workloads, on a slice of the chip.",
    table(["kernel", "chip", "advice", "would win"], data.advice.map((row) => [row.kernel, row.chip, row.advice, row.won])));
}

function published() {
  const groups = ["calibration", "unseen"].map((half) => ({
    label: half, pointRadius: 4, backgroundColor: half === "unseen" ? "#c55a11" : "#2563c9",
    data: data.published.filter((row) => row.half === half).map((row) => ({ x: row.value, y: row.composed, label: row.what })),
  }));
  const ends = data.published.flatMap((row) => [row.value, row.composed]);
  const line = [Math.min(...ends), Math.max(...ends)].map((x) => ({ x, y: x }));
  groups.push({ label: "equal", data: line, type: "line", pointRadius: 0, borderColor: "#98a2b3" });
  return section("Against what others have published", "docs/ai-workloads.md has the sources, and what explains large differences.",
    chart({ type: "scatter", data: { datasets: groups }, options: { maintainAspectRatio: false, animation: false,
      scales: { x: axis("published"), y: axis("composed") },
      plugins: { tooltip: { callbacks: { label: (item) => `${item.raw.label || ""} ${round(item.raw.x)}, ${round(item.raw.y)}` } } } } }),
    table(["half", "device", "software", "what", "published", "composed", "", "off"], data.published.map((row) => [row.half, row.device,
      row.software, row.what, round(row.value), round(row.composed), row.unit, `${row.off > 0 ? "+" : ""}${percent(row.off)}`]), [4, 5, 7]));
}

document.getElementById("about").textContent = data.about;
main.append(rates(), detail);
if (data.gains.length) main.append(gains());
if (data.advice.length) main.append(advice());
main.append(memory());
if (data.published.length) main.append(published());
if (data.rates.length) show(data.rates[0]);
