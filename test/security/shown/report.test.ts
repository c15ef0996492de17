import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { corpusPaths } from '../corpus-case.ts';
import { CASES } from './cases.ts';
import { PROMISES } from './promises.ts';

it('npm run security:report prints by what each case and each promise is shown', () => {
  const report = execFileSync('npm', ['run', '--silent', 'security:report'], { encoding: 'utf8' });
  expect(report).toMatch(/^# Security report\n/);
  expect(report).toContain(`- There are ${corpusPaths().length} hostile programs.\n`);
  const lines = [...report.matchAll(/^- \*\*([^*\s]+):\*\* /gm)].map(([, id]) => id);
  expect(lines).toEqual([...Object.keys(CASES), ...Object.keys(PROMISES)]);
  expect(report).toContain(
    '- **3:** a program cannot trace, read or end other processes (3 programs)',
  );
  expect(report).not.toMatch(/ \(\)$/m);
});
