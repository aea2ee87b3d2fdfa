// What leaves the page: link, picture, table, system file, script.

function save(name, type, content) {
  const blob = content instanceof Blob ? content : new Blob([content], { type }), a = el("a", { href: URL.createObjectURL(blob), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

/** A table of all columns of all motions that are shown; heads with their units. */
function asTable(motions) {
  const columns = [...new Set(motions.flatMap((m) => Object.keys(m.columns)))], cell = (text) => (/^[\w.() ]+$/.test(text) ? text : `"'${text.replaceAll('"', '""')}"`);
  const rows = [["principle", "t", ...columns].map(cell).join(",")];
  for (const m of motions) for (let j = 0; j < m.t.length; j++) rows.push([cell(MODEL.principles[m.principle].name), m.t[j], ...columns.map((c) => m.columns[c]?.[j] ?? "")].join(","));
  return rows.join("\r\n") + "\r\n";
}

const decimal = (v) => (Number.isInteger(v) && Math.abs(v) < 1e15 ? v.toFixed(1) : String(v));
const bare = (key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));
const inline = (values) => `{ ${Object.entries(values).map(([k, v]) => `${bare(k)} = ${decimal(v)}`).join(", ")} }`;

/** The system file with one run a principle: the starts, parameters and events that are in force. */
function asFile(state, motions) {
  const entry = MODEL.entries[state.entry], changed = Object.fromEntries(Object.entries(state.parameters).filter(([k, v]) => v !== MODEL.parameters[k]));
  const runs = motions.map((m) => {
    const P = MODEL.principles[m.principle], lines = ["[[run]]", `name = ${JSON.stringify(P.name)}`, `principle = ${JSON.stringify(P.name)}`, `start = ${inline(startOf(P, m, entry))}`];
    if (entry.t) lines.push(`t = ${decimal(entry.t)}`);
    lines.push(`until = ${decimal(state.until)}`, `rtol = ${MODEL.rtol}`);
    if (Object.keys(changed).length) lines.push(`parameters = ${inline(changed)}`);
    for (const event of MODEL.written) lines.push("", event.text.trim());
    return lines.join("\n");
  });
  return `# What the explorer showed, with dalembert ${MODEL.version}.\n${MODEL.source.trimEnd()}\n\n${runs.join("\n\n")}\n`;
}
/** What was given, where all else follows from it alone; else the whole state. */
function startOf(P, m, entry) {
  const all = Object.fromEntries(P.states.map((s) => [s, m.columns[s][0]]));
  if (!entry.plain) return all;
  return Object.fromEntries(Object.entries(all).filter(([s]) => entry.needed.includes(s) || P.owned.includes(s)));
}

function asScript(state, motions) {
  const text = asFile(state, motions).replaceAll("\\", "\\\\").replaceAll("'''", "\\'\\'\\'"), pairs = motions.map((m) => `    ${JSON.stringify(MODEL.principles[m.principle].name)}: ${MODEL.typed[MODEL.principles[m.principle].name]},`);
  return `"""The motions that the explorer showed, with dalembert ${MODEL.version}: python motion.py"""

import dalembert as da
from dalembert.study import read_source

PRINCIPLES = {
${pairs.join("\n")}
}
study = read_source('''${text}''')
paths = {}
for run in study.runs:
    equations = PRINCIPLES[run.principle](study.system)
    start = equations.start(t=run.t, parameters=run.parameters, **run.start)
    events = [da.Event(e.name, e.guard, e.then, e.direction) for e in run.events]
    paths[run.name] = da.simulate(equations, start, until=run.until, events=events, rtol=${MODEL.rtol})
    print(paths[run.name])
`;
}

/** One picture of what is on the screen: bodies on the left, plots on the right. */
function asPicture(canvases, title, theme, done) {
  const [scene, ...plots] = canvases, W = 1600, left = scene ? W * 0.6 : 0, c = el("canvas"), g = c.getContext("2d");
  const h0 = scene ? (left * scene.height) / scene.width : 0, w = W - left - 40, heights = plots.map((p) => (w * p.height) / p.width), most = Math.max(h0, 700);
  const share = Math.min(1, (most - 10 * plots.length) / heights.reduce((a, b) => a + b, 0));
  c.width = W; c.height = most + 60;
  g.fillStyle = theme.card; g.fillRect(0, 0, c.width, c.height);
  if (scene) g.drawImage(scene, 0, 56, left, h0);
  let y = 56;
  plots.forEach((p, i) => { g.drawImage(p, left + 20, y, w * share, heights[i] * share); y += heights[i] * share + 10; });
  g.fillStyle = theme.ink; g.font = "26px system-ui, sans-serif"; g.fillText(title, 18, 38, W - 36);
  c.toBlob(done, "image/png");
}
