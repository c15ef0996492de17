// Searches for the most expensive input of one target: first all shapes that the target defines,
// then mutations of those with the highest cost for their size.

import { seededRandom } from '../../soak/random.mjs';
import { DEADLINE_MS, isFinding, LARGEST_BYTES, leastCost, LIMIT_MS } from './measure.mjs';
import { makeMutator } from './mutate.mjs';
import { bytesOf, countFor, render } from './shapes.mjs';

/** An exponential cost is visible with this many repetitions, before it takes forever. */
const FIRST_COUNT = 30;
const SIZES = [2 ** 10, 2 ** 12, 2 ** 14, LARGEST_BYTES];
/**
 * Arguments may have a megabyte. These sizes are tried only if the cost grows faster than the size.
 */
const LARGE_SIZES = [2 ** 18, 2 ** 20];
const [, SCORED_SIZE] = SIZES;
/** The exponent from which growth counts as faster than linear. */
const FAST_GROWTH = 1.25;
/** Below this, growth cannot be distinguished from noise. */
const SMALLEST_COST_MS = 1;
/** How far a cost may be below quadratic growth for larger sizes to be tried. */
const ALLOWANCE = 4;
const POOL = 24;
const MOST_FINDINGS = 3;
const WARM_UPS = 20;
const WARM_UP_MS = 50;

export class Search {
  #target;
  #attempt;
  #random;
  #mutate;
  #next;
  /** The most expensive shapes at one size, the most expensive first. */
  #pool = [];
  #tried = 0;
  #isWarm = false;
  #findings = [];
  #found = 0;
  /** The most expensive input up to 64 kB. */
  #worst = { cpuMs: 0, bytes: 0 };

  /**
   * @param target - `shapes`, `harmless`, `run`, and optionally `pieces`, `clock`, `canArrive`,
   *   `deadlineMs`.
   * @param options - `attempt` measures an input; `from` is the index of the first shape.
   */
  constructor(target, { attempt, seed, from }) {
    this.#target = target;
    this.#attempt = attempt;
    this.#random = seededRandom(seed);
    this.#next = from;
  }

