import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, describe, it } from 'vitest';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { bundlePath } from '../support/bundles/bundle-path.mjs';
import { RUN_CLI, startNode, type StartedProcess } from '../support/built-package.ts';
import { descendantsOf } from '../support/descendants.ts';
import { describeWithEngine } from '../support/engine.ts';
import { startFakeEngine } from '../support/fake-engine.ts';
import { answer, callDelta, startOpenAIServer } from '../support/openai-server.ts';
import { RUN_BUNDLED } from '../support/typescript-process.ts';
import { JAVASCRIPT_SANDBOX, ProgramDirectory } from './support.ts';

const ENDLESS = 'console.log("started");\nfor (;;);';

/** A model whose program never ends. */
const ENDLESS_PROGRAM = answer(
  [callDelta(0, JSON.stringify({ code: ENDLESS }), { id: 'call_1', name: 'execute_code' })],
  'tool_calls',
);

const TYPESCRIPT_SANDBOX = ['--provider', 'embedded', '--language', 'typescript'];

function startEndless(sandbox: readonly string[]): StartedProcess {
  const started = startNode([...RUN_CLI, 'exec', ...sandbox, '-']);
  started.child.stdin.end(ENDLESS);
  return started;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('a command has only its sandbox below it, also if it had to be made into a bundle', async () => {
  await using directory = await ProgramDirectory.with({
    'waits.mjs': 'console.log("started"); process.stdin.resume();',
  });
  const started = startNode([RUN_BUNDLED, join(directory.path, 'waits.mjs')]);
  await started.printed('started');
  expect(descendantsOf(started.child.pid ?? 0)).toEqual([]);
  started.child.stdin.end();
  expect((await started.finished()).status).toBe(0);
  await rm(dirname(bundlePath(join(directory.path, 'waits.mjs'))), { recursive: true });
});

describe('a signal during exec', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the program and its sandbox, with status %i', async (signal, status) => {
    const started = startEndless(JAVASCRIPT_SANDBOX);
    await started.printed('started');
    const children = descendantsOf(started.child.pid ?? 0);
    expect(children.length).toBeGreaterThan(0);
    started.child.kill(signal);
    const finished = await started.finished();
    expect(finished.status).toBe(status);
    expect(finished.stderr).toContain('Cancelled: the program was cancelled');
    expect(children.filter(({ id }) => isAlive(id))).toEqual([]);
  });

  it('is waited out where it comes twice [case 92]', async () => {
    const started = startEndless(JAVASCRIPT_SANDBOX);
    await started.printed('started');
    const children = descendantsOf(started.child.pid ?? 0);
    started.child.kill('SIGINT');
    started.child.kill('SIGINT');
    expect((await started.finished()).status).toBe(130);
    expect(children.filter(({ id }) => isAlive(id))).toEqual([]);
  });

  it('ends exec quietly when nobody reads its output any more', async () => {
    const started = startNode([...RUN_CLI, 'exec', ...JAVASCRIPT_SANDBOX, '-']);
    started.child.stdin.end(
      'for (;;) { console.log("line"); await new Promise((resolve) => setTimeout(resolve, 10)); }',
    );
    await started.printed('line');
    started.child.stdout.destroy();
    expect(await started.finished()).toMatchObject({ status: 141, stderr: '' });
  });
});

/** Has the process get a signal in the moment in which it ends its sandbox. */
const SIGNAL_AT_KILL = `
const { kill } = process;
process.kill = (id, signal) => {
  if (id < 0 && signal === 'SIGKILL') kill(process.pid, 'SIGINT');
  return kill(id, signal);
};`;

it('a signal while demo closes its sandbox leaves no process', async () => {
  await using directory = await ProgramDirectory.with({ 'signal-at-kill.mjs': SIGNAL_AT_KILL });
  const NODE_OPTIONS = `--import ${join(directory.path, 'signal-at-kill.mjs')}`;
  await using server = await startOpenAIServer([ENDLESS_PROGRAM]);
  const started = startNode([...RUN_CLI, 'demo', ...TYPESCRIPT_SANDBOX, '--model', 'openai:test'], {
    env: { NODE_OPTIONS, OPENAI_BASE_URL: server.baseUrl },
  });
  await started.printed(/│ started/);
  const children = descendantsOf(started.child.pid ?? 0);
  expect(children.length).toBeGreaterThan(0);
  started.child.kill('SIGTERM');
  expect((await started.finished()).status).toBe(143);
  expect(children.filter(({ id }) => isAlive(id))).toEqual([]);
});

it.each(['demo', 'chat'])(
  'a signal while %s waits for a container engine ends it with the status of the signal',
  async (command) => {
    const asked = createDeferred<void>();
    await using engine = await startFakeEngine({
      special: () => {
        asked.resolve();
        return true;
      },
    });
    const started = startNode([...RUN_CLI, command, '--provider', 'docker'], {
      env: { DOCKER_HOST: engine.host },
    });
    await asked.promise;
    started.child.kill('SIGINT');
    expect(await started.finished()).toMatchObject({ status: 130, stderr: '' });
  },
);

it('exec ends quietly when nobody reads its errors any more', async () => {
  const started = startNode([...RUN_CLI, 'exec', ...JAVASCRIPT_SANDBOX, '-']);
  started.child.stderr.destroy();
  started.child.stdin.end(
    'for (;;) { console.error("line"); await new Promise((resolve) => setTimeout(resolve, 10)); }',
  );
  expect(await started.finished()).toMatchObject({ status: 141, stdout: '' });
});

describeWithEngine('a signal during exec in a container', (docker) => {
  it('leaves no container behind [case 92]', async () => {
    const started = startEndless(['--provider', 'docker', '--language', 'javascript']);
    await started.printed('started');
    const own = async (): Promise<string[]> => {
      const containers = await docker.listContainers({ all: true });
      return containers
        .filter(({ Labels }) => Labels['sandboxed-ptc.owner']?.includes(`/${started.child.pid}/`))
        .map(({ Id }) => Id);
    };
    expect(await own()).toHaveLength(1);
    started.child.kill('SIGINT');
    expect((await started.finished()).status).toBe(130);
    expect(await own()).toEqual([]);
  });
});
