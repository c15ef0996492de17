import { describe, expect, inject, it } from 'vitest';
import { run } from './project.ts';

const tarball = inject('tarball');

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
    const args = ['--extract', '--to-stdout', '--wildcards', '--file', tarball, '*.d.ts'];
    const declarations = await run('tar', args);
    expect(declarations).toContain('export interface AnthropicClient');
    expect(declarations).not.toMatch(
      /(from|import\()\s*['"](@anthropic-ai|@aws-sdk|@modelcontextprotocol|openai|ai['"])/,
    );
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
        'package/examples/web-chat/server.mjs',
        'package/examples/web-chat/page/index.html',
      ]),
    );
    const inside = /^package\/(?:dist|docs|examples|runner)\/|^package\/[^/]+$/;
    const built = /__pycache__|tsbuildinfo|\.pyc$|package-lock|npmrc/;
    expect(files.filter((file) => !inside.test(file) || built.test(file))).toEqual([]);
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
