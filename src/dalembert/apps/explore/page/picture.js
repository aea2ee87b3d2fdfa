// What the three-dimensional picture shows at a moment: poses, panels, where the camera looks, labels, the ground.

const PER_BODY = 15, TRACED = MODEL.bodies.map((b, i) => [b, i]).filter(([b]) => b.trace).map(([, i], k) => ({ body: i, offset: PER_BODY * MODEL.bodies.length + 3 * k }));
const MOVING = MODEL.bodies.map((_, i) => i).filter((i) => !MODEL.bodies[i].both);
const column3 = (f, j) => [f[j], f[4 + j], f[8 + j]];

/** Middle of a body, and how far it reaches from there. */
function reach(draw, i) {
  const at = i * PER_BODY, f = draw.subarray(at, at + 12), s = draw.subarray(at + 12, at + 15), parts = [0, 1, 2].map((j) => Math.hypot(...column3(f, j)) * s[j]);
  return { middle: [f[3], f[7], f[11]], radius: MODEL.bodies[i].shape === "floor" ? 0 : Math.hypot(...parts) / (["ball", "point", "ellipsoid"].includes(MODEL.bodies[i].shape) ? Math.sqrt(3) : 1.2) };
}
/** The bodies at one moment as a ball around all of them. */
function cluster(draws) {
  const all = draws.flatMap((draw) => MOVING.map((i) => reach(draw, i))).filter((r) => r.middle.every(Number.isFinite) && Number.isFinite(r.radius));
  if (!all.length) return null;
  const target = [0, 1, 2].map((k) => (Math.min(...all.map((r) => r.middle[k] - r.radius)) + Math.max(...all.map((r) => r.middle[k] + r.radius))) / 2);
  return { target, extent: Math.max(...all.map((r) => Math.hypot(...r.middle.map((x, k) => x - target[k])) + r.radius), 1e-9) };
}
/** What a panel has to show of whole motions. */
function whole(motions) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const take = (p, r) => { for (let k = 0; k < 3; k++) if (Number.isFinite(p[k] + r)) { low[k] = Math.min(low[k], p[k] - r); high[k] = Math.max(high[k], p[k] + r); } };
  for (const m of motions) for (let j = 0; j < m.t.length; j += 4) {
    const draw = m.draw.subarray(j * MODEL.drawn, (j + 1) * MODEL.drawn);
    for (const i of j ? MOVING : MODEL.bodies.keys()) { const { middle, radius } = reach(draw, i); if (MODEL.bodies[i].shape !== "floor") take(middle, MODEL.bodies[i].shape === "wall" ? 0 : radius); }
    for (const { offset } of TRACED) take(draw.subarray(offset, offset + 3), 0);
  }
  if (!(high[0] >= low[0])) return { target: [0, 0, 0], extent: 1 };
  return { target: low.map((v, k) => (v + high[k]) / 2), extent: Math.max(Math.hypot(high[0] - low[0], high[1] - low[1]) * 0.5, (high[2] - low[2]) * 0.62, 1e-9) };
}
/** The same frame as before as long as all fits in it and fills more than half: a drag does not make the picture jump. */
function steady(old, wanted) {
  if (!old) return wanted;
  const off = Math.hypot(...wanted.target.map((x, k) => x - old.target[k]));
  return off + wanted.extent <= old.extent * 1.12 && wanted.extent > old.extent * 0.55 ? old : wanted;
}
/** The floor or the table on which shadows fall: its plane n x = d and two directions in it. */
function groundOf(draw) {
  const i = MODEL.bodies.findIndex((b) => b.shape === "floor" || b.shape === "table");
  if (i < 0) return { there: false, plane: [0, 0, 1, 0], side: [1, 0, 0], ahead: [0, 1, 0] };
  const f = draw.subarray(i * PER_BODY, i * PER_BODY + 12), top = MODEL.bodies[i].shape === "table" ? draw[i * PER_BODY + 14] : 0;
  const n = unit(column3(f, 2)), at = [f[3], f[7], f[11]].map((x, k) => x + n[k] * top);
  const turning = MODEL.bodies[i].shape === "table";
  return { there: true, plane: [...n, inner(n, at)], side: turning ? [1, 0, 0] : unit(column3(f, 0)), ahead: turning ? [0, 1, 0] : unit(column3(f, 1)) };
}
/** Bodies of a motion as the view takes them. */
function posed(draw, principle, tint, ground, target, other) {
  return MODEL.bodies.map((b, i) => {
    const at = i * PER_BODY, body = { shape: b.shape, both: b.both, tint, other: other ? 1 : 0, frame: draw.subarray(at, at + 12), size: [...draw.subarray(at + 12, at + 15)] };
    if (b.shape === "floor") { const [x, y, z, d] = ground.plane, off = inner([x, y, z], target) - d; body.middle = [target[0] - x * off, target[1] - y * off, target[2] - z * off]; }
    return body;
  });
}
/** Rows (x, y, z, t) of a traced point. */
function traceOf(m, k) {
  const rows = new Float32Array(m.t.length * 4), { offset } = TRACED[k];
  for (let j = 0; j < m.t.length; j++) { rows.set(m.draw.subarray(j * MODEL.drawn + offset, j * MODEL.drawn + offset + 3), 4 * j); rows[4 * j + 3] = m.t[j]; }
  return rows;
}
/** A view of its canvas: WebGL2, or the flat one where there is none. */
function viewOf(canvas, flat) {
  const gl = flat ? null : canvas.getContext("webgl2", { alpha: false, antialias: true, stencil: true, preserveDrawingBuffer: true });
  if (gl) { try { return new View(canvas, gl); } catch { const plainly = canvas.cloneNode(); canvas.replaceWith(plainly); return new FlatView(plainly); } }
  return new FlatView(canvas);
}
