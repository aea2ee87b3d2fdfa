// Solids as triangles: positions with normals, three numbers each, and indices. All within -1 and 1.

const SHAPE_OF = {
  ball: "ball", ellipsoid: "ball", point: "ball", disc: "disc", wheel: "disc", table: "disc", rod: "disc", box: "box",
  blade: "box", wall: "box", cone: "cone", floor: "floor",
};

function solids(fine) {
  return { ball: ball(fine ? 64 : 20, fine ? 40 : 12), disc: disc(fine ? 96 : 32), box: box(), cone: cone(fine ? 64 : 24), floor: floor(fine ? 1 : 10) };
}
function ball(a, b) {
  const v = [], i = [];
  for (let k = 0; k <= b; k++) for (let j = 0; j <= a; j++) {
    const t = (Math.PI * k) / b, f = (2 * Math.PI * j) / a, p = [Math.sin(t) * Math.cos(f), Math.sin(t) * Math.sin(f), Math.cos(t)];
    v.push(...p, ...p);
  }
  for (let k = 0; k < b; k++) for (let j = 0; j < a; j++) { const q = k * (a + 1) + j; i.push(q, q + a + 1, q + 1, q + 1, q + a + 1, q + a + 2); }
  return { v, i };
}
function disc(a) {
  const v = [], i = [];
  for (const s of [1, -1]) {
    const c = v.length / 6;
    v.push(0, 0, s, 0, 0, s);
    for (let j = 0; j <= a; j++) { const f = (2 * Math.PI * j) / a; v.push(Math.cos(f), Math.sin(f), s, 0, 0, s); if (j) i.push(c, c + j, c + j + 1); }
  }
  const c = v.length / 6;
  for (let j = 0; j <= a; j++) {
    const f = (2 * Math.PI * j) / a, x = Math.cos(f), y = Math.sin(f);
    v.push(x, y, 1, x, y, 0, x, y, -1, x, y, 0);
    if (j) { const q = c + 2 * (j - 1); i.push(q, q + 1, q + 2, q + 2, q + 1, q + 3); }
  }
  return { v, i };
}
function cone(a) {
  const v = [], i = [];
  for (let j = 0; j <= a; j++) {
    const f = (2 * Math.PI * j) / a, x = Math.cos(f), y = Math.sin(f), n = unit([x, y, 0.5]);
    v.push(x, y, -1, ...n, 0, 0, 1, ...n);
    if (j) i.push(2 * j - 2, 2 * j, 2 * j - 1);
  }
  const c = v.length / 6;
  v.push(0, 0, -1, 0, 0, -1);
  for (let j = 0; j <= a; j++) { const f = (2 * Math.PI * j) / a; v.push(Math.cos(f), Math.sin(f), -1, 0, 0, -1); if (j) i.push(c, c + j, c + j + 1); }
  return { v, i };
}
function box() {
  const v = [], i = [];
  for (let d = 0; d < 3; d++) for (const s of [1, -1]) {
    const c = v.length / 6, n = [0, 0, 0];
    n[d] = s;
    for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) { const p = [0, 0, 0]; p[d] = s; p[(d + 1) % 3] = a; p[(d + 2) % 3] = b; v.push(...p, ...n); }
    i.push(c, c + 1, c + 2, c, c + 2, c + 3);
  }
  return { v, i };
}
function floor(parts) {
  const v = [], i = [];
  for (let k = 0; k <= parts; k++) for (let j = 0; j <= parts; j++) v.push((2 * j) / parts - 1, (2 * k) / parts - 1, 0, 0, 0, 1);
  for (let k = 0; k < parts; k++) for (let j = 0; j < parts; j++) { const q = k * (parts + 1) + j; i.push(q, q + 1, q + parts + 2, q, q + parts + 2, q + parts + 1); }
  return { v, i };
}
/** A point of a solid in space: frame (3 x 4 by rows) of the half sizes times the point. */
function placed(f, s, x, y, z) {
  const a = x * s[0], b = y * s[1], c = z * s[2];
  return [f[0] * a + f[1] * b + f[2] * c + f[3], f[4] * a + f[5] * b + f[6] * c + f[7], f[8] * a + f[9] * b + f[10] * c + f[11]];
}
