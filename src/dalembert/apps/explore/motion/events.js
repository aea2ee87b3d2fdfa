// Events, walls, laws that come to rest and forces that jump: found on the dense output of each step.

const PLACES = Array.from({ length: 9 }, (_, j) => (1 - Math.cos((Math.PI * j) / 8)) / 2); // of a step, both ends among them
const ROUNDINGS = 16, ROUNDING = 1e-16, STILL = 1e-12, ZENO = 1e-9, CHATTER = 1000, CHATTER_TIME = 1e-6, SOON = 1e-4, APART = 1e-9;

/** Watches one run; `after()` looks at its last step, and cuts it where something acts. */
class Watch {
  constructor(principle, run, found) {
    Object.assign(this, { principle, run, form: run.form, told: principle.events, found });
    this.span = Math.abs(run.until - run.t);
    const count = this.told.length, n = run.n - 1;
    this.values = PLACES.map(() => new Float64Array(count));
    this.one = new Float64Array(count);
    this.point = new Float64Array(run.n);
    this.rates = new Float64Array(run.n + 1);
    this.gradient = new Float64Array(count * (n + 1));
    this.units = new Float64Array(count).fill(1);
    this.shift = new Float64Array(count);
    this.jumps = [];
    this.switches = [];
    let offset = 0;
    this.offsets = this.told.map((event) => { const at = offset; offset += event.sets.length; return at; });
    this.news = new Float64Array(offset);
    this.last = this.told.map(() => 0);
    this.begin();
  }

  /** Units of laws that come to rest, and a start on a guard or beyond it. */
  begin() {
    const { run, told } = this;
    this.form.guards(run.t, run.y, run.p, this.one);
    told.forEach((event, g) => {
      if (event.then !== "rest") return;
      this.units[g] = 1 / this.one[g];
      this.shift[g] = 1e-6;
    });
    this.arm();
    const values = this.at(run.t, run.y);
    told.forEach((event, g) => {
      if (!Number.isFinite(values[g]) && event.then !== "switch") run.end(`the guard of ${event.name} is not finite at the start`);
      if (!["stop", "jump"].includes(event.then)) return;
      if (this.isOn(g, run.t, run.y)) {
        const ahead = this.ahead(run.t, run.y, 1e-6 * this.span), there = this.at(run.t + 1e-6 * this.span, ahead)[g];
        if (!event.direction) run.end(`the guard of ${event.name} is 0 at the start`);
        else if (there * event.direction > 0)
          run.end(`the guard of ${event.name} is 0 at the start and the motion goes through it`);
      } else if (event.then === "stop" && event.direction && values[g] * event.direction > 0)
        run.end(`the start is already beyond ${event.name}`);
    });
  }

  /** All guards at a time and state; overwritten by the next ones. */
  at(t, y, out = this.one) {
    this.form.guards(t, y, this.run.p, out);
    for (let g = 0; g < out.length; g++) out[g] = out[g] * this.units[g] - this.shift[g];
    return out;
  }

  /** On which side of each guard the motion is, or goes to. */
  arm() {
    const { run, told } = this, y = Float64Array.from(run.y), values = Float64Array.from(this.at(run.t, y));
    told.forEach((event, g) => {
      if (!this.isOn(g, run.t, y)) this.last[g] = Math.sign(values[g]);
      else if (event.direction) this.last[g] = this.speed(g, run.t, y) * event.direction > 0 ? event.direction : -event.direction;
      else this.last[g] = Math.sign(this.speed(g, run.t, y));
    });
  }

  /** dg/dt along the motion. */
  speed(g, t, y) {
    const { run } = this, n = run.n - 1;
    this.form.rhs(t, y, run.p, this.rates);
    this.form.slopes(t, y, run.p, this.gradient);
    let sum = this.gradient[g * (n + 1) + n];
    for (let i = 0; i < n; i++) sum += this.gradient[g * (n + 1) + i] * this.rates[i];
    return sum * this.units[g];
  }

  /** sum |y_i dg/dy_i|, after `speed` or alone. */
  size(g, t, y) {
    const n = this.run.n - 1;
    this.form.slopes(t, y, this.run.p, this.gradient);
    let sum = 0;
    for (let i = 0; i < n; i++) sum += Math.abs(this.gradient[g * (n + 1) + i] * y[i]);
    return sum * Math.abs(this.units[g]);
  }

  isOn(g, t, y) {
    const value = Math.abs(this.at(t, y)[g]), noise = ROUNDING * this.size(g, t, y);
    return value <= 4 * noise + ROUNDINGS * spacing(t) * Math.abs(this.speed(g, t, y));
  }

