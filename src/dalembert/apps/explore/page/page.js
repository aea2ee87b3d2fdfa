// The page: one state, from which motions are computed when a value changes and pictures are drawn once a frame.

const root = document.getElementById("explorer"), $ = (selector) => root.querySelector(selector);
const LOOKS = [[], [8, 5], [2, 4], [12, 4, 2, 4], [5, 5], [10, 3]], SHAPES = ["circle", "triangle", "square", "diamond", "circle", "triangle"];
const PLANE = MODEL.rate ? [...MODEL.places, MODEL.rate] : MODEL.places; // drawn against each other where no point is traced
const S = { entry: 0, values: {}, parameters: {}, until: 1, t: 0, playing: false, shown: MODEL.principles.map(() => true), split: false, follow: false, fan: null, traced: 0, column: "", scale: "linear" };
let motions = [], family = [], gap = [], frames = [], theme = {}, dirty = true, wanted = false, told = [], asked = 0, view = null, chosenFollow = false;

// --- controls ---------------------------------------------------------------------------------------------------------

const sliders = new Map();
function buildControls() {
  $("h1").textContent = MODEL.title;
  document.title = MODEL.title;
  MODEL.principles.forEach((P, i) => $(".principles").append(keyOf(P, i)));
  const groups = new Map();
  for (const spec of MODEL.sliders) {
    const s = new Slider(spec, changed);
    sliders.set(spec.name, s);
    if (!groups.has(spec.group)) {
      const owners = MODEL.principles.filter((P) => P.owned.length), only = spec.group === "Multipliers" ? el("span", { class: `name p${owners[0].index}` }, ` ${owners.map((P) => P.name).join(", ")} only`) : null;
      groups.set(spec.group, el("fieldset", {}, el("legend", {}, spec.group, only)));
      $(".controls").append(groups.get(spec.group));
    }
    if (spec.group === "Multipliers") s.element.className = `slider p${MODEL.principles.find((P) => P.owned.includes(spec.name)).index}`;
    groups.get(spec.group).append(s.element);
  }
  $("#entry").append(...MODEL.entries.map((e, i) => el("option", { value: i }, e.name)));
  $("#speed").append(...SPEEDS.map((v) => el("option", { value: v }, v < 1 ? `${brief(v)}×` : `${v}×`)));
  $("#entry").hidden = MODEL.entries.length < 2;
  $("#column").append(...columnNames().map((n) => el("option", { value: n }, plain(n))));
  $("#traced").append(...(TRACED.length ? TRACED.map(({ body }, k) => el("option", { value: k }, MODEL.bodies[body].name)) : [el("option", { value: 0 }, PLANE.slice(0, 2).map(plain).join(", "))]));
  if (branch) { $(".kinds").textContent = branch.words; $("#along").append(...branch.columns.map((n) => el("option", { value: n }, plain(n)))); }
  $("#distance").hidden = MODEL.principles.length < 2;
  for (const name of ["split", "follow"]) $(`[data-do=${name}]`).hidden = !MODEL.bodies.length || (name === "split" && MODEL.principles.length < 2);
  if (MODEL.notes.length) { $(".notes").hidden = false; $(".notes").textContent = MODEL.notes.join("\n"); }
  if (MODEL.source === null) for (const name of ["toml", "py"]) $(`[data-do=${name}]`).hidden = true;
  $("dialog dl").append(...KEYS.flatMap(([keys, words]) => [el("dt", {}, keys.split(" ").flatMap((k) => [el("kbd", {}, k), " "])), el("dd", {}, words)]));
  $(".about").textContent = `Every number is integrated in this page, by the equations of dalembert ${MODEL.version} and ${MODEL.fixed ? "the time stepping of Moreau and Jean with a fixed step" : `DOP853 with rtol ${MODEL.rtol}`}, from the same start under each principle. The page asks nothing of the network.`;
}
function keyOf(P, i) {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "svg"), stroke = document.createElementNS("http://www.w3.org/2000/svg", "line");
  for (const [k, v] of Object.entries({ viewBox: "0 0 32 10", "aria-hidden": "true" })) line.setAttribute(k, v);
  for (const [k, v] of Object.entries({ x1: 0, x2: 32, y1: 5, y2: 5, "stroke-dasharray": LOOKS[i % LOOKS.length].join(" ") })) stroke.setAttribute(k, v);
  line.append(stroke);
  return el("button", { type: "button", class: `key p${i % 6}`, "data-show": i, "aria-pressed": "true", title: `Show or hide (${i + 1})` }, line, P.name);
}
function columnNames() {
  const all = [...new Set(MODEL.principles.flatMap((P) => [...P.states, ...P.multipliers]).concat("energy", MODEL.kept))];
  return all.filter((n) => !MODEL.hidden.includes(n));
}
/** What is worth seeing over time first: a coordinate that the path does not show, else a velocity. */
function firstColumn() {
  const names = columnNames(), coordinates = MODEL.coordinates;
  return coordinates.find((n) => !["x", "y", "z"].includes(n)) ?? MODEL.entries[0].given.find((n) => names.includes(n) && !coordinates.includes(n)) ?? names[0];
}
/** As it is, where the whole takes between 3 s and 40 s; else slower or faster. */
const SPEEDS = [100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
function speedFor(span) {
  if (span > 40) return SPEEDS.filter((v) => span / v <= 40).at(-1) ?? SPEEDS[0];
  return SPEEDS.find((v) => v <= 1 && span / v >= 3) ?? SPEEDS.at(-1);
}
/** Values of an entry in place of all that was set. */
function begin(entry) {
  S.entry = entry;
  const e = MODEL.entries[entry];
  S.values = { ...e.values }; S.parameters = { ...e.parameters }; S.until = e.until; S.t = e.t;
  for (const s of sliders.values()) { s.first = s.name in S.parameters ? S.parameters[s.name] : (S.values[s.name] ?? 0); s.show(s.first); }
  $("#entry").value = entry;
  $("#speed").value = speedFor(e.until - e.t);
}
function assign(name, value) {
  if (name in S.parameters) S.parameters[name] = value;
  else if (name in S.values) S.values[name] = value;
  else return false;
  sliders.get(name)?.show(value);
  return true;
}
/** A row of the branch in place of the values that it tells, from the beginning; a periodic motion for its period. */
function takeRow(i) {
  for (const [k, v] of Object.entries(branch.at(i))) assign(k, v);
  branch.row = i;
  if (branch.periods) { S.until = MODEL.entries[S.entry].t + branch.periods[i]; $("#speed").value = speedFor(branch.periods[i]); }
  goTo(MODEL.entries[S.entry].t);
  wanted = true;
}
function changed(slider, what) {
  if (what === "fan") setFan(S.fan === slider.name ? null : slider.name);
  else assign(slider.name, slider.value);
  wanted = true;
}
function setFan(name) {
  S.fan = name;
  for (const s of sliders.values()) s.fan.setAttribute("aria-pressed", s.name === name);
}

// --- motions ----------------------------------------------------------------------------------------------------------

const solver = new Solver(), PARAMETERS = Object.keys(MODEL.parameters);
function job(principle, change = {}, coarse = false) {
  const values = { ...S.values, ...change }, P = MODEL.principles[principle], parameters = { ...S.parameters };
  for (const k of PARAMETERS) if (k in change) parameters[k] = change[k];
  const start = Object.fromEntries(P.states.filter((s) => P.owned.includes(s) || MODEL.entries[S.entry].needed.includes(s)).map((s) => [s, values[s]]));
  return { principle, start, parameters, until: S.until, rtol: coarse ? Math.max(1e-6, MODEL.rtol) : MODEL.rtol, count: coarse ? 161 : 601, full: !coarse };
}
/** As soon as the next picture is due, or in a moment where none is drawn, as in a tab that is not seen. */
function soon(act) {
  let done = false;
  const once = () => { if (!done) { done = true; act(); } };
  requestAnimationFrame(once); setTimeout(once, 100);
}
function compute() {
  const mine = ++asked, begun = performance.now();
  wanted = false;
  solver.solve("main", MODEL.principles.map((P) => job(P.index)), (found) => {
    motions = found;
    TIMES.compute.push(performance.now() - begun);
    for (const m of motions) keep(m, `m${m.principle}`);
    distance(); fan(); reframe(); showAudit($(".audit table"), motions.filter(isShown), innerWidth < 640); marks(); remember();
    dirty = true;
    const ready = told.filter((each) => each.from <= mine); // those of a question that a newer one replaced as well
    told = told.filter((each) => each.from > mine);
    soon(() => { for (const { done } of ready) done(); });
  });
}
const TIMES = { compute: [], draw: [] }, isShown = (m) => S.shown[m.principle];
function keep(m, key) {
  m.key = key; m.plans = {};
  TRACED.forEach((_, k) => view.trace(`${key}-${k}`, traceOf(m, k)));
}
/** Eleven values of one slider, faint: as far as there is time in this frame, the rest in the next ones. */
let token = 0;
function fan() {
  family = [];
  const mine = ++token;
  if (!S.fan || !sliders.has(S.fan)) return;
  const s = sliders.get(S.fan), low = +s.range.min, high = +s.range.max;
  const todo = Array.from({ length: 11 }, (_, i) => low + ((high - low) * i) / 10).flatMap((v) => MODEL.principles.filter((P, i) => S.shown[i] && (P.states.includes(s.name) || s.name in S.parameters)).map((P) => [v, P.index]));
  const next = () => {
    if (mine !== token || !todo.length) return;
    const [v, principle] = todo.shift();
    solver.solve("fan", [job(principle, { [s.name]: v }, true)], ([m]) => {
      if (mine !== token) return;
      keep(m, `f${family.length}`); family.push(m); dirty = true;
      if (solver.slow > 16) next(); else requestAnimationFrame(next);
    });
  };
  next();
}
/** Points of a motion that are held against each other: a traced point, the first body, or the coordinates. */
function points(m) {
  const n = m.t.length, w = MODEL.drawn;
  if (TRACED.length) { const o = TRACED[S.traced].offset; return [0, 1, 2].map((k) => Float64Array.from({ length: n }, (_, j) => m.draw[j * w + o + k])); }
  if (m.columns) return MODEL.places.map((c) => m.columns[c]);
  return [];
}
function distance() {
  const on = motions.filter(isShown);
  gap = on.slice(1).map((m) => {
    const [a, b] = [on[0], m], A = points(a), B = points(b), from = a.t[0], end = Math.min(a.end, b.end), n = 601, x = new Float64Array(n), y = new Float64Array(n);
    const at = (q, m, t) => { const i = m.end > from ? ((t - from) / (m.end - from)) * (m.t.length - 1) : 0, k = Math.min(Math.floor(i), m.t.length - 1), f = i - k; return q[k] + (f ? f * (q[Math.min(k + 1, m.t.length - 1)] - q[k]) : 0); };
    for (let j = 0; j < n; j++) { x[j] = from + ((end - from) * j) / (n - 1); y[j] = Math.hypot(...A.map((q, k) => at(q, a, x[j]) - at(B[k], b, x[j]))); }
    return { x, y, end, pair: [a.principle, b.principle] };
  });
}
const lengthUnit = () => MODEL.places.map(unitOf).find((u) => u && u !== "rad") ?? "";

// --- pictures ---------------------------------------------------------------------------------------------------------

/** Where each panel looks; with the camera following, at every moment anew. */
function panels() {
  const on = motions.filter(isShown);
  return S.split && on.length > 1 ? on.map((m) => [m]) : on.length ? [on] : [];
}
function reframe(anew = false) {
  const now = panels().map(whole);
  frames = now.map((f, i) => steady(anew || frames.length !== now.length ? null : frames[i], f));
  if (!chosenFollow && MODEL.bodies.length && motions.length && frames.length) {
    const bodies = cluster([motions[0].draw.subarray(0, MODEL.drawn)]);
    setFollow(!MODEL.bodies.some((b) => b.shape === "table") && bodies !== null && bodies.extent < frames[0].extent / 25);
  }
}
function setFollow(on) { S.follow = on; press("follow", on); }
function looked(group, poses, i) {
  if (!S.follow) return frames[i] ?? { target: [0, 0, 0], extent: 1 };
  const bodies = cluster(group.map((m) => poses.get(m))), one = Math.max(...group.map((m) => cluster([poses.get(m)])?.extent ?? 0));
  return bodies ? { target: bodies.target, extent: Math.min(Math.max(one * 2.6, bodies.extent * 1.15), (frames[i]?.extent ?? Infinity) * 1.1) } : frames[i];
}
function draw() {
  const begun = performance.now(), poses = new Map();
  for (const m of motions) { const into = new Float64Array(MODEL.drawn); posesAt(MODEL, KERNELS, m, S.t, into); poses.set(m, into); }
  if (MODEL.bodies.length) drawBodies(poses);
  drawPlots(poses);
  drawWords();
  TIMES.draw.push(performance.now() - begun);
}
function drawBodies(poses) {
  const groups = panels(), made = groups.map((group, i) => {
    const frame = looked(group, poses, i), ground = groundOf(poses.get(group[0]));
    const bodies = group.flatMap((m, k) => posed(poses.get(m), m.principle, tone(m.principle).rgb, ground, frame.target, k > 0 || m.principle > 0).filter((b) => !b.both || k === 0));
    const traces = [...family.filter((f) => group.some((m) => m.principle === f.principle)).map((f) => [f, 0.4, 1.1, Infinity]), ...group.map((m) => [m, 1, 2.6, S.t])].flatMap(([m, alpha, width, now]) => TRACED.map((_, k) => ({ key: `${m.key}-${k}`, tint: tone(m.principle).rgb, dash: m.principle ? 0.09 : 0, alpha, width: width * theme.thick, now })));
    return { bodies, traces, frame, ground };
  });
  if (made.length) view.render(made, camera, theme);
  $(".scene").classList.toggle("split", made.length > 1);
  labels(groups, made, poses);
}
/** The name of each motion beside its first body. */
function labels(groups, made, poses) {
  const holder = $(".labels"), W = $(".scene").clientWidth, H = $(".scene").clientHeight, placed = [];
  const need = MODEL.principles.length > 1 ? groups.flatMap((g, i) => g.map((m) => [m, i])) : [];
  while (holder.children.length > need.length) holder.lastChild.remove();
  while (holder.children.length < need.length) holder.append(el("span"));
  need.forEach(([m, i], k) => {
    const label = holder.children[k], w = W / made.length, seen = camera.see(made[i].frame, w / H), body = MOVING.length ? reach(poses.get(m), MOVING[0]) : null;
    label.className = `p${m.principle % 6}`; label.textContent = MODEL.principles[m.principle].name;
    label.hidden = !body || !body.middle.every(Number.isFinite);
    if (label.hidden) return;
    const [x, y, depth] = onto(seen.view, [body.middle[0], body.middle[1], body.middle[2] + Math.min(body.radius, made[i].frame.extent)]);
    let px = i * w + ((x + 1) * w) / 2 + 8, py = ((1 - y) * H) / 2 - 1.5 * theme.em;
    while (placed.some(([a, b]) => Math.abs(a - px) < 7 * theme.em && Math.abs(b - py) < 1.2 * theme.em)) py += 1.3 * theme.em;
    placed.push([px, py]);
    label.hidden = depth < 0 || px < i * w || px > (i + 1) * w - 2 * theme.em || py < 0 || py > H - theme.em;
    px = Math.max(i * w + 4, Math.min(px, (i + 1) * w - label.offsetWidth - 4));
    label.style.transform = `translate(${px.toFixed(1)}px, ${py.toFixed(1)}px)`;
  });
}
/** The path in the plane in which it is widest. */
function plan(m, axes) {
  const key = `${S.traced}:${axes}`;
  if (m.plans[key]) return m.plans[key];
  const q = TRACED.length ? points(m) : m.columns ? PLANE.map((c) => m.columns[c]) : [];
  return (m.plans[key] = q.length ? { x: q[axes[0]], y: q[axes[1]] ?? q[axes[0]] } : { x: [], y: [] });
}
function axesOf(on) {
  if (!TRACED.length) return [0, Math.min(1, PLANE.length - 1)];
  const span = [0, 1, 2].map((k) => Math.max(0, ...on.map((m) => { const q = points(m)[k]; let low = Infinity, high = -Infinity; for (const v of q) { if (v < low) low = v; if (v > high) high = v; } return high - low; })));
  if (span[2] <= 1e-6 * Math.max(...span) || span[2] < 0.25 * Math.min(span[0], span[1])) return [0, 1];
  return [0, 1, 2].sort((a, b) => span[b] - span[a]).slice(0, 2).sort((a, b) => a - b);
}
function drawPlots(poses) {
  branch?.draw({ ...S.values, ...S.parameters }, theme, tone(0).css);
  const on = motions.filter(isShown), axes = axesOf(on.length ? on : motions), o = TRACED.length ? TRACED[S.traced].offset : 0, unit = lengthUnit();
  const style = (m) => ({ colour: tone(m.principle).css, dash: LOOKS[m.principle % 6], width: 2 * theme.thick });
  const title = (k) => (TRACED.length ? minus(MODEL.axes[axes[k]]) + (unit ? ` (${unit})` : "") : withUnit(PLANE[axes[k]] ?? ""));
  path.titles = [title(0), title(1)]; path.kind = TRACED.length ? reachOf(on) : Math.max(0, ...PLANE.map((c) => scaleOf(c, on)));
  const here = (m) => (TRACED.length ? { x: poses.get(m)[o + axes[0]], y: poses.get(m)[o + axes[1]] } : along(m, plan(m, axes)));
  const events = on.flatMap((m) => m.events.map((e) => ({ ...along(m, plan(m, axes), e.t), colour: tone(m.principle).css, shape: e.then })));
  path.draw([...family.filter((f) => f.plans && TRACED.length).map((f) => ({ ...plan(f, axes), colour: tone(f.principle).css, alpha: 0.4, width: 1, outside: true })), ...on.map((m) => ({ ...plan(m, axes), ...style(m) }))],
    [...on.slice(0, 1).map((m) => ({ x: plan(m, axes).x[0], y: plan(m, axes).y[0], shape: "ring" })), ...events, ...on.map((m) => ({ ...here(m), colour: tone(m.principle).css, shape: SHAPES[m.principle % 6] }))], theme);
  const name = S.column, having = on.filter((m) => name in m.columns);
  const told = withUnit(name, having.map((m) => m.principle)); over.titles = ["t (s)", told]; over.kind = scaleOf(name, having);
  over.draw(having.map((m) => ({ x: m.t, y: m.columns[name], ...style(m) })), having.flatMap((m) => m.events.map((e) => ({ ...along(m, { x: m.t, y: m.columns[name] }, e.t), colour: tone(m.principle).css, shape: e.then }))), theme, S.t);
  apart.log = S.scale === "log"; apart.kind = gap.length ? reachOf(on) : 0; apart.part = 1e-7;
  apart.titles = ["t (s)", unit && TRACED.length ? `apart (${unit})` : "apart"];
  apart.draw(gap.map((g) => ({ x: g.x, y: g.y, colour: gap.length > 1 ? tone(g.pair[1]).css : theme.ink, dash: gap.length > 1 ? LOOKS[g.pair[1] % 6] : [], width: 2 * theme.thick })), [], theme, S.t);
  path.canvas.setAttribute("aria-label", `Path: ${path.titles[0]} across, ${path.titles[1]} up, of ${on.map((m) => MODEL.principles[m.principle].name).join(" and ") || "nothing"}`);
  over.canvas.setAttribute("aria-label", `${told} over time${having.map((m) => `; ${MODEL.principles[m.principle].name} from ${brief(m.columns[name][0])} to ${brief(m.columns[name][m.t.length - 1])}`).join("")}`);
  apart.canvas.setAttribute("aria-label", `Distance over time${gap.map((g) => `; ${brief(g.y[g.y.length - 1])} at the end`).join("")}`);
}
/** How far the motions reach: what is less than a part in ten millions of it is drawn as nothing. */
function reachOf(on) {
  let most = 0;
  for (const m of on) for (const q of points(m)) for (const v of q) if (Math.abs(v) > most) most = Math.abs(v);
  return most || 1;
}
/** A change that is rounding beside values of its kind is drawn as none. */
function scaleOf(name, having) {
  const of = (P, n) => [P.owned, P.multipliers, P.states.filter((s) => !P.owned.includes(s))].find((names) => names.includes(n)) ?? [n], kind = new Set(having.flatMap((m) => of(MODEL.principles[m.principle], name)));
  let most = 0;
  for (const m of having) for (const n of kind) for (const v of m.columns[n] ?? []) if (Math.abs(v) > most) most = Math.abs(v);
  return most;
}
function along(m, line, t = S.t) {
  const i = m.end > m.t[0] ? ((Math.min(t, m.end) - m.t[0]) / (m.end - m.t[0])) * (m.t.length - 1) : 0, k = Math.min(Math.floor(i), m.t.length - 1), f = i - k, l = Math.min(k + 1, m.t.length - 1);
  return { x: line.x[k] + f * (line.x[l] - line.x[k]), y: line.y[k] + f * (line.y[l] - line.y[k]) };
}
let said = "";
function drawWords() {
  const e = MODEL.entries[S.entry];
  $("#time").value = (S.t - e.t) / (S.until - e.t || 1);
  $("#time").setAttribute("aria-valuetext", `${S.t.toFixed(2)} seconds`);
  $(".transport output").textContent = S.t.toFixed(2);
  if (document.activeElement !== $("#until")) $("#until").value = typed(S.until);
  const unit = TRACED.length ? lengthUnit() : "", on = motions.filter(isShown), lines = gap.slice(0, 1).map((g) => {
    const d = along({ t: g.x, end: g.end }, g, S.t).y;
    return ["Apart: ", el("strong", {}, `${d < 1e-7 * reachOf(on) ? 0 : brief(d, 3)} ${unit}`)];
  });
  const moved = Object.entries(on[0]?.moved ?? {}).filter(([, d]) => Math.abs(d) > 1e-9);
  if (moved.length) lines.push([`The start was moved to where the constraints hold: ${moved.slice(0, 4).map(([n, d]) => `${plain(n)} by ${brief(d, 3)}`).join(", ")}${moved.length > 4 ? ", ..." : ""}`]);
  for (const m of on) if (m.why) lines.push([el("span", { class: `p${m.principle} name` }, MODEL.principles[m.principle].name), ` ends at ${brief(m.end)} s: ${m.why}`]);
  const words = lines.map((l) => l.map((x) => x.textContent ?? x).join("")).join("\n");
  if (words === said || (S.playing && drawWords.last === Math.floor(S.t * 4))) return;
  said = words; drawWords.last = Math.floor(S.t * 4);
  $(".verdict")?.replaceChildren(...lines.flatMap((l, i) => [i ? el("br") : null, ...l]).filter(Boolean));
}
/** Impacts and ends on the time line. */
function marks() {
  const e = MODEL.entries[S.entry], all = motions.filter(isShown).flatMap((m) => [...m.events.map((x) => ({ ...x, principle: m.principle })), ...(m.why && !m.events.some((x) => x.then === "stop") ? [{ t: m.end, then: "stop", name: m.why, principle: m.principle }] : [])]);
  $(".marks").replaceChildren(...all.slice(0, 60).map((x) => { const s = el("span", { class: `p${x.principle % 6}`, title: x.name }, x.then === "stop" ? "■" : x.then === "jump" ? "▼" : "·"); s.style.left = `${((x.t - e.t) / (S.until - e.t || 1)) * 100}%`; return s; }));
}
const tone = (i) => theme.tones[i % 6];
function colours() {
  const s = getComputedStyle(root), get = (k) => s.getPropertyValue("--" + k).trim(), rgb = (h) => [1, 3, 5].map((i) => parseInt(h.slice(i, i + 2), 16) / 255), dark = root.classList.contains("dark");
  theme = { tones: [0, 1, 2, 3, 4, 5].map((i) => ({ css: get(`c${i}`), rgb: rgb(get(`c${i}`)) })), ink: get("ink"), soft: get("soft"), line: get("line"), card: get("card"), em: parseFloat(s.fontSize), thick: parseFloat(s.fontSize) / 15,
    sky: rgb(get("sky")), floor: rgb(get("floor")), mark: dark ? [0.62, 0.66, 0.72] : [0.42, 0.45, 0.49], paper: dark ? [0.93, 0.94, 0.96] : [1, 1, 1], shade: dark ? 0.45 : 0.22 };
  press("dark", dark); press("large", root.classList.contains("large")); dirty = true;
}
function press(name, on) { $(`[data-do=${name}]`).setAttribute("aria-pressed", on); }

// --- the link ---------------------------------------------------------------------------------------------------------

function hash() {
  const e = MODEL.entries[S.entry], parts = new URLSearchParams();
  if (S.entry) parts.set(".start", S.entry);
  for (const [k, v] of Object.entries(S.parameters)) if (v !== e.parameters[k]) parts.set(k, v);
  for (const [k, v] of Object.entries(S.values)) if (v !== e.values[k]) parts.set(k, v);
  if (S.t !== e.t) parts.set("t", +S.t.toFixed(4));
  if (S.until !== e.until) parts.set(".until", S.until);
  if (S.fan) parts.set(".fan", S.fan);
  if (S.column !== firstColumn()) parts.set(".column", S.column);
  if (branch && branch.column !== branch.columns[0]) parts.set(".along", branch.column);
  if (S.scale !== "linear") parts.set(".scale", S.scale);
  if (S.traced) parts.set(".path", S.traced);
  if (S.shown.includes(false)) parts.set(".hide", MODEL.principles.filter((_, i) => !S.shown[i]).map((P) => P.name).join(","));
  for (const k of ["split", ...(chosenFollow ? ["follow"] : [])]) if (S[k] || k === "follow") parts.set(`.${k}`, S[k] ? 1 : 0);
  for (const k of ["dark", "large"]) if (root.classList.contains(k) !== (k === "dark" && prefersDark)) parts.set(`.${k}`, root.classList.contains(k) ? 1 : 0);
  return parts.toString();
}
const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
let remembering = 0;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => { try { history.replaceState(null, "", `#${hash()}`); } catch { /* a frame of a notebook has no address */ } }, 250);
}
function recall() {
  let parts;
  try { parts = new URLSearchParams(location.hash.slice(1)); } catch { return; }
  const number = (k) => (parts.get(k)?.trim() ? Number(parts.get(k)) : NaN), entry = number(".start");
  begin(Number.isInteger(entry) && MODEL.entries[entry] ? entry : 0);
  for (const k of parts.keys()) if (k[0] !== "." && k !== "t" && Number.isFinite(number(k))) assign(k, number(k));
  if (number(".until") > MODEL.entries[S.entry].t) S.until = number(".until");
  if (Number.isFinite(number("t"))) goTo(number("t"));
  setFan(sliders.has(parts.get(".fan")) ? parts.get(".fan") : null);
  if (columnNames().includes(parts.get(".column"))) S.column = $("#column").value = parts.get(".column");
  if (branch?.columns.includes(parts.get(".along"))) branch.column = $("#along").value = parts.get(".along");
  if (["linear", "log"].includes(parts.get(".scale"))) S.scale = $("#scale").value = parts.get(".scale");
  if (TRACED[number(".path")]) S.traced = +($("#traced").value = number(".path"));
  const hidden = (parts.get(".hide") ?? "").split(",");
  MODEL.principles.forEach((P, i) => show(i, !hidden.includes(P.name)));
  setSplit(number(".split") === 1);
  if (parts.has(".follow")) { chosenFollow = true; setFollow(number(".follow") === 1); }
  root.classList.toggle("dark", parts.has(".dark") ? number(".dark") === 1 : prefersDark);
  root.classList.toggle("large", number(".large") === 1);
}
function show(i, on) { S.shown[i] = on; $(`[data-show="${i}"]`).setAttribute("aria-pressed", on); }
function setSplit(on) { S.split = on; press("split", on); }
function goTo(t) { S.t = Math.max(MODEL.entries[S.entry].t, Math.min(S.until, t)); dirty = true; }
function setUntil(value) {
  if (!(value > MODEL.entries[S.entry].t) || !Number.isFinite(value)) { $("#until").value = S.until; return; }
  S.until = value; goTo(S.t); wanted = true;
}
function tell(text) { $(".said").textContent = text; clearTimeout(tell.timer); tell.timer = setTimeout(() => { $(".said").textContent = ""; }, 2500); }

