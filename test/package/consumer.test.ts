import { cp, lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { recordedImports } from '../support/recorded-imports.ts';
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
    const loaded = await recordedImports(`await import('sandboxed-ptc')`, consumer);
    expect(loaded.some((url) => url.endsWith('/sandboxed-ptc/dist/index.js'))).toBe(true);
    const heavy =
      /\/node_modules\/(@anthropic-ai|@aws-sdk|@modelcontextprotocol|ai|dockerode|deno|pyodide|ssh2)\//;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
  });
});

describe('a project that installed the package without its optional dependencies', () => {
  const directory = inject('consumerWithoutOptional');
  // Without npx, which takes longer to start than what it starts.
  const program = join(directory, 'node_modules/.bin/sandboxed-ptc');

  it('has no client of a model service', async () => {
    const installed = await readdir(join(directory, 'node_modules'));
    expect(installed).toContain('sandboxed-ptc');
    const client = /^(@anthropic-ai|@aws-sdk|@modelcontextprotocol|openai)$/;
    expect(installed.filter((name) => client.test(name))).toEqual([]);
  });

  it('is light: at most 40 packages and 15 MB, with zod', async () => {
    const installed = join(directory, 'node_modules');
    const { packages } = JSON.parse(
      await readFile(join(installed, '.package-lock.json'), 'utf8'),
    ) as { packages: object };
    // The types of Node are here for the compiler alone.
    const names = Object.keys(packages).filter((path) => !/@types|undici-types/.test(path));
    expect(names.length).toBeLessThanOrEqual(40);
    const sizes = names.map(async (path) => sizeOf(join(directory, path)));
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(15_000_000);
  });

  it('is told that the client of container engines is missing, and what to install', async () => {
    const code = `
      import { dockerProvider } from 'sandboxed-ptc/docker';
      await dockerProvider().create({ sessionId: '1' }).catch((error) => console.log(error.code, error.message));`;
    const args = ['--input-type=module', '--eval', code];
    const message =
      'SANDBOX_UNAVAILABLE Docker cannot be used: the npm package dockerode is not installed. Run: npm install dockerode';
    expect(await run(process.execPath, args, directory)).toBe(`${message}\n`);
    const report = await run(program, ['doctor'], directory).catch(String);
    expect(report).toMatch(/^docker +no +the npm package dockerode is not installed/m);
  });

  it('takes schemas of the zod that is there, in both of its versions', async () => {
    const code = `
      import { z as z3 } from 'zod';
      import { z as z4 } from 'zod/v4';
      import { defineTool, ToolRegistry } from 'sandboxed-ptc';
      for (const z of [z3, z4]) {
        const inputSchema = z.object({ at: z.coerce.date(), n: z.number().optional() });
        const tools = new ToolRegistry([defineTool({ name: 'a', description: 'A.', inputSchema, run: () => 1 })]);
        const { inputSchema: schema, validateInput } = tools.snapshot().get('a');
        console.log(JSON.stringify(schema.properties.at), schema.required, validateInput({ at: 'x' }).valid);
      }`;
    const args = ['--input-type=module', '--eval', code];
    const line = `{"type":"string","format":"date-time"} [ 'at' ] false\n`;
    expect(await run(process.execPath, args, directory)).toBe(line.repeat(2));
  });

  it('is told by the demo, if there is a key, which client to install, and sees the script', async () => {
    const shown = await run(program, ['demo'], directory, {
      ANTHROPIC_API_KEY: 'k',
    });
    expect(shown).toContain('Anthropic needs: npm install @anthropic-ai/sdk');
    expect(shown).toMatch(/Tool calls +13/);
  });

  it('is told by doctor that the embedded sandbox is missing, and what to install', async () => {
    // It fails where no other sandbox works either, with the same report.
    const report = await run(program, ['doctor'], directory).catch(String);
    expect(report).toMatch(/^embedded +no +not installed: deno, pyodide/m);
    expect(report).toContain('npm install deno pyodide');
  });
});

/** The bytes of all files below a directory, without packages that are nested in it. */
async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true });
  const sizes = entries.map(async (entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : sizeOf(path);
    return (await lstat(path)).size;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