  crosses(g, t, y) {
    const rate = this.speed(g, t, y), { direction } = this.told[g];
    return (direction ? rate * direction > 0 : rate !== 0) && this.isOn(g, t, y);
  }

  leaves(g, t, y) {
    const { direction } = this.told[g];
    return direction !== 0 && this.speed(g, t, y) * direction < 0 && this.isOn(g, t, y);
  }

  /** One midpoint step ahead. */
  ahead(t, y, h) {
    const { run } = this, f = new Float64Array(run.n + 1), middle = Float64Array.from(y);
    this.form.rhs(t, y, run.p, f);
    for (let i = 0; i < run.n; i++) middle[i] = y[i] + (h / 2) * f[i];
    this.form.rhs(t + h / 2, middle, run.p, f);
    return Float64Array.from(y, (v, i) => v + h * f[i]);
  }

  guard(g, s, t) {
    this.run.inside(s, t, this.point);
    return this.at(t, this.point)[g];
  }

  /** Look at the last step. */
  after() {
    const { run, told } = this, s = run.count - 1, a = run.T[s], h = run.T[s + 1] - a;
    const times = PLACES.map((x, j) => (j === 8 ? run.T[s + 1] : a + x * h));
    times.forEach((t, j) => {
      if (j < 8) run.inside(s, t, this.point);
      this.at(t, j < 8 ? this.point : run.y, this.values[j]);
    });
    const met = [], sides = this.last.slice();
    told.forEach((event, g) => this.inStep(event, g, s, times, met));
    met.sort((one, two) => one.t - two.t);
    const acting = met.find(({ g }) => told[g].then !== "mark");
    for (const { g, t } of met)
      if (told[g].then === "mark" && !(acting && t > acting.t)) this.found.push({ name: told[g].name, t, then: "mark" });
    if (!acting) return;
    this.last = sides;
    this.act(acting.g, acting.t, acting.way, s);
  }

  /** The zeros of one guard within a step, which pass in its direction. */
  inStep(event, g, s, times, met) {
    let size = 0, from = times[0];
    for (const values of this.values) size = Math.max(size, Math.abs(values[g]));
    const sign = (j) => (Math.abs(this.values[j][g]) <= 1e-14 * size ? 0 : Math.sign(this.values[j][g]));
    const note = (a, b, way) => {
      if (event.direction && event.direction !== way) return;
      met.push({ g, way, t: this.zero(g, s, a, b) });
    };
    for (let j = 1; j < times.length; j++) {
      const now = sign(j);
      if (now === 0) continue;
      if (this.last[g] !== 0 && now !== this.last[g]) note(from, times[j], now);
      else if (j > 1 && this.dips(g, j - 1, now)) {
        const low = this.lowest(g, s, times[j - 2], times[j], now);
        if (this.guard(g, s, low) * now < 0) {
          note(times[j - 2], low, -now);
          note(low, times[j], now);
        }
      }
      this.last[g] = now;
      from = times[j];
    }
  }

  /** May the guard reach 0 between three places at which it does not? */
  dips(g, j, side) {
    const [a, b, c] = [this.values[j - 1][g], this.values[j][g], this.values[j + 1][g]].map((v) => v * side);
    return a > 0 && b > 0 && c > 0 && b <= a && b <= c && b < 0.5 * (a + c) - b;
  }

  /** Where a guard is least between two times, by the golden section. */
  lowest(g, s, a, b, side) {
    const part = (Math.sqrt(5) - 1) / 2;
    let x = b - part * (b - a), y = a + part * (b - a), fx = this.guard(g, s, x) * side, fy = this.guard(g, s, y) * side;
    for (let turn = 0; turn < 40 && fx > 0 && fy > 0; turn++) {
      if (fx < fy) { b = y; y = x; fy = fx; x = b - part * (b - a); fx = this.guard(g, s, x) * side; }
      else { a = x; x = y; fx = fy; y = a + part * (b - a); fy = this.guard(g, s, y) * side; }
    }
    return fx < fy ? x : y;
  }

