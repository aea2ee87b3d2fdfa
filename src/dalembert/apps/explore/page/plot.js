// Plots on a canvas: lines over time or in the plane, told apart by colour and by dash, with marks at the present time.

class Plot {
  constructor(frame, label) {
    this.canvas = el("canvas", { role: "img", "aria-label": label });
    frame.append(this.canvas);
    this.frame = frame; this.label = label; this.c = this.canvas.getContext("2d");
    // `kind`: the size of what is drawn and its like; `part` of it is rounding; `plane`: both axes are of that kind
    this.equal = false; this.log = false; this.plane = false; this.kind = 0; this.part = 1e-9; this.titles = ["", ""]; this.changed = () => {};
    new ResizeObserver(() => { this.size(); this.changed(); }).observe(frame);
    this.size();
  }
  size() {
    const d = devicePixelRatio || 1, { clientWidth: w, clientHeight: h } = this.frame;
    this.w = w; this.h = h; this.canvas.width = Math.max(1, Math.round(w * d)); this.canvas.height = Math.max(1, Math.round(h * d));
    this.c.setTransform(d, 0, 0, d, 0, 0);
  }
  up(y) { return this.log ? Math.log10(Math.max(y, 1e-17)) : y; }
  /** What is in the picture: all lines that are not `outside`, and with equal axes the frame's shape. */
  range(lines, W, H) {
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const l of lines) if (!l.outside) for (let i = 0; i < l.x.length; i++) {
      const x = l.x[i], y = this.up(l.y[i]);
      if (!Number.isFinite(x + y)) continue;
      x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y);
    }
    if (!(x1 >= x0)) return null;
    // rounding beside the size of its kind is not drawn as drama: at rest a picture is as large as that size
    const room = (low, high) => Math.max(1e-9 * Math.max(Math.abs(low), Math.abs(high), 1e-12), this.part * this.kind), tall = room(y0, y1);
    const wide = this.plane ? room(x0, x1) : 1e-12 * Math.max(Math.abs(x0), 1e-12);
    if (y1 - y0 < tall && !this.log) { const m = (y0 + y1) / 2, d = this.equal && x1 - x0 >= wide ? (x1 - x0) / 2 : Math.abs(m) > tall ? Math.abs(m) * 0.1 : this.kind || 1; y0 = m - d; y1 = m + d; }
    if (this.log) { y0 = Math.max(y0, y1 - 14); if (y1 - y0 < 1) y0 = y1 - 1; }
    const pad = (y1 - y0) * 0.07;
    y0 -= pad; y1 += pad;
    if (x1 - x0 < wide && !this.equal) { const m = (x0 + x1) / 2, d = (this.plane && this.kind) || 0.5; x0 = m - d; x1 = m + d; }
    if (this.equal) {
      const p = (x1 - x0) * 0.07, s = Math.max((x1 - x0 + 2 * p) / W, (y1 - y0) / H), mx = (x0 + x1) / 2, my = (y0 + y1) / 2;
      x0 = mx - (s * W) / 2; x1 = mx + (s * W) / 2; y0 = my - (s * H) / 2; y1 = my + (s * H) / 2;
    }
    return [x0, x1, y0, y1];
  }
  /** lines: [{x, y, colour, dash, width, alpha, outside}], marks: [{x, y, colour, shape}]. */
  draw(lines, marks, theme, cursor) {
    const { c, w, h } = this, em = theme.em, left = 3.4 * em, right = 0.9 * em, top = 0.6 * em, bottom = 1.85 * em;
    const W = w - left - right, H = h - top - bottom, found = W > 10 && H > 10 ? this.range(lines, W, H) : null;
    c.clearRect(0, 0, w, h);
    if (!found) { c.fillStyle = theme.soft; c.font = `${0.85 * em}px system-ui, sans-serif`; c.textAlign = "center"; c.fillText("nothing to draw here", w / 2, h / 2); return; }
    const [x0, x1, y0, y1] = found, X = (x) => left + ((x - x0) / (x1 - x0)) * W, Y = (y) => top + H - ((this.up(y) - y0) / (y1 - y0)) * H;
    this.onto = (x, y) => [X(x), Y(y)]; // where a point of the plot is in the picture
    this.axes({ x0, x1, y0, y1, left, right, top, W, H, em }, theme);
    c.save(); c.beginPath(); c.rect(left, top, W, H); c.clip(); c.lineJoin = "round";
    for (const l of lines) {
      c.strokeStyle = l.colour; c.globalAlpha = l.alpha ?? 1; c.lineWidth = l.width ?? 2; c.setLineDash(l.dash ?? []);
      c.beginPath();
      for (let i = 0, pen = false; i < l.x.length; i++) {
        const x = X(l.x[i]), y = Y(l.y[i]);
        if (!Number.isFinite(x + y)) { pen = false; continue; }
        if (pen) c.lineTo(x, y); else c.moveTo(x, y);
        pen = true;
      }
      c.stroke();
    }
    c.setLineDash([]); c.globalAlpha = 1;
    if (cursor !== undefined) { c.strokeStyle = theme.soft; c.lineWidth = 1; c.beginPath(); c.moveTo(X(cursor), top); c.lineTo(X(cursor), top + H); c.stroke(); }
    for (const m of marks) mark(c, m, X(m.x), Y(m.y), 0.36 * em, theme);
    c.restore();
    const [yTitle, xTitle] = [this.titles[1], this.titles[0]];
    c.fillStyle = theme.ink; c.font = `${0.8 * em}px system-ui, sans-serif`; c.textBaseline = "alphabetic";
    c.textAlign = "right"; halo(c, xTitle, w - right, top + H - 0.4 * em, theme);
    c.textAlign = "left"; halo(c, yTitle, left + 0.35 * em, top + 0.9 * em, theme);
  }
  axes({ x0, x1, y0, y1, left, right, top, W, H, em }, theme) {
    const { c, w } = this;
    c.font = `${0.76 * em}px system-ui, sans-serif`; c.lineWidth = 1; c.strokeStyle = theme.line; c.fillStyle = theme.soft;
    c.textAlign = "right"; c.textBaseline = "middle";
    for (const v of this.log ? decades(y0, y1) : nice(y0, y1, Math.max(2, H / (2.2 * em)))) {
      const y = top + H - ((v - y0) / (y1 - y0)) * H;
      c.beginPath(); c.moveTo(left, y); c.lineTo(w - right, y); c.stroke();
      c.fillText(this.log ? scientific(10 ** v) : brief(v), left - 0.35 * em, y);
    }
    c.textAlign = "center"; c.textBaseline = "top";
    for (const v of nice(x0, x1, Math.max(2, W / (3.4 * em)))) {
      const x = left + ((v - x0) / (x1 - x0)) * W;
      c.beginPath(); c.moveTo(x, top); c.lineTo(x, top + H); c.stroke();
      c.fillText(brief(v), Math.min(x, w - em), top + H + 0.3 * em);
    }
  }
}

