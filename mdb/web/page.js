"use strict";
// The page of a session of mdb. It asks the requests of docs/serve.md, and puts every text
// of an answer into the page as text, never as markup.
(() => {
  const NS = "http://www.w3.org/2000/svg", ROW = 26, CHUNK = 256;
  const $ = (id) => document.getElementById(id);
  const el = (parent, name, className, text) => {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  };
  const svg = (parent, name, attributes, text) => {
    const e = document.createElementNS(NS, name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (text !== undefined) e.textContent = text;
    return parent.appendChild(e);
  };
  const count = (n) => n.toLocaleString("en");
  const clamp = (x, lo, hi) => Math.max(lo, Math.min(hi, x));
  const percent = (x) => Math.round(x * 100) + " %";

  // ---- asking

  let asked = 0, waiting = 0;
  const ask = async (request, signal) => {
    $("busy").textContent = ++waiting > 0 && !signal ? "…" : $("busy").textContent;
    try {
      const r = await fetch("ask", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ id: ++asked, ...request }), signal });
      if (!r.ok) throw new Error(await r.text());
      const reply = await r.json();
      if (reply.error) throw new Error(reply.error);
      return reply;
    } finally {
      if (--waiting === 0) $("busy").textContent = "";
    }
  };
  const wrong = (e) => { if (e.name !== "AbortError") $("busy").textContent = e.message === "Failed to fetch" ? "the session has ended" : e.message; };

  // Walks are asked for in the background, one request at a time. What the user asks comes
  // first: it ends the request under way, which is asked again later.
  const tasks = new Map(); // key: { rank, request, done }
  let running = null, resting = 0;
  const later = (key, rank, request, done) => { tasks.set(key, { rank, request, done }); work(); };
  const drop = (test) => { for (const key of [...tasks.keys()]) if (test(key)) tasks.delete(key); };
  const work = async () => {
    if (running || resting > 0 || tasks.size === 0) return;
    const [key, task] = [...tasks].reduce((a, b) => b[1].rank < a[1].rank ? b : a);
    tasks.delete(key);
    running = new AbortController();
    try {
      task.done((await ask(task.request, running.signal)).answer);
    } catch (e) {
      if (e.name === "AbortError") { if (!tasks.has(key)) tasks.set(key, task); } else task.failed = true, wrong(e);
    }
    running = null;
    work();
  };
  const first = async (request) => { // before the background
    resting++;
    if (running) running.abort();
    try { return await ask(request); } finally { if (--resting === 0) setTimeout(work, 30); }
  };

  // ---- what is known

  let about, at = { branch: "trunk", step: 0 }, pin = null, tab = "step", against = "before";
  let overlay = false, causes = false, items = null, posOf = [], posThere = [], aligned = null, cone = new Set(), opened = new Set();
  const runs = new Map(); // by branch: { name, steps, chunks, strips, curve, alts }
  const branch = (name) => about.branches.find((b) => b.name === name);
  const run = (name) => {
    let r = runs.get(name);
    if (!r) runs.set(name, r = { name, steps: branch(name).steps, chunks: new Map(), strips: null, curve: null, alts: new Map() });
    return r;
  };
  const chunkOf = (r, k) => {
    let c = r.chunks.get(k);
    if (!c) {
      r.chunks.set(k, c = { rows: null, arrows: [], bands: [], left: new Set(), live: new Set() });
      c.wait = ask({ op: "steps", branch: r.name, from: k * CHUNK, to: (k + 1) * CHUNK - 1 }).then(({ answer }) => {
        c.rows = new Map();
        for (const row of answer.rows) if (row.step > 0) c.rows.set(row.step, row); else c.rows.set(0, { step: 0, node: -1, peer: -1, kind: "start", text: "start of the nodes", starts: true });
        c.arrows = answer.arrows; c.bands = answer.bands; c.left = new Set(answer.left); c.live = new Set(answer.live);
        draw();
      }).catch(wrong);
    }
    return c;
  };
  const rowOf = (r, step) => { const c = chunkOf(r, Math.floor(step / CHUNK)); return c.rows && c.rows.get(step); };

  // ---- what is listed: all steps of the branch, or items where some are folded

  const LIVE = "live";
  const other = () => overlay && at.branch !== LIVE && about.branches.some((b) => b.name === LIVE) ? LIVE : null;
  const fold = (out, from, to, why, there) => {
    if (to < from) return;
    const key = why + from;
    if (to - from < 3 || opened.has(key)) for (let i = from; i <= to; i++) out.push({ here: i, there: there === undefined ? -1 : there + i - from });
    else out.push({ here: -1, there: -1, from, to, why, key, thereFrom: there });
  };
  const arrange = () => {
    const n = run(at.branch).steps, out = [];
    if (causes) {
      let next = 0;
      for (const i of [...cone].sort((a, b) => a - b)) { fold(out, next, i - 1, "not among the causes"); out.push({ here: i, there: -1 }); next = i + 1; }
      fold(out, next, n, "not among the causes");
    } else if (other() && aligned) {
      let i = 0, j = 0; // the next step of each
      const gap = (a, b) => {
        while (i <= a) out.push({ here: i++, there: -1, only: true });
        while (j <= b) out.push({ here: -1, there: j++ });
      };
      out.push({ here: 0, there: 0 }); i = j = 1;
      for (const [a, b, k] of aligned.same) {
        gap(a, b);
        if (k > 6 && !opened.has("the same in both" + (a + 2))) {
          out.push({ here: a + 1, there: b + 1 });
          fold(out, a + 2, a + k - 1, "the same in both", b + 2);
          out.push({ here: a + k, there: b + k });
        } else for (let x = 1; x <= k; x++) out.push({ here: a + x, there: b + x });
        i = a + k + 1; j = b + k + 1;
      }
      gap(n, aligned.steps);
    }
    items = out.length ? out : null;
    posOf = []; posThere = [];
    (items || []).forEach((item, p) => {
      if (item.here >= 0) posOf[item.here] = p;
      if (item.there >= 0) posThere[item.there] = p;
      if (item.key) for (let i = item.from; i <= item.to; i++) { posOf[i] = p; if (item.thereFrom !== undefined) posThere[item.thereFrom + i - item.from] = p; }
    });
    $("space").style.height = size() * ROW + "px";
  };
  const size = () => items ? items.length : run(at.branch).steps + 1;
  const itemAt = (p) => items ? items[p] : { here: p, there: -1 };
  const position = (step) => items ? posOf[step] : step;

  // ---- the event graph

  let gap = 40, left = 0, text = 0;
  const measure = () => {
    const n = about.nodes.length, digits = String(run(at.branch).steps).length;
    left = 30 + 8 * digits;
    gap = clamp(($("view").clientWidth * 0.42 - left) / Math.max(n, 1), 14, 64);
    text = left + gap * n;
    const names = $("names");
    names.replaceChildren();
    el(names, "span", "", "step").style.left = "12px";
    about.nodes.forEach((name, i) => { el(names, "span", "node", gap < 30 ? String(i) : name).style.left = left + gap * (i + 0.5) + "px"; });
    el(names, "span", "", "event").style.left = text + 10 + "px";
    const instead = el(names, "span", "", "instead of it");
    instead.style.right = "16px";
    instead.title = "what else could have happened instead of the step: green recovers, or avoids the failure; red does not (a ring: it seems so); dotted is not known yet";
  };
  const x = (pair) => left + gap * ((pair[0] + pair[1]) / 2 + 0.5);
  const lane = (i) => left + gap * (i + 0.5);
  const r1 = (v) => Math.round(v * 10) / 10;

  const draw = () => {
    if (!about) return;
    const view = $("view"), r = run(at.branch), there = other() && aligned ? run(LIVE) : null;
    const n = size(), firstRow = clamp(Math.floor(view.scrollTop / ROW) - 6, 0, n - 1), lastRow = clamp(Math.ceil((view.scrollTop + view.clientHeight) / ROW) + 6, 0, n - 1);
    const rows = document.createDocumentFragment(), info = branch(at.branch), lanes = $("lanes");
    const wantAlts = [];
    lanes.replaceChildren();
    lanes.style.top = firstRow * ROW + "px";
    lanes.setAttribute("width", view.clientWidth);
    lanes.setAttribute("height", (lastRow - firstRow + 1) * ROW);
    const y = (p) => (p - firstRow + 0.5) * ROW;
    const under = svg(lanes, "g", {}), flights = svg(lanes, "g", {}), dots = svg(lanes, "g", {});
    about.nodes.forEach((_, i) => svg(under, "line", { class: "lane", x1: r1(lane(i)), x2: r1(lane(i)), y1: firstRow === 0 ? ROW / 2 : 0, y2: (lastRow - firstRow + 1) * ROW }));
    for (let p = firstRow; p <= lastRow; p++) {
      const item = itemAt(p), row = el(rows, "div", "row");
      row.style.top = p * ROW + "px";
      row.dataset.p = p;
      const number = el(row, "span", "n");
      number.style.width = left - 8 + "px";
      const cell = el(row, "span", "what");
      cell.style.marginLeft = text - left + "px";
      if (item.key) {
        row.className = "row fold";
        cell.textContent = "⋮ steps " + count(item.from) + " to " + count(item.to) + ", " + item.why + " (click to open)";
        continue;
      }
      const mine = item.here >= 0, from = mine ? r : there, step = mine ? item.here : item.there, data = rowOf(from, step);
      number.textContent = step;
      if (!data) { row.classList.add("wait"); cell.textContent = "…"; continue; }
      row.classList.add(data.kind);
      if (!mine) row.classList.add("live");
      if (item.only) row.classList.add("only");
      if (mine && step === at.step) row.classList.add("here");
      if (mine && cone.has(step)) row.classList.add("cause");
      if (mine && step > 0 && step === info.critical) { row.classList.add("critical"); el(cell, "span", "tag warn", "◆ critical"); }
      if (mine && info.fails && step === info.steps) { row.classList.add("failing"); el(cell, "span", "tag bad", "✗ failed"); }
      if (chunkOf(from, Math.floor(step / CHUNK)).live.has(step)) el(cell, "span", "tag good", "live");
      cell.append(data.text);
      if (mine && there && item.there >= 0 && item.there !== item.here) el(cell, "span", "beside", "  (step " + item.there + " of the live run)");
      if (data.beside) el(cell, "span", "beside", "  " + data.beside);
      cell.title = data.text;
      sign(dots, data, y(p), mine ? "" : " other");
      if (mine) { stubs(row, r, step); if (step > 0) wantAlts.push(step - 1); }
    }
    $("rows").replaceChildren(rows);
    arrows(flights, under, r, (s) => position(s), firstRow, lastRow, y, "");
    if (there) arrows(flights, under, there, (s) => posThere[s], firstRow, lastRow, y, " other");
    for (const step of wantAlts) alternatives(r, step);
    drawSeen(Math.floor(view.scrollTop / ROW), Math.ceil((view.scrollTop + view.clientHeight) / ROW));
  };

  const sign = (g, d, py, more) => {
    if (d.starts) { about.nodes.forEach((_, i) => svg(g, "circle", { class: "ev start", cx: r1(lane(i)), cy: py, r: 4 })); return; }
    if (d.node < 0) { svg(g, "line", { class: "all " + d.kind, x1: r1(lane(0) - 8), x2: r1(lane(about.nodes.length - 1) + 8), y1: py, y2: py }); return; }
    const px = d.kind === "break" && d.peer >= 0 ? x([d.node, d.peer]) : lane(d.node);
    if (["crash", "lose", "break"].includes(d.kind)) svg(g, "path", { class: "x", d: `M${r1(px - 4.5)} ${py - 4.5}l9 9m0 -9l-9 9` });
    else if (d.kind === "copy") svg(g, "path", { class: "x copy", d: `M${r1(px - 5)} ${py}h10m-5 -5v10` });
    else svg(g, "circle", { class: "ev " + d.kind + more, cx: r1(px), cy: py, r: 5 });
  };

  // arrows draws those of a run that touch what is seen, and what the lanes are besides.
  const arrows = (g, under, r, pos, firstRow, lastRow, y, more) => {
    const seen = new Set();
    let drawn = 0;
    const chunks = new Set();
    for (let p = firstRow; p <= lastRow; p++) {
      const item = itemAt(p), step = more ? item.there : item.here;
      if (step >= 0) chunks.add(Math.floor(step / CHUNK));
    }
    for (const k of chunks) {
      const c = r.chunks.get(k);
      if (!c || !c.rows) continue;
      for (const a of c.arrows) {
        const p = pos(a.from), q = a.to >= 0 ? pos(a.to) : undefined, key = [a.kind, a.from, a.to, a.a, a.b, a.text].join(" ");
        if (p === undefined || a.to >= 0 && (q === undefined || p === q) || seen.has(key)) continue;
        if (Math.max(p, q ?? p) < firstRow || Math.min(p, q ?? p) > lastRow || ++drawn > 500) continue;
        if (more && items[p].here >= 0 && (q === undefined || items[q].here >= 0)) continue; // the branch has drawn it
        seen.add(key);
        flight(g, a, y(p), q === undefined ? undefined : y(q), more);
      }
      if (!more) for (const b of c.bands) {
        const p = pos(b.from), q = b.to < 0 ? lastRow + 1 : pos(b.to), key = "b" + [b.kind, b.node, b.from];
        if (p === undefined || q === undefined || seen.has(key) || q < firstRow || p > lastRow) continue;
        seen.add(key);
        const y1 = Math.max(0, y(p)), y2 = Math.min((lastRow - firstRow + 1) * ROW, y(q));
        if (y2 <= y1) continue;
        if (b.kind === "cut") svg(under, "rect", { class: "cutband", x: r1(left), y: y1, width: r1(gap * about.nodes.length), height: y2 - y1 });
        else if (b.node >= 0) svg(under, "line", { class: "lane " + b.kind, x1: r1(lane(b.node)), x2: r1(lane(b.node)), y1, y2 });
      }
    }
  };
  const flight = (g, a, ya, yb, more) => {
    const px = x(a.a), qx = x(a.b), strong = !more && cone.has(a.from) && (a.to < 0 || cone.has(a.to)) && a.to >= 0, faint = !more && causes === false && cone.size > 1 && !strong;
    const cls = (c) => c + " " + a.kind + (strong ? " strong" : faint ? " faint" : "") + more;
    if (yb === undefined) { // it got nowhere
      const to = px + Math.sign(qx - px || 1) * Math.min(Math.abs(qx - px) * 0.5, 26), ty = ya + 12;
      svg(g, "path", { class: cls("fly"), d: `M${r1(px)} ${ya}L${r1(to)} ${ty}` });
      if (a.kind === "under") svg(g, "circle", { class: "open", cx: r1(to), cy: ty, r: 2.6 });
      else svg(g, "path", { class: "x", d: `M${r1(to - 3)} ${ty - 3}l6 6m0 -6l-6 6` });
      return;
    }
    const dx = qx - px, dy = yb - ya, l = Math.hypot(dx, dy) || 1, ux = dx / l, uy = dy / l, short = a.kind === "lost" ? 0 : 6;
    const ex = qx - ux * short, ey = yb - uy * short;
    svg(g, "path", { class: cls("fly"), d: `M${r1(px)} ${r1(ya)}L${r1(ex)} ${r1(ey)}` });
    if (a.kind !== "lost" && a.kind !== "under" && a.kind !== "drop") {
      svg(g, "path", { class: cls("tip").replace("strong", ""), d: `M${r1(ex)} ${r1(ey)}L${r1(ex - ux * 8 - uy * 3.6)} ${r1(ey - uy * 8 + ux * 3.6)}L${r1(ex - ux * 8 + uy * 3.6)} ${r1(ey - uy * 8 - ux * 3.6)}Z` });
    }
  };

  // ---- alternatives, as stubs, and what they lead to

  const stubsMost = 8;
  const leadClass = (a) => a.refused ? "to-unknown" : a.fails ? "to-dead" : a.lead ? "to-" + a.lead.to + (a.lead.exact ? "" : " seems") : a.live && about.asks === "live" ? "to-live" : "to-unknown";
  const leadWords = (a) => a.refused ? a.refused : a.fails ? "the service fails: " + a.fails : a.lead ? outcomes()[a.lead.to + (a.lead.to === "dead" && !a.lead.exact ? " seems" : "")] + ": " + a.lead.why : a.live && about.asks === "live" ? "the state after it is live" : "what it leads to was not looked at yet";
  const outcomes = () => about.asks === "live" ? { live: "recovers", dead: "dead", "dead seems": "seems dead", unknown: "not known" } : { live: "avoids the failure", dead: "fails", "dead seems": "seems to fail", unknown: "not known" };
  const stubs = (row, r, step) => {
    const box = el(row, "span", "alts");
    const c = r.chunks.get(Math.floor(step / CHUNK));
    if (c.left.has(step)) {
      const away = about.branches.find((b) => b.parent && b.from === step && b.name !== r.name);
      const button = el(box, "button", "left", "↳");
      button.title = away ? "the branch " + away.name + " leaves here" : "a branch leaves here";
      if (away) button.dataset.branch = away.name;
    }
    const all = step > 0 && r.alts.get(step - 1);
    if (!all || !all.list) return;
    const rest = all.list.filter((a) => !a.taken);
    rest.slice(0, stubsMost).forEach((a) => {
      const b = el(box, "button", leadClass(a));
      b.title = "instead: " + a.text + coins(a) + "\n" + leadWords(a) + "\nclick to branch off";
      b.dataset.step = step - 1;
      b.dataset.alt = all.list.indexOf(a);
    });
    if (rest.length > stubsMost) el(box, "span", "more", "+" + (rest.length - stubsMost));
  };
  const coins = (a) => a.coins.length ? " with coins " + a.coins.join(" ") : "";
  const alternatives = (r, step) => { // of a place, when nothing else is to be done
    const known = r.alts.get(step);
    if (known) { if (known.list) leads(r, step, known.list); return; }
    r.alts.set(step, {});
    later("alts " + r.name + " " + step, 300 + Math.abs(step - at.step), { op: "alternatives", branch: r.name, step }, (list) => {
      r.alts.set(step, { list });
      leads(r, step, list);
      redraw();
    });
  };
  const near = 8; // what alternatives lead to is looked at so many steps around
  const leads = (r, step, list) => {
    if (Math.abs(step - at.step) > near || r.name !== at.branch) return;
    for (const a of list) {
      if (a.lead || a.asked || a.fails || a.refused || a.live && about.asks === "live") continue;
      a.asked = true;
      later("lead " + [r.name, step, a.event, a.coins], 400 + 100 * Math.abs(step + 0.5 - at.step) + (a.taken ? 5 : 0), { op: "lead", branch: r.name, step, event: a.event, coins: a.coins }, (lead) => { a.lead = lead; redraw(); if (tab === "choices") show(); });
    }
  };
  let due = false;
  const redraw = () => { if (!due) { due = true; requestAnimationFrame(() => { due = false; draw(); }); } };

  // ---- moving

  const go = async (place, keep) => {
    const began = performance.now(), elsewhere = place.branch !== at.branch;
    if (elsewhere) { drop((key) => true); for (const r of runs.values()) for (const [k, v] of r.alts) { if (!v.list) r.alts.delete(k); else for (const a of v.list) if (!a.lead) a.asked = false; } }
    at = { branch: place.branch, step: clamp(place.step, 0, branch(place.branch).steps) };
    resting++;
    if (running) running.abort();
    if (elsewhere || !run(at.branch).strips) await settle();
    const r = run(at.branch), info = branch(at.branch);
    $("where").textContent = (at.branch === "trunk" ? "" : at.branch + ": ") + "step " + count(at.step) + " of " + count(r.steps);
    $("critical").hidden = !info.critical;
    $("failed").hidden = !info.fails;
    $("promptAt").textContent = at.branch === "trunk" ? at.step + ">" : at.branch + " " + at.step + ">";
    history.replaceState(null, "", "#" + encodeURIComponent(at.branch) + "/" + at.step + (overlay ? ";live" : "") + (causes ? ";causes" : ""));
    if (!causes) cone = new Set([at.step]);
    arrange();
    if (!keep) scroll();
    draw();
    drawCursor();
    const drawn = performance.now() - began;
    try {
      const told = await Promise.all([show(), ask({ op: "cone", ...at }).then(({ answer }) => answer)]);
      if (place.branch === at.branch && place.step === at.step) {
        cone = new Set(told[1]);
        if (causes) { arrange(); if (!keep) scroll(); }
        draw();
        drawCursor();
      }
    } catch (e) { wrong(e); }
    if (--resting === 0) setTimeout(work, 30);
    const all = performance.now() - began;
    $("moved").textContent = "moved in " + drawn.toFixed(0) + " ms, told in " + all.toFixed(0) + " ms";
    document.body.dataset.moved = drawn.toFixed(2);
    document.body.dataset.told = all.toFixed(2);
    document.body.dataset.at = at.branch + "/" + at.step;
  };
  const scroll = () => {
    const view = $("view"), p = position(at.step), top = p * ROW;
    if (p === undefined) return;
    if (top < view.scrollTop + ROW || top > view.scrollTop + view.clientHeight - 3 * ROW) view.scrollTop = top - view.clientHeight / 2;
  };
  const move = (by) => { // among the steps that are listed
    if (!items) return go({ branch: at.branch, step: at.step + by });
    let p = position(at.step) ?? 0;
    const dir = Math.sign(by);
    for (let left = Math.abs(by); left > 0; left--) {
      let q = p + dir;
      while (q >= 0 && q < items.length && items[q].here < 0) q += dir;
      if (q < 0 || q >= items.length) break;
      p = q;
    }
    if (items[p].here >= 0) go({ branch: at.branch, step: items[p].here });
  };
  // settle asks what a branch is drawn with: its strips, its curve, and how it is aligned.
  const settle = async () => {
    const r = run(at.branch);
    measure();
    if (!r.strips) r.strips = (await ask({ op: "strips", branch: r.name })).answer;
    await align();
    drawCurve();
    sample(r);
  };
  const align = async () => { aligned = other() ? (await ask({ op: "aligned", branch: at.branch, with: LIVE })).answer : null; };
  const sample = (r) => {
    if (r.curve && r.curve.done) return;
    later("curve " + r.name, r.curve ? 600 : 10, { op: "curve", branch: r.name, more: 1 }, (curve) => { r.curve = curve; if (r.name === at.branch) drawCurve(); sample(r); });
  };
  // refresh asks again what is open: branches come, grow and get names.
  const refresh = async () => {
    about = (await ask({ op: "about" })).answer;
    drop((key) => !branch(tasks.get(key).request.branch));
    for (const [name, r] of runs) { const b = branch(name); if (!b || b.steps !== r.steps) runs.delete(name); else for (const c of r.chunks.values()) if (c.rows) c.left = new Set(about.branches.filter((b) => b.parent && b.name !== name).map((b) => b.from)); }
    heading();
  };

  // ---- below: the curve, the strips, and the tree of what is seen

  const chart = { left: 150, right: 16, top: 14, high: 70 };
  const cx = (step) => chart.left + (chart.wide - chart.left - chart.right) * (run(at.branch).steps ? step / run(at.branch).steps : 0.5);
  const drawCurve = () => {
    const s = $("curve"), r = run(at.branch), strips = r.strips || [], info = branch(at.branch);
    chart.wide = s.parentElement.clientWidth - 32;
    const bottom = chart.top + chart.high, high = bottom + 14 + strips.length * 13 + 4;
    s.replaceChildren();
    s.setAttribute("height", high);
    s.setAttribute("viewBox", `0 0 ${chart.wide} ${high}`);
    const y = (share) => chart.top + chart.high * (1 - share);
    for (const share of [0, 0.5, 1]) {
      svg(s, "line", { class: "axis", x1: chart.left, x2: chart.wide - chart.right, y1: y(share), y2: y(share) });
      svg(s, "text", { x: chart.left - 8, y: y(share) + 4, "text-anchor": "end" }, percent(share));
    }
    svg(s, "text", { x: 0, y: y(0.5) - 8 }, "fresh walks");
    svg(s, "text", { x: 0, y: y(0.5) + 6 }, about.asks === "live" ? "that recover" : "that survive");
    const c = r.curve;
    if (c && c.points.length) {
      const share = (p) => p.well / c.walks, line = c.points.map((p) => r1(cx(p.step)) + " " + r1(y(share(p))));
      svg(s, "path", { class: "band", d: "M" + c.points.map((p) => r1(cx(p.step)) + " " + r1(y(p.high))).join("L") + "L" + c.points.toReversed().map((p) => r1(cx(p.step)) + " " + r1(y(p.low))).join("L") + "Z" });
      svg(s, "path", { class: "share", d: "M" + line.join("L") });
      for (const p of c.points) {
        const dot = svg(s, "circle", { class: "point", cx: r1(cx(p.step)), cy: r1(y(share(p))), r: 2.5 });
        svg(dot, "title", {}, `after step ${p.step}: ${p.well} of ${c.walks} (${percent(p.low)} to ${percent(p.high)})`);
      }
      if (info.critical > 0) {
        const before = c.points.find((p) => p.step === info.critical - 1), after = c.points.find((p) => p.step === info.critical), px = cx(info.critical);
        svg(s, "line", { class: "criticalLine", x1: px, x2: px, y1: chart.top - 4, y2: bottom });
        const fall = before && after ? `: ${percent(share(before))} → ${percent(share(after))}` : "", right = px > chart.wide - 220;
        svg(s, "text", { class: "fall", x: px + (right ? -6 : 6), y: chart.top + 3, "text-anchor": right ? "end" : "start" }, "◆ step " + count(info.critical) + fall);
      }
      $("sampled").textContent = `share of walks that ${about.asks === "live" ? "become live" : "go on without a failure"} within ${count(c.walk_steps)} steps, of ${c.walks} fresh ones from each of ${count(c.points.length)} of ${count(c.states)} states${c.done ? "" : " so far"}, with 95 % intervals`;
    } else $("sampled").textContent = "walks have not begun";
    strips.forEach((strip, k) => {
      const top = bottom + 14 + k * 13;
      const label = svg(s, "text", { x: 0, y: top + 8 }, strip.name.length > 24 ? strip.name.slice(0, 23) + "…" : strip.name);
      svg(label, "title", {}, strip.kind === "live" ? "the state is live" : strip.kind + ": " + strip.name);
      const edges = [0, ...strip.turns, r.steps + 1], parts = { good: "", bad: "", not: "" };
      for (let i = 0; i + 1 < edges.length; i++) {
        const holds = strip.first === (i % 2 === 0), kind = holds ? (strip.kind === "always" ? "" : "good") : strip.kind === "always" ? "bad" : strip.kind === "live" ? "" : "not";
        if (kind) parts[kind] += `M${r1(cx(Math.max(0, edges[i] - 0.5)))} ${top}H${r1(cx(Math.min(r.steps, edges[i + 1] - 0.5)) + 1)}v9H${r1(cx(Math.max(0, edges[i] - 0.5)))}Z`;
      }
      svg(s, "rect", { class: "strip", x: chart.left, y: top, width: Math.max(1, chart.wide - chart.left - chart.right), height: 9 });
      for (const kind in parts) if (parts[kind]) svg(s, "path", { class: "strip " + kind, d: parts[kind] });
    });
    svg(s, "path", { class: "cone", id: "coneMarks" });
    svg(s, "rect", { class: "seen", id: "seen", y: chart.top - 6, height: high - chart.top });
    svg(s, "line", { class: "cursor", id: "cursor", y1: chart.top - 8, y2: high - 2 });
    svg(s, "rect", { class: "hit", x: chart.left - 8, y: 0, width: Math.max(1, chart.wide - chart.left - chart.right + 16), height: high });
    s.setAttribute("aria-label", $("sampled").textContent);
    drawCursor();
  };
  const drawCursor = () => {
    const c = $("cursor"), bottom = chart.top + chart.high;
    if (!c) return;
    c.setAttribute("x1", r1(cx(at.step)));
    c.setAttribute("x2", r1(cx(at.step)));
    const steps = [...cone], every = Math.max(1, Math.floor(steps.length / 600));
    $("coneMarks").setAttribute("d", cone.size > 1 ? steps.filter((_, i) => i % every === 0).map((s) => `M${r1(cx(s))} ${bottom + 3}v7`).join("") : "");
  };
  const drawSeen = (a, b) => {
    const s = $("seen");
    if (!s || items || b - a > run(at.branch).steps) { if (s) s.setAttribute("width", 0); return; }
    s.setAttribute("x", r1(cx(Math.max(0, a))));
    s.setAttribute("width", Math.max(2, r1(cx(Math.min(run(at.branch).steps, b)) - cx(Math.max(0, a)))));
  };

  // ---- the panel

  const linesMost = 500; // of a state: the page stays small
  const tabs = { step: "Step", choices: "Choices", state: "State", compare: "Compare", tree: "Branches", said: "Answers" };
  const said = [];
  let generation = 0;
  const show = async () => {
    const mine = ++generation, here = { ...at }, box = document.createElement("div");
    const panel = $("panel"), top = panel.dataset.tab === tab ? panel.scrollTop : 0;
    await { step: tellStep, choices: tellChoices, state: tellState, compare: tellCompare, tree: tellTree, said: tellSaid }[tab](box, here);
    if (mine !== generation) return;
    panel.replaceChildren(...box.childNodes);
    panel.dataset.tab = tab;
    panel.scrollTop = tab === "said" ? 0 : top;
  };
  const heading = () => {
    const get = (key) => (about.settings.find(([k]) => k === key) || [])[1], says = $("says");
    document.title = about.system + " – macemc";
    $("title").textContent = about.system;
    says.replaceChildren();
    const verdict = get("verdict"), what = get("violates");
    if (verdict) el(says, "b", verdict === "none" ? "good" : "", (about.parted ? "recorded as " : "") + verdict + (what ? `: “${what}”` : "")).after("  ");
    says.append([about.title, ...about.settings.filter(([k]) => ["nodes", "faults", "net", "param", "seed"].includes(k)).map(([k, v]) => k + " " + v)].join(" · "));
    says.title = says.textContent;
    if (about.stopped && !about.parted) el(says, "b", "", "  " + about.stopped);
    const parted = $("parted");
    parted.hidden = !about.parted;
    if (about.parted) { parted.textContent = about.parted; parted.title = about.stopped || ""; }
    $("overlay").disabled = !about.branches.some((b) => b.name === LIVE);
    $("overlay").parentElement.title = $("overlay").disabled ? "no live run is known: type critical" : "lay the nearest live run over this one (l)";
  };
  const changes = (box, list, none) => {
    if (!list.length) { el(box, "p", "dim", none); return; }
    const table = el(box, "table");
    for (const c of list.slice(0, linesMost)) {
      const tr = el(table, "tr");
      el(tr, "td", "", c.path);
      const td = el(tr, "td");
      if (c.old) el(td, "del", "", c.old);
      if (c.old && c.new) td.append(" ");
      if (c.new) el(td, "ins", "", c.new);
    }
    if (list.length > linesMost) el(box, "p", "dim", `and ${count(list.length - linesMost)} more`);
  };
  const tellStep = async (box, here) => {
    const [f, p] = await Promise.all([ask({ op: "step", ...here }), ask({ op: "properties", ...here })]).then((all) => all.map((r) => r.answer));
    el(box, "p", "event", f.text);
    if (f.was) el(box, "p", "dim", f.was);
    if (f.fails) el(box, "p", "wrong", "✗ " + f.fails);
    for (const line of f.did.slice(0, 200)) el(box, "pre", "", line);
    el(box, "h2", "", "changed");
    for (const node of f.down || []) el(box, "p", "dim", node + " went down: what it kept in memory is gone");
    changes(box, f.changes, "nothing of the state");
    el(box, "h2", "", "properties");
    for (const q of p.properties || []) {
      const row = el(box, "div", "prop"), kind = q.holds ? "good" : q.kind === "always" ? "bad" : "not";
      el(row, "span", "sign " + kind, q.holds ? "✓" : "✗");
      const words = el(row, "span", "", q.name);
      el(words, "span", "dim", ` ${q.kind}, since ${q.since ? "step " + count(q.since) : "the start"}` + (q.says ? ": " + q.says : ""));
    }
    for (const q of p.watched || []) {
      const row = el(box, "div", "prop"), kind = !q.holds ? "bad" : q.hot ? "not" : "good";
      el(row, "span", "sign " + kind, q.holds && !q.hot ? "✓" : "✗");
      const words = el(row, "span", "", q.name);
      el(words, "span", "dim", ` ${q.kind}` + (q.kind === "cools" ? (q.hot ? ", hot" : ", cold") : "") + (q.says ? ": " + q.says : ""));
      if (q.memory) words.title = "it remembers " + q.memory;
    }
    if (about.properties.some((q) => q.kind === "eventually")) el(box, "p", "dim", p.live ? "the state is live" : "the state is not live");
  };
  const legend = (box) => {
    const l = el(box, "div", "legend");
    for (const [cls, words] of Object.entries(outcomes()).map(([to, words]) => ["to-" + to, words])) { const s = el(l, "span"); el(s, "i", "dot " + cls); s.append(words); }
  };
  const tellChoices = async (box, here) => {
    legend(box);
    const r = run(here.branch);
    const list = async (step, title) => {
      let known = r.alts.get(step);
      if (!known || !known.list) {
        drop((key) => key === "alts " + r.name + " " + step);
        r.alts.set(step, known = { list: (await ask({ op: "alternatives", branch: here.branch, step })).answer });
      }
      leads(r, step, known.list);
      el(box, "h2", "", title);
      if (!known.list.length) el(box, "p", "dim", "nothing can happen");
      known.list.slice(0, 150).forEach((a, i) => {
        const row = el(box, "div", "alt" + (a.taken ? " taken" : ""));
        el(row, "span", "dot " + leadClass(a));
        el(row, "span", "text", a.text + coins(a) + (a.taken ? "  ← this run" : ""));
        const did = [...a.did, ...a.then.map((t) => "then " + t)];
        if (did.length) el(row, "span", "more", did.slice(0, 6).join(" · ") + (did.length > 6 ? " …" : ""));
        el(row, "span", "lead " + (a.fails ? "dead" : a.lead ? a.lead.to : ""), leadWords(a));
        row.dataset.step = step;
        row.dataset.alt = i;
      });
    };
    if (here.step > 0) await list(here.step - 1, "instead of step " + count(here.step));
    await list(here.step, "after step " + count(here.step));
  };
  let words = "";
  const tellState = async (box, here) => {
    const lines = (await ask({ op: "state", ...here })).answer, bar = el(box, "div", "bar"), input = el(bar, "input");
    input.type = "search"; input.placeholder = "only lines with ..."; input.value = words; input.id = "stateWords";
    input.addEventListener("input", () => { words = input.value; fill(); });
    el(bar, "span", "dim", "after step " + count(here.step));
    const table = el(box, "table"), rest = el(box, "p", "dim");
    const fill = () => {
      const some = lines.filter((l) => !words || (l.path + ": " + l.value).toLowerCase().includes(words.toLowerCase()));
      const sorted = some.length > linesMost ? [...some.filter((l) => l.mark), ...some.filter((l) => !l.mark)] : some;
      table.replaceChildren();
      for (const l of sorted.slice(0, linesMost)) {
        const tr = el(table, "tr", { "+": "new", "~": "changed" }[l.mark] || "");
        el(tr, "td", "", l.path);
        el(tr, "td", "", l.value).title = l.exact || "";
      }
      rest.textContent = some.length > linesMost ? `and ${count(some.length - linesMost)} more lines` : "";
    };
    fill();
  };
  const tellCompare = async (box, here) => {
    const bar = el(box, "div", "bar"), pick = el(bar, "select"), button = el(bar, "button", "", "pin this step");
    const choices = [["before", "the step before"], ["start", "the start"], ...(pin ? [["pin", `the pinned step ${pin.step} of ${pin.branch}`]] : []),
      ...about.branches.filter((b) => b.name !== here.branch).map((b) => ["=" + b.name, "the same place of " + b.name]), ...about.branches.map((b) => ["$" + b.name, "the end of " + b.name])];
    if (!choices.some(([v]) => v === against)) against = "before";
    for (const [value, name] of choices) { const o = el(pick, "option", "", name); o.value = value; o.selected = value === against; }
    pick.addEventListener("change", () => { against = pick.value; show(); });
    button.title = "p";
    button.addEventListener("click", pinHere);
    let a = { branch: here.branch, step: Math.max(0, here.step - 1) };
    if (against === "start") a.step = 0;
    if (against === "pin") a = pin;
    if (against[0] === "$") a = { branch: against.slice(1), step: branch(against.slice(1)).steps };
    if (against[0] === "=") a = { branch: against.slice(1), step: partner((await ask({ op: "aligned", branch: here.branch, with: against.slice(1) })).answer, here.step) };
    const list = (await ask({ op: "diff", branch: a.branch, step: a.step, with: here.branch, with_step: here.step })).answer;
    const title = el(box, "p", "");
    el(title, "del", "", `${a.branch} ${a.step}`);
    title.append(" → ");
    el(title, "ins", "", `${here.branch} ${here.step}`);
    el(title, "span", "dim", `, ${count(list.length)} lines differ`);
    changes(box, list, "nothing differs");
  };
  const partner = (al, step) => { // the step of the other run at the same place
    let a = 0, b = 0;
    for (const [x1, y1, n] of al.same) {
      if (step <= x1) return Math.min(b + step - a, y1);
      if (step <= x1 + n) return y1 + step - x1;
      a = x1 + n; b = y1 + n;
    }
    return Math.min(b + step - a, al.steps);
  };
  const pinHere = () => { pin = { ...at }; against = "pin"; pickTab("compare"); };
  const tellTree = async (box) => {
    const bar = el(box, "div", "bar");
    for (const [label, line, title] of [["walk 10", "walk 10", "ten steps at random from here"], ["walk until live", "walk live", "at random, until a state is live"], ["recovers?", "recovers", "whether a live state can still be reached from here"], ["critical step", "critical", "find the critical step of this branch, and the nearest live run"], ["heal", "heal", "end the faults of the environment"]]) {
      const b = el(bar, "button", "", label);
      b.title = title;
      b.addEventListener("click", () => execute(line));
    }
    const tree = el(box, "div", "tree"), most = Math.max(1, ...about.branches.map((b) => b.steps));
    const tell = (b, depth) => {
      const name = el(tree, "button", "name" + (b.name === at.branch ? " on" : ""), "\u2003".repeat(depth) + (depth ? "└ " : "") + b.name);
      name.title = b.parent ? `leaves ${b.parent} after step ${b.from}; double-click to name it` : "what was opened";
      name.addEventListener("click", () => go({ branch: b.name, step: b.name === at.branch ? at.step : Math.max(b.from, 0) }));
      name.addEventListener("dblclick", () => { $("line").value = "name "; $("line").focus(); });
      const s = svg(tree, "svg", { viewBox: "0 0 200 18", preserveAspectRatio: "none" }), px = (n) => r1(4 + 192 * n / most);
      svg(s, "line", { class: "track", x1: px(0), x2: px(b.from), y1: 9, y2: 9 });
      svg(s, "line", { class: "own " + (b.ends === "live" ? "live" : b.ends === "not live" ? "" : "bad"), x1: px(b.from), x2: px(b.steps), y1: 9, y2: 9 });
      if (b.name === at.branch) svg(s, "circle", { cx: px(at.step), cy: 9, r: 3.5 });
      el(tree, "span", "ends", `${b.parent ? "from " + count(b.from) + ", " : ""}${count(b.steps)} steps, ${b.ends}`);
      for (const child of about.branches) if (child.parent === b.name) tell(child, depth + 1);
    };
    tell(about.branches[0], 0);
    el(box, "p", "dim", "A stub beside a step, or a row of Choices, branches off there. Branches are kept as long as macemc runs; save FILE writes one.");
    el(box, "h2", "", "to come back, or replay");
    el(box, "pre", "", about.command + " --web");
  };
  const tellSaid = async (box) => {
    if (!said.length) el(box, "p", "dim", "What lines are answered stands here. help lists the commands; Tab completes.");
    for (const s of said.toReversed()) {
      const part = el(box, "div", "said");
      el(part, "div", "typed", s.at + " " + s.line);
      if (s.error) el(part, "p", "wrong", s.error);
      for (const line of s.lines.slice(0, linesMost)) {
        const pre = el(part, "pre");
        for (const [style, words] of line) el(pre, "span", style, words);
        if (!line.length) pre.textContent = " ";
      }
    }
  };
  const pickTab = (name) => {
    tab = name;
    for (const b of $("tabs").children) b.setAttribute("aria-selected", String(b.dataset.tab === tab));
    return show().catch(wrong);
  };

  // ---- doing

  const word = (name) => /^[\w.-]+$/.test(name) ? name : '"' + name + '"';
  const execute = async (line, quiet) => {
    const entry = { line, at: $("promptAt").textContent, lines: [] };
    try {
      const reply = await first({ op: "do", line: `branch ${word(at.branch)} ${at.step}; ${line}`, styled: true });
      entry.lines = reply.answer.lines.slice(1); // without that of the move
      if (!reply.place) { $("busy").textContent = "the session has ended"; return; }
      await refresh();
      const moved = reply.place.branch !== at.branch || reply.place.step !== at.step;
      if (!quiet) { said.push(entry); if (said.length > 20) said.shift(); if (entry.lines.length > 1 || !moved) tab = "said"; }
      await go(reply.place);
    } catch (e) {
      entry.error = e.message;
      said.push(entry);
      tab = "said";
    }
    if (!quiet || entry.error) await pickTab(tab);
  };
  const take = (step, k) => {
    const a = run(at.branch).alts.get(step).list[k];
    at = { branch: at.branch, step };
    return execute(`take ${a.event} ${a.coins.join(" ")}`.trim(), true);
  };
  const copy = async (text) => { try { await navigator.clipboard.writeText(text); $("busy").textContent = "copied"; } catch { $("busy").textContent = text; } };
  const save = async () => {
    const trace = (await first({ op: "trace", branch: at.branch })).answer, a = el(document.body, "a");
    a.href = URL.createObjectURL(new Blob([JSON.stringify(trace)], { type: "application/json" }));
    a.download = (about.system + "-" + at.branch).replace(/\W+/g, "-") + ".perfetto.json";
    a.click();
    a.remove();
  };
  const seek = async (back) => {
    const text = $("words").value.trim();
    if (!text) return;
    const known = /^(node|kind|type|sends|fault|field|property|live|not|n\d+)\b|^\//.test(text);
    await execute((back ? "prev " : "next ") + (known ? text : "/" + text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&") + "/"), true);
  };
  const setOverlay = async (on) => { overlay = $("overlay").checked = on && !$("overlay").disabled; if (overlay) against = "=" + LIVE, causes = $("causes").checked = false; await align(); opened.clear(); go(at); };
  const setCauses = (on) => { causes = $("causes").checked = on; if (on) overlay = $("overlay").checked = false; opened.clear(); go(at); };

  // ---- the user

  $("back").addEventListener("click", () => move(-1));
  $("forth").addEventListener("click", () => move(1));
  $("first").addEventListener("click", () => go({ ...at, step: 0 }));
  $("last").addEventListener("click", () => go({ ...at, step: run(at.branch).steps }));
  $("critical").addEventListener("click", () => go({ ...at, step: branch(at.branch).critical }));
  $("failed").addEventListener("click", () => go({ ...at, step: run(at.branch).steps }));
  $("overlay").addEventListener("change", (e) => setOverlay(e.target.checked));
  $("causes").addEventListener("change", (e) => setCauses(e.target.checked));
  $("link").addEventListener("click", () => copy(location.href));
  $("perfetto").addEventListener("click", () => save().catch(wrong));
  $("theme").addEventListener("click", () => {
    const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  $("words").addEventListener("keydown", (e) => { if (e.key === "Enter") seek(e.shiftKey); });
  $("view").addEventListener("scroll", () => redraw(), { passive: true });
  $("rows").addEventListener("click", (e) => {
    const button = e.target.closest("button");
    if (button && button.dataset.branch) return go({ branch: button.dataset.branch, step: Number(e.target.closest(".row").dataset.p) });
    if (button) return take(Number(button.dataset.step), Number(button.dataset.alt));
    const row = e.target.closest(".row");
    if (!row) return;
    const item = itemAt(Number(row.dataset.p));
    if (item.key) { opened.add(item.key); arrange(); draw(); return; }
    go(item.here >= 0 ? { branch: at.branch, step: item.here } : { branch: LIVE, step: item.there }, item.here >= 0);
  });
  $("panel").addEventListener("click", (e) => { const row = e.target.closest(".alt"); if (row) take(Number(row.dataset.step), Number(row.dataset.alt)); });
  const pointed = (e) => { const box = $("curve").getBoundingClientRect(); return Math.round((e.clientX - box.left - chart.left) / Math.max(1, chart.wide - chart.left - chart.right) * run(at.branch).steps); };
  $("curve").addEventListener("pointerdown", (e) => { if (e.target.classList.contains("hit")) { $("curve").setPointerCapture(e.pointerId); go({ ...at, step: pointed(e) }); } });
  $("curve").addEventListener("pointermove", (e) => { if (e.buttons && $("curve").hasPointerCapture(e.pointerId)) { const step = clamp(pointed(e), 0, run(at.branch).steps); if (step !== at.step) go({ ...at, step }); } });
  const typed = [];
  let nth = 0;
  $("prompt").addEventListener("submit", (e) => {
    e.preventDefault();
    const line = $("line").value.trim();
    if (!line) return;
    typed.push(line); nth = typed.length;
    $("line").value = "";
    execute(line);
  });
  $("line").addEventListener("keydown", async (e) => {
    if (e.key === "ArrowUp" || e.key === "ArrowDown") { nth = clamp(nth + (e.key === "ArrowUp" ? -1 : 1), 0, typed.length); e.target.value = typed[nth] || ""; e.preventDefault(); }
    if (e.key !== "Tab" || e.shiftKey || !e.target.value) return;
    e.preventDefault();
    const line = e.target.value, all = (await ask({ op: "complete", line })).answer, typedWord = line.slice(Math.max(line.lastIndexOf(" "), line.lastIndexOf(";")) + 1);
    let same = all[0] || typedWord;
    for (const w of all) while (!w.startsWith(same)) same = same.slice(0, -1);
    e.target.value = line.slice(0, line.length - typedWord.length) + same + (all.length === 1 ? " " : "");
    if (all.length > 1) $("busy").textContent = all.slice(0, 12).join("  ");
  });
  document.addEventListener("keydown", (e) => {
    if (e.target.matches?.("input, select") || e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(1, Math.floor($("view").clientHeight / ROW) - 2);
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page }[e.key];
    const act = by ? () => move(by) : {
      Home: () => go({ ...at, step: 0 }), End: () => go({ ...at, step: run(at.branch).steps }), c: () => branch(at.branch).critical && go({ ...at, step: branch(at.branch).critical }),
      l: () => setOverlay(!overlay), x: () => setCauses(!causes), p: pinHere, "/": () => $("words").focus(), ":": () => $("line").focus(),
    }[e.key];
    const tabKey = Object.keys(tabs)[Number(e.key) - 1];
    if (!act && !tabKey) return;
    e.preventDefault();
    if (act) act(); else pickTab(tabKey);
  });
  addEventListener("resize", () => { if (about) { measure(); drawCurve(); draw(); } });
  addEventListener("hashchange", () => { const to = fragment(); if (to && (to.branch !== at.branch || to.step !== at.step)) go(to); });
  const fragment = () => {
    const m = /^#([^/]+)\/(\d+)((?:;\w+)*)$/.exec(location.hash);
    if (!m || !branch(decodeURIComponent(m[1]))) return null;
    return { branch: decodeURIComponent(m[1]), step: Number(m[2]), live: m[3].includes(";live"), causes: m[3].includes(";causes") };
  };

  Object.entries(tabs).forEach(([name, label], i) => {
    const b = el($("tabs"), "button", "", label);
    b.dataset.tab = name;
    b.title = String(i + 1);
    b.setAttribute("role", "tab");
    b.setAttribute("aria-selected", String(name === tab));
    b.addEventListener("click", () => pickTab(name));
  });
  (async () => {
    const reply = await ask({ op: "about" });
    about = reply.answer;
    heading();
    const asked = fragment(), trunk = about.branches[0];
    const to = asked || { branch: reply.place.branch, step: reply.place.step || trunk.critical || (trunk.fails ? trunk.steps : 0) };
    if (asked) { overlay = $("overlay").checked = asked.live; causes = $("causes").checked = asked.causes; }
    at = { branch: to.branch, step: to.step };
    await settle();
    await go(to);
    document.body.dataset.ready = "yes";
  })().catch(wrong);
})();
