// Writes the runner into the Helm chart, which is made of files only, and packs the chart: the package has only the
// archive, because the runner is large. `npm run build` runs this after the compiler.
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readRunnerFiles } from '../dist/providers/kubernetes/pod/runner-files.js';

const ROOT = resolve(import.meta.dirname, '..');
const CHARTS = join(ROOT, 'deploy/helm');
const TARGET = join(CHARTS, 'sandboxed-ptc/files/runner.json');
const ARCHIVE = join(ROOT, 'dist/helm/sandboxed-ptc.tgz');

const { filters, ...files } = await readRunnerFiles();
const encoded = filters.map(([name, bytes]) => [name, bytes.toString('base64')]);
await mkdir(dirname(TARGET), { recursive: true });
await writeFile(TARGET, JSON.stringify({ ...files, filters: Object.fromEntries(encoded) }));
await mkdir(dirname(ARCHIVE), { recursive: true });
execFileSync('tar', ['-czf', ARCHIVE, '-C', CHARTS, 'sandboxed-ptc']);