/** Text on a patch of the card's colour, so that no line runs through it. */
function halo(c, text, x, y, theme) {
  const w = c.measureText(text).width, left = c.textAlign === "right" ? x - w : x;
  if (!w) return;
  c.fillStyle = theme.card; c.fillRect(left - 2, y - 0.75 * theme.em, w + 4, theme.em); c.fillStyle = theme.ink; c.fillText(text, x, y);
}
function mark(c, m, x, y, r, theme) {
  c.fillStyle = m.colour ?? theme.ink; c.strokeStyle = theme.card; c.lineWidth = 1.5;
  c.beginPath();
  if (m.shape === "triangle") { c.moveTo(x, y - r * 1.2); c.lineTo(x + r * 1.1, y + r); c.lineTo(x - r * 1.1, y + r); c.closePath(); }
  else if (m.shape === "square" || m.shape === "stop") c.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
  else if (m.shape === "diamond") { c.moveTo(x, y - r * 1.3); c.lineTo(x + r * 1.1, y); c.lineTo(x, y + r * 1.3); c.lineTo(x - r * 1.1, y); c.closePath(); }
  else if (m.shape === "jump") { c.strokeStyle = m.colour; c.lineWidth = 2; c.moveTo(x - r, y - r); c.lineTo(x + r, y + r); c.moveTo(x + r, y - r); c.lineTo(x - r, y + r); c.stroke(); return; }
  else if (m.shape === "here") { c.arc(x, y, r * 1.3, 0, 7); c.strokeStyle = m.colour; c.lineWidth = 3; c.stroke(); return; }
  else if (m.shape === "ring") { c.arc(x, y, r * 0.7, 0, 7); c.strokeStyle = theme.ink; c.stroke(); return; }
  else c.arc(x, y, r, 0, 7);
  c.fill(); c.stroke();
}
function nice(a, b, most) {
  const raw = (b - a) / most, size = 10 ** Math.floor(Math.log10(raw)), step = size * (raw / size > 5 ? 10 : raw / size > 2 ? 5 : raw / size > 1 ? 2 : 1), found = [];
  for (let k = Math.ceil(a / step); k * step <= b + step * 1e-9 && found.length < 60; k++) found.push(+(k * step).toPrecision(12));
  return found;
}
function decades(a, b) {
  const s = Math.max(1, Math.ceil((b - a) / 4)), found = [];
  for (let v = Math.ceil(a / s) * s; v <= b; v += s) found.push(v);
  return found;
}
