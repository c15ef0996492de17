import { describe, expect, it } from 'vitest';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

/** What makes a sandbox start soon. Not among the contracts: in WebAssembly all is in the snapshot, and `ssl` is not there. */
describe('what the runner loads', () => {
  const tools = new ToolRegistry([
    {
      name: 'double',
      description: 'Doubles.',
      inputSchema: { type: 'object', properties: { x: { type: 'number' } } },
      run: (input: unknown) => (input as { x: number }).x * 2,
    },
  ]);

  it('a program that awaits one tool after another needs no asyncio, which is slow to load, nor what it loads', async () => {
    await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider(), tools });
    const slow = [
      ...['selectors', 'inspect', 'json', 'logging', 'socket'],
      ...['linecache', 'tokenize'],
    ];
    const code = `import sys\nawait double(x=1)\nprint([name for name in ${JSON.stringify(slow)} if name in sys.modules])`;
    expect(await executor.execute(code)).toMatchObject({ status: 'ok', stdout: '[]\n' });
  });

  it('a program can import ssl, before asyncio and after it', async () => {
    await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
    const use = 'print(ssl.create_default_context().verify_mode.name)';
    for (const code of [
      `import asyncio\nimport ssl\n${use}`,
      `import ssl\nimport asyncio\n${use}`,
    ]) {
      expect(await executor.execute(code)).toMatchObject({
        status: 'ok',
        stdout: 'CERT_REQUIRED\n',
      });
    }
  });
});
