import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { run } from './project.ts';

const tarball = inject('tarball');

/** The declarations that a compiler reads for the entry points, by their paths. */
async function reachableDeclarations(): Promise<ReadonlyMap<string, string>> {
  const root = join(inject('consumer'), 'node_modules/sandboxed-ptc');
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string>>;
  };
  const scripts = Object.values(exports).filter((path) => path.endsWith('.js'));
  const waiting = scripts.map((path) => join(root, path.replace(/js$/, 'd.ts')));
  const found = new Map<string, string>();
  for (let path; (path = waiting.pop()) !== undefined;) {
    if (found.has(path)) continue;
    const text = await readFile(path, 'utf8');
    found.set(path, text);
    for (const [, target = ''] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      waiting.push(join(path, '..', target.replace(/\.[jt]s$/, '.d.ts')));
    }
  }
  return found;
}

describe('the packed package', () => {
  it('has a manifest that every tool understands', async () => {
    await expect(run('publint', ['run', tarball, '--strict'])).resolves.toContain('All good!');
  });

  it('gives every entry point the types that it has', async () => {
    await expect(run('attw', [tarball, '--profile', 'esm-only'])).resolves.toMatch(
      /node16 \(from ESM\): 🟢/u,
    );
  });

  it('declares its types without those of the clients, whose versions differ', async () => {
    const declarations = await reachableDeclarations();
    const texts = [...declarations.values()].join('\n');
    expect(texts).toContain('export interface AnthropicClient');
    expect(texts).toContain('export interface McpClient');
    const foreign =
      /(from|import\()\s*['"](@anthropic-ai|@aws-sdk|@modelcontextprotocol|openai|ai['"])/;
    const importing = [...declarations].filter(([, text]) => foreign.test(text));
    expect(importing.map(([path]) => path)).toEqual([]);
  });

  it('holds what it needs to run and nothing of its making', async () => {
    const files = (await run('tar', ['--list', '--file', tarball])).trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'package/LICENSE',
        'package/README.md',
        'package/Dockerfile.sandbox',
        'package/dist/index.js',
        'package/dist/index.d.ts',
        'package/runner/python/supervisor/supervisor.py',
        'package/runner/embedded/supervisor.mjs',
        'package/examples/data/targets.xlsx',
        'package/examples/web-chat/server.mjs',
        'package/examples/web-chat/page/index.html',
      ]),
    );
    const inside = /^package\/(?:dist|docs|examples|runner)\/|^package\/[^/]+$/;
    // Nobody can import the declarations of the command line.
    const built = /__pycache__|tsbuildinfo|\.pyc$|package-lock|npmrc|dist\/cli\/.+\.d\.ts$/;
    // What dist/guests is made of.
    const bundled = /^package\/runner\/(?:embedded\/worker|javascript\/(?!node\/))/;
    const isNeedless = (file: string): boolean =>
      !inside.test(file) || built.test(file) || bundled.test(file);
    expect(files.filter(isNeedless)).toEqual([]);
  });

  it('has a Helm chart of its version, with the runner', async () => {
    const root = join(inject('consumer'), 'node_modules/sandboxed-ptc');
    const archive = join(root, 'dist/helm/sandboxed-ptc.tgz');
    const inChart = async (file: string): Promise<string> =>
      run('tar', ['--extract', '--to-stdout', '--file', archive, `sandboxed-ptc/${file}`]);
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const { version } = manifest as { version: string };
    const described: unknown = parse(await inChart('Chart.yaml'));
    expect(described).toMatchObject({ version, appVersion: version });
    expect(await inChart('files/runner.json')).toContain('ptc_runner.supervisor');
  });
});

describe('the README of the packed package', () => {
  it('links and shows only files of the package', async () => {
    const files = (await run('tar', ['--list', '--file', tarball])).trim().split('\n');
    const readme = await run('tar', [
      '--extract',
      '--to-stdout',
      '--file',
      tarball,
      'package/README.md',
    ]);
    const targets = [...readme.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target);
    expect(targets).toEqual(expect.arrayContaining(['docs/images/demo.svg', 'CONTRIBUTING.md']));
    const missing = targets.filter(
      (target) => !/^[a-z]+:/.test(target) && !files.includes(`package/${target}`),
    );
    expect(missing).toEqual([]);
  });
});
