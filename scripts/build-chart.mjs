// Writes the runner into the Helm chart, which is made of files only. `npm run build` runs this after the compiler.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readRunnerFiles } from '../dist/providers/kubernetes/pod/runner-files.js';

const TARGET = resolve(import.meta.dirname, '../deploy/helm/sandboxed-ptc/files/runner.json');

const { filters, ...files } = await readRunnerFiles();
const encoded = filters.map(([name, bytes]) => [name, bytes.toString('base64')]);
await mkdir(dirname(TARGET), { recursive: true });
await writeFile(TARGET, JSON.stringify({ ...files, filters: Object.fromEntries(encoded) }));
