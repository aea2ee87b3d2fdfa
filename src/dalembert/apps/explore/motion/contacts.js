// Motions with contacts: the time stepping of Moreau and Jean, at the midpoint and with a fixed step [moreau1988].
//
//   W (u' - u) = h f + N^T mu + A^T P + B^T T      W, f and the rows that push at the midpoint
//   N u' = 0 ,   0 <= P  and  A u' >= -gap/(4 h) ,   |T| <= mu P against the slip B u'      all at the end
//
// P and T are found by projected Gauss-Seidel. A contact that is open closes where its gap is 0: there the step is cut,
// and all that touch solve the same on impulses, with A u' >= -e A u. A flight of less than two steps is none.

const CONTACT_STEPS = 4000, COARSE_STEPS = 1000, TURNS = 2, BACK = 0.25, SWEEPS = 1000, POLISHED = 25, SETTLED = 1e-12, TOUCHES = 1e-12;

class Stepping extends Run {
  constructor(principle, form, t, y, p, rules) {
    super({ limit: -1, guards: form.guards, slopes: form.slopes, rhs: (time, at, known, out) => out.set(this.slope) }, t, y, p, rules);
    const { coordinates: c, velocities: k, contacts, rows } = principle;
    Object.assign(this, { principle, back: form.project, c, k, m: rows, slope: new Float64Array(this.n + 1) });
    let place = k * k + k + 1 + c + rows * (2 + k), z = 0;
    this.contacts = contacts.map((law) => {
      const found = { ...law, place, z, closed: law.sides === 2, holds: false, last: -Infinity };
      place += 6 + (1 + law.slips) * (1 + k);
      z += (law.pushes ? 1 : 0) + law.slips;
      return found;
    });
    this.z = new Float64Array(z); // impulses of the last step
    [this.now, this.middle, this.next] = [0, 1, 2].map(() => new Float64Array(place));
    principle.touch(t, y, p, this.now);
    for (const one of this.contacts) {
      const gap = this.now[one.place];
      if (one.pushes && one.sides === 1 && gap < -1e-9 * this.now[one.place + 1]) this.end(`${one.name} has the gap ${gap} at the start`);
      if (one.pushes && one.sides === 1) one.closed = gap <= 1e-9 * this.now[one.place + 1] && this.rate(this.now, one) <= 0;
      one.holds = true;
      for (let at = one.place + 7 + k; at < one.place + 6 + (1 + one.slips) * (1 + k); at += 1 + k) {
        const size = this.now.subarray(at + 1, at + 1 + k).reduce((sum, b, a) => sum + Math.abs(b * y[c + a]), 0);
        one.holds &&= Math.abs(this.now[at]) <= 1e-9 * size;
      }
    }
    if (this.contacts.some((one) => one.closed && one.sides === 1 && this.rate(this.now, one) < 0)) this.hit(this.contacts.filter((one) => one.closed));
  }

  derive() {} // nothing is known of a slope before the first step

  first() {
    return (this.until - this.T[0]) / (this.rtol > 1e-8 ? COARSE_STEPS : CONTACT_STEPS);
  }

  rate(seen, one) {
    return seen[one.place + 6];
  }

  step() {
    if (this.steps >= this.maxSteps) return this.end(`the ${this.maxSteps} steps are used up: there are too many impacts, or the time is long`);
    const left = this.until - this.t, h = left <= 1.01 * this.h ? left : this.h, { now } = this;
    if (!(h > 0)) return this.end(STUCK);
    // what drifted below 0 while it was closed may go up from there
    const above = (seen, one) => seen[one.place] - Math.min(0, now[one.place]) + TOUCHES * (seen[one.place + 1] + h * Math.abs(seen[one.place + 6]));
    let made = this.moved(h), open, soon;
    do { // a flight of less than two steps is none
      open = this.contacts.filter((one) => one.pushes && !one.closed);
      soon = open.filter((one) => this.t - one.last < 2 * this.h && above(this.next, one) < 0);
      for (const one of soon) one.closed = true;
      if (soon.length) made = this.moved(h);
    } while (soon.length);
    const room = (seen) => Math.min(Infinity, ...open.map((one) => above(seen, one)));
    let a = 0, b = h, fa = Math.max(room(now), 0), fb = room(this.next), part = h;
    // the least gap is 0, by the Illinois form of false position
    for (let turn = 0, side = 0; fb < 0 && b - a > TOUCHES * h && turn < 60; turn++) {
      part = turn % 8 === 7 ? (a + b) / 2 : (a * fb - b * fa) / (fb - fa);
      const tried = this.moved(part), f = room(this.next);
      if (f < 0) {
        [b, fb] = [part, f];
        if (side < 0) fa /= 2;
        side = -1;
      } else {
        [a, fa, made] = [part, f, tried];
        if (f < TOUCHES * h || side > 0) fb /= 2;
        side = 1;
      }
      if (Math.abs(f) < TOUCHES * h) break;
    }
    const cut = fb < 0 || room(this.next) < 0;
    if (cut) made = this.moved((part = b));
    if (!made.y.every(Number.isFinite)) return this.end(`the forces of ${this.contacts.filter((one) => one.closed).map((one) => one.name).join(", ") || "nothing"} are not determined, as in Painleve's paradox`);
    this.accept(made, cut && b === this.until - this.t ? this.until : part === left ? this.until : this.t + part, part);
    if (cut) {
      const near = (one) => now[one.place] <= 1e-6 * (h * Math.abs(this.rate(now, one)) + now[one.place + 1] * 1e-6);
      const met = open.filter((one) => near(one) && (this.rate(now, one) < 0 || part < 1e-9 * h));
      if (met.some((one) => this.rate(now, one) < 0)) this.hit(met);
      else for (const one of met.length ? met : open) one.closed = true;
    }
    if (this.watch && !this.ended) this.watch.after();
    if (!this.ended && this.t === this.until) this.end("");
    return undefined;
  }