  /** The results since the last report, and the index of the next defined shape. */
  takeReport() {
    const report = { tried: this.#tried, next: this.#next, findings: this.#findings };
    this.#tried = 0;
    this.#findings = [];
    return report;
  }

  /** @param isOver - Called after each shape, so at least one is tried. */
  async goOn(isOver, { onlyGiven }) {
    const { shapes } = this.#target;
    if (!this.#isWarm) await this.#warmUp();
    do {
      if (this.#next < shapes.length) {
        this.#next += 1;
        await this.#climb(shapes[this.#next - 1]);
      } else if (onlyGiven) return;
      else await this.#climb(this.#mutated());
    } while (this.#found < MOST_FINDINGS && !isOver());
  }

  /** The cost of a plain input of the same size. */
  async harmlessCost(bytes) {
    const { harmless } = this.#target;
    return this.#attempt({ shape: harmless, n: countFor(harmless, bytes) }, leastCost);
  }

  /**
   * Measures the most expensive input again, with a plain one, because one run may have been
   * disturbed.
   */
  async confirmWorst() {
    const { shape, n, bytes } = this.#worst;
    if (shape === undefined) return this.#worst;
    const cpuMs = await this.#attempt({ shape, n }, leastCost);
    this.#worst = { ...this.#worst, cpuMs, harmlessMs: await this.harmlessCost(bytes) };
    return this.#worst;
  }

  async #warmUp() {
    this.#isWarm = true;
    const endsAt = Date.now() + WARM_UP_MS;
    for (let left = WARM_UPS; left > 0 && Date.now() < endsAt; left -= 1) {
      await this.harmlessCost(SCORED_SIZE);
    }
  }

  /** Tries a shape at growing sizes, as long as it may lead to a finding. */
  async #climb(shape) {
    const points = [];
    for (const n of countsFor(shape, SIZES)) {
      const point = await this.#measure(shape, n);
      if (point === undefined) return;
      points.push(point);
      if (point.cpuMs > this.#worst.cpuMs && this.canArrive(shape, n)) this.#worst = point;
      if (await this.#judge(point)) return;
      const room = LARGEST_BYTES / point.bytes;
      if (room > 1 && point.cpuMs * room ** 2 * ALLOWANCE < LIMIT_MS) break;
    }
    this.#keep(points);
    if (growthOf(points) > FAST_GROWTH) await this.#climbOn(shape, points);
  }

  async #climbOn(shape, points) {
    const [before, last] = points.slice(-2);
    for (const point of [before, last]) {
      point.cpuMs = await this.#attempt({ shape, n: point.n }, leastCost);
    }
    let growth = growthOf([before, last]);
    for (const n of countsFor(shape, LARGE_SIZES)) {
      const known = points.at(-1);
      const atLargest = known.cpuMs * (LARGE_SIZES.at(-1) / known.bytes) ** growth;
      if (growth < FAST_GROWTH || atLargest < LIMIT_MS) return;
      const point = await this.#measure(shape, n);
      if (point === undefined || (await this.#judge(point))) return;
      points.push(point);
      growth = growthOf(points);
    }
  }

  /** Undefined if the target threw, which is a finding. */
  async #measure(shape, n) {
    this.#tried += 1;
    const bytes = bytesOf(shape, n);
    try {
      return { shape, n, bytes, cpuMs: await this.#attempt({ shape, n, index: this.#next }) };
    } catch (error) {
      const threw = String(error?.stack ?? error).slice(0, 500);
      this.#report({ shape, n, bytes, threw });
      return undefined;
    }
  }

  /** Whether it is a finding. */
  async #judge({ shape, n, bytes, cpuMs }) {
    if (cpuMs <= LIMIT_MS || !this.canArrive(shape, n)) return false;
    const harmlessMs = await this.harmlessCost(bytes);
    if (!isFinding({ cpuMs, harmlessMs, bytes })) return false;
    const again = cpuMs > DEADLINE_MS / 2 ? cpuMs : await this.#attempt({ shape, n }, leastCost);
    if (!isFinding({ cpuMs: again, harmlessMs, bytes })) return false;
    this.#report({ shape, n, bytes, cpuMs: again, harmlessMs });
    return true;
  }

  #report(finding) {
    this.#found += 1;
    this.#findings.push(finding);
  }

  /** Whether such an input reaches the target. */
  canArrive(shape, n) {
    return this.#target.canArrive?.(render(shape, n)) ?? true;
  }

  #keep(points) {
    const scored = points.findLast(({ bytes }) => bytes <= SCORED_SIZE);
    if (scored === undefined) return;
    this.#pool.push(scored);
    this.#pool.sort((a, b) => b.cpuMs / b.bytes - a.cpuMs / a.bytes).splice(POOL);
  }

  #mutated() {
    const { shapes, pieces, isText } = this.#target;
    const random = this.#random;
    this.#mutate ??= makeMutator(random, { shapes, isText, pieces });
    if (this.#pool.length === 0) return this.#mutate(shapes[random.integer(0, shapes.length - 1)]);
    // Half of the time, one of the first.
    const most = random.integer(0, 1) === 0 ? 4 : this.#pool.length;
    const place = random.integer(0, Math.min(most, this.#pool.length) - 1);
    return this.#mutate(this.#pool[place].shape);
  }
}

/** The numbers of repetitions for each size. A shape that does not grow has only one. */
function countsFor(shape, sizes) {
  const counts = sizes.map((bytes) => countFor(shape, bytes));
  const first = sizes === SIZES && FIRST_COUNT < counts[0] ? [FIRST_COUNT] : [];
  return [...new Set([...first, ...counts])];
}

/** The exponent with which the cost grows with the size. */
function growthOf(points) {
  const [before, last] = points.slice(-2);
  if (last === undefined || last.cpuMs < SMALLEST_COST_MS) return 0;
  if (last.bytes < LARGEST_BYTES / 2) return 0;
  return Math.log(last.cpuMs / before.cpuMs) / Math.log(last.bytes / before.bytes);
}
