import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { run } from './project.ts';

// The contract suite of a language takes a minute on a busy machine.
vi.setConfig({ testTimeout: 400_000 });

const consumer = inject('consumer');
const directory = join(consumer, 'extensions');

let compiled: Promise<string> | undefined;

/**
 * Compiles what is in the directory to JavaScript, strictly, against the package's declarations. Those themselves are
 * checked by the project of `consumer.test.ts`, which imports every entry point, and that takes most of the time. Does so once.
 */
async function compile(): Promise<string> {
  const compiler = resolve('node_modules/.bin/tsc');
  const output = ['--noEmit', 'false', '--outDir', 'compiled'];
  const flags = ['--allowJs', '--checkJs', '--skipLibCheck', ...output];
  compiled ??= run(compiler, ['-p', 'extensions', ...flags], consumer);
  return compiled;
}

/** Writes the files of a page that the page says to save. */
async function savePage(page: string): Promise<void> {
  const text = await readFile(page, 'utf8');
  for (const [, file = '', code = ''] of text.matchAll(
    /^Save this as `(.+)`:\n\n```js\n([^]*?)^```$/gm,
  )) {
    await writeFile(join(directory, file), code);
  }
}

describe('what is written outside of the package, with only its entry points', () => {
  beforeAll(async () => {
    await mkdir(directory, { recursive: true });
    await cp('test/package/extensions', directory, { recursive: true });
    await cp('test/package/consumer/tsconfig.json', join(directory, 'tsconfig.json'));
    await savePage('docs/writing-a-provider.md');
  });

  it('has no type errors', async () => {
    await expect(compile()).resolves.toBe('');
  });

  // UNISOLATED, for tests only: the provider of the page starts ordinary processes, which may do all that
  // this user may. The suite runs only the programs of the package.
  it('is a provider that passes the contract suite in Python', async () => {
    const provider = await readFile(join(directory, 'command-provider.mjs'), 'utf8');
    const imported = [...provider.matchAll(/from '([^']+)'/g)].map(([, name]) => name);
    expect(imported).toEqual(['node:child_process', 'node:util', 'sandboxed-ptc/provider']);
    const args = ['--test', '--test-reporter=tap', 'extensions/command-provider.test.mjs'];
    const report = await run(process.execPath, args, consumer);
    expect(report).toContain('# fail 0');
    expect(Number(/^# pass (\d+)$/m.exec(report)?.[1])).toBeGreaterThan(180);
  });

  it('is a model and a list of tools that hold a conversation', async () => {
    const source = await readFile(join(directory, 'conversation.ts'), 'utf8');
    expect(source).not.toMatch(/from 'sandboxed-ptc\//);
    await compile();
    const printed = await run(process.execPath, ['compiled/conversation.js'], consumer);
    expect(printed).toBe('What is all of it worth? It is 32.\n');
  });
});
