import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runnerCommand, startProcess, type Sandbox } from '../../src/sandbox/provider-kit.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import { startTypeScript } from '../support/typescript-process.ts';

const NODE = process.execPath;

/** Settles when the transport ends, with its messages and the reason. */
async function endOf({ transport }: Sandbox): Promise<{ kinds: string[]; error?: unknown }> {
  const kinds: string[] = [];
  return new Promise((resolve) => {
    transport.listen({
      message: ({ kind }) => {
        kinds.push(kind);
        if (kind === 'ready') transport.send({ kind: 'exit' });
      },
      closed: (error) => resolve({ kinds, error }),
    });
  });
}

it('starts the runner, which is ready and ends when it is told to', async () => {
  const sandbox = await startProcess(
    await runnerCommand({ languages: ['python'], limits: DEFAULT_LIMITS }),
  );
  expect(await endOf(sandbox)).toEqual({ kinds: ['ready'], error: undefined });
  await sandbox.close();
});

it('tells the status of a command that fails, and what it printed', async () => {
  const sandbox = await startProcess(['sh', '-c', 'echo no such image; exit 3']);
  const { error } = await endOf(sandbox);
  expect(error).toMatchObject({ code: 'SANDBOX_LOST', message: expect.stringContaining('3') });
  expect(sandbox.transport.diagnostics()).toBe('no such image');
  await sandbox.close();
});

it.each([
  ['is in its process group', 'sleep 1000 & echo $!', true],
  ['has left its process group', `echo $(setsid sh -c 'sleep 1000 >&2 & echo $!')`, false],
])('ends when the command exits, also if what it started %s', async (_, script, isGone) => {
  const sandbox = await startProcess(['sh', '-c', `${script}; exit 3`]);
  const { error } = await endOf(sandbox);
  expect(error).toMatchObject({ code: 'SANDBOX_LOST', message: expect.stringContaining('3') });
  const left = sandbox.transport.diagnostics();
  expect(left).toMatch(/^\d+$/);
  expect(existsSync(`/proc/${left}/cwd`)).toBe(!isGone);
  if (!isGone) process.kill(Number(left));
  await sandbox.close();
});

it('leaves nothing that keeps the host running if a process outside of its group stays', async () => {
  const host = startTypeScript({ file: new URL('start-and-close.ts', import.meta.url) });
  const [left] = (await once(host.stdout, 'data')) as [Buffer];
  await once(host, 'exit');
  expect(existsSync(`/proc/${left.toString()}/cwd`)).toBe(true);
  process.kill(Number(left.toString()));
});

it('names a directory that does not exist', async () => {
  await expect(startProcess(['true'], { directory: '/nowhere/at/all' })).rejects.toMatchObject({
    code: 'SANDBOX_START_FAILED',
    message: expect.stringContaining('its directory "/nowhere/at/all" does not exist'),
  });
});

it.each([
  ['does not exist', ['no-such-command'], /"no-such-command" .* ENOENT/],
  ['has a longer argument than the system accepts', ['sh', 'a'.repeat(4_000_000)], /"sh" .* E2BIG/],
  ['is empty', [], /"" of the sandbox could not be started/],
])('throws if the command %s', async (_, command, message) => {
  await expect(startProcess(command)).rejects.toMatchObject({
    code: 'SANDBOX_START_FAILED',
    message: expect.stringMatching(message),
  });
});

it('starts nothing after the signal has fired', async () => {
  const starting = startProcess([NODE], { signal: AbortSignal.abort() });
  await expect(starting).rejects.toMatchObject({ code: 'ABORTED' });
});

it('gives the process no variable of the host except PATH, or those that were passed', async () => {
  const print = 'console.log(Object.keys(process.env).join()); process.exit(1)';
  const plain = await startProcess([NODE, '-e', print]);
  await endOf(plain);
  expect(plain.transport.diagnostics()).toBe('PATH');
  const given = await startProcess([NODE, '-e', print], { environment: { A: '1', B: undefined } });
  await endOf(given);
  expect(given.transport.diagnostics()).toBe('A');
});

it('kills a process group that does not end when its input ends', async () => {
  const sandbox = await startProcess(['sh', '-c', 'sleep 1000 & echo $!; wait']);
  const { transport } = sandbox;
  transport.listen({ message: () => {}, closed: () => {} });
  await expect.poll(() => transport.diagnostics()).toMatch(/^\d+$/);
  const child = transport.diagnostics();
  await sandbox.close();
  expect([sandbox.id, child].filter((id) => existsSync(`/proc/${id}/cwd`))).toEqual([]);
});
