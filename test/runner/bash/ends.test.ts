import { describe, expect, it } from 'vitest';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { useBash } from '../../support/bash-bench.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { stopAfter } from '../../support/stop-after.ts';
import { printed, stoppedAt } from '../../../src/testing/stopped-at.ts';

const { run } = useBash(unisolatedLocalProvider);

describe('a program in bash that is stopped', () => {
  it.each([
    'sleep 100',
    'while :; do :; done',
    'while :; do sleep 0.001; done',
    'for i in 1 2 3; do (sleep 100; echo no); done',
    'text=$(sleep 100; echo no)',
    'sleep 100 | cat',
    'sleep 100 & wait',
    'set -m; sleep 100',
    'yes > /dev/null',
    'read -r line < <(sleep 100)',
    `python3 -c 'import time
try: time.sleep(100)
except KeyboardInterrupt: print("caught")'`,
    `bash -c 'while :; do :; done'`,
    'f() { while :; do sleep 0.01; done; }; f',
  ])('%j ends at once, and what follows does not run', async (code) => {
    await run('kept=yes; cd /usr');
    const stopped = await stoppedAt(printed('began'), async (timeoutMs) =>
      run(`changed=yes; echo began\n${code}\necho no`, { timeoutMs }),
    );
    expect(stopped).toMatchObject({ status: 'timeout', sessionOpen: true });
    expect(stopped.stdout).not.toContain('no');
    expect(await run('set +m; echo $kept $changed $PWD')).toMatchObject({
      status: 'ok',
      stdout: 'yes yes /usr\n',
      stderr: '',
    });
  });

  it('runs its EXIT trap', async () => {
    const stopped = await stoppedAt(printed('cleaned'), async (timeoutMs) =>
      run(`trap 'echo cleaned' EXIT; sleep 100`, { timeoutMs }),
    );
    expect(stopped).toMatchObject({ status: 'timeout', stdout: 'cleaned\n', sessionOpen: true });
  });

  it('costs the session only where it does not let itself be stopped', async () => {
    const stopped = await stoppedAt(printed('began'), async (timeoutMs) =>
      run(`trap '' INT; echo began; while :; do :; done`, { timeoutMs }),
    );
    expect(stopped).toMatchObject({ status: 'timeout', sessionOpen: false });
  });

  it('can be stopped at whatever moment, and the session goes on', async () => {
    const tools = new ToolRegistry([{ name: 'instant', description: 'Answers.', run: () => 1 }]);
    await using executor = new SandboxExecutor({
      provider: unisolatedLocalProvider(),
      tools,
      languages: ['bash'],
    });
    const session = await executor.acquire();
    await session.execute('count=0');
    const programs = [
      'while :; do instant; done',
      'while :; do :; done',
      'exit 3',
      'instant | cat',
      ':',
    ];
    for (let round = 0; round < 100; round += 1) {
      const code = programs[round % programs.length] ?? '';
      await stopAfter(session, code, ((round * 7) % 80) / 10);
      const next = await session.execute('instant; count=$((count + 1)); echo $count');
      expect(next).toMatchObject({ status: 'ok', stdout: `1\n${round + 1}\n` });
    }
  });
});

describe('what a program in bash leaves behind', () => {
  it.each([
    ['sleep 100 & sleep 100 &', 2],
    ['(sleep 100 &)', 1],
    ['nohup sleep 100 >/dev/null 2>&1 & disown', 1],
    ['setsid sleep 100 &', 1],
    ['sleep 100 & exit 0', 1],
  ])('%j is ended and told', async (code, count) => {
    expect(await run(code)).toMatchObject({
      status: 'ok',
      stderr: `Warning: background processes ended because the program ended before them: ${count}\n`,
    });
    expect(
      await run('jobs; wait; read -r children </proc/$$/task/$$/children; echo "[$children]"'),
    ).toMatchObject({ stdout: '[]\n', stderr: '' });
  });

  // The time that it has is that of the runner: test_leftovers.py has as much as it needs.
  it('may finish what it has to say, or else is told of', async () => {
    const { stdout, stderr } = await run('echo through > >(cat); (echo last) &');
    const lines = stdout.split('\n').toSorted();
    const told =
      /^(?:Warning: background processes ended because the program ended before them: ([12])\n)?$/;
    // On a busy machine, one of them or both may be there when the time is over, also one that has printed.
    expect(stderr).toMatch(told);
    expect(['', 'last', 'through']).toEqual(expect.arrayContaining(lines));
    expect(lines.length + Number(told.exec(stderr)?.[1] ?? 0)).toBeGreaterThanOrEqual(3);
  });
});

describe('a program that ends the shell itself', () => {
  it.each([
    ['exec false', 'the program ended its interpreter with status 1'],
    ['kill -KILL $$', 'the interpreter was ended by signal 9'],
  ])('%j ends the session and says so', async (code, message) => {
    const result = await run(`echo before; ${code}`);
    expect(result).toMatchObject({
      status: 'sandbox-lost',
      stdout: 'before\n',
      sessionOpen: false,
      error: { type: 'InterpreterEnded' },
    });
    expect(result.error?.message).toContain(message);
  });
});