  /** The zero between two times, by Chandrupatla's method (1997); what is on neither side is nearer to its first. */
  zero(g, s, a, b) {
    let fa = this.guard(g, s, a), fb = this.guard(g, s, b);
    // right after a jump rounding may have the motion on the other side: look for where it is on its own
    for (let part = 0.5, first = a; !(fa * fb < 0) && part > 1e-15; part /= 2) fa = this.guard(g, s, (a = first + part * (b - first)));
    if (!(fa * fb < 0)) return a;
    let c = a, fc = fa, fraction = 0.5;
    const allowed = Math.max(spacing(Math.max(Math.abs(a), Math.abs(b))), 1e-15 * Math.abs(b - a));
    for (let turn = 0; turn < 200 && Math.abs(b - a) > 2 * allowed && fa !== 0; turn++) {
      const t = a + fraction * (b - a), f = this.guard(g, s, t);
      if (f > 0 === fa > 0 && f !== 0) { c = a; fc = fa; }
      else { c = b; fc = fb; b = a; fb = fa; }
      a = t;
      fa = f;
      fraction = 0.5;
      if (fb !== fc && c !== b) {
        const xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
        if (phi * phi < xi && (1 - phi) ** 2 < 1 - xi)
          fraction = ((fa / (fb - fa)) * fc) / (fb - fc) + ((((c - a) / (b - a)) * fa) / (fc - fa)) * (fb / (fc - fb));
      }
      const least = Math.min(0.5, allowed / Math.max(Math.abs(b - a), allowed));
      fraction = Math.min(Math.max(fraction, least), 1 - least);
    }
    return Math.abs(fa) <= Math.abs(fb) ? a : b;
  }

  /** Cut the step there, then stop, jump or go on behind a surface. */
  act(g, t, way, s) {
    const { run, told } = this, event = told[g], y = new Float64Array(run.n), back = new Float64Array(run.n);
    run.inside(s, t, y);
    if (run.form.project) run.form.project(t, y, run.p, back);
    run.cut(s, t, run.form.project && back.every(Number.isFinite) ? back : y);
    if (event.then === "switch") this.pass(g, t);
    else if (event.then === "jump") this.jump(g, t);
    else this.stop(event, t);
    if (run.ended) return;
    run.restart();
    if (event.then === "jump") this.arm();
    else if (event.then === "switch") this.armAfterSwitch(g, way);
  }

  armAfterSwitch(g, way) {
    this.arm();
    this.last[g] = way;
  }

  stop(event, t) {
    this.found.push({ name: event.name, t, then: event.then });
    const why = event.why ? `: ${event.why}` : "";
    const rest = event.then === "rest" ? `${event.name}: the motion ended` : `stopped by ${event.name}`;
    this.run.end(`${rest} at t = ${+t.toPrecision(10)}${why}`);
  }

  /** The jump of a guard, and of others that the new state crosses at the same instant. */
  jump(first, t) {
    const { run, told } = this, before = Float64Array.from(run.y);
    const acting = told.map((_, g) => g).filter((g) => ["stop", "jump"].includes(told[g].then));
    const armed = new Set(acting.filter((g) => !this.leaves(g, t, run.y)));
    let g = first;
    for (let turn = 0; g !== undefined; turn++) {
      if (turn === CHATTER) return run.end(`${CHATTER} jumps at one instant, t = ${+t.toPrecision(10)}`);
      if (told[g].then === "stop") return this.stop(told[g], t);
      this.found.push({ name: told[g].name, t, then: "jump" });
      const met = told[g].rows ? acting.filter((other) => other !== g && told[other].rows && this.crosses(other, t, run.y)) : [];
      const rates = met.map((other) => this.speed(other, t, run.y));
      if (!this.jumped(g, t)) return undefined;
      // smooth walls that leave each other's rates alone may act one after the other
      const apart = (other, i) => told[g].rows + told[other].rows === 2 && Math.abs(this.speed(other, t, run.y) - rates[i]) <= APART * Math.abs(rates[i]);
      if (!met.every(apart)) return run.end(`${[g, ...met].map((wall) => told[wall].name).join(" and ")} are met at once, t = ${+t.toPrecision(10)}: a run decides how they push`);
      armed.delete(g);
      const crossing = acting.filter((other) => this.crosses(other, t, run.y));
      for (const other of acting) if (!crossing.includes(other) && told[other].direction) armed.add(other);
      g = crossing.find((other) => armed.has(other));
    }
    if (told[first].direction && this.rests(first, t, before))
      return run.end(`the motion rests against ${told[first].name} from t = ${+t.toPrecision(10)}`);
    return this.accumulates(told[first].name, t);
  }

