import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkerCommand } from '../../src/languages/type-check/checker-command.ts';
import { TypeChecker } from '../../src/languages/type-check/type-checker.ts';

vi.mock(import('../../src/languages/type-check/checker-command.ts'), async (load) => ({
  ...(await load()),
  checkerCommand: vi.fn<typeof checkerCommand>(),
}));

/** Stands in for the compiler: it numbers the checks that it gets, and answers them, or not the first. */
function standIn({ answersFirst }: { readonly answersFirst: boolean }): void {
  const script = `
    console.log('{"ready":true}');
    let checks = 0;
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      checks += 1;
      const failure = 'it was check ' + checks + ' of session ' + JSON.parse(line).session;
      if (checks > 1 || ${answersFirst}) console.log(JSON.stringify({ failure }));
    });
  `;
  const command = { file: process.execPath, args: ['-e', script], cwd: '/', env: {} };
  vi.mocked(checkerCommand).mockReturnValue(command);
}

const checkers: TypeChecker[] = [];
afterEach(async () => {
  await Promise.all(checkers.splice(0).map((checker) => checker.close()));
});

async function makeChecker(): Promise<{ checker: TypeChecker; said: string[] }> {
  const said: string[] = [];
  const checker = new TypeChecker((message) => said.push(message));
  checkers.push(checker);
  await checker.warmUp();
  return { checker, said };
}

const PROGRAM = { language: 'typescript', code: '1', tools: [] } as const;

describe('sessions that share a type checker', () => {
  it('do not wait for checks whose programs were aborted [waiting/type-check]', async () => {
    standIn({ answersFirst: true });
    const { checker, said } = await makeChecker();
    const stop = new AbortController();
    const hostile = checker.follow(false);
    const aborted = Array.from({ length: 12 }, async () =>
      hostile.check({ ...PROGRAM, signal: stop.signal }),
    );
    stop.abort();
    const unchecked = await checker.follow(false).check(PROGRAM);
    expect(unchecked).toBeUndefined();
    await Promise.all(aborted);
    // The first of them had begun. Nobody waits for what it says.
    expect(said).toEqual([expect.stringContaining('it was check 2')]);
  });

  it('have their turns by tenant, if there are tenants [host/turns]', async () => {
    standIn({ answersFirst: true });
    const { checker, said } = await makeChecker();
    const sessions = ['a', 'a', 'a', 'b', undefined].map((tenant) => checker.follow(false, tenant));
    await Promise.all(sessions.map((session) => session.check(PROGRAM)));
    const order = said.map((message) => message.slice(-1));
    expect(order).toEqual(['1', '2', '4', '5', '3']);
  });

  it('run a program unchecked, and say so, if others are checked for a second [waiting/type-check]', async () => {
    standIn({ answersFirst: false });
    const { checker, said } = await makeChecker();
    const slow = checker.follow(false).check(PROGRAM);
    const unchecked = await checker.follow(false).check(PROGRAM);
    expect(unchecked).toBeUndefined();
    expect(said).toEqual([
      'A program runs with its types unchecked: the type checker was busy with other programs for 1000 ms',
    ]);
    await slow;
    expect(said[1]).toContain('took longer than 2000 ms');
  });
});
