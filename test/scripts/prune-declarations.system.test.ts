import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const SCRIPT = 'scripts/prune-declarations.mjs';

it('a build has the declarations that are needed since the last one, and no others', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-build-'));
  onTestFinished(async () => rm(directory, { recursive: true }));
  const write = async (name: string, text: string): Promise<void> =>
    writeFile(join(directory, name), text);
  const build = (): boolean => {
    for (const command of ['tsc -b tsconfig.build.json', `node ${SCRIPT}`]) {
      execFileSync('npx', command.split(' '), { cwd: directory });
    }
    return existsSync(join(directory, 'dist/inner.d.ts'));
  };
  await mkdir(join(directory, 'src'));
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  for (const name of [SCRIPT, 'tsconfig.json', 'tsconfig.build.json']) {
    await cp(join(ROOT, name), join(directory, name));
  }
  await write('package.json', '{ "type": "module", "exports": { ".": "./dist/index.js" } }');
  await write('src/inner.ts', 'export class Inner {}\n');

  await write('src/index.ts', 'export {};\n');
  expect(build()).toBe(false);
  await write('src/index.ts', "export { Inner } from './inner.ts';\n");
  expect(build()).toBe(true);
  await write('src/index.ts', 'export {};\n');
  expect(build()).toBe(false);
});
