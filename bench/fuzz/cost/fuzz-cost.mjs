// Distributes the targets over processes, and decides what these cannot decide themselves.

import { ChildProcess } from './child-process.mjs';
import { DEADLINE_MS, isFinding } from './measure.mjs';
import { bytesOf } from './shapes.mjs';

const MINUTE_MS = 60_000;
/**
 * The share of the time for the shapes that each target defines. The rest is for mutations of them.
 */
const GIVEN_SHARE = 0.7;
const SHORTEST_SLICE_MS = 300;
/** A slice in which everything is tried. Infinity is not a JSON value. */
const WHOLE_SLICE_MS = Number.MAX_SAFE_INTEGER;
const LONGEST_SLICE_MS = 10_000;
const MOST_DEATHS = 3;
/** Further findings of one target tell little that is new. */
const MOST_FINDINGS = 3;

/**
 * Searches for expensive inputs.
 * @param options - `targets` is the URL of a module that exports `TARGETS`, `names` those to try,
 *   `minutes` limits the time, or `shapes` the number of inputs of each target, without mutations;
 *   `directory` is for files; `onFinding` is called with each finding.
 * @returns A row for each target: `tried`, `worst`, `findings`.
 */
export async function fuzzCost({ names, minutes, processes, ...options }) {
  const { targets, shapes } = options;
  const { TARGETS } = await import(String(targets));
  const chosen = TARGETS.filter(({ name }) => names.includes(name));
  const rows = chosen.map(({ name, share = 1 }) => {
    return { name, share, tried: 0, next: 0, deaths: 0, worst: {}, findings: [] };
  });
  const lanes = Array.from({ length: Math.min(processes, rows.length) }, (_, lane) => {
    const own = rows.filter((_row, index) => index % processes === lane);
    const series = new Lane({ ...options, lane });
    return shapes === undefined ? series.search(own, minutes * MINUTE_MS) : series.tryShapes(own);
  });
  await Promise.all(lanes);
  return rows;
}

/** A series of processes, one at a time, and the targets that they try. */
class Lane {
  #options;
  #child;
  #started = 0;
  /** Processor time, which does not depend on how busy the machine is. */
  #usedMs = 0;

  constructor(options) {
    this.#options = options;
  }

  /** Tries as many shapes of each target as the options say. */
  async tryShapes(rows) {
    for (const row of rows) {
      let isOver = false;
      while (!isOver && isOpen(row)) isOver = await this.#search(row, WHOLE_SLICE_MS, true);
    }
    this.#child?.kill();
  }

  async search(rows, limitMs) {
    await this.#givenShapes(rows, limitMs * GIVEN_SHARE);
    for (let open = rows.filter(isOpen); open.length > 0; open = open.filter(isOpen)) {
      const all = sharesOf(open);
      const leftMs = limitMs - this.#usedMs;
      if (leftMs <= 0) break;
      for (const row of open) {
        if (this.#usedMs >= limitMs) break;
        const sliceMs = Math.min((leftMs * row.share) / all, LONGEST_SLICE_MS);
        await this.#search(row, Math.max(sliceMs, SHORTEST_SLICE_MS), false);
      }
    }
    this.#child?.kill();
  }

  /** Time that one target does not use goes to the others. */
  async #givenShapes(rows, limitMs) {
    for (const [index, row] of rows.entries()) {
      const leftMs = Math.max(0, limitMs - this.#usedMs);
      const sliceMs = (leftMs * row.share) / sharesOf(rows.slice(index));
      const until = this.#usedMs + Math.max(sliceMs, SHORTEST_SLICE_MS);
      let isOver = false;
      while (!isOver && isOpen(row)) {
        isOver = await this.#search(row, Math.max(until - this.#usedMs, SHORTEST_SLICE_MS), true);
      }
    }
  }

  /** @returns Whether the search completed, rather than ending its process. */
  async #search(row, sliceMs, onlyGiven) {
    const { seed, shapes } = this.#options;
    const given = { seed, shapes, from: row.next };
    const job = { kind: 'search', target: row.name, ...given, sliceMs, onlyGiven };
    const { answer, death } = await this.#ask(job);
    this.#usedMs += answer?.usedMs ?? DEADLINE_MS;
    if (death !== undefined) {
      await this.#onDeath(row, death);
      return false;
    }
    const { tried, next, worst, findings } = answer;
    row.tried += tried;
    row.next = next;
    if (worst.cpuMs > (row.worst.cpuMs ?? 0)) row.worst = worst;
    for (const finding of findings) {
      if (await this.#isConfirmed(row, finding)) this.#found(row, finding);
    }
    return true;
  }

  /**
   * Whether an input takes as long in a new process. In a process that has tried thousands of
   * inputs, V8's threads collect much garbage meanwhile, and their time counts.
   */
  async #isConfirmed({ name }, { shape, n, bytes, threw }) {
    if (threw !== undefined) return true;
    const child = await this.#start();
    const job = { kind: 'compare', target: name, seed: 0, shape, n };
    const { answer, death } = await child.ask(job);
    child.kill();
    return death !== undefined || isFinding({ ...answer, bytes });
  }

  /**
   * Handles an input that ended or blocked its process: it is a finding if it does so again in
   * another one.
   */
  async #onDeath(row, { isHang, why, current }) {
    const { shape, n, index = row.next } = current.target === row.name ? current : {};
    row.deaths += 1;
    row.tried += Math.max(1, index - row.next);
    row.next = index;
    if (shape === undefined) {
      this.#found(row, { why });
      return;
    }
    const place = { target: row.name, seed: 0, shape, n };
    const harmless = await this.#ask({ kind: 'harmless', ...place });
    if (harmless.answer?.canArrive === false) return;
    const again = await this.#ask({ kind: 'try', ...place });
    if (again.death === undefined) return;
    // If a plain input also ends its process, there is nothing to compare with.
    const { harmlessMs = 0 } = harmless.answer ?? {};
    const finding = { shape, n, bytes: bytesOf(shape, n), harmlessMs };
    if (!isHang) this.#found(row, { ...finding, why });
    else if (isFinding({ ...finding, cpuMs: DEADLINE_MS })) {
      this.#found(row, { ...finding, cpuMs: DEADLINE_MS, isCut: true });
    }
  }

  #found(row, finding) {
    row.findings.push(finding);
    const { cpuMs = 0 } = finding;
    if (cpuMs >= (row.worst.cpuMs ?? 0)) row.worst = finding;
    this.#options.onFinding(row, finding);
  }

  async #ask(job) {
    this.#child ??= await this.#start();
    const result = await this.#child.ask(job);
    if (result.death !== undefined) this.#child = undefined;
    return result;
  }

  async #start() {
    const { targets, directory, lane } = this.#options;
    this.#started += 1;
    const child = new ChildProcess({ targets, directory, name: `${lane}-${this.#started}` });
    const { death } = await child.ready();
    if (death !== undefined) throw new Error(`The targets do not load: ${death.why}`);
    return child;
  }
}

function isOpen({ deaths, findings }) {
  return deaths < MOST_DEATHS && findings.length < MOST_FINDINGS;
}

function sharesOf(rows) {
  return rows.reduce((total, { share }) => total + share, 0);
}
