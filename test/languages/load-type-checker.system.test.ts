import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { requireBuild } from '../support/built-package.ts';
import { recordedImports } from '../support/recorded-imports.ts';

const ROOT = pathToFileURL(resolve('dist/index.js')).href;

/** The files of the type check that a process has loaded once its executor is closed, and the compiler. */
async function loadedWith(options: string): Promise<string[]> {
  const program = `
    const { SandboxExecutor } = await import('${ROOT}');
    const executor = new SandboxExecutor({ ${options} });
    await executor.close();
  `;
  requireBuild();
  const loaded = await recordedImports(program, process.cwd());
  expect(loaded).toContain(ROOT);
  const found = loaded
    .join('\n')
    .matchAll(/\/type-check\/(?:[\w-]+\/)*([\w-]+\.js)|\/node_modules\/(typescript)\//g);
  return Array.from(found, ([, file, library]) => file ?? library ?? '');
}

it('the type check is loaded for an executor that checks types, and its compiler in no host', async () => {
  expect(await loadedWith('')).toEqual(['compiler-version.js']);
  const loaded = await loadedWith("checkTypes: 'error'");
  expect(loaded).toContain('type-checker.js');
  expect(loaded).not.toContain('typescript');
});
