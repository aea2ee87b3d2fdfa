// A motion of one principle: solved from a start, then asked for states, columns and poses at any times.
//
//   solveMotion("vakonomic", KERNELS, {x: 0, vx: 1}, {m: 2}, {until: 5, rtol: 1e-9}) -> Motion
//
//   motion.columns(["x", "energy"], times)   {x: Float64Array, energy: Float64Array}; null: all names
//   motion.states(t)                         Float64Array of the states at one time, in the order of motion.names.states
//   motion.poses(t)                          Float64Array: of each body 12 + 3 numbers, then the traced points
//   motion.t0, motion.end, motion.why        first and last time; why it ended before `until`, in words ("" if not)
//   motion.start                             {values, follows, moved}: what followed, what had to move
//   motion.events                            [{name, t, then}]
//   motion.audit                             {steps, rejected, residual, residuals, energy, balance, kept, margin}
//
// `openMotion` takes the same and solves in slices: `while (!(motion = slow.go(200))) await ...`.

/** Solve at once. */
function solveMotion(principle, kernels, start = {}, parameters = {}, options = {}) {
  return openMotion(principle, kernels, start, parameters, options).go(Infinity);
}

/** The same in slices: go(count) makes at most so many steps and returns the motion, or null while there is more. */
function openMotion(name, kernels, start = {}, parameters = {}, options = {}) {
  const principle = kernels[name];
  if (!principle) throw new Error(`there is no principle ${name}: ${Object.keys(kernels).join(", ")}`);
  const begun = beginMotion(principle, start, parameters);
  const { until = principle.until, rtol = 1e-10, maxSteps = 100000 } = options;
  const size = begun.y.subarray(0, -1).reduce((a, v) => Math.max(a, Math.abs(v)), 0);
  const atol = rtol * 1e-2 * (size > 0 ? Math.min(size, 1) : 1);
  const waiting = begun.why ? [] : principle.forms.slice();
  const rules = { until, rtol, atol, maxSteps };
  let run = null;
  return {
    go(count) {
      while (run || waiting.length) {
        run = run || runOf(principle, waiting.shift(), begun, rules);
        if (run && !run.go(count)) return null;
        if (run && !(run.why && waiting.length)) return new Motion(name, principle, begun, run, until);
        run = null;
      }
      return new Motion(name, principle, begun, null, until);
    },
  };
}

/** The run of one form; null where the form is singular at the start and there is another one. */
function runOf(principle, form, begun, rules) {
  const { t, y, p } = begun;
  if (principle.contacts.length) return watched(principle, form, new Stepping(principle, form, t, y, extended(form, p), rules));
  const known = extended(form, p), first = form.within ? new Float64Array(form.states.length + 1) : y;
  if (form.within) form.within(t, y, known, first);
  const units = new Float64Array(form.divisors), one = new Float64Array(1);
  if (form.health) {
    form.health(t, first, known, one);
    if (!(one[0] >= 1)) return null;
  }
  if (form.pivots) form.pivots(t, first, known, units);
  for (let i = 0; i < form.divisors; i++) known[form.parameters + i] = 1 / units[i];
  return watched(principle, form, new Run(form, t, first, known, rules));
}

function watched(principle, form, run) {
  if (form.guards && !run.ended) run.watch = new Watch(principle, run, run.happened);
  return run;
}

class Motion {
  constructor(name, principle, begun, run, until) {
    this.principle = name;
    this.kernel = principle;
    this.run = run;
    this.p = begun.p;
    this.parameters = begun.values;
    this.t0 = begun.t;
    this.until = until;
    this.end = run ? run.t : begun.t;
    this.why = run ? run.why : begun.why;
    this.start = { follows: begun.follows, moved: begun.moved, y: begun.y, values: {} };
    principle.states.forEach((s, i) => { this.start.values[s] = begun.y[i]; });
    this.events = run ? run.happened : [];
    this.names = {
      states: principle.states,
      multipliers: principle.multipliers,
      kept: principle.kept,
      all: [...principle.states, ...principle.multipliers, ...(principle.energy ? ["energy"] : []), ...principle.kept],
    };
    this.row = new Float64Array(begun.y.length);
    this.own = run ? new Float64Array(run.n) : this.row;
    this.back = new Float64Array(this.own.length);
    this.seen = new Float64Array(principle.multipliers.length + 1 + principle.kept.length);
  }