  /** Make a step, or an impact, part of the motion. */
  accept({ y, z, holds, open }, t, h) {
    this.room();
    for (let i = 0; i < this.n; i++) this.slope[i] = h ? (y[i] - this.y[i]) / h : this.slope[i];
    this.F.fill(0, this.count * 7 * this.n, (this.count + 1) * 7 * this.n);
    for (let i = 0; h && i < this.n; i++) this.F[this.count * 7 * this.n + i] = y[i] - this.y[i];
    this.record(t, h, y);
    if (this.count === 1) this.Y.copyWithin(this.c + this.k, this.n + this.c + this.k, 2 * this.n - 1); // forces at the start
    this.steps++;
    this.z.set(z);
    this.contacts.forEach((one, i) => { one.holds = holds[i]; if (open[i]) one.closed = false; if (one.closed) one.last = t; });
    this.principle.touch(t, y, this.p, this.now);
  }

  /** The state after a step of length h; `next` is what is imposed there. */
  moved(h) {
    const { principle, p, t, c, k, n, middle, next } = this, { touch } = principle, y = Float64Array.from(this.y), mid = Float64Array.from(y);
    const rates = k * k + k + 1, place = (seen, from, part) => { for (let i = 0; i < c; i++) from[i] = this.y[i] + part * seen[rates + i]; };
    place(this.now, mid, h / 2);
    place(this.now, y, h);
    let found;
    for (let turn = 0; turn < TURNS; turn++) {
      touch(t + h / 2, mid, p, middle);
      touch(t + h, y, p, next);
      found = this.impulses(middle, next, y, h, (one) => (one.closed ? (-BACK * this.now[one.place]) / this.h : null));
      for (let a = c; a < c + k; a++) {
        y[a] = found.u[a - c];
        mid[a] = (this.y[a] + y[a]) / 2;
      }
      touch(t + h / 2, mid, p, middle);
      place(middle, mid, h / 2);
      place(middle, y, h);
    }
    if (this.back) {
      const kept = new Float64Array(n);
      this.back(t + h, y, p, kept);
      y.set(kept.subarray(0, c + k));
    }
    for (let i = 0; h && i < found.pushes.length; i++) y[c + k + i] = found.pushes[i] / h;
    // what the forces supply, and what the reactions do along (u + u')/2
    y[n - 1] = this.y[n - 1] + h * middle[k * k + k];
    for (let a = 0; a < k; a++) y[n - 1] += found.reaction[a] * mid[c + a];
    touch(t + h, y, p, next);
    return { y, ...found };
  }

  /** An impact of all that touch, at the state reached; what was hit closes where it does not go back. */
  hit(those) {
    const { principle, now, p, t, c, k, n } = this, y = Float64Array.from(this.y), seen = new Float64Array(principle.kept.length + 1);
    const bounces = (one) => those.includes(one) && t - one.last > 2 * this.first() && now[one.place + 4] > 0;
    for (const one of those) one.closed = true;
    const found = this.impulses(now, now, y, 0, (one) => (!one.closed ? null : bounces(one) ? -now[one.place + 4] * this.rate(now, one) : 0));
    y.set(found.u, c);
    principle.observe(t, this.y, p, seen);
    const before = seen[0];
    principle.observe(t, y, p, seen);
    y[n - 1] += seen[0] - before;
    this.accept({ y, ...found }, t, 0);
    for (const one of those) {
      if (now[one.place + 4] > 0) this.happened.push({ name: one.name, t, then: "jump" });
      one.last = t;
    }
  }

