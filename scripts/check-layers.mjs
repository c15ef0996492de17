// The rules of .dependency-cruiser.mjs, and that every file was seen: with a compiler that it does
// not support, dependency-cruiser reads no TypeScript, finds nothing wrong and reports success.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const options = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json'];
const report = JSON.parse(
  execFileSync('node_modules/.bin/depcruise', ['src', ...options], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  }),
);
const { violations } = report.summary;
const seen = report.modules.filter(({ source }) => source.startsWith('src/')).length;
const files = readdirSync('src', { recursive: true }).filter((path) => path.endsWith('.ts')).length;

for (const { from, to, rule, cycle } of violations) {
  const way = cycle ? cycle.map(({ name }) => name).join(' → ') : to;
  console.log(`${rule.name}: ${from} → ${way}`);
}
console.log(`${violations.length} violations; ${seen} of ${files} files read`);
if (violations.length > 0 || files === 0 || seen < files) process.exitCode = 1;
