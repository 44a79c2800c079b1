"use strict";
// The page of an event graph. The data comes from the program that made the
// page; every text of it is put into the page as text, never as markup.
(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const S = D.strings, G = D.geo, NS = "http://www.w3.org/2000/svg";
  const $ = (id) => document.getElementById(id);
  const view = $("view"), graph = $("graph"), names = $("names");

  const svg = (parent, name, attributes, text) => {
    const e = document.createElementNS(NS, name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (text !== undefined) e.textContent = text;
    return parent.appendChild(e);
  };
  const html = (parent, name, text, className) => {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (className) e.className = className;
    return parent.appendChild(e);
  };
  const r1 = (x) => Math.round(x * 10) / 10;

  // A run with its points as objects, and where it is drawn.
  const runs = D.runs.map((run) => ({
    ...run,
    points: run.points.map(([number, lane, other, kind, text, beside, ...story]) =>
      ({ number, lane, other, kind: S[kind], text: S[text], beside: S[beside], story: story.map((i) => S[i]) })),
    flights: run.flights.map(([kind, from, to, a, a2, b, b2]) => ({ kind: S[kind], from, to, a, a2, b, b2 })),
    whole: [],
  }));
  const two = runs.length > 1, label = two ? 56 : G.label;
  let x = 0;
  for (const run of runs) {
    const n = run.nodes.length, digits = String(run.points.length).length;
    run.x0 = x;
    run.step = Math.max(34, Math.min(two ? 64 : 120, (two ? 300 : 720) / Math.max(n, 1)));
    run.left = x + G.margin + G.letter * digits + 14 + run.step / 2;
    run.text = run.left + run.step * (Math.max(0, n - 1) + 0.5) + 10;
    let longest = 30;
    for (const p of run.points) {
      const tags = (p.number > 0 && p.number === run.critical ? 11 : 0) + (p.number > 0 && p.number === run.failed ? 9 : 0) + (run.again && p.number === run.again ? 18 : 0);
      longest = Math.max(longest, Math.min(label, p.text.length) + Math.min(two ? 20 : 60, p.beside.length) + tags + 2);
    }
    run.letters = longest;
    run.wide = run.text - x + G.letter * longest + G.margin;
    x += run.wide + (two ? G.margin : 0);
  }
  const wide = x;

  // ---- which rows are drawn

  let rows = [], shownAt = []; // shownAt[run][point] = row, or undefined
  let picked = 0; // an index into D.rows
  const off = new Set();
  let words = "";

  const concerns = (run, p) => {
    if (off.size === 0 || p.lane < 0 && p.other < 0) return true;
    return [p.lane, p.other].some((l) => l >= 0 && !off.has(run.nodes[l]));
  };
  const says = (p) => !words || p.text.toLowerCase().includes(words) || p.story.some((s) => s.toLowerCase().includes(words));
  const filter = () => {
    rows = [];
    shownAt = runs.map(() => []);
    D.rows.forEach((row, i) => {
      const keep = D.folds[i] !== undefined || runs.some((run, k) => row[k] >= 0 && concerns(run, run.points[row[k]]) && says(run.points[row[k]]));
      if (!keep) return;
      runs.forEach((run, k) => { if (row[k] >= 0) shownAt[k][row[k]] = rows.length; });
      rows.push(i);
    });
    graph.setAttribute("width", wide);
    graph.setAttribute("height", G.row * rows.length + G.margin);
    $("count").textContent = rows.length === D.rows.length ? "" : rows.length + " of " + D.rows.length + " rows";
    draw();
  };

  // ---- drawing: the same shapes as in the SVG that the program writes

  const y = (row) => G.row * (row + 0.5);
  const lane = (run, i) => run.left + run.step * i;
  const place = (run, a, b) => (lane(run, a) + lane(run, b)) / 2;

  const head = (g, f, hidden, px, py, ux, uy) => {
    if (f.kind === "lost" && !hidden || f.kind === "drop") {
      svg(g, "path", { class: "x", d: `M${r1(px - 4)} ${r1(py - 4)}l8 8m0 -8l-8 8` });
    } else if (f.kind === "under" || hidden) {
      svg(g, "circle", { class: "head under", cx: r1(px), cy: r1(py), r: 3 });
    } else {
      const bx = px - ux * 9, by = py - uy * 9;
      svg(g, "path", { class: "head " + f.kind, d: `M${r1(px)} ${r1(py)}L${r1(bx - uy * 4)} ${r1(by + ux * 4)}L${r1(bx + uy * 4)} ${r1(by - ux * 4)}Z` });
    }
  };
  const flight = (g, run, f, from, to, stub) => {
    let x1 = place(run, f.a, f.a2), x2 = place(run, f.b, f.b2), y1, y2;
    const way = x2 < x1 ? -1 : 1;
    if (from !== undefined && to !== undefined) { y1 = y(from); y2 = y(to); }
    else if (from === undefined) { y2 = y(to); x1 = x2 - way * Math.min(run.step * 0.45, Math.abs(x2 - x1)); y1 = y2 - G.row * 0.45; }
    else { y1 = y(from); x2 = x1 + way * run.step * (0.58 - 0.12 * (stub % 3)); y2 = y1 + G.row * Math.min(0.95, 0.15 + 0.25 * stub); }
    const dot = G.dot;
    if (f.a === f.b && f.a2 === f.b2) {
      const out = Math.min(28, run.step * 0.35);
      y1 += dot * 0.6; y2 -= dot * 0.6;
      if (y2 < y1 + 4) y2 = y1 + 8;
      svg(g, "path", { class: "fly " + f.kind, d: `M${r1(x1 + dot)} ${r1(y1)}C${r1(x1 + out)} ${r1(y1 + 4)} ${r1(x1 + out)} ${r1(y2 - 4)} ${r1(x1 + dot + 3)} ${r1(y2)}` });
      head(g, f, false, x1 + dot, y2, -0.94, 0.34);
      return;
    }
    const dx = x2 - x1, dy = y2 - y1, long = Math.hypot(dx, dy);
    const bend = Math.abs(dx) > 1.5 * run.step ? Math.min(20, long * 0.07) : 0; // past the dots of the lanes between
    const cx = (x1 + x2) / 2 + way * dy / long * bend, cy = (y1 + y2) / 2 - Math.abs(dx) / long * bend;
    const a = Math.hypot(cx - x1, cy - y1), b = Math.hypot(x2 - cx, y2 - cy);
    const ux = (cx - x1) / a, uy = (cy - y1) / a, vx = (x2 - cx) / b, vy = (y2 - cy) / b;
    const gap = f.to < 0 ? 0 : dot + 2, ex = x2 - vx * gap, ey = y2 - vy * gap;
    const line = bend ? `Q${r1(cx)} ${r1(cy)} ${r1(ex - vx * 3)} ${r1(ey - vy * 3)}` : `L${r1(ex - vx * 3)} ${r1(ey - vy * 3)}`;
    svg(g, "path", { class: "fly " + f.kind, d: `M${r1(x1 + ux * (dot + 1))} ${r1(y1 + uy * (dot + 1))}${line}` });
    head(g, f, to === undefined && f.to >= 0, ex, ey, vx, vy);
  };

  const sign = (g, run, p, at, py) => {
    const px = p.kind === "break" ? place(run, p.lane, p.other) : lane(run, Math.max(0, p.lane));
    const cross = (cx, n) => svg(g, "path", { class: "fault", d: `M${r1(cx - n)} ${r1(py - n)}l${2 * n} ${2 * n}m0 ${-2 * n}l${-2 * n} ${2 * n}` });
    switch (p.kind) {
      case "crash":
        svg(g, "circle", { class: "dot", cx: r1(px), cy: r1(py), r: 7 });
        svg(g, "path", { class: "cross", d: `M${r1(px - 3)} ${r1(py - 3)}l6 6m0 -6l-6 6` });
        break;
      case "break":
        svg(g, "path", { class: "link", d: `M${r1(lane(run, p.lane))} ${r1(py)}H${r1(lane(run, p.other))}` });
        cross(px, 5);
        break;
      case "lose":
        break;
      case "copy":
        for (const cx of [px - 3, px + 3]) svg(g, "circle", { class: "fault", cx: r1(cx), cy: r1(py), r: 4 });
        break;
      case "cut": {
        const sides = run.sides[at] || "";
        for (let i = 0; i < sides.length; i++) {
          svg(g, "text", { class: "side", x: r1(lane(run, i)), y: r1(py + 4) }, sides[i]);
          if (i > 0 && sides[i] !== sides[i - 1]) cross(lane(run, i) - run.step / 2, 4);
        }
        break;
      }
      case "mend":
        svg(g, "path", { class: "fault", d: `M${r1(run.left - run.step / 4)} ${r1(py)}H${r1(lane(run, run.nodes.length - 1) + run.step / 4)}` });
        break;
      case "timer":
        svg(g, "rect", { class: "dot", x: r1(px - 5), y: r1(py - 5), width: 10, height: 10, transform: `rotate(45 ${r1(px)} ${r1(py)})` });
        break;
      case "task":
        svg(g, "rect", { class: "dot", x: r1(px - 5), y: r1(py - 5), width: 10, height: 10 });
        break;
      default:
        svg(g, "circle", { class: "dot", cx: r1(px), cy: r1(py), r: G.dot });
    }
  };

  const cut = (s, n) => s.length <= n ? s : [...s].slice(0, n - 1).join("") + "…";
  const classOf = (run, p) => p.kind + (p.number > 0 && p.number === run.critical ? " critical" : "") + (p.number > 0 && p.number === run.failed ? " failed" : "") + (run.again && p.number === run.again ? " looped" : "");

  const drawRun = (run, k, first, last) => {
    const ground = svg(graph, "g", {}), above = svg(graph, "g", {});
    const top = y(first) - G.row, bottom = y(last) + G.row;
    const edge = (p) => { // of a point, or of the first after it that is drawn
      for (; p >= 0 && p < run.points.length; p++) if (shownAt[k][p] !== undefined) return y(shownAt[k][p]);
      return y(rows.length);
    };
    for (const [kind, at, from, to] of run.spans) {
      if (S[kind] !== "cut") continue;
      const a = Math.max(top, edge(from)), b = Math.min(bottom, to < 0 ? y(rows.length) : edge(to));
      if (b > a) svg(ground, "rect", { class: "cut-band", x: r1(run.left - run.step / 2), y: r1(a), width: r1(run.step * run.nodes.length), height: r1(b - a) });
    }
    for (let r = first; r <= last; r++) {
      const at = D.rows[rows[r]][k];
      const p = at >= 0 ? run.points[at] : undefined, py = y(r);
      const g = svg(ground, "g", { class: "step " + (p ? classOf(run, p) : "") + (rows[r] === picked ? " picked" : "") });
      svg(g, "rect", { class: "hit", x: r1(run.x0), y: r1(py - G.row / 2), width: r1(run.wide), height: G.row, "data-row": rows[r] });
      if (!p && k === 0 && D.folds[rows[r]] !== undefined) {
        svg(svg(above, "g", { class: "step" }), "text", { class: "left", x: r1(run.text), y: r1(py + 4) }, "⋮ " + D.folds[rows[r]]);
      }
      if (!p) continue;
      const t = svg(above, "g", { class: "step " + classOf(run, p) });
      svg(t, "text", { class: "number", x: r1(run.left - run.step / 2 - 8), y: r1(py + 4) }, p.number);
      sign(t, run, p, at, py);
      const text = svg(t, "text", { class: "what", x: r1(run.text), y: r1(py + 4) });
      if (p.number > 0 && p.number === run.critical) svg(text, "tspan", { class: "tag" }, "◆ critical ");
      if (p.number > 0 && p.number === run.failed) svg(text, "tspan", { class: "tag" }, "✗ failed ");
      if (run.again && p.number === run.again) svg(text, "tspan", { class: "tag" }, "↻ again and again ");
      svg(text, "tspan", {}, cut(p.text, label));
      if (p.beside) svg(text, "tspan", { class: "beside" }, "  " + cut(p.beside, two ? 20 : 60));
    }
    const looped = run.again ? run.points.findIndex((p) => p.number === run.again) : -1;
    if (looped >= 0) { // how the run goes on from its end
      let a = Math.max(top, edge(looped)), b = Math.min(bottom, edge(run.points.length - 1));
      if (edge(looped) === edge(run.points.length - 1)) { a -= G.row / 4; b += G.row / 4; }
      const at = run.x0 + G.margin - 2, out = run.x0 + 3;
      if (b > a) svg(above, "path", { class: "again", d: `M${r1(at)} ${r1(b)}L${r1(out)} ${r1(b)}L${r1(out)} ${r1(a)}L${r1(at)} ${r1(a)}` });
      if (b > a) svg(above, "path", { class: "head again", d: `M${r1(at + 3)} ${r1(a)}L${r1(at - 4)} ${r1(a - 4)}L${r1(at - 4)} ${r1(a + 4)}Z` });
    }
    run.nodes.forEach((_, i) => { // lifelines, and where they are broken
      let from = top;
      const line = (kind, a, b) => {
        a = Math.max(a, top); b = Math.min(b, bottom);
        if (b > a) svg(ground, "line", { class: "lane" + kind, x1: r1(lane(run, i)), y1: r1(a), x2: r1(lane(run, i)), y2: r1(b) });
      };
      for (const [kind, l, p, to] of run.spans) {
        if (l !== i || S[kind] === "cut") continue;
        const a = edge(p), b = to < 0 ? y(rows.length) : edge(to);
        line("", from, a);
        if (S[kind] === "away" || S[kind] === "paused") line(" away", a, b);
        from = b;
      }
      line("", from, bottom);
    });
    const flights = svg(graph, "g", {}), stubs = {};
    let flying = 0;
    graph.insertBefore(flights, above);
    for (const f of run.flights) {
      const a = shownAt[k][f.from], b = f.to >= 0 ? shownAt[k][f.to] : undefined;
      if (a === undefined && b === undefined) continue;
      let stub = 0;
      if (b === undefined) { stub = stubs[f.from] || 0; stubs[f.from] = stub + 1; }
      const lo = Math.min(a ?? b, b ?? a), hi = Math.max(a ?? b, b ?? a);
      if (hi < first - 1 || lo > last + 1 || ++flying > 600) continue; // more than can be told apart
      flight(flights, run, f, a, b, stub);
    }
  };

  const namesHigh = 34;
  let drawn = "";
  const draw = (only) => {
    const first = Math.max(0, Math.floor((view.scrollTop - namesHigh) / G.row) - 8);
    const last = Math.min(rows.length - 1, Math.ceil((view.scrollTop - namesHigh + view.clientHeight) / G.row) + 8);
    const now = first + " " + last;
    if (only && now === drawn) return;
    drawn = now;
    graph.replaceChildren();
    if (rows.length === 0) return;
    runs.forEach((run, k) => drawRun(run, k, first, last));
    if (D.split >= 0) {
      const r = rows.findIndex((i) => i >= D.split);
      if (r >= 0 && r >= first && r <= last) {
        svg(graph, "path", { class: "part", d: `M0 ${y(r) - G.row / 2}H${wide}` });
        svg(graph, "text", { class: "part-word", x: wide - G.margin, y: y(r) - G.row / 2 - 4 }, "they part here");
      }
    }
    if (two) svg(graph, "path", { class: "fold", d: `M${r1(runs[1].x0 - G.margin / 2)} ${Math.max(0, y(first) - G.row)}V${y(last) + G.row}` });
  };

  const drawNames = () => {
    names.setAttribute("width", wide);
    names.setAttribute("height", namesHigh);
    svg(names, "rect", { class: "paper", width: "100%", height: "100%" });
    for (const run of runs) {
      run.nodes.forEach((name, i) => {
        const cx = lane(run, i), bad = run.bad && run.bad[i], w = Math.min(Math.max(28, G.letter * name.length + 14), run.step - 4);
        const box = svg(names, "rect", { class: bad ? "box bad" : "box", x: r1(cx - w / 2), y: 6, width: r1(w), height: 22, rx: 6 });
        if (bad) svg(box, "title", {}, "Byzantine: " + bad);
        svg(names, "text", { class: "name", x: r1(cx), y: 21 }, bad ? name + "!" : name);
      });
      if (two) svg(names, "text", { class: "panel", x: r1(run.text), y: 21 }, run.name + ": " + cut(run.title, run.letters - run.name.length - 2));
    }
  };

  // ---- states, from what each step changed

  const every = 32;
  const state = (run, k) => {
    if (!run.edits.length) return undefined;
    k = Math.min(k, run.edits.length - 1);
    let at = k - k % every;
    while (at > 0 && !run.whole[at]) at -= every;
    let lines = run.whole[at] || [];
    for (let i = run.whole[at] ? at + 1 : 0; i <= k; i++) {
      const [head, tail, ...changed] = run.edits[i];
      const now = lines.slice(0, head);
      for (let j = 0; j < changed.length; j += 2) now.push([changed[j], changed[j + 1]]);
      lines = now.concat(tail ? lines.slice(lines.length - tail) : []);
      if (i % every === 0) run.whole[i] = lines;
    }
    return lines;
  };
  const groupOf = (run, path) => {
    const name = path.split(/[.[ ]/, 1)[0];
    if (run.nodes.includes(name)) return name;
    return /^(tcp|udp|set) /.test(path) ? "network" : "everything else";
  };

  const tell = (run, p, box) => {
    html(box, "b", two ? run.name : "step " + p.number);
    html(box, "pre", p.number + "  " + p.text);
    for (const line of p.story) html(box, "pre", line, "did");
    if (p.number > 0 && p.number === run.failed) html(box, "pre", "✗ " + run.why, "did");
    tellCode(run, p, box);
    tellState(run, p, box, true);
  };
  const tellCode = (run, p, box) => { // the lines of code that ran
    const pieces = run.code[p.number];
    if (!pieces) return;
    const details = html(box, "details", undefined, "code");
    details.open = opened.has("source") ? opened.get("source") : true;
    details.addEventListener("toggle", () => opened.set("source", details.open));
    html(details, "summary", "source");
    let left = two ? 60 : 120; // lines: the page stays small
    for (const [title, ...lines] of pieces.map((i) => D.pieces[i])) {
      if (left <= 0) break;
      html(details, "pre", S[title], "title");
      for (let i = 0; i < lines.length && left > 0; i += 3, left--) {
        const [number, ran, text] = lines.slice(i, i + 3);
        html(details, "pre", number ? String(number).padStart(5) + (ran ? " > " : "   ") + S[text] : "        ...", ran ? "ran" : "");
      }
    }
    if (left <= 0) html(details, "pre", "        ... and more");
  };
  const tellGap = (run, k, box) => { // the run has no step here: its state is that after the last one
    html(box, "b", run.name);
    const p = at(k, picked);
    if (!p) return;
    if (D.folds[picked] !== undefined) html(box, "p", D.folds[picked], "none");
    html(box, "p", "nothing here; the state is that after step " + p.number, "none");
    tellState(run, p, box, false);
  };
  const at = (k, row) => { // the point of a run at a row, or the last before
    while (row >= 0 && D.rows[row][k] < 0) row--;
    return row < 0 ? undefined : runs[k].points[D.rows[row][k]];
  };
  const tellState = (run, p, box, changes) => {
    const lines = state(run, p.number);
    if (!lines) return;
    const before = new Map();
    const compare = changes && p.number > 0;
    const here = run !== runs[0] && at(0, picked), others = new Set(); // what the first run has
    if (here) for (const [path, value] of state(runs[0], here.number) || []) others.add(S[path] + "\n" + S[value]);
    if (compare) for (const [path, value] of state(run, p.number - 1)) {
      if (!before.has(path)) before.set(path, []);
      before.get(path).push(value);
    }
    const groups = new Map([...run.nodes, "network", "everything else"].map((n) => [n, []]));
    for (const [path, value] of lines) {
      const old = before.get(path), same = old ? old.indexOf(value) : -1;
      const row = { path: S[path], value: S[value], fresh: compare && same < 0, old: undefined };
      if (same >= 0) old.splice(same, 1);
      const group = groupOf(run, row.path);
      groups.get(group).push({ ...row, key: path });
    }
    for (const name of run.nodes) { // of one that went down: what it kept in memory is that of a new node, and nobody changed it
      const is = compare && groups.get(name).find((row) => row.path === name + " is");
      if (!is || !is.fresh || is.value === "paused" || before.has(is.key) && before.get(is.key).length) continue;
      html(box, "p", name + " went down: what it kept in memory is gone", "none");
      for (const row of groups.get(name) || []) if (row.path !== name + " is") row.fresh = false;
      for (const path of [...before.keys()]) if (groupOf(run, S[path]) === name) before.delete(path);
    }
    for (const list of groups.values()) for (const row of list) { // what it was before
      const old = before.get(row.key);
      if (row.fresh && old && old.length) row.old = S[old.shift()];
    }
    for (const [path, old] of before) for (const value of old) { // what is there no more
      const group = groupOf(run, S[path]);
      groups.get(group).push({ path: S[path], value: undefined, fresh: true, old: S[value] });
    }
    for (const [name, list] of groups) {
      if (!list.length) continue;
      const fresh = list.some((r) => r.fresh), details = html(box, "details", undefined, fresh ? "changed" : "");
      details.open = opened.has(name) ? opened.get(name) : fresh || list.length < 12;
      details.addEventListener("toggle", () => opened.set(name, details.open));
      html(details, "summary", name);
      const table = html(details, "table");
      const fill = () => { // when it is looked at: a state may have thousands of lines
        if (!details.open || table.firstChild) return;
        const shown = [...list.filter((r) => r.fresh), ...list.filter((r) => !r.fresh)].slice(0, share);
        for (const row of list.length > share ? shown : list) fillRow(row, table, here, others);
        if (list.length > share) html(html(table, "tr"), "td", "and " + (list.length - share) + " more lines").colSpan = 2;
      };
      details.addEventListener("toggle", fill);
      fill();
    }
  };
  const share = Math.max(20, Math.floor(600 / (runs.reduce((n, r) => n + r.nodes.length + 2, 0)))); // lines of a group: the page stays small
  const fillRow = (row, table, here, others) => {
    const differs = here && row.value !== undefined && !others.has(row.path + "\n" + row.value);
    const tr = html(table, "tr", undefined, (row.fresh ? "new" : "") + (differs ? " differs" : ""));
    html(tr, "td", row.path);
    const td = html(tr, "td");
    if (row.old !== undefined) html(td, "del", row.old);
    if (row.old !== undefined && row.value !== undefined) td.append(" ");
    if (row.value !== undefined) td.append(row.value);
  };
  const opened = new Map();

  const pick = (i, scroll) => {
    picked = Math.max(0, Math.min(D.rows.length - 1, i));
    const row = D.rows[picked] || [], side = $("side");
    side.replaceChildren();
    runs.forEach((run, k) => {
      const box = html(side, "div", undefined, "run");
      if (row[k] >= 0) tell(run, run.points[row[k]], box);
      else tellGap(run, k, box);
    });
    $("slider").value = picked;
    const numbers = runs.map((run, k) => row[k] >= 0 ? run.points[row[k]].number : "–");
    const counter = (k) => "step " + numbers[k] + " of " + runs[k].steps;
    $("where").textContent = two ? runs.map((r, k) => r.name + ": " + counter(k)).join(", ") : counter(0);
    if (scroll) {
      const r = rows.findIndex((i) => i >= picked);
      if (r >= 0) {
        const at = y(r) + namesHigh;
        if (at < view.scrollTop + 60 || at > view.scrollTop + view.clientHeight - 40) view.scrollTop = at - view.clientHeight / 2;
      }
    }
    draw();
  };
  const next = (by) => { // the next row that is shown
    if (by >= rows.length) { // the end: of the run that the page is about
      const last = rows.findLastIndex((i) => D.rows[i][0] >= 0);
      if (last >= 0) return pick(rows[last], true);
    }
    let r = rows.findIndex((i) => i >= picked);
    if (r < 0) r = rows.length - 1;
    if (rows[r] !== picked && by > 0) by--;
    r = Math.max(0, Math.min(rows.length - 1, r + by));
    if (rows.length) pick(rows[r], true);
  };

  // ---- controls

  $("slider").max = Math.max(0, D.rows.length - 1);
  $("slider").addEventListener("input", (e) => pick(Number(e.target.value), true));
  $("back").addEventListener("click", () => next(-1));
  $("forth").addEventListener("click", () => next(1));
  $("words").addEventListener("input", (e) => { words = e.target.value.toLowerCase(); filter(); });
  view.addEventListener("scroll", () => requestAnimationFrame(() => draw(true)), { passive: true });
  const settle = () => document.body.classList.toggle("tall", two && innerWidth < wide + 300); // what is told stands below, where there is no room beside
  window.addEventListener("resize", () => { settle(); draw(true); });
  settle();
  graph.addEventListener("click", (e) => { const row = e.target.getAttribute("data-row"); if (row !== null) pick(Number(row)); });
  document.addEventListener("keydown", (e) => {
    if (e.target.type === "search" || e.ctrlKey || e.metaKey || e.altKey) return;
    const by = { ArrowDown: 1, ArrowRight: 1, j: 1, ArrowUp: -1, ArrowLeft: -1, k: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[e.key];
    if (by === undefined) return;
    e.preventDefault();
    next(by);
  });
  const jump = (label, className, row) => {
    if (row < 0) return;
    html($("jumps"), "button", label, className).addEventListener("click", () => pick(row, true));
  };
  const rowOf = (k, number) => number > 0 ? D.rows.findIndex((row) => row[k] >= 0 && runs[k].points[row[k]].number === number) : -1;
  const split = D.split < D.rows.length ? D.split : -1;
  jump("where they part", "", split);
  jump("critical step", "critical", rowOf(0, runs[0].critical));
  jump("again and again", "critical", rowOf(0, runs[0].again || 0));
  jump("failed step", "failed", rowOf(0, runs[0].failed));
  for (const name of runs[0].nodes) {
    const label = html($("nodes"), "label"), box = html(label, "input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => { box.checked ? off.delete(name) : off.add(name); filter(); });
    const bad = runs[0].bad && runs[0].bad[runs[0].nodes.indexOf(name)];
    label.append(" " + name + (bad ? " (Byzantine: " + bad + ")" : ""));
  }

  drawNames();
  filter();
  const asked = /^#(\d+)$/.exec(location.hash);
  const start = asked ? rowOf(0, Number(asked[1])) : [rowOf(0, runs[0].critical), split, rowOf(0, runs[0].failed)].find((r) => r >= 0);
  pick(start >= 0 ? start : 0, true);
  document.body.dataset.ready = "yes";
})();
