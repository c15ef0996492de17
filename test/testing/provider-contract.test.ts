import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';
import type { FoundSandbox, Transport } from '../../src/sandbox/provider-kit.ts';
import { openSuite, runTest } from './local-suite.ts';
import { runBroken, wholeProvider, type Broken } from './whole-provider.ts';

it('the tests of the provider pass with one that has all functions', async () => {
  const suite = openSuite({ provider: () => wholeProvider() });
  const tests = suite.tests.filter(({ group }) => group === 'provider');
  expect(tests.length).toBeGreaterThanOrEqual(14);
  for (const { run } of tests) await run();
});

it('a provider that is given twice is refused', async () => {
  const provider = wholeProvider();
  const suite = openSuite({ provider: () => provider });
  const message = 'The option provider returned the same provider again.';
  await expect(runTest(suite, 'starts no sandbox, and throws CLOSED')).rejects.toThrow(message);
});

it.each([
  [{ usable: false, reason: 'it is off', remedy: 'Turn it on.' } as const, 'it is off'],
  [{ usable: true, description: '' } as const, 'the value.description is not as expected'],
])('finds a check with the result %j', async (found, message) => {
  const broken = { provider: () => ({ probe: async () => found }) };
  await expect(runBroken('the check of the provider says that it works', broken)).rejects.toThrow(
    message,
  );
});

it.each(['probe', 'prepare', 'software', 'findSandboxes', 'removeOrphans', 'attach'] as const)(
  'finds a function %s that ignores its signal',
  async (name) => {
    const broken: Broken = {
      provider: (whole) => ({
        [name]: async () => (name === 'attach' ? whole.attach('none') : whole[name]()),
      }),
    };
    const message = `${name} should throw a PtcError with the code ABORTED. It returned`;
    await expect(runBroken('a function whose signal has fired', broken)).rejects.toThrow(message);
  },
);

it('finds a function that throws the reason of its signal', async () => {
  const probe = async (options: { signal?: AbortSignal } = {}): Promise<never> => {
    options.signal?.throwIfAborted();
    throw new Error('It was not aborted.');
  };
  const message = 'probe should throw a PtcError with the code ABORTED. It threw';
  await expect(
    runBroken('a function whose signal has fired', { provider: () => ({ probe }) }),
  ).rejects.toThrow(message);
});

const noSandbox = 'create should throw a PtcError with the code ABORTED. It returned';

it('finds a start that ignores its signal', async () => {
  const broken: Broken = { provider: (whole) => ({ create: async (spec) => whole.create(spec) }) };
  await expect(runBroken('a start whose signal has fired', broken)).rejects.toThrow(noSandbox);
});

it('finds a start that looks at its signal only at first', async () => {
  const broken: Broken = {
    provider: (whole) => ({
      create: async (spec, { signal } = {}) =>
        signal?.aborted ? whole.create(spec, { signal }) : whole.create(spec),
    }),
  };
  await expect(runBroken('a start whose signal fires meanwhile', broken)).rejects.toThrow(
    noSandbox,
  );
});

it('finds a start that is aborted and throws another error', async () => {
  const broken: Broken = {
    provider: (whole) => ({
      create: async (spec, { signal } = {}) => {
        if (signal === undefined) return whole.create(spec);
        await once(signal, 'abort');
        throw new PtcError('SANDBOX_START_FAILED', 'It did not start.');
      },
    }),
  };
  const title = 'a start leaves nothing, whenever its signal fires';
  await expect(runBroken(title, broken)).rejects.toThrow(
    'create should throw a PtcError with the code ABORTED.',
  );
});

const LEFT: FoundSandbox = {
  ...{ id: 'left', sessionId: '', owner: undefined },
  ...{ createdAtMs: 0, state: 'created', verdict: 'live' },
};

/** Lets the time pass in which the suite waits for the end of a sandbox. */
function passTime(): void {
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(121_000);
}

