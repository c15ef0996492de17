import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { startNode } from '../support/built-package.ts';

const RECORDER = resolve('test/package/record-imports.mjs');
const ROOT = pathToFileURL(resolve('dist/index.js')).href;

/** The files of the type check that a process has loaded once its executor is closed, and the compiler. */
async function loadedWith(options: string): Promise<string[]> {
  const program = `
    const { SandboxExecutor } = await import('${ROOT}');
    const executor = new SandboxExecutor({ ${options} });
    await executor.close();
  `;
  const args = ['--import', RECORDER, '--input-type=module', '--eval', program];
  const { stdout, status } = await startNode(args).finished();
  expect([status, stdout.includes(ROOT)]).toEqual([0, true]);
  const found = stdout.matchAll(
    /\/type-check\/(?:[\w-]+\/)*([\w-]+\.js)|\/node_modules\/(typescript)\//g,
  );
  return Array.from(found, ([, file, library]) => file ?? library ?? '');
}

it('the type check is loaded for an executor that checks types, and its compiler in no host', async () => {
  expect(await loadedWith('')).toEqual(['compiler-version.js']);
  const loaded = await loadedWith("checkTypes: 'error'");
  expect(loaded).toContain('type-checker.js');
  expect(loaded).not.toContain('typescript');
});
