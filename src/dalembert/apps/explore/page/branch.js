// A branch of steady or periodic motions over its parameter: lines where they are stable, dashes where they are not, a mark of its
// own for each kind of special point. Each row is a start: a click takes the nearest one, arrow keys the next.

const KINDS = [["circle", "●"], ["diamond", "◆"], ["square", "■"], ["triangle", "▲"]];

class Branch {
  /** `choose(i)` is called with the row that a person takes. */
  constructor(record, frame, choose) {
    Object.assign(this, record);
    this.choose = choose; this.column = this.columns[0]; this.row = 0; this.plot = new Plot(frame, "Branch");
    this.kinds = [...new Set(this.special.map(([kind]) => kind))];
    this.size = Math.max(0, ...[this.values, ...Object.values(this.states)].map((all) => all.reduce((m, v) => Math.max(m, Math.abs(v)), 0)));
    const { canvas } = this.plot, told = { role: "slider", tabindex: 0, "aria-label": "Rows of the branch", "aria-valuemin": 1, "aria-valuemax": this.values.length };
    for (const [k, v] of Object.entries(told)) canvas.setAttribute(k, v);
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); canvas.focus(); this.take(e); e.preventDefault(); });
    canvas.addEventListener("pointermove", (e) => { if (e.buttons) this.take(e, this.row); });
    canvas.addEventListener("keydown", (e) => this.key(e));
  }
  get words() { return ["lines stable, dashes unstable", ...this.kinds.map((kind, i) => `${KINDS[i % KINDS.length][1]} ${kind}`)].join("  "); }
  along(name) { return this.states[name] ?? this.whole[name] ?? this.values; }
  /** What a row sets: its state, and its parameter where the state does not say it. */
  at(i) { return { ...Object.fromEntries(Object.entries(this.states).map(([k, all]) => [k, all[i]])), ...(this.sets ? { [this.parameter]: this.values[i] } : {}) }; }
  /** The row in which all values are those that are in force; -1 beside the branch. */
  found(values) {
    const need = [...Object.entries(this.states), ...(this.sets ? [[this.parameter, this.values]] : [])], near = 1e-9 * this.size;
    return this.values.findIndex((_, i) => need.every(([k, all]) => Math.abs(all[i] - values[k]) <= near));
  }
  /** The row that is drawn nearest to the pointer, if it is another one than `but`; none before anything is drawn. */
  take(event, but = -1) {
    const y = this.along(this.column);
    let best = -1, least = Infinity;
    for (let i = 0; i < this.values.length && this.plot.onto; i++) {
      const [a, b] = this.plot.onto(this.values[i], y[i]), d = Math.hypot(a - event.offsetX, b - event.offsetY);
      if (d < least) { least = d; best = i; }
    }
    if (best >= 0 && best !== but) this.choose(best);
  }
  key(event) {
    const last = this.values.length - 1, step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -last, End: last }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    this.choose(Math.max(0, Math.min(last, this.row + step)));
    event.preventDefault(); event.stopPropagation();
  }
  draw(values, theme, colour) {
    const y = this.along(this.column), row = this.found(values), p = this.parameter, here = p in values ? values[p] : (this.values[row] ?? NaN);
    if (row >= 0) this.row = row;
    this.plot.titles = [p, this.column].map((n) => (n === "period" && this.periods ? "period (s)" : withUnit(n)));
    const lines = this.pieces.map(([a, b, stable]) => ({ x: this.values.slice(a, b + 1), y: y.slice(a, b + 1), colour: theme.ink, dash: stable ? [] : [6, 4], width: (stable ? 2.2 : 1.4) * theme.thick }));
    const marks = this.special.map(([kind, value, i]) => ({ x: value, y: y[i], shape: KINDS[this.kinds.indexOf(kind) % KINDS.length][0] }));
    if (Number.isFinite(here)) marks.push({ x: here, y: values[this.column] ?? y[this.row], colour, shape: "here" });
    this.plot.draw(lines, marks, theme);
    const stable = this.pieces.find(([a, b]) => a <= row && row <= b)?.[2], { canvas } = this.plot;
    canvas.setAttribute("aria-valuenow", this.row + 1);
    canvas.setAttribute("aria-valuetext", row < 0 ? "beside the branch" : `${plain(p)} = ${brief(this.values[row])}, ${plain(this.column)} = ${brief(y[row])}, ${stable ? "stable" : "unstable"}`);
  }
}
