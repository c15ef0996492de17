import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { run } from './project.ts';

const consumer = inject('consumer');

describe('a project that installed the package', () => {
  it('runs the demo', async () => {
    const shown = await run('npx', ['sandboxed-ptc', 'demo'], consumer);
    expect(shown).toMatch(/Tool calls +[1-9]/);
    expect(shown).toMatch(/Sandbox +(docker|bubblewrap|embedded)/);
  });

  it.each([
    ['', consumer],
    [', also where no client of a model service is installed', inject('consumerWithoutOptional')],
  ])('type-checks strictly against it, library declarations included%s', async (_, directory) => {
    await cp(resolve('test/package/consumer'), join(directory, 'source'), { recursive: true });
    const compiler = resolve('node_modules/.bin/tsc');
    await expect(run(compiler, ['-p', 'source'], directory)).resolves.toBe('');
  });

  it('runs the contract suite under node:test, as its documentation shows', async () => {
    const documentation = await readFile(resolve('docs/testing.md'), 'utf8');
    const [, example = ''] = /^```js\n([^]*?)^```$/m.exec(documentation) ?? [];
    await writeFile(join(consumer, 'contract.test.mjs'), example);
    const args = [
      '--test',
      '--test-reporter=tap',
      '--test-name-pattern=programs: ',
      'contract.test.mjs',
    ];
    const report = await run(process.execPath, args, consumer);
    expect(report).toContain('# fail 0');
    expect(Number(/^# pass (\d+)$/m.exec(report)?.[1])).toBeGreaterThan(25);
  });

  it('loads no engine and no SDK by importing its root', async () => {
    const recorder = resolve('test/package/record-imports.mjs');
    const program = `await import('sandboxed-ptc')`;
    const args = ['--import', recorder, '--input-type=module', '--eval', program];
    const loaded = (await run(process.execPath, args, consumer)).split('\n');
    expect(loaded.some((url) => url.endsWith('/sandboxed-ptc/dist/index.js'))).toBe(true);
    const heavy = /\/node_modules\/(@anthropic-ai|@aws-sdk|dockerode|deno|pyodide|ssh2)\//;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
  });
});

describe('a project that installed the package without its optional dependencies and peers', () => {
  it('has no client of a model service', async () => {
    const installed = await readdir(join(inject('consumerWithoutOptional'), 'node_modules'));
    expect(installed).toContain('sandboxed-ptc');
    const client = /^(@anthropic-ai|@aws-sdk|openai)$/;
    expect(installed.filter((name) => client.test(name))).toEqual([]);
  });

  it('is told by doctor that the embedded engine is missing, and what to install', async () => {
    const directory = inject('consumerWithoutOptional');
    // It fails where no other sandbox works either, with the same report.
    const report = await run('npx', ['sandboxed-ptc', 'doctor'], directory).catch(String);
    expect(report).toMatch(/^embedded +no +not installed: deno, pyodide/m);
    expect(report).toContain('npm install deno pyodide');
  });
});