  /** Impulses over h, of an impact where h is 0: which velocities they lead to, and what pushes. */
  impulses(M, E, y, h, target) {
    const { k, m, c, contacts } = this, size = k + m, power = k * k + k + 1 + c, rows = [], K = [];
    const row = (seen, at) => seen.subarray(at + 1, at + 1 + k);
    for (const one of contacts) {
      const goal = one.pushes ? target(one) : 0, at = one.place + 6;
      if (one.pushes) rows.push(goal === null ? null : { at, goal });
      for (let j = 1; j <= one.slips; j++) rows.push((one.pushes && goal === null) || (contacts[one.master].pushes && !contacts[one.master].closed) ? null : { at: at + j * (1 + k), goal: 0 });
    }
    const acting = rows.map((r, i) => (r ? i : -1)).filter((i) => i >= 0);
    for (let a = 0; a < size; a++) {
      const line = new Float64Array(size + 1 + acting.length);
      if (a < k) {
        for (let b = 0; b < k; b++) {
          line[b] = M[a * k + b];
          line[size] += M[a * k + b] * this.y[c + b];
        }
        line[size] += h * M[k * k + a];
        for (let s = 0; s < m; s++) line[k + s] = -M[power + s * (2 + k) + 2 + a];
        acting.forEach((i, j) => { line[size + 1 + j] = M[rows[i].at + 1 + a]; });
      } else {
        const at = power + (a - k) * (2 + k);
        line[size] = -E[at + 1];
        for (let b = 0; b < k; b++) {
          line[b] = E[at + 2 + b];
          line[size] += line[b] * y[c + b];
        }
      }
      K.push(line);
    }
    eliminated(K, size);
    // the rates at the end:  A u' + a = G z + q - goal
    const G = acting.map((i) => acting.map((_, j) => { let g = 0; row(E, rows[i].at).forEach((e, a) => { g += e * K[a][size + 1 + j]; }); return g; }));
    const q = acting.map((i) => { let s = E[rows[i].at] - rows[i].goal; row(E, rows[i].at).forEach((e, a) => { s += e * (K[a][size] - y[c + a]); }); return s; });
    const z = new Float64Array(this.z.length), holds = contacts.map((one) => one.holds);
    if (h) for (const i of acting) z[i] = this.z[i];
    this.settle(G, q, acting, z, holds, M, h);
    const u = new Float64Array(k), mu = new Float64Array(m), reaction = new Float64Array(k);
    for (let a = 0; a < size; a++) {
      let x = K[a][size];
      acting.forEach((i, j) => { x += K[a][size + 1 + j] * z[i]; });
      if (a < k) u[a] = x;
      else mu[a - k] = x;
    }
    for (let a = 0; a < k; a++) {
      for (let s = 0; s < m; s++) reaction[a] += mu[s] * M[power + s * (2 + k) + 2 + a];
      for (const i of acting) reaction[a] += z[i] * M[rows[i].at + 1 + a];
    }
    const open = contacts.map((one) => {
      const j = acting.indexOf(one.z);
      return one.pushes && one.closed && one.sides === 1 && (z[one.z] === 0 || rows[one.z].goal > 0 && !h) && G[j].reduce((s, g, i) => s + g * z[acting[i]], q[j] + rows[one.z].goal) > 0;
    });
    return { u, z, holds, open, reaction, pushes: [...mu, ...z] };
  }

  /** What one contact with one slip does where the others push as they do: stays, goes apart or slides; or null. */
  alone(G, one, j, [residual, z], coefficient, M) {
    const i = j + 1, mu = M[one.place + coefficient], [P, T] = [z[one.z], z[one.z + 1]];
    const n = residual(j) - G[j][j] * P - G[j][i] * T, s = residual(i) - G[i][j] * P - G[i][i] * T, found = [];
    const det = G[j][j] * G[i][i] - G[j][i] * G[i][j], stays = [(G[j][i] * s - G[i][i] * n) / det, (G[i][j] * n - G[j][j] * s) / det];
    if (stays[0] >= 0 && Math.abs(stays[1]) <= mu * stays[0]) found.push(stays);
    if (n >= 0) found.push([0, 0]);
    for (const way of [1, -1]) {
      const N = -n / (G[j][j] - way * mu * G[j][i]);
      if (N >= 0 && way * ((G[i][j] - way * mu * G[i][i]) * N + s) >= 0) found.push([N, -way * mu * N]);
    }
    return found.length > 1 && coefficient === 2 && found[1][0] === 0 ? found[1] : found[0] ?? null;
  }

