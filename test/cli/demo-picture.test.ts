import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const PICTURE = 'docs/images/demo.svg';

/** The texts of a picture, without what differs from run to run: the times of calls, and which calls are shown. */
function textsOf(path: string): string[] {
  const lines = readFileSync(path, 'utf8').match(/<text .*<\/text>/g) ?? [];
  return lines
    .map((line) => line.replaceAll(/<[^>]*>/g, '').replace(/ +[\d.]+ m?s$/, ''))
    .map((line) => line.replace(/employee_id="E\d+"/, 'employee_id="…"'));
}

it('the picture of the demo shows what the demo prints', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandboxed-ptc-picture-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const drawn = join(directory, 'demo.svg');
  execFileSync(process.execPath, ['scripts/draw-demo.mjs', drawn], { stdio: 'pipe' });
  expect(textsOf(PICTURE)).toEqual(textsOf(drawn));
  expect(textsOf(PICTURE).join('\n')).toContain('35,642  75× as many');
});

it('the picture of the demo is small, and loads and runs nothing', () => {
  const picture = readFileSync(PICTURE, 'utf8');
  expect(Buffer.byteLength(picture)).toBeLessThan(40_000);
  const elements = [...picture.matchAll(/<(\w+)/g)].map(([, name]) => name);
  expect(new Set(elements)).toEqual(new Set(['svg', 'title', 'style', 'rect', 'text', 'tspan']));
  expect(picture).not.toMatch(/href|url\(|@import|\son\w+=/);
});
