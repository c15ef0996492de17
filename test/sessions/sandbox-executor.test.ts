import { describe, expect, it, vi } from 'vitest';
import type { Sandbox, SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { FakeRunner } from '../support/fake-runner.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();

/** A local provider of which a test can change parts. */
function changedProvider(changes: Partial<SandboxProvider>): SandboxProvider {
  return { ...unisolatedLocalProvider(), ...changes };
}

describe('an executor', () => {
  it('runs code, tells the name of its sandbox, and ends with a using block', async () => {
    let kept: SandboxExecutor;
    const provider = new RecordingProvider(unisolatedLocalProvider());
    {
      await using executor = new SandboxExecutor({ provider });
      kept = executor;
      expect(await executor.providerName()).toBe('unisolated-local');
      const session = await executor.acquire();
      await session.execute('x = 1');
      expect(provider.open.size).toBe(1);
    }
    expect(provider.open.size).toBe(0);
    await expect(kept.execute('1')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('leaves a provider that it was given to whoever made it', async () => {
    const close = vi.fn<() => Promise<void>>(async () => {});
    const { executor } = make({ provider: changedProvider({ close }) });
    await executor.execute('1');
    await executor.close();
    expect(close).not.toHaveBeenCalled();
  });

  it('can be closed twice, and then knows no session', async () => {
    const { executor } = make();
    const session = await executor.acquire();
    await session.execute('1');
    await Promise.all([executor.close(), executor.close()]);
    expect(executor.activeSessions).toEqual([]);
    await expect(session.execute('1')).rejects.toMatchObject({ details: { reason: 'closed' } });
    await expect(executor.execute('1')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('that is closed during a run ends the run and its sandbox', async () => {
    const entered = createDeferred<AbortSignal>();
    const hang = defineTool({
      name: 'hang',
      description: 'Never answers.',
      run: async (_input, { signal }) => {
        entered.resolve(signal);
        return new Promise(() => {});
      },
    });
    const { executor, provider } = make({ tools: new ToolRegistry([hang]) });
    const running = executor.execute('await hang()');
    const signal = await entered.promise;
    await executor.close();
    expect(signal.aborted).toBe(true);
    expect(await running).toMatchObject({ status: 'cancelled', sessionOpen: false });
    expect(provider.open.size).toBe(0);
  });

  it('that is closed while a sandbox starts leaves none behind [case 93]', async () => {
    const local = unisolatedLocalProvider();
    const started = createDeferred<void>();
    const goOn = createDeferred<void>();
    const provider = new RecordingProvider(
      changedProvider({
        // Without the signal: this provider makes the sandbox although nobody wants it any more.
        create: async (spec) => {
          started.resolve();
          await goOn.promise;
          return local.create(spec);
        },
      }),
    );
    const { executor } = make({ provider });
    const refusal = executor.execute('1').catch((error: unknown) => error);
    await started.promise;
    const closing = executor.close();
    goOn.resolve();
    await closing;
    expect(provider.created.size).toBe(1);
    expect(provider.open.size).toBe(0);
    expect(await refusal).toMatchObject({ code: 'CLOSED' });
  });

  it('whose caller aborts while a sandbox starts leaves none behind', async () => {
    const controller = new AbortController();
    const local = unisolatedLocalProvider();
    const provider = new RecordingProvider(
      changedProvider({
        create: async (...args) => {
          const sandbox = await local.create(...args);
          controller.abort();
          return sandbox;
        },
      }),
    );
    const { executor } = make({ provider });
    await expect(executor.execute('1', { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect.poll(() => provider.created.size).toBe(1);
    await expect.poll(() => provider.open.size).toBe(0);
  });

  it('shows the value of a last expression only if it is asked to', async () => {
    const code = 'print("said")\n1 + 1';
    const { executor } = make({ showLastValue: false });
    expect(await executor.execute(code)).toMatchObject({ status: 'ok', stdout: 'said\n' });
    expect(await make({}).executor.execute(code)).toMatchObject({ stdout: 'said\n2\n' });
  });

  it('shows as much of a last value as the limit of the output has room for', async () => {
    const { executor } = make({ maxOutputBytes: 100 });
    const session = await executor.acquire();
    const results = [];
    for (const printed of [97, 98, 100, 200]) {
      const code = `print("x" * ${printed}, end="")\n12`;
      const { stdout, truncated } = await session.execute(code);
      results.push([stdout.replaceAll(/x+/g, 'x'), truncated]);
    }
    const omitted = (bytes: number): string => `\n[… ${bytes} bytes of output left out here …]\n`;
    expect(results).toEqual([
      [`x\n1${omitted(1)}\n`, true],
      [`x\n${omitted(2)}\n`, true],
      [`x\n${omitted(2)}\n`, true],
      [`x${omitted(100)}x\n${omitted(2)}\n`, true],
    ]);
  });

  it('whose caller aborts while another program has its turn is told at once, and never runs', async () => {
    const [started, goOn] = [createDeferred<void>(), createDeferred<void>()];
    const { executor } = make({
      tools: new ToolRegistry([
        {
          name: 'hold',
          description: 'Answers when it is told to.',
          run: async () => {
            started.resolve();
            await goOn.promise;
          },
        },
      ]),
    });
    const session = await executor.acquire();
    await session.execute('ran = []');
    const first = session.execute('await hold()\nran.append(1)');
    await started.promise;
    const controller = new AbortController();
    const second = session.execute('ran.append(2)', { signal: controller.signal });
    const third = session.execute('ran.append(3)\nran');
    const reason = new Error('The user left.');
    controller.abort(reason);
    await expect(second).rejects.toMatchObject({ code: 'ABORTED', cause: reason });
    goOn.resolve();
    await first;
    expect((await third).stdout).toBe('[1, 3]\n');
  });

  it('passes on why no sandbox could be made, and tries again the next time', async () => {
    let attempts = 0;
    const local = unisolatedLocalProvider();
    const { executor } = make({
      provider: changedProvider({
        create: async (...args) => {
          attempts += 1;
          if (attempts === 1) throw new PtcError('SANDBOX_START_FAILED', 'no luck');
          return local.create(...args);
        },
      }),
    });
    await expect(executor.execute('1')).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: 'no luck',
    });
    expect(await executor.execute('1')).toMatchObject({ status: 'ok' });
  });

  it('removes a sandbox whose runner is not ready in time, and says what it printed', async () => {
    let closed = 0;
    const runner = new FakeRunner();
    runner.printed = 'python3: not found';
    const sandbox: Sandbox = {
      id: 'silent',
      transport: runner,
      close: async () => {
        closed += 1;
      },
    };
    const { executor } = make({
      sandboxStartTimeoutMs: 1,
      provider: changedProvider({ create: async () => sandbox }),
    });
    await expect(executor.execute('1')).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining('python3: not found'),
    });
    expect(closed).toBe(1);
  });

  it('refuses the name of a provider that does not exist', () => {
    expect(() => new SandboxExecutor({ provider: 'chroot' as 'auto' })).toThrow(
      'no provider named "chroot". Use auto, kubernetes, docker, bubblewrap or embedded.',
    );
  });

  it.each([
    'programTimeoutMs',
    'maxOutputBytes',
    'sessionIdleTimeoutMs',
    'cleanupIntervalMs',
    'sandboxStartTimeoutMs',
  ])('refuses a %s that is not a positive number', (option) => {
    for (const value of [0, -5, Number.NaN, '60' as unknown as number]) {
      expect(() => new SandboxExecutor({ [option]: value })).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID', details: { option, value } }),
      );
    }
  });

  it.each([
    { memoryBytes: -1 },
    { memoryBytes: 0.3 * 2 ** 30 },
    { processes: 32.5 },
    { temporaryStorageBytes: 1.1 * 2 ** 20 },
    { temporaryStorageBytes: 8191 },
    { cpus: 0 },
  ])('refuses a limit that no sandbox can have: %j', (limits) => {
    const [[option, value] = []] = Object.entries(limits);
    expect(() => new SandboxExecutor({ limits })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', details: { option, value } }),
    );
  });

  it('gives the sandbox its limits, its session and when it may be removed', async () => {
    const specs: unknown[] = [];
    const local = unisolatedLocalProvider();
    const { executor } = make({
      limits: { memoryBytes: 1_000_000_000 },
      provider: changedProvider({
        create: async (spec, options) => {
          specs.push(spec);
          return local.create(spec, options);
        },
      }),
    });
    const { sessionId } = await executor.execute('1');
    expect(specs).toMatchObject([
      {
        sessionId,
        languages: ['python'],
        limits: {
          memoryBytes: 1_000_000_000,
          cpus: 0.5,
          processes: 64,
          temporaryStorageBytes: 16_777_216,
        },
      },
    ]);
  });

  it('says where a language belongs that it does not offer', async () => {
    const { executor, provider } = make();
    await expect(executor.execute('echo 1', { language: 'bash' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: 'language must be one of "python", not "bash". Add it to languages of the executor.',
    });
    await expect(executor.execute('1', { language: 'ruby' as 'bash' })).rejects.toMatchObject({
      message: 'language must be one of "python", not "ruby".',
    });
    for (const name of ['ts', 'TypeScript']) {
      await expect(executor.execute('1', { language: name as 'typescript' })).rejects.toMatchObject(
        {
          code: 'OPTION_INVALID',
          message: `language must be one of "python", not "${name}". Did you mean typescript? Add it to languages of the executor.`,
        },
      );
    }
    expect(provider.created.size).toBe(0);
  });
});
