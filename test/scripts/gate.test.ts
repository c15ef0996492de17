import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Options {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onLine?: (line: string) => void;
}

interface GateModule {
  command(this: void, file: string, args: readonly string[], options?: Options): Promise<string>;
  runGate(
    this: void,
    screen: object,
    name: string,
    check: (onLine: (line: string) => void) => unknown,
    signal?: AbortSignal,
  ): Promise<Counts>;
  readonly Skipped: new (message: string) => Error;
}

interface ScreenModule {
  readonly Screen: new () => object;
}

const from = (path: string): string => new URL(`../../scripts/test/${path}`, import.meta.url).href;
const { command, runGate, Skipped } = (await import(from('gate.mjs'))) as GateModule;
const { Screen } = (await import(from('screen.mjs'))) as ScreenModule;

describe('a command of a check', () => {
  it('returns what it printed, and tells each line of its output before it ends', async () => {
    const lines: string[] = [];
    const script = 'echo one; echo two; echo three >&2';
    const output = await command('sh', ['-c', script], { onLine: (line) => lines.push(line) });
    expect(output.split('\n').sort()).toEqual(['', 'one', 'three', 'two']);
    expect(lines).toEqual(['one', 'two']);
  });

  it('that fails throws what it printed, and how it ended', async () => {
    await expect(command('sh', ['-c', 'echo no; exit 3'])).rejects.toThrow(
      'no\nIt ended with status 3.',
    );
    await expect(command('no-such-program', [])).rejects.toThrow('ENOENT');
  });

  it('that takes too long is ended, and says so', async () => {
    const running = command('sleep', ['1000'], { timeoutMs: 10 });
    await expect(running).rejects.toThrow('It took more than 10 ms.');
  });

  it('is ended with all that it started if it is interrupted, also if that ignores it', async () => {
    const interruption = new AbortController();
    const started: number[] = [];
    const script = 'trap "" TERM; sleep 1000 & echo $!; wait; sleep 1000';
    const running = command('sh', ['-c', script], {
      signal: interruption.signal,
      onLine: (line) => {
        started.push(Number(line));
        interruption.abort();
      },
    });
    await expect(running).rejects.toThrow('It was interrupted.');
    expect(started).toHaveLength(1);
    const [pid = 0] = started;
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a check', () => {
  let lines: string[] = [];
  beforeEach(() => {
    lines = [];
    vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('counts as one test that passes, fails or is skipped, unless it says how many it ran', async () => {
    const outcomes: Counts[] = [];
    const checks = [
      () => 'all is well',
      () => 'much\n12 passed, 0 failed, 3 skipped\n',
      () => {
        throw new Error('2 passed, 1 failed\nIt ended with status 1.');
      },
      () => {
        throw new Error('It ended with SIGSEGV.');
      },
      () => {
        throw new Skipped('no engine');
      },
    ];
    for (const check of checks) outcomes.push(await runGate(new Screen(), 'a check', check));
    expect(outcomes).toEqual([
      { passed: 1, failed: 0, skipped: 0 },
      { passed: 12, failed: 0, skipped: 3 },
      { passed: 2, failed: 1, skipped: 0 },
      { passed: 0, failed: 1, skipped: 0 },
      { passed: 0, failed: 0, skipped: 1 },
    ]);
    expect(lines.join('\n')).toContain('It ended with SIGSEGV.');
    expect(lines.join('\n')).toContain('skipped: a check (no engine)');
    expect(lines.join('\n')).not.toContain('all is well');
  });

  it('that is interrupted counts as none', async () => {
    const interruption = new AbortController();
    const check = async (): Promise<string> => {
      interruption.abort();
      return command('true', [], { signal: interruption.signal });
    };
    const { signal } = interruption;
    expect(await runGate(new Screen(), 'a check', check, signal)).toEqual({
      passed: 0,
      failed: 0,
      skipped: 0,
    });
    expect(lines).toEqual([expect.stringMatching(/^a check +stopped/)]);
  });

  it('shows a failure when it is known, and not when the check ends', async () => {
    const shown: string[][] = [];
    await runGate(new Screen(), 'a check', (onLine) => {
      onLine('progress: 1 of 2 files');
      onLine('progress: failed: adds (expected 1 to be 2)');
      shown.push([...lines]);
    });
    expect(shown).toEqual([['failed: adds (expected 1 to be 2)']]);
  });
});