it.each([
  'a start whose signal has fired',
  'a start whose signal fires meanwhile',
  'a start leaves nothing',
])('the test %j finds a start that is aborted and leaves something', async (title) => {
  const broken: Broken = {
    provider: (whole) => {
      const left: FoundSandbox[] = [];
      return {
        create: async (spec, { signal } = {}) => {
          if (signal === undefined) return whole.create(spec);
          if (!signal.aborted) await once(signal, 'abort');
          left.push({ ...LEFT, sessionId: spec.sessionId });
          return whole.create(spec, { signal });
        },
        findSandboxes: async () => {
          if (left.length > 0) passTime();
          return [...(await whole.findSandboxes()), ...left];
        },
      };
    },
  };
  await expect(runBroken(title, broken)).rejects.toThrow(
    'The provider still lists a sandbox after 120 seconds',
  );
});

it('finds a provider that starts sandboxes after it was closed', async () => {
  const broken: Broken = { provider: () => ({ close: async () => {} }) };
  const message = 'create should throw a PtcError with the code CLOSED. It returned';
  await expect(runBroken('starts no sandbox, and throws CLOSED', broken)).rejects.toThrow(message);
});

it('finds a provider that cannot be closed again', async () => {
  const broken: Broken = {
    provider: (whole) => {
      let isClosed = false;
      return {
        close: async () => {
          if (isClosed) throw new Error('It was closed before.');
          isClosed = true;
          await whole.close();
        },
      };
    },
  };
  await expect(runBroken('a provider can be closed again', broken)).rejects.toThrow(
    'It was closed before.',
  );
});

const CLOSED_AGAIN = 'a sandbox can be closed again';

/** A sandbox whose second `close` is different. */
function closedAgain(again: () => Promise<void>): Broken {
  return {
    sandbox: (whole) => {
      let closes = 0;
      return { close: async () => ((closes += 1) === 2 ? again() : whole.close()) };
    },
  };
}

it('finds a sandbox that cannot be closed again', async () => {
  const broken = closedAgain(async () => {
    throw new Error('It was closed before.');
  });
  await expect(runBroken(CLOSED_AGAIN, broken)).rejects.toThrow('It was closed before.');
});

/** Lets the time pass in which the suite waits for `close`. */
function holdTimers(): { readonly letPass: () => void } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const letPass = (): void => {
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
  };
  return { letPass: () => void setImmediate(letPass) };
}

it('finds a sandbox whose second close hangs', async () => {
  const broken = closedAgain(async () => {
    holdTimers().letPass();
    return new Promise(() => {});
  });
  await expect(runBroken(CLOSED_AGAIN, broken)).rejects.toThrow(
    'has not ended 60 seconds after close.',
  );
});

it('finds a connection that does not end with its sandbox', async () => {
  const broken: Broken = {
    sandbox: (whole) => {
      let timers: ReturnType<typeof holdTimers> | undefined;
      let closes = 0;
      const silent: Transport = {
        ...plain(whole.transport),
        listen: () => void (timers = holdTimers()),
      };
      return {
        transport: silent,
        close: async () => {
          await whole.close();
          closes += 1;
          if (closes === 3) timers?.letPass();
        },
      };
    },
  };
  await expect(runBroken(CLOSED_AGAIN, broken)).rejects.toThrow(
    'has not ended 60 seconds after close.',
  );
});

/** The same transport, without a class. */
function plain(transport: Transport): Transport {
  return {
    listen: (...of) => transport.listen(...of),
    send: (message) => transport.send(message),
    diagnostics: () => transport.diagnostics(),
    destroy: () => transport.destroy(),
  };
}

it.each<[string, (of: Transport) => Partial<Transport>, string]>([
  [
    'ends with an error',
    (transport) => ({
      listen: (listener) =>
        transport.listen({
          ...listener,
          closed: () => listener.closed(new Error('It was closed.')),
        }),
    }),
    'closed of the listener should be called once',
  ],
  [
    'says twice that it ends',
    (transport) => ({
      listen: (listener) => {
        const closed = (): void => {
          listener.closed(undefined);
          listener.closed(undefined);
        };
        transport.listen({ ...listener, closed });
      },
    }),
    'closed of the listener should be called once',
  ],
  [
    'throws if something is sent after its end',
    () => ({
      send: () => {
        throw new Error('It has ended.');
      },
    }),
    'It has ended.',
  ],
])('finds a connection that %s', async (_, change, message) => {
  const broken: Broken = {
    sandbox: ({ transport }) => {
      const whole = plain(transport);
      return { transport: { ...whole, ...change(whole) } };
    },
  };
  await expect(runBroken(CLOSED_AGAIN, broken)).rejects.toThrow(message);
});
