import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

let directory = '';
let pipe = '';
let executor: SandboxExecutor;
beforeAll(async () => {
  const configured = process.env['SANDBOXED_PTC_TEST_PYTHON'] ?? 'python3';
  const python = execFileSync(configured, ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim();
  directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-loading-'));
  // The driver of bash loads by a process of its own, until the test writes to a pipe.
  const loader = join(directory, 'python3');
  pipe = join(directory, 'go-on');
  execFileSync('mkfifo', [pipe]);
  await writeFile(loader, `#!/bin/sh\nread -r line <'${pipe}' || exit 9\nexec '${python}' "$@"\n`);
  await chmod(loader, 0o755);
  vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`);
  executor = new SandboxExecutor({
    provider: unisolatedLocalProvider(python),
    languages: ['python', 'bash'],
  });
});
afterAll(async () => {
  await executor.close();
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

it('a guest that loads goes on with that after a run of another language', async () => {
  const session = await executor.acquire();
  await session.execute('kept = 42');
  const stopped = await session.execute('echo never', {
    language: 'bash',
    timeoutMs: 50,
  });
  expect(stopped).toMatchObject({ status: 'timeout', stdout: '', sessionOpen: true });
  const between = await session.execute('print(kept)');
  expect(between).toMatchObject({ status: 'ok', stdout: '42\n', stderr: '' });
  // The pipe is open only when the loader reads from it.
  const [loaded] = await Promise.all([
    session.execute('echo loaded', { language: 'bash' }),
    writeFile(pipe, '\n'),
  ]);
  expect(loaded).toMatchObject({ status: 'ok', stdout: 'loaded\n', stderr: '', sessionOpen: true });
  // The shell is known, though it was started while nobody looked.
  await session.execute('left=yes', { language: 'bash' });
  await session.execute('print(kept)');
  const next = await session.execute('echo $left', { language: 'bash' });
  expect(next).toMatchObject({ status: 'ok', stdout: 'yes\n' });
});
