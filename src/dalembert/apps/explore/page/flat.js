// The same picture without WebGL: triangles from back to front on a plain canvas.

class FlatView {
  constructor(canvas) {
    this.canvas = canvas; this.c = canvas.getContext("2d"); this.meshes = solids(false); this.rows = new Map();
  }
  trace(key, rows) { this.rows.set(key, rows); }
  render(panels, camera, theme) {
    const { c, canvas } = this, w = canvas.width / panels.length, h = canvas.height;
    panels.forEach((panel, i) => {
      const seen = camera.see(panel.frame, w / h);
      c.save(); c.beginPath(); c.rect(i * w, 0, w, h); c.clip();
      c.fillStyle = css(theme.sky); c.fillRect(i * w, 0, w, h);
      const at = (p) => { const [x, y, depth] = onto(seen.view, p); return [i * w + ((x + 1) * w) / 2, ((1 - y) * h) / 2, depth]; };
      if (panel.ground.there) this.floor(panel, seen, at, theme);
      this.faces(panel, seen, at, theme, (b) => b.shape === "table");
      this.lines(panel, at, h);
      this.faces(panel, seen, at, theme, (b) => b.shape !== "table");
      c.restore();
    });
  }
  floor({ ground, frame }, seen, at, theme) {
    const { c } = this, { fine, strength } = grid(seen.scale), step = strength > 0.4 ? fine * 2 : fine * 10, count = Math.min(40, Math.ceil((seen.R * 1.1) / step));
    const [nx, ny, nz, d] = ground.plane, n = [nx, ny, nz], off = inner(n, frame.target) - d, mid = frame.target.map((v, k) => v - n[k] * off);
    const s0 = Math.round(inner(mid, ground.side) / step) * step, a0 = Math.round(inner(mid, ground.ahead) / step) * step;
    const point = (s, a) => n.map((v, k) => v * d + ground.side[k] * s + ground.ahead[k] * a);
    c.strokeStyle = css(theme.mark); c.lineWidth = 1; c.globalAlpha = 0.35;
    for (let j = -count; j <= count; j++) for (const along of [0, 1]) {
      c.beginPath();
      let pen = false;
      for (let k = -count; k <= count; k++) {
        const [x, y, depth] = at(along ? point(s0 + j * step, a0 + k * step) : point(s0 + k * step, a0 + j * step));
        if (depth <= 0.02 * seen.R) { pen = false; continue; }
        if (pen) c.lineTo(x, y); else c.moveTo(x, y);
        pen = true;
      }
      c.stroke();
    }
    c.globalAlpha = 1;
  }
  faces({ bodies }, seen, at, theme, which) {
    const found = [];
    for (const b of bodies) {
      if (b.shape === "floor" || !which(b)) continue;
      const { v, i } = this.meshes[SHAPE_OF[b.shape]], points = [], own = [];
      for (let k = 0; k < v.length; k += 6) { points.push(placed(b.frame, b.size, v[k], v[k + 1], v[k + 2])); own.push([v[k], v[k + 1], v[k + 2]]); }
      const screen = points.map(at), tint = b.both ? theme.floor : b.tint, paper = b.both ? theme.mark : theme.paper;
      for (let k = 0; k < i.length; k += 3) {
        const [p, q, r] = [i[k], i[k + 1], i[k + 2]], [a, d, e] = [screen[p], screen[q], screen[r]];
        if (Math.min(a[2], d[2], e[2]) <= 0) continue;
        const across = cross(points[q].map((x, m) => x - points[p][m]), points[r].map((x, m) => x - points[p][m]));
        let n = unit(across);
        if (inner(n, seen.eye.map((x, m) => x - points[p][m])) < 0) n = n.map((x) => -x);
        const middle = [0, 1, 2].map((m) => (own[p][m] + own[q][m] + own[r][m]) / 3), pale = marked(b, middle);
        const light = 0.36 + 0.2 * (n[2] * 0.5 + 0.5) + 0.44 * Math.max(0, inner(n, seen.light));
        found.push({ depth: a[2] + d[2] + e[2] + b.other * 1e-3, a, d, e, colour: css(tint.map((x, m) => (x + (paper[m] - x) * pale) * light)) });
      }
    }
    found.sort((one, two) => two.depth - one.depth);
    const { c } = this;
    for (const f of found) {
      c.fillStyle = c.strokeStyle = f.colour; c.lineWidth = 0.7;
      c.beginPath(); c.moveTo(f.a[0], f.a[1]); c.lineTo(f.d[0], f.d[1]); c.lineTo(f.e[0], f.e[1]); c.closePath(); c.fill(); c.stroke();
    }
  }
  lines({ traces }, at, h) {
    const { c } = this;
    for (const t of traces) {
      const rows = this.rows.get(t.key) ?? [];
      c.strokeStyle = css(t.tint); c.lineWidth = (t.width * h) / 420 + 0.5; c.setLineDash(t.dash ? [9, 6] : []);
      for (const late of [false, true]) {
        c.globalAlpha = late ? t.alpha * 0.25 : t.alpha;
        c.beginPath();
        for (let j = 0, pen = false; j < rows.length; j += 4) {
          if (rows[j + 3] > t.now !== late) continue;
          const [x, y, depth] = at([rows[j], rows[j + 1], rows[j + 2]]);
          if (depth <= 0) { pen = false; continue; }
          if (pen) c.lineTo(x, y); else c.moveTo(x, y);
          pen = true;
        }
        c.stroke();
      }
    }
    c.setLineDash([]); c.globalAlpha = 1;
  }
}

const css = (rgb) => `rgb(${rgb.map((x) => Math.round(255 * Math.max(0, Math.min(1, x)))).join(" ")})`;
/** How pale a face is: patterns that show a turn. */
function marked(b, [x, y, z]) {
  const shape = SHAPE_OF[b.shape];
  if (shape === "ball") return b.other ? (Math.abs(z) < 0.45 || Math.abs(x) < 0.12 ? 0.8 : 0) : x * y * z > 0 ? 0.8 : 0;
  if (shape === "disc" && b.shape !== "rod") return Math.abs(z) > 0.5 && Math.sin(Math.atan2(y, x) * 4) > 0 ? (b.both ? 0.15 : 0.7) : 0;
  return 0;
}