// --- what can be done --------------------------------------------------------------------------------------------------

const KEYS = [["space", "play, or stop"], ["← →", "a hundredth of the time; with shift a tenth"], ["home end", "to the start, to the end"], ["1 2", "show or hide a principle"], ["s", "side by side"], ["f", "the camera follows the bodies"], ["+ −", "nearer, farther; arrows turn the picture when it has the focus, 0 puts it back"], ["r", "all sliders back"], ["l", "copy a link to this state"], ["p", "larger type"], ["d", "dark or light"], ["arrows", "on a slider: a step; page up and down ten; home and end its ends; delete puts it back"], ...(MODEL.branch ? [["arrows", "on the branch: the next row, and its motion; page up and down ten; home and end its ends"]] : [])];
const ACTIONS = {
  play() { S.playing = !S.playing; $(".play").textContent = S.playing ? "❚❚" : "▶"; $(".play").setAttribute("aria-label", S.playing ? "Stop" : "Play"); press("play", S.playing); if (S.playing && S.t >= S.until) goTo(MODEL.entries[S.entry].t); },
  split() { setSplit(!S.split); reframe(true); remember(); },
  follow() { chosenFollow = true; setFollow(!S.follow); remember(); },
  reset() { begin(S.entry); setFan(null); wanted = true; },
  dark() { root.classList.toggle("dark"); colours(); remember(); },
  large() { root.classList.toggle("large"); colours(); remember(); },
  help() { $("dialog").showModal(); },
  close() { $("dialog").close(); },
  more() { const hidden = ($("#menu").hidden = !$("#menu").hidden); $("[data-do=more]").setAttribute("aria-expanded", !hidden); if (!hidden) $("#menu button").focus(); },
  link() { const url = `${location.href.split("#")[0]}#${hash()}`, plainly = () => tell(url); if (navigator.clipboard) navigator.clipboard.writeText(url).then(() => tell("The link is copied."), plainly); else plainly(); },
  csv() { save("motion.csv", "text/csv", asTable(motions.filter(isShown))); },
  toml() { save("motion.toml", "application/toml", asFile(S, motions.filter(isShown))); },
  py() { save("motion.py", "text/x-python", asScript(S, motions.filter(isShown))); },
  png() { draw(); asPicture([MODEL.bodies.length ? view.canvas : null, ...(branch ? [branch.plot.canvas] : []), path.canvas, over.canvas, ...(gap.length ? [apart.canvas] : [])], `${MODEL.title}   t = ${S.t.toFixed(2)} s`, theme, (blob) => save("motion.png", "image/png", blob)); },
};
function listen() {
  root.addEventListener("click", (e) => {
    const b = e.target.closest("button");
    if (b?.dataset.show) { show(+b.dataset.show, !S.shown[+b.dataset.show]); distance(); reframe(true); marks(); fan(); showAudit($(".audit table"), motions.filter(isShown), innerWidth < 640); remember(); }
    if (b?.dataset.do) ACTIONS[b.dataset.do]();
    if (!$("#menu").hidden && b?.dataset.do !== "more") { $("#menu").hidden = true; $("[data-do=more]").setAttribute("aria-expanded", false); }
    dirty = true;
  });
  $("#time").addEventListener("input", (e) => { const { t } = MODEL.entries[S.entry]; goTo(t + e.target.value * (S.until - t)); remember(); });
  $("#until").addEventListener("change", (e) => setUntil(e.target.valueAsNumber));
  $("#entry").addEventListener("change", (e) => { begin(+e.target.value); setFan(null); frames = []; wanted = true; });
  $("#column").addEventListener("change", (e) => { S.column = e.target.value; dirty = true; remember(); });
  $("#scale").addEventListener("change", (e) => { S.scale = e.target.value; dirty = true; remember(); });
  $("#along").addEventListener("change", (e) => { branch.column = e.target.value; dirty = true; remember(); });
  $("#traced").addEventListener("change", (e) => { S.traced = +e.target.value; distance(); dirty = true; remember(); });
  addEventListener("keydown", onKey);
  addEventListener("hashchange", () => { recall(); colours(); wanted = true; });
  addEventListener("resize", () => { colours(); showAudit($(".audit table"), motions.filter(isShown), innerWidth < 640); });
}
function onKey(e) {
  if (e.key === "Escape" && !$("#menu").hidden) { ACTIONS.more(); $("[data-do=more]").focus(); return; }
  if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || /^(SELECT|TEXTAREA)$/.test(e.target.tagName) || e.target.type === "number" || $("dialog").open) return;
  const { t } = MODEL.entries[S.entry], span = S.until - t, step = { ArrowLeft: -1, ArrowRight: 1 }[e.key], ranged = e.target.type === "range" && e.target.id !== "time";
  if (e.key === " ") { if (e.target.tagName === "BUTTON") return; ACTIONS.play(); }
  else if (step && !ranged) { goTo(S.t + step * span * (e.shiftKey ? 0.1 : 0.01)); remember(); }
  else if (e.key === "Home" && !ranged) goTo(t);
  else if (e.key === "End" && !ranged) goTo(S.until);
  else if (/^[1-6]$/.test(e.key) && $(`[data-show="${+e.key - 1}"]`)) $(`[data-show="${+e.key - 1}"]`).click();
  else if (e.key === "+" || e.key === "-") camera.closer(e.key === "+" ? 1.15 : 1 / 1.15);
  else if (e.key === "0") camera.home();
  else { const name = { s: "split", f: "follow", d: "dark", p: "large", r: "reset", l: "link", "?": "help" }[e.key]; if (!name || $(`[data-do=${name}]`).hidden) return; ACTIONS[name](); }
  dirty = true;
  e.preventDefault();
}
function handle(canvas) {
  let last = null;
  canvas.addEventListener("pointerdown", (e) => { last = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", (e) => { if (last && e.buttons) { camera.move(e.clientX - last[0], e.clientY - last[1]); last = [e.clientX, e.clientY]; dirty = true; } });
  canvas.addEventListener("pointerup", () => { last = null; });
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); camera.closer(Math.exp(-e.deltaY * 0.0012)); dirty = true; }, { passive: false });
  canvas.addEventListener("dblclick", () => { camera.home(); dirty = true; });
  canvas.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, 12], ArrowDown: [0, -12] }[e.key];
    if (step && !e.ctrlKey && !e.metaKey && !e.altKey) { camera.move(...step); dirty = true; e.preventDefault(); e.stopPropagation(); }
  });
  const size = () => { const d = Math.min(2, devicePixelRatio || 1); canvas.width = Math.max(1, $(".scene").clientWidth * d); canvas.height = Math.max(1, $(".scene").clientHeight * d); dirty = true; };
  new ResizeObserver(size).observe($(".scene"));
  size();
}
function tick(now) {
  if (S.playing) {
    S.t += Math.min(0.1, (now - (tick.last ?? now)) / 1000) * $("#speed").value;
    if (S.t >= S.until) S.t = MODEL.entries[S.entry].t;
    dirty = true;
  }
  tick.last = now;
  if (wanted) compute();
  if (dirty && motions.length) { dirty = false; draw(); }
  requestAnimationFrame(tick);
}

