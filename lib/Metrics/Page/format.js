// Numbers, units and names as people write them.

const Micro = "\u00b5s";

/// 1.36 M, 12.4 k; whole numbers below ten thousand stand as they are.
function formatNumber(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (Number.isInteger(value) && size < 1e4) return value.toLocaleString("en-US");
  if (size < 1e3) return trimmed(value);
  const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  // What rounds to a thousand of a step is one of the next.
  const [step, suffix] = steps.find(([s]) => size >= s * 0.9995);
  return trimmed(value / step) + " " + suffix;
}

/// Three digits that count, without zeros behind the point.
function trimmed(value) {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return String(Number(value.toFixed(1)));
  if (size >= 1) return String(Number(value.toFixed(2)));
  return size >= 1e-3 ? String(Number(value.toPrecision(2))) : value.toExponential(1);
}

/// A number before a unit that begins with a prefix: 12.4 G + B/s.
function formatSI(value, unit) {
  const text = formatNumber(value);
  return /[kMGT]$/.test(text) ? text + unit : text + " " + unit;
}

function formatTime(microseconds) {
  if (microseconds === 0) return "0";
  if (microseconds < 0.9995) return trimmed(microseconds * 1e3) + " ns";
  if (microseconds < 999.5) return trimmed(microseconds) + " " + Micro;
  if (microseconds < 999.5e3) return trimmed(microseconds / 1e3) + " ms";
  return trimmed(microseconds / 1e6) + " s";
}

/// A metric with its unit, as the report names it.
function formatMetric(value, unit) {
  switch (unit) {
  case "us": return formatTime(value);
  case "%": return (value >= 99.95 || value === 0 ? value.toFixed(0) : value < 0.05 ? value.toPrecision(1) : value.toFixed(1)) + " %";
  case "byte": return formatSI(value, "B");
  case "B/s": return formatSI(value, "B/s");
  case "FLOP/s": return formatSI(value, "FLOP/s");
  case "": case undefined: return formatNumber(value);
  default: return formatNumber(value) + " " + (value === 1 || /\/|^inst$/.test(unit) ? unit : unit + "s");
  }
}

/// For a title: all digits.
function exact(value) {
  return value.toLocaleString("en-US", { maximumFractionDigits: 6 });
}

/// How far a figure is from that of the baseline.
function formatChange(value, before) {
  if (value === before) return "\u00b10 %";
  if (!before) return "new";
  const part = 100 * (value / before - 1);
  const text = Math.abs(part) >= 1000 ? "\u00d7 " + trimmed(value / before) : Math.abs(part).toFixed(1) + " %";
  return Math.abs(part) >= 1000 ? text : (part < 0 ? "\u2212" : "+") + text;
}

/// A demangled name as pieces: {text} and {folded} for template arguments and
/// parameters. Comparisons and shifts in names of operators are no brackets.
function pieces(name) {
  const result = [];
  let depth = 0, start = 0, round = 0;
  for (let at = 0; at < name.length; ++at) {
    const operator = /^operator\s*(<=>|<<=?|>>=?|<=?|>=?|->\*?|\(\))/.exec(name.slice(at));
    if (operator && !/\w/.test(name[at - 1] || "")) {
      at += operator[0].length - 1;
      continue;
    }
    const character = name[at];
    if (character === "(" && name.startsWith("(anonymous namespace)", at) && !depth) {
      at += "(anonymous namespace)".length - 1;
      continue;
    }
    if (character === "<" && !round && depth++ === 0) {
      result.push({ text: name.slice(start, at) });
      start = at;
    } else if (character === ">" && !round && depth > 0 && --depth === 0) {
      result.push({ folded: name.slice(start, at + 1) });
      start = at + 1;
    } else if (character === "(" && depth === 0 && round++ === 0) {
      result.push({ text: name.slice(start, at) });
      start = at;
    } else if (character === ")" && depth === 0 && --round === 0) {
      result.push({ folded: name.slice(start, at + 1), parameters: true });
      start = at + 1;
    }
  }
  result.push({ text: name.slice(start) });
  // Before the name of a template stands what it returns.
  const first = result[0].text;
  if (first && result.length > 1) result[0].text = first.replace(/^(void|[\w:]+[*&]?) (?=\S)/, "");
  return result.filter((piece) => piece.text || piece.folded);
}

/// The name without what is folded, for charts and lists.
function shortName(name) {
  return pieces(name).map((piece) => piece.text || (piece.parameters ? "" : piece.folded.length > 14 ? "<\u2026>" : piece.folded)).join("").trim();
}

/// For labels of charts.
function clipped(text) {
  return text.length > 34 ? text.slice(0, 33) + "\u2026" : text;
}
