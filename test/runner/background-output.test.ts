import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

// Here and not among the contracts, since a host shares no files with a real sandbox.
it('what a child of one program writes after its end is not in the next program’s output', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-late-'));
  onTestFinished(async () => rm(directory, { recursive: true, force: true }));
  const [go, wrote] = [join(directory, 'go'), join(directory, 'wrote')];
  await promisify(execFile)('mkfifo', [go, wrote]);
  await using executor = new SandboxExecutor({ sandbox: unisolatedLocalProvider() });
  const { sessionId } = await executor.execute(
    `import subprocess\nchild = subprocess.Popen(["sh", "-c", "cat ${go}; echo late; echo late >&2; echo > ${wrote}"])`,
    { reuseSession: true },
  );
  await writeFile(go, '');
  await readFile(wrote);
  const result = await executor.execute('child.wait()\nprint("mine")', { sessionId });
  expect(result).toMatchObject({ status: 'ok', stdout: 'mine\n', stderr: '' });
});
