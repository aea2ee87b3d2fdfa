// Motions, computed here while that is fast, and in a worker where it is not; the newest question counts.

class Solver {
  constructor() { this.slow = 0; this.worker = undefined; this.asked = 0; this.waiting = new Map(); this.queue = []; this.busy = false; }

  /** done(motions) for a list of jobs; an earlier question of the same kind that is not answered yet is dropped. */
  solve(kind, jobs, done) {
    const question = { id: ++this.asked, kind, jobs, done };
    if (this.slow > 16 && this.helper()) { this.queue = this.queue.filter((q) => q.kind !== kind); this.queue.push(question); this.next(); return; }
    const begun = performance.now(), motions = jobs.map((job) => answer(job));
    if (kind === "main") this.slow = performance.now() - begun;
    done(motions);
  }
  helper() {
    if (this.worker !== undefined) return this.worker;
    try {
      const text = `${document.getElementById("engine").textContent}\nlet MODEL;\nonmessage = (e) => { if (e.data.model) { MODEL = e.data.model; return; } const begun = performance.now(); try { postMessage({ id: e.data.id, motions: e.data.jobs.map((job) => recorded(MODEL, KERNELS, job)), spent: performance.now() - begun }); } catch (error) { postMessage({ id: e.data.id, failed: String(error) }); } };`;
      this.worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
      this.worker.postMessage({ model: MODEL });
      this.worker.onmessage = (e) => this.answered(e.data);
      this.worker.onerror = (e) => { e.preventDefault?.(); this.without(); };
    } catch { this.worker = null; }
    return this.worker;
  }
  without() {
    const left = [...(this.current ? [this.current] : []), ...this.queue];
    this.worker = null; this.busy = false; this.current = null; this.queue = [];
    for (const q of left) q.done(q.jobs.map((job) => answer(job)));
  }
  next() {
    if (this.busy || !this.queue.length) return;
    this.current = this.queue.shift(); this.busy = true;
    this.worker.postMessage({ id: this.current.id, jobs: this.current.jobs });
  }
  answered({ motions, failed, spent }) {
    const { done, kind, jobs } = this.current;
    this.busy = false; this.current = null;
    if (kind === "main" && spent) this.slow = spent;
    if (failed) done(jobs.map((job) => answer(job))); else done(motions);
    this.next();
  }
}
const answer = (job) => recorded(MODEL, KERNELS, job);
