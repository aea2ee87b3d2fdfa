// Sliders, each with a number that can be typed, its unit, and a button that draws eleven values at once.

class Slider {
  constructor(spec, on) {
    Object.assign(this, spec);
    this.on = on; this.first = 0; this.value = 0;
    const id = `slider-${Slider.count++}`, unit = unitOf(this.name), words = `${this.name}${unit ? `, in ${unit}` : ""}${this.group === "Start" ? ", at the start" : ""}`;
    this.range = el("input", { type: "range", id, min: this.low, max: this.high, step: "any", "aria-label": words });
    this.number = el("input", { type: "number", step: "any", "aria-label": `${words}: number`, inputmode: "decimal" });
    this.fan = el("button", { class: "fan", type: "button", "aria-pressed": "false", title: "Draw 11 values at once", "aria-label": `Draw 11 values of ${this.name} at once`, click: () => this.on(this, "fan") }, "⋔");
    this.element = el("div", { class: `slider ${this.group === "Multipliers" ? "p1" : ""}` },
      el("label", { for: id, title: this.name }, named(this.name), this.group === "Start" ? el("small", {}, "(0)") : null),
      el("span", { class: "value" }, this.number, el("span", { class: "unit" }, unit)),
      el("span", { class: "track" }, this.range, this.fan));
    this.range.addEventListener("input", () => this.moved(+this.range.value));
    this.range.addEventListener("dblclick", () => this.moved(this.first));
    this.range.addEventListener("keydown", (event) => this.key(event));
    this.number.addEventListener("change", () => { if (Number.isFinite(this.number.valueAsNumber)) this.moved(this.number.valueAsNumber); else this.show(this.value); });
  }
  /** Arrows move by a step from where the value is, so that a value between two steps is not lost. */
  key(event) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (steps) this.moved(this.rounded(Math.max(+this.range.min, Math.min(+this.range.max, this.value + steps * this.step * (event.shiftKey ? 10 : 1)))));
    else if (event.key === "Home") this.moved(+this.range.min);
    else if (event.key === "End") this.moved(+this.range.max);
    else if (event.key === "Backspace" || event.key === "Delete") this.moved(this.first);
    else return;
    event.preventDefault(); event.stopPropagation();
  }
  rounded(value) { return +value.toPrecision(12); }
  moved(value) { this.show(this.snapped(value)); this.on(this, "value"); }
  /** A drag lands on round numbers; 0 and the first value are easy to find again. */
  snapped(value) {
    if (document.activeElement !== this.range) return value;
    for (const home of [0, this.first]) if (Math.abs(value - home) < this.step * 0.75) return home;
    return value;
  }
  show(value) {
    this.value = value;
    this.range.min = Math.min(this.low, value); this.range.max = Math.max(this.high, value);
    this.range.value = value;
    if (document.activeElement !== this.number) this.number.value = typed(value);
    this.element.classList.toggle("moved", value !== this.first);
  }
}
Slider.count = 0;