// --- for scripts ------------------------------------------------------------------------------------------------------

/** What scripts may ask of the page: set values by name, and have the numbers of what is shown. */
const OPTIONS = {
  t: (v) => goTo(+v), until: (v) => setUntil(+v), split: (v) => { setSplit(!!v); frames = []; }, follow: (v) => { chosenFollow = true; setFollow(!!v); },
  dark: (v) => { root.classList.toggle("dark", !!v); colours(); }, large: (v) => { root.classList.toggle("large", !!v); colours(); }, fan: (v) => setFan(v),
  column: (v) => { S.column = $("#column").value = v; }, scale: (v) => { S.scale = $("#scale").value = v; },
  start: (v) => { const i = MODEL.entries.findIndex((e) => e.name === v); if (i < 0) throw new Error(`there is no start ${v}`); begin(i); },
  row: (v) => { if (!branch || !(Number.isInteger(v) && v >= 0 && v < branch.values.length)) throw new Error(`there is no row ${v}`); takeRow(v); },
  shown: (v) => MODEL.principles.forEach((P, i) => show(i, v.includes(P.name))),
};
window.dalembert = {
  model: MODEL, times: TIMES,
  /** Set parameters, values of the start, multipliers, or options; `done` is called when the new motions are shown. */
  set(given, done) {
    const unknown = Object.keys(given).filter((k) => !(k in S.parameters || k in S.values || k in OPTIONS));
    if (unknown.length) throw new Error(`there is no ${unknown.join(", ")}`);
    for (const [k, v] of Object.entries(given)) if (k in S.parameters || k in S.values) { if (!Number.isFinite(+v)) throw new Error(`${k} is no number`); assign(k, +v); } else OPTIONS[k](v);
    wanted = true;
    soon(() => { if (wanted) compute(); });
    return new Promise((resolve) => told.push({ from: asked + 1, done() { resolve(); done?.(); } }));
  },
  /** { t: [...], name: [...] } of the motion that is shown under a principle. */
  columns(principle) {
    const m = motions.find((each) => MODEL.principles[each.principle].name === principle);
    if (!m) throw new Error(`there is no ${principle}`);
    return Object.fromEntries([["t", Array.from(m.t)], ...Object.entries(m.columns).map(([k, v]) => [k, Array.from(v)])]);
  },
  /** { end, why, events, audit } of the same motion. */
  audit(principle) {
    const m = motions.find((each) => MODEL.principles[each.principle].name === principle);
    if (!m) throw new Error(`there is no ${principle}`);
    return { end: m.end, why: m.why, events: m.events, moved: m.moved, ...m.audit };
  },
};

// --- begin ------------------------------------------------------------------------------------------------------------

const camera = new Camera(), path = new Plot($("#path"), "Path"), over = new Plot($("#over"), "A column over time"), apart = new Plot($("#apart"), "Distance over time");
const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
$("#branch").hidden = !MODEL.branch;
const branch = MODEL.branch && new Branch(MODEL.branch, $("#rows"), (i) => { takeRow(i); if (!S.playing && !quiet) ACTIONS.play(); });
path.equal = TRACED.length > 0 || !MODEL.rate; path.plane = true;
for (const each of [path, over, apart, ...(branch ? [branch.plot] : [])]) each.changed = () => { dirty = true; };
const first = el("canvas", { tabindex: "0", role: "application", "aria-label": "Bodies in three dimensions. Arrow keys turn the view, plus and minus zoom, 0 puts it back." });
$(".scene").prepend(first);
if (!MODEL.bodies.length) $(".scene").replaceWith($("#path").closest("section")); // the path in its place
view = viewOf(first, new URLSearchParams(location.hash.slice(1)).has(".flat"));
if (MODEL.bodies.length) handle(view.canvas);
buildControls(); S.column = $("#column").value = firstColumn(); recall(); colours(); listen(); compute();
requestAnimationFrame(tick);
