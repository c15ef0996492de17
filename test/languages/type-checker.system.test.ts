import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkerCommand } from '../../src/languages/type-check/checker-command.ts';
import { TypeChecker } from '../../src/languages/type-check/type-checker.ts';
import { withoutPatience } from '../support/patient-checks.ts';
import { startNode, type StartedProcess } from '../support/built-package.ts';
import { skippedFor } from '../support/skipped.ts';
import { BOMBS } from './type-check-bombs.ts';

vi.mock(import('../../src/languages/type-check/checker-command.ts'), async (load) => {
  const { useBuiltChecker } = await import('../support/built-checker.ts');
  const module = await useBuiltChecker(load);
  return { ...module, checkerCommand: vi.fn<typeof module.checkerCommand>(module.checkerCommand) };
});

vi.mock(import('../../src/languages/type-check/check-deadlines.ts'), async (load) =>
  (await import('../support/patient-checks.ts')).usePatience(load),
);

const checkers: TypeChecker[] = [];
afterEach(async () => {
  vi.mocked(checkerCommand).mockReset();
  await Promise.all(checkers.splice(0).map((checker) => checker.close()));
});

function makeChecker(): { checker: TypeChecker; said: string[] } {
  const said: string[] = [];
  const checker = new TypeChecker((message) => said.push(message));
  checkers.push(checker);
  return { checker, said };
}

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

describe('a program that asks too much of the compiler', () => {
  const bombed = new TypeChecker(undefined);
  beforeAll(() => bombed.warmUp());
  afterAll(() => bombed.close());

  it.each(BOMBS)(
    '%s: is refused or runs unchecked, and the next one is checked [host/compiler-limits]',
    async (_, code) => {
      await withoutPatience(async () =>
        bombed.follow(false).check({ language: 'typescript', code, tools: [] }),
      );
      const next = await bombed
        .follow(false)
        .check({ language: 'typescript', code: 'const a: string = 1;', tools: [] });
      expect(next?.type).toBe('TypeCheckError');
    },
  );

  it('is not given to it if it is longer than what a model writes [waiting/type-check]', async () => {
    const { checker, said } = makeChecker();
    const code = `const a: string = 1; /*${' '.repeat(600_000)}*/`;
    expect(
      await checker.follow(false).check({ language: 'typescript', code: code, tools: [] }),
    ).toBeUndefined();
    expect(said).toEqual([
      'A program runs with its types unchecked: it is longer than 524288 characters',
    ]);
    expect(checkerCommand).not.toHaveBeenCalled();
  });
});

describe("the compiler's process", () => {
  it('can write no file, start no process and read nothing but the package and the compiler [host/compiler-permissions]', () => {
    const { file: node, args, env, cwd } = checkerCommand();
    const options = args.slice(0, -1);
    const tried = spawnSync(node, [...options, file('./try-permissions.mjs')], { env, cwd });
    expect(String(tried.stderr)).toBe('');
    expect(JSON.parse(String(tried.stdout))).toEqual({
      write: 'ERR_ACCESS_DENIED',
      spawn: 'ERR_ACCESS_DENIED',
      read: 'ERR_ACCESS_DENIED',
      environment: [],
    });
  });

  it.each([
    ['what is not JSON', 'hello', 'sent an invalid reply'],
    ['an answer of another shape', '{"answer":{"problems":"all"}}', 'sent an invalid reply'],
    ['a line without an end', undefined, 'sent an invalid reply'],
    ['its end', '{"end":"gone"}', 'gone'],
  ])(
    'is ended, and the program runs, if it sends %s [host/compiler-answer]',
    async (_, line, reason) => {
      const script =
        line === undefined
          ? 'const part = "x".repeat(65536); const go = () => process.stdout.write(part, go); go();'
          : `console.log(${JSON.stringify(line)}); process.stdin.resume();`;
      const lying = { file: process.execPath, args: ['-e', script], cwd: '/', env: {} };
      vi.mocked(checkerCommand).mockReturnValue(lying);
      const { checker, said } = makeChecker();
      expect(
        await checker.follow(false).check({ language: 'typescript', code: '1', tools: [] }),
      ).toBeUndefined();
      expect(said).toEqual([expect.stringContaining(reason)]);
    },
  );

  it('is not ended if it starts slowly: the program runs, and a later one is checked', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'slow-checker-'));
    const released = join(directory, 'released');
    const script = `
      const { existsSync } = require('node:fs');
      const timer = setInterval(() => {
        if (!existsSync(${JSON.stringify(released)})) return;
        clearInterval(timer);
        console.log(JSON.stringify({ ready: true }));
        const answer = { problems: [], problemCount: 0, names: [], changed: [] };
        process.stdin.on('data', () => console.log(JSON.stringify({ answer })));
      }, 5);`;
    const slow = { file: process.execPath, args: ['-e', script], cwd: '/', env: {} };
    vi.mocked(checkerCommand).mockReturnValue(slow);
    const { checker, said } = makeChecker();
    const check = async (): Promise<unknown> =>
      checker.follow(false).check({ language: 'typescript', code: '1', tools: [] });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await withoutPatience(async () => {
        const first = check();
        await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
        vi.advanceTimersByTime(15_000);
        await first;
      });
      expect(said).toEqual([expect.stringContaining('took longer than 15000 ms to start')]);
      await writeFile(released, '');
      await check();
      expect(said).toHaveLength(1);
      expect(checkerCommand).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
      await rm(directory, { recursive: true });
    }
  });

  it('is told of if it cannot be started, and the program runs', async () => {
    const missing = { file: '/nonexistent/node', args: [], cwd: '/', env: {} };
    vi.mocked(checkerCommand).mockReturnValue(missing);
    const { checker, said } = makeChecker();
    expect(
      await checker.follow(false).check({ language: 'typescript', code: '1', tools: [] }),
    ).toBeUndefined();
    expect(said).toEqual([expect.stringContaining('ENOENT')]);
  });
});

const NO_PROCESS_LIST =
  process.platform === 'linux' ? undefined : 'only Linux has /proc, which the tests read';

describe('the process of the built package', skippedFor(NO_PROCESS_LIST), () => {
  const started: StartedProcess[] = [];
  afterEach(() => {
    for (const { child } of started.splice(0)) child.kill('SIGKILL');
  });

  async function startHost(what: string): Promise<{ host: StartedProcess; pid: number }> {
    const env = { SECRET_OF_THE_HOST: 'not for the compiler' };
    const host = startNode([file('./type-checker-host.mjs'), what], { env });
    started.push(host);
    await host.printed(/checker \d+\n/);
    return { host, pid: Number(/checker (\d+)/.exec(host.stdout)?.[1]) };
  }

  const isGone = (pid: number): boolean => {
    try {
      return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return true;
    }
  };

  it('has nothing of its host: no environment, and no descriptor but its pipes [host/compiler-environment]', async () => {
    const { host, pid } = await startHost('wait');
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
    expect(host.stdout).toContain('inherited: none\n');
  });

  it('ends with its host, even in the middle of a check', async () => {
    const { host, pid } = await startHost('check-for-ever');
    expect(isGone(pid)).toBe(false);
    host.child.kill('SIGKILL');
    await expect.poll(() => isGone(pid)).toBe(true);
  });

  it('keeps no host from ending that does not close it', async () => {
    const { host, pid } = await startHost('leave');
    expect((await host.finished()).status).toBe(0);
    await expect.poll(() => isGone(pid)).toBe(true);
  });

  it('is gone when it was closed', async () => {
    const { host } = await startHost('close');
    await host.finished();
    expect(host.stdout).toContain('children: none\n');
  });
});