  /** The linear equations of what the sweeps say sticks, slides and pushes; taken where their solution says the same. */
  polish(G, q, index, z, radius) {
    const free = [], follows = [];
    this.contacts.forEach((one, which) => {
      const at = one.z + (one.pushes ? 1 : 0), master = this.contacts[one.master], slides = Math.hypot(...z.subarray(at, at + one.slips)) >= radius(one, which) * (1 - 1e-9);
      if (one.pushes && index.has(one.z) && z[one.z] !== 0) free.push(one.z);
      for (let i = at; i < at + one.slips; i++) {
        if (index.has(i) && !slides) free.push(i);
        else if (index.has(i) && master.pushes && z[master.z]) follows.push([i, master.z, z[i] / z[master.z]]);
      }
    });
    const still = [...index.keys()].filter((i) => !free.includes(i) && !follows.some(([f]) => f === i));
    const K = free.map((i) => {
      const g = G[index.get(i)], sum = still.reduce((b, f) => b - g[index.get(f)] * z[f], -q[index.get(i)]);
      return [...free.map((j) => follows.reduce((v, [f, of, part]) => (of === j ? v + part * g[index.get(f)] : v), g[index.get(j)])), sum];
    });
    eliminated(K, free.length);
    const x = new Map(free.map((i, r) => [i, K[r][free.length]])), before = z.slice();
    for (const [i, value] of x) z[i] = value;
    for (const [i, of, part] of follows) z[i] = part * z[of];
    const inside = this.contacts.every((one, which) => {
      const at = one.z + (one.pushes ? 1 : 0);
      return (!one.pushes || one.sides === 2 || z[one.z] >= 0) && Math.hypot(...z.subarray(at, at + one.slips)) <= radius(one, which) * (1 + 1e-9);
    });
    if (!inside || !z.every(Number.isFinite)) z.set(before);
  }

  /** z in the cones by projected Gauss-Seidel; what sticks may hold more than what slides, until it gives way. */
  settle(G, q, acting, z, holds, M, h) {
    const index = new Map(acting.map((i, j) => [i, j])), residual = (j) => { let s = q[j]; for (let i = 0; i < acting.length; i++) s += G[j][i] * z[acting[i]]; return s; };
    const radius = (one, i) => {
      const master = this.contacts[one.master], load = master.pushes ? Math.abs(z[master.z]) : h * M[one.place + 5];
      return M[one.place + (holds[i] ? 3 : 2)] * load;
    };
    for (let sweep = 0, moved = 1, gave = true; gave; ) {
      let largest = 0;
      moved = 0;
      const put = (i, value) => { moved = Math.max(moved, Math.abs(value - z[i])); z[i] = value; largest = Math.max(largest, Math.abs(value)); };
      this.contacts.forEach((one, which) => {
        const alone = one.pushes && one.sides === 1 && one.slips === 1 && index.has(one.z) && this.alone(G, one, index.get(one.z), [residual, z], holds[which] ? 3 : 2, M);
        if (alone) return alone.forEach((value, i) => put(one.z + i, value));
        if (one.pushes && index.has(one.z)) {
          const j = index.get(one.z), value = z[one.z] - (G[j][j] > 0 ? residual(j) / G[j][j] : 0);
          put(one.z, one.sides === 2 ? value : Math.max(value, 0));
        }
        const at = one.z + (one.pushes ? 1 : 0);
        if (!one.slips || !index.has(at)) return;
        const places = Array.from({ length: one.slips }, (_, i) => index.get(at + i)), [a, b] = places;
        const stiff = one.slips === 1 ? G[a][a] : Math.max(G[a][a], G[b][b]) + Math.abs(G[a][b]);
        const T = places.map((j, i) => z[at + i] - (stiff > 0 ? residual(j) / stiff : 0)), length = Math.hypot(...T), most = radius(one, which);
        T.forEach((value, i) => put(at + i, length > most ? (value * most) / length : value));
      });
      if (moved > SETTLED * largest && ++sweep < SWEEPS) {
        if (sweep % POLISHED === 0) this.polish(G, q, index, z, radius);
        continue;
      }
      gave = false;
      this.contacts.forEach((one, i) => {
        const at = one.z + (one.pushes ? 1 : 0);
        if (!one.slips || !index.has(at)) return;
        const slides = Math.hypot(...z.subarray(at, at + one.slips)) >= radius(one, i) * (1 - 1e-9);
        if (slides && holds[i] && M[one.place + 3] > M[one.place + 2]) gave = true;
        holds[i] = !slides;
      });
      sweep = 0;
    }
  }
}

/** The solutions of equations by rows, right-hand sides behind them, in their place: Gauss and Jordan, with pivots. */
function eliminated(K, n) {
  for (let i = 0; i < n; i++) {
    let best = i;
    for (let r = i + 1; r < n; r++) if (Math.abs(K[r][i]) > Math.abs(K[best][i])) best = r;
    [K[i], K[best]] = [K[best], K[i]];
    const line = K[i].map((v) => v / K[i][i]);
    K[i] = line;
    for (let r = 0; r < n; r++) {
      const factor = r === i ? 0 : K[r][i];
      if (factor) for (let j = i; j < line.length; j++) K[r][j] -= factor * line[j];
    }
  }
}