  /** The state after one jump; false where the constraints do not allow it. */
  jumped(g, t) {
    const { run, principle, news } = this, { form } = run, rows = principle.states.length + 1;
    const full = new Float64Array(rows), there = new Float64Array(rows);
    if (form.full) form.full(t, run.y, run.p, full);
    else full.set(run.y);
    principle.jumps(t, full, run.p, news);
    there.set(full);
    this.told[g].sets.forEach((i, j) => { there[i] = news[this.offsets[g] + j]; });
    const seen = new Float64Array(principle.multipliers.length + 1 + principle.kept.length), at = principle.multipliers.length;
    principle.observe(t, full, run.p, seen);
    const energy = seen[at];
    principle.observe(t, there, run.p, seen);
    there[rows - 1] += seen[at] - energy;
    if (!there.every(Number.isFinite) || !(off(principle, t, there, run.p) <= CONSISTENT)) {
      run.end(`at t = ${+t.toPrecision(10)} the jump at ${this.told[g].name} leaves the constraints`);
      return false;
    }
    const own = new Float64Array(run.n);
    if (form.within) form.within(t, there, run.p, own);
    else own.set(there);
    run.append(t, own, null);
    this.jumps.push(t);
    return true;
  }

  /** Has a jump taken the guard's speed, and does the motion press against it? */
  rests(g, t, before) {
    const { run, told } = this, n = run.n - 1, y = run.y;
    const terms = (state) => {
      this.speed(g, t, state);
      let sum = Math.abs(this.gradient[g * (n + 1) + n]);
      for (let i = 0; i < n; i++) sum += Math.abs(this.gradient[g * (n + 1) + i] * this.rates[i]);
      return sum * Math.abs(this.units[g]);
    };
    const largest = Math.max(terms(before), terms(y));
    if (!(Math.abs(this.speed(g, t, y)) <= STILL * largest)) return false;
    const h = SOON * this.span, there = this.ahead(t, y, h), now = this.at(t, y)[g];
    return (this.at(t + h, there)[g] - now) * told[g].direction > STILL * (this.size(g, t, y) + largest * h);
  }

  /** Jumps whose intervals shrink to nothing have an end in finite time. */
  accumulates(name, t) {
    const many = this.jumps.slice(-CHATTER);
    if (many.length === CHATTER && many[CHATTER - 1] - many[0] < CHATTER_TIME * this.span)
      return this.run.end(`${name} jumps ${CHATTER} times within ${many[CHATTER - 1] - many[0]} s`);
    const times = [...new Set(this.jumps.slice(-12))].slice(-4), gaps = times.slice(1).map((b, i) => b - times[i]);
    if (gaps.length === 3 && gaps[1] < gaps[0] && gaps[2] < gaps[1] && gaps[2] < ZENO * this.span)
      this.run.end(`the jumps at ${name} pile up at t = ${+t.toPrecision(10)}`);
    return undefined;
  }

  /** Step a hair beyond a surface on which a force jumps, unless the force holds the motion there. */
  pass(g, t) {
    const { run } = this, n = run.n - 1, y = Float64Array.from(run.y), f = new Float64Array(run.n + 1);
    if (this.slides(g, t, y)) return run.end(`at t = ${+t.toPrecision(10)} a force jumps and holds the motion there: it needs a law of rest`);
    const rate = Math.abs(this.speed(g, t, y)), noise = ROUNDING * this.size(g, t, y);
    const hair = Math.min(4 * ROUNDINGS * (spacing(t) + (rate ? noise / rate : 0)), run.until - t);
    this.form.rhs(t, y, run.p, f);
    const ahead = y.map((v, i) => v + hair * f[i]);
    this.form.rhs(t + hair, ahead, run.p, f);
    run.append(t + hair, y.map((v, i) => v + hair * f[i]), hair);
    this.switches.push(t);
    const many = this.switches.slice(-CHATTER);
    if (many.length === CHATTER && many[CHATTER - 1] - many[0] < CHATTER_TIME * this.span)
      return run.end(`a force switches ${CHATTER} times in next to no time at t = ${+t.toPrecision(10)}`);
    return n;
  }

  slides(g, t, y) {
    const { run } = this, n = run.n - 1;
    this.form.slopes(t, y, run.p, this.gradient);
    const slopes = this.gradient.slice(g * (n + 1), g * (n + 1) + n), size = slopes.reduce((a, v) => a + v * v, 0);
    if (!size) return false;
    let largest = 1;
    for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(y[i]));
    const rate = (side) => {
      const there = Float64Array.from(y, (v, i) => (i < n ? v + ((side * slopes[i]) / size) * 1e-7 * largest : v));
      this.form.rhs(t, there, run.p, this.rates);
      return slopes.reduce((a, v, i) => a + v * this.rates[i], 0);
    };
    const above = rate(1), below = rate(-1);
    return above < 0 && below > 0 && above - below < -1e-3 * (Math.abs(above) + Math.abs(below));
  }
}
