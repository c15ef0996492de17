// `node scripts/ruff.mjs` lints the Python in `runner`, and checks its format. With `--write`, it formats it instead.
// Ruff runs as WebAssembly, so that npm installs it with everything else. `ruff.toml` has its settings.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { parse } from 'smol-toml';

// To optimize the code of Ruff takes V8 ten times as long as everything that it does here.
setFlagsFromString('--liftoff-only');
const { PositionEncoding, Workspace } = await import('@astral-sh/ruff-wasm-nodejs');

process.chdir(resolve(import.meta.dirname, '..'));
const ruff = new Workspace(parse(readFileSync('ruff.toml', 'utf8')), PositionEncoding.Utf32);
const files = readdirSync('runner', { recursive: true })
  .filter((file) => file.endsWith('.py'))
  .map((file) => join('runner', file));

if (process.argv.includes('--write')) files.forEach(format);
else {
  const problems = files.flatMap(problemsOf);
  if (files.length === 0) problems.push('no Python found under runner/');
  console.log(problems.join('\n') || `${files.length} files`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function format(file) {
  const source = readFileSync(file, 'utf8');
  const formatted = ruff.format(source);
  if (formatted !== source) writeFileSync(file, formatted);
}

function problemsOf(file) {
  const source = readFileSync(file, 'utf8');
  const problems = ruff
    .check(source)
    .map(({ code, message, start_location: { row, column } }) =>
      [`${file}:${row}:${column}`, code ?? 'syntax', message].join(' '),
    );
  if (ruff.format(source) !== source) problems.push(`${file}: run \`npm run format\``);
  return problems;
}
