// Writes findings as text and to files.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { render } from './shapes.mjs';

/** Saves the input of a finding, with its cost. @returns The path. */
export function saveFinding(directory, target, finding) {
  const { shape, n, cpuMs, harmlessMs, why, threw } = finding;
  const input = shape === undefined ? undefined : render(shape, n);
  const content = JSON.stringify({ target, cpuMs, harmlessMs, why, threw, shape, n, input });
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 8);
  const path = join(directory, `${target.replaceAll(/[^\w-]+/g, '-')}-${digest}.json`);
  writeFileSync(path, content);
  return path;
}

/** Describes a finding in one line. */
export function describeFinding({ bytes, cpuMs, isCut, harmlessMs, why, threw }) {
  const size = bytes === undefined ? 'an unknown input' : `${bytes} bytes`;
  const plain = harmlessMs === undefined ? '' : `, a plain input ${formatMs(harmlessMs)}`;
  const what = why ?? (threw ? `it threw ${threw}` : undefined);
  if (what !== undefined) return `${size}: ${what}`;
  return `${size} took ${isCut ? 'more than ' : ''}${formatMs(cpuMs)} of processor time${plain}`;
}

/** The targets in columns, the most expensive first. */
export function table(rows) {
  const lines = [...rows].sort((a, b) => costOf(b) - costOf(a)).map(lineOf);
  const cells = [['target', 'tried', 'bytes', 'cpu ms', 'plain ms', 'ratio', ''], ...lines];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function lineOf({ name, tried, worst, findings }) {
  const { bytes = 0, cpuMs = 0, harmlessMs, isCut } = worst;
  return [
    name,
    String(tried),
    String(bytes),
    `${isCut ? '>' : ''}${cpuMs.toFixed(2)}`,
    harmlessMs === undefined ? '-' : harmlessMs.toFixed(2),
    harmlessMs ? (cpuMs / harmlessMs).toFixed(0) : '-',
    findings.length > 0 ? `${findings.length} found` : '',
  ];
}

function costOf({ worst }) {
  return worst.cpuMs ?? 0;
}

function formatMs(ms) {
  return `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;
}
