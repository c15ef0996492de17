import { describe, expect, it, vi } from 'vitest';

interface Step {
  readonly done: number;
  readonly all: number;
  readonly outcomes: readonly {
    readonly id: string;
    readonly plain: string;
    readonly sandbox: string;
  }[];
}

interface RunPartModule {
  runPart(
    this: void,
    steps: AsyncGenerator<Step>,
    options: {
      readonly title: string;
      readonly place: string;
      readonly unit: string;
      readonly lists: { readonly own: readonly object[]; readonly others: readonly object[] };
      readonly isFiltered: boolean;
      readonly signal: AbortSignal;
      readonly print: (line: string) => void;
    },
  ): Promise<object>;
}

interface ReportModule {
  planLine(
    this: void,
    title: string,
    part: { readonly minutes: Readonly<Record<string, number>> },
    place: string,
  ): string;
}

interface KnownModule {
  parseKnown(this: void, text: string): readonly object[];
}

const load = async (name: string): Promise<unknown> =>
  import(new URL(`../../bench/fidelity/${name}.mjs`, import.meta.url).href);
const { runPart } = (await load('run-part')) as RunPartModule;
const { parseKnown } = (await load('known')) as KnownModule;
const { planLine } = (await load('report')) as ReportModule;

const KNOWN = 'docker | b | error * | refused\ndocker | c | error * | refused';
const ok = (id: string) => ({ id, plain: 'ok', sandbox: 'ok' });
const failing = (id: string) => ({ id, plain: 'ok', sandbox: 'error no' });
const never = () => new Promise<void>(() => undefined);

/** Runs steps until they end or `signal` cuts them off, and returns what was printed. */
async function run(
  steps: AsyncGenerator<Step>,
  signal = new AbortController().signal,
): Promise<{ readonly result: object; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const result = await runPart(steps, {
    title: 'suite in docker',
    place: 'docker',
    unit: 'scripts',
    lists: { own: parseKnown(KNOWN), others: [] },
    isFiltered: false,
    signal,
    print: (line) => lines.push(line.replaceAll(/ +/g, ' ').replace(/\d+ s\b/, 'N s')),
  });
  return { result, lines };
}

describe('a part of the comparison', () => {
  it('says before it begins how long it took when it was last measured', () => {
    const part = { minutes: { docker: 12 } };

    expect(planLine('suite in docker', part, 'docker')).toMatch(
      /^suite in docker +about 12 minutes$/,
    );
    expect(planLine('suite in embedded', part, 'embedded')).toMatch(/not measured yet$/);
  });

  it('prints a difference when it finds it, and at the end the counts and the lines listed in vain', async () => {
    async function* steps(): AsyncGenerator<Step> {
      yield { done: 1, all: 3, outcomes: [failing('a')] };
      yield { done: 2, all: 3, outcomes: [failing('b')] };
      yield { done: 3, all: 3, outcomes: [ok('c')] };
    }

    expect(await run(steps())).toEqual({
      result: { tests: 3, unlisted: 1, gone: 1, stopped: undefined },
      lines: [
        'suite in docker: a',
        ' plain: ok',
        ' sandbox: error no',
        'suite in docker: no longer differs, take it off the list: docker | c | error * | refused',
        'suite in docker 3 tests, 1 the same, 1 listed, 1 beyond the list, 1 listed in vain (N s)',
      ],
    });
  });

  it('prints what it had if it is interrupted, although a test does not end', async () => {
    const interruption = new AbortController();
    async function* steps(): AsyncGenerator<Step> {
      yield { done: 1, all: 3, outcomes: [failing('a')] };
      queueMicrotask(() => interruption.abort('it was interrupted by SIGINT'));
      await never();
    }

    expect(await run(steps(), interruption.signal)).toEqual({
      result: { tests: 1, unlisted: 1, gone: 0, stopped: 'it was interrupted by SIGINT' },
      lines: [
        'suite in docker: a',
        ' plain: ok',
        ' sandbox: error no',
        'suite in docker 1 tests, 0 the same, 0 listed, 1 beyond the list, 0 listed in vain (N s); stopped after 1 of 3: it was interrupted by SIGINT',
      ],
    });
  });

  it('prints what it had if it fails', async () => {
    async function* steps(): AsyncGenerator<Step> {
      yield { done: 1, all: 3, outcomes: [ok('a')] };
      throw new Error('no sandbox');
    }

    const { result, lines } = await run(steps());

    expect(result).toMatchObject({ tests: 1, stopped: 'it failed: no sandbox' });
    expect(lines.at(-1)).toMatch(/^suite in docker 1 tests, .*; stopped after 1 of 3: it failed/);
  });

  it('says every ten seconds how far it has come', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      async function* steps(): AsyncGenerator<Step> {
        vi.advanceTimersByTime(10_000);
        yield { done: 1, all: 2, outcomes: [ok('a')] };
        vi.advanceTimersByTime(20_000);
        yield { done: 2, all: 2, outcomes: [ok('d')] };
      }

      expect((await run(steps())).lines.slice(0, -1)).toEqual([
        'suite in docker starting, N s',
        'suite in docker 1 of 2 scripts, N s',
        'suite in docker 1 of 2 scripts, N s',
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});
