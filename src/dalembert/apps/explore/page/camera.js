// Where the eye is, and how space comes onto the screen. World: z is up; matrices by columns.

const unit = (a) => { const l = Math.hypot(...a) || 1; return a.map((x) => x / l); };
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const inner = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const OPENING = 0.62; // rad, of the picture from top to bottom

class Camera {
  constructor() { this.home(); }
  home() { this.turn = -0.9; this.tilt = 0.62; this.zoom = 1; }
  move(dx, dy) { this.turn -= dx * 0.008; this.tilt = Math.max(-1.2, Math.min(1.55, this.tilt + dy * 0.006)); }
  closer(factor) { this.zoom = Math.max(0.02, Math.min(200, this.zoom * factor)); }

  /** The projection onto a panel that shows `extent` around `target`. */
  see({ target, extent }, aspect) {
    const R = ((extent * 3.5) / this.zoom) * Math.max(0.85, 1 / aspect), ct = Math.cos(this.tilt), st = Math.sin(this.tilt);
    const eye = [target[0] + R * ct * Math.cos(this.turn), target[1] + R * ct * Math.sin(this.turn), target[2] + R * st];
    const light = unit([0.35 * Math.cos(this.turn + 1), 0.35 * Math.sin(this.turn + 1), 1]);
    const view = product(perspective(OPENING, aspect, R * 0.02, R * 12 + extent * 8), look(eye, target));
    return { eye, light, view, R, scale: R * 0.32 };
  }
}

function perspective(f, aspect, near, far) {
  const s = 1 / Math.tan(f / 2);
  return [s / aspect, 0, 0, 0, 0, s, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0];
}
function look(eye, at) {
  const z = unit(eye.map((e, i) => e - at[i])), x = unit(cross([0, 0, 1], z)), y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -inner(x, eye), -inner(y, eye), -inner(z, eye), 1];
}
function product(a, b) {
  const r = new Array(16).fill(0);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) r[j * 4 + i] += a[k * 4 + i] * b[j * 4 + k];
  return r;
}
/** Clip coordinates of a point. */
function onto(m, [x, y, z]) {
  const w = m[3] * x + m[7] * y + m[11] * z + m[15];
  return [(m[0] * x + m[4] * y + m[8] * z + m[12]) / w, (m[1] * x + m[5] * y + m[9] * z + m[13]) / w, w];
}
/** The spacing of a grid at this scale: lines of `fine` fade out while those of ten times as much stay. */
function grid(scale) {
  const level = Math.log10(scale * 0.45), whole = Math.floor(level);
  return { fine: 10 ** whole, strength: 1 - (level - whole) };
}