  /** The full row at a time, on the constraints, with the work behind it; it is overwritten by the next one. */
  full(t) {
    if (!this.run || !this.run.count) return this.start.y;
    const { run, own, back, row } = this, time = Math.min(Math.max(t, this.t0), this.end);
    run.inside(run.at(time), time, own);
    let y = own;
    if (run.form.project) {
      run.form.project(time, own, run.p, back);
      y = back;
    }
    if (!run.form.full) return y;
    run.form.full(time, y, run.p, row);
    return row;
  }

  states(t) {
    return this.full(t).slice(0, -1);
  }

  /** Columns by name at times; all of them where no names are given. */
  columns(names, times) {
    const wanted = names || this.names.all, { states, multipliers, kept } = this.names, found = {};
    const at = wanted.map((name) => {
      found[name] = new Float64Array(times.length);
      if (states.includes(name)) return states.indexOf(name);
      const i = name === "energy" ? multipliers.length : multipliers.indexOf(name);
      const j = i >= 0 ? i : kept.includes(name) ? multipliers.length + 1 + kept.indexOf(name) : -1;
      if (name === "work") return -1;
      if (j < 0) throw new Error(`there is no column ${name}: ${this.names.all.join(", ")}`);
      return -2 - j;
    });
    const beyond = at.some((i) => i < -1);
    for (let r = 0; r < times.length; r++) {
      const y = this.full(times[r]);
      if (beyond) this.kernel.observe(times[r], y, this.p, this.seen);
      at.forEach((i, c) => { found[wanted[c]][r] = i >= 0 ? y[i] : i === -1 ? y[y.length - 1] : this.seen[-2 - i]; });
    }
    return found;
  }

  /** Frames, half sizes and traced points of the bodies. */
  poses(t) {
    const out = new Float64Array(this.kernel.drawn || 0);
    if (out.length) this.kernel.draw(t, this.full(t), this.p, out);
    return out;
  }

  /** How far the numbers can be trusted, from the ends of all steps. */
  get audit() {
    if (!this.audited) this.audited = auditOf(this);
    return this.audited;
  }
}

function auditOf(motion) {
  const { run, kernel, p } = motion, rows = kernel.constraints.length + kernel.relations.length, m = kernel.multipliers.length;
  const watched = new Float64Array(2 * rows), worst = new Float64Array(rows), sizes = new Float64Array(rows);
  const kept = kernel.kept.map((name) => ({ name, low: Infinity, high: -Infinity, first: NaN }));
  const energy = { low: Infinity, high: -Infinity, first: NaN, last: NaN };
  let drift = 0, parts = 0;
  const look = (t) => {
    const y = motion.full(t);
    // a stone that falls from rest at height 0 has the energy 0: its parts, at rest and in motion, are its size
    kernel.observe(t, y.slice().fill(0, kernel.coordinates, kernel.coordinates + kernel.velocities), p, motion.seen);
    const still = motion.seen[m];
    kernel.watch(t, y, p, watched);
    for (let i = 0; i < rows; i++) {
      worst[i] = Math.max(worst[i], Math.abs(watched[2 * i]));
      sizes[i] = Math.max(sizes[i], watched[2 * i + 1]);
    }
    kernel.observe(t, y, p, motion.seen);
    spread(energy, motion.seen[m]);
    parts = Math.max(parts, Math.abs(still) || 0, Math.abs(energy.last - still) || 0);
    drift = Math.max(drift, Math.abs(energy.last - energy.first - y[y.length - 1]));
    kept.forEach((one, i) => spread(one, motion.seen[m + 1 + i]));
  };
  for (let s = 0; s <= (run ? run.count : 0); s++) look(run ? run.T[s] : motion.t0);
  const residuals = {}, names = [...kernel.constraints, ...kernel.relations.map((name) => `${name} (position)`)];
  names.forEach((name, i) => { residuals[name] = worst[i] / (sizes[i] || 1); });
  return {
    steps: run ? run.steps : 0,
    rejected: run ? run.rejected : 0,
    form: run && run.form.within ? "lean" : "written",
    margin: run ? run.margin : NaN,
    step: kernel.contacts.length && run ? run.first() : 0,
    residual: Math.max(0, ...Object.values(residuals)),
    residuals,
    energy,
    balance: drift / (Math.max(parts, Math.abs(energy.low), Math.abs(energy.high), energy.high - energy.low) || 1),
    kept,
  };
}

function spread(one, value) {
  if (Number.isNaN(one.first)) one.first = value;
  one.last = value;
  one.low = Math.min(one.low, value);
  one.high = Math.max(one.high, value);
}

if (typeof module === "object" && module.exports) module.exports = { solveMotion, openMotion, Motion };
