// DOP853 with dense output, step control and the return to the constraints as the library has them: both take the same
// steps. The last component, the work, is carried along without error control.

const SAFETY = 0.9, SLOWEST = 0.2, FASTEST = 10, FAILED = 0.25, LARGEST = 1e150, WATCHED = 0.01;

/** One integration under way; `go(count)` makes at most so many steps and tells whether it has ended. */
class Run {
  constructor(form, t, y, p, { until, rtol, atol, maxSteps }) {
    Object.assign(this, { form, p, until, rtol, atol, maxSteps, n: y.length });
    const n = this.n;
    this.k = Array.from({ length: 16 }, () => new Float64Array(n + 1)); // each derivative and its rank margin
    this.z = new Float64Array(n);
    this.y1 = new Float64Array(n);
    this.steps = this.rejected = this.count = 0;
    this.margin = Infinity;
    this.why = "";
    this.ended = false;
    this.happened = [];
    this.T = new Float64Array(257);
    this.H = new Float64Array(256);
    this.Y = new Float64Array(257 * n);
    this.F = new Float64Array(256 * 7 * n);
    this.T[0] = this.t = t;
    this.Y.set(y);
    this.y = Float64Array.from(y);
    this.h = 0;
    this.limit = FASTEST;
    this.watch = null;
    this.derive();
  }

  /** The derivative at the state, whether it is sound. */
  derive() {
    this.form.rhs(this.t, this.y, this.p, this.k[0]);
    if (!this.sound(this.k[0])) this.end(lost(this.k[0][this.n], this.form.limit));
  }

  sound(slope) {
    if (slope[this.n] <= this.form.limit) return false;
    for (let i = 0; i <= this.n; i++) if (!Number.isFinite(slope[i]) && i < this.n) return false;
    return true;
  }

  end(why) {
    this.ended = true;
    this.why = why;
  }

  go(most = Infinity) {
    if (!this.ended && this.t === this.until) this.end("");
    if (!this.ended && this.h === 0) this.h = this.first();
    for (let made = 0; !this.ended && made < most; made++) this.step();
    return this.ended;
  }

