// Elements.

/// An element; attributes that begin with `on` are handlers.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/// A name whose template arguments and parameters open on a click.
function makeName(name) {
  const element = make("span", { class: "name", title: name });
  for (const piece of pieces(name)) {
    if (piece.text) {
      element.append(make("span", { class: /^\s*(const)?$/.test(piece.text) ? "rest" : "" }, piece.text));
    } else if (piece.folded.length <= 8) {
      element.append(make("span", { class: "rest" }, piece.folded));
    } else {
      const [open, close] = [piece.folded[0], piece.folded[piece.folded.length - 1]];
      const button = make("button", { "aria-expanded": "false", title: piece.folded, onclick: (event) => {
        event.stopPropagation();
        const isOpen = button.getAttribute("aria-expanded") === "true";
        button.setAttribute("aria-expanded", String(!isOpen));
        button.textContent = isOpen ? open + "\u2026" + close : piece.folded;
      } }, open + "\u2026" + close);
      element.append(button);
    }
  }
  return element;
}

/// The change of a figure since the baseline. \p better is -1 where less is
/// better, 1 where more is, 0 where neither is.
function makeChange(value, before, better = 0) {
  if (before === undefined || before === null) return null;
  const rises = Math.sign(value - before);
  const kind = !rises || !better || Math.abs(value - before) < 0.001 * Math.abs(before) ? "" : rises === better ? " better" : " worse";
  return make("span", { class: "delta" + kind, title: "before: " + exact(before) }, formatChange(value, before));
}

function makeBar(percent) {
  const bar = make("i");
  bar.style.width = Math.max(0, Math.min(100, percent)) + "%";
  return make("span", { class: "bar hide" }, bar);
}

/// A cell with a figure, its change, and a bar if it is a part of something.
function makeFigure(value, unit, options = {}) {
  return make("td", { class: "n", title: exact(value) }, formatMetric(value, unit),
    makeChange(value, options.before, options.better), options.bar === undefined ? null : makeBar(options.bar));
}

/// A row that leads somewhere, with the mouse and with the keyboard.
function makeRow(action, ...cells) {
  return make("tr", { class: "to", tabindex: "0", onclick: action, onkeydown: (event) => {
    if (event.key === "Enter" && event.target.tagName === "TR") action(event);
  } }, ...cells);
}

function makePanel(title, hint, ...children) {
  return make("section", { class: "panel" }, make("h2", {}, title, hint ? make("small", {}, hint) : null), ...children);
}

function makeCard(text, value, change) {
  return make("div", { class: "card" }, make("b", {}, value, change || null), make("span", {}, text));
}

/// A table that is sorted by a click on a head. Columns are {title, value, cell,
/// isText}; more than \p most rows are shown on demand.
function makeTable(columns, rows, action, sorted = 0, most = 100) {
  const body = make("tbody"), heads = make("tr");
  let by = sorted, isUp = false, shown = most;
  const fill = () => {
    const value = columns[by].value;
    const order = [...rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return (typeof x === "string" ? x.localeCompare(y) : x - y) * (isUp ? 1 : -1);
    });
    body.replaceChildren(...order.slice(0, shown).map((row) => makeRow(() => action(row), ...columns.map((column) => column.cell(row)))));
    if (order.length > shown)
      body.append(make("tr", {}, make("td", { colspan: columns.length }, make("button", { onclick: () => {
        shown = Infinity;
        fill();
      } }, `Show all ${exact(order.length)}`))));
    [...heads.children].forEach((head, index) => head.setAttribute("aria-sort", index !== by ? "none" : isUp ? "ascending" : "descending"));
  };
  columns.forEach((column, index) => {
    const sort = () => {
      isUp = by === index ? !isUp : Boolean(column.isText);
      by = index;
      fill();
    };
    heads.append(make("th", { class: column.isText ? "" : "n", tabindex: "0", "aria-sort": "none", title: column.title2, onclick: sort, onkeydown: (event) => {
      if (event.key === "Enter") sort();
    } }, column.title));
  });
  fill();
  return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, heads), body));
}