  step() {
    const { form, p, k, z, y, y1, n } = this;
    if (this.steps + this.rejected >= this.maxSteps)
      return this.end(`the ${this.maxSteps} steps are used up: the motion is stiff or fast, or the time is long`);
    const planned = Math.abs(this.h), left = this.until - this.t;
    const last = Math.abs(left) <= 1.01 * planned, next = last ? this.until : this.t + Math.sign(left) * planned;
    const h = next - this.t;
    if (!(Math.abs(h) > 0)) return this.end(STUCK);
    dop853Step(form.rhs, this.t, h, y, p, k, z, n);
    const error = dop853Error(h, y, z, k, this.rtol, this.atol, n - 1);
    if (form.project) form.project(next, z, p, y1);
    else y1.set(z);
    form.rhs(next, y1, p, k[12]);
    const growth = Math.max(SLOWEST, Math.min(FASTEST, SAFETY / Math.sqrt(Math.sqrt(Math.sqrt(error)))));
    let margin = Infinity, largest = 0;
    for (let s = 1; s <= 12; s++) margin = Math.min(margin, k[s][n]);
    for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(y1[i])) + 0 * k[12][i];
    if (!(error <= 1) || margin <= form.limit || !(largest < Infinity)) {
      const failed = !(error > 1);
      this.rejected++;
      this.limit = 1;
      this.h = h * (failed ? FAILED : Math.min(growth, 1));
      if (Math.abs(this.h) < 10 * spacing(this.t)) this.end(failed ? lost(margin, form.limit) : STUCK);
      return undefined;
    }
    this.margin = Math.min(this.margin, margin);
    this.room();
    dop853Dense(form.rhs, this.t, h, y, y1, p, k, z, this.F, this.count * 7 * n, n);
    this.h = Math.max(Math.abs(h) * Math.min(growth, this.limit), last ? planned : 0);
    this.limit = FASTEST;
    this.record(next, h, y1);
    this.steps++;
    k[0].set(k[12]);
    if (margin < WATCHED && this.loses()) return undefined;
    if (this.watch) this.watch.after();
    if (this.ended) return undefined;
    if (largest > LARGEST) return this.end("the state grows beyond 1e150");
    if (this.t === this.until) this.end("");
    return undefined;
  }

  /** Is the rank lost within the last step, though not at its stages? */
  loses() {
    const s = this.count - 1, out = new Float64Array(this.n + 1), point = new Float64Array(this.n);
    for (let j = 1; j < 16; j++) {
      const t = this.T[s] + (j / 16) * this.H[s];
      this.inside(s, t, point);
      this.form.rhs(t, point, this.p, out);
      if (out[this.n] > this.form.limit) continue;
      this.cut(s, t, point);
      this.end(lost(-1, 0));
      return true;
    }
    return false;
  }

  /** End the last step earlier, at a state there. */
  cut(s, t, y) {
    this.T[s + 1] = this.t = t;
    this.Y.set(y, (s + 1) * this.n);
    this.y.set(y);
  }

  /** Go on from a state at the same time (`h` null), or from one a hair ahead to which a straight line leads. */
  append(t, y, h) {
    this.room();
    const at = this.count * 7 * this.n;
    this.F.fill(0, at, at + 7 * this.n);
    for (let i = 0; h && i < this.n; i++) this.F[at + i] = y[i] - this.y[i];
    this.record(t, h || 0, y);
  }

  /** Begin anew at the state reached. */
  restart() {
    this.h = 0;
    this.limit = FASTEST;
    if (this.t === this.until) this.end("");
    else {
      this.derive();
      if (!this.ended) this.h = this.first();
    }
  }

  /** Room for one more step. */
  room() {
    if (this.count < this.H.length) return;
    const more = 2 * this.count, grown = (a, size) => { const b = new Float64Array(size); b.set(a); return b; };
    this.T = grown(this.T, more + 1);
    this.H = grown(this.H, more);
    this.Y = grown(this.Y, (more + 1) * this.n);
    this.F = grown(this.F, more * 7 * this.n);
  }

  record(t, h, y) {
    this.H[this.count] = h;
    this.count++;
    this.T[this.count] = this.t = t;
    this.Y.set(y, this.count * this.n);
    this.y.set(y);
  }

  /** The size of a first step [hairer1993, II.4]. */
  first() {
    const { form, p, y, k, n, z } = this, span = this.until - this.t, f = k[0];
    const norm = (a) => {
      let sum = 0;
      for (let i = 0; i < n - 1; i++) sum += (a(i) / (this.atol + this.rtol * Math.abs(y[i]))) ** 2;
      return Math.sqrt(sum / (n - 1));
    };
    const size = norm((i) => y[i]), slope = norm((i) => f[i]);
    const trial = Math.min(size < 1e-5 || slope < 1e-5 ? 1e-6 : (0.01 * size) / slope, Math.abs(span));
    const h = Math.sign(span) * trial, g = k[1];
    for (let i = 0; i < n; i++) z[i] = y[i] + h * f[i];
    form.rhs(this.t + h, z, p, g);
    const steepest = Math.max(slope, norm((i) => g[i] - f[i]) / trial);
    const by = steepest > 1e-15 ? Math.sqrt(Math.sqrt(Math.sqrt(0.01 / steepest))) : Math.max(1e-6, trial * 1e-3);
    return steepest < Infinity ? Math.min(by, 100 * trial) : trial * FAILED;
  }

  /** The state at a time of step s, into out. */
  inside(s, t, out) {
    const { n, F, Y, T, H } = this, jump = H[s] === 0, x = jump ? 0 : (t - T[s]) / H[s], at = s * 7 * n;
    if (jump && this.count) s++; // of a step of no length the state after it
    for (let i = 0; i < n; i++) {
      let value = 0;
      for (let m = 6; m >= 0; m--) value = (value + F[at + m * n + i]) * (m % 2 ? 1 - x : x);
      out[i] = value + Y[s * n + i];
    }
  }

  /** The last step that holds a time: at that of a jump the state after it. */
  at(t) {
    let low = 0, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.T[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }
}

const STUCK = "the steps shrink to nothing: the motion is singular here, or stiff";

function lost(margin, limit) {
  return margin <= limit
    ? "the constraints or the kinetic energy lose rank: the motion is no longer determined"
    : "a number stopped being finite";
}

/** The distance from |t| to the next number. */
function spacing(t) {
  const size = Math.abs(t);
  return size < 2.3e-308 ? 5e-324 : 2 ** (Math.floor(Math.log2(size)) - 52);
}
