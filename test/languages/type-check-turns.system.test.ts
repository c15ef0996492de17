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

/** Stands in for the compiler: it answers all checks but those of programs that are `hang`. */
function standInThatHangs(): void {
  const script = `
    console.log('{"ready":true}');
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { code, session } = JSON.parse(line);
      const failure = 'it was asked about session ' + session;
      if (code !== 'hang') console.log(JSON.stringify({ failure }));
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

  it('do not wait for further programs of a tenant whose check had to be ended [waiting/type-check]', async () => {
    standInThatHangs();
    const { checker, said } = await makeChecker();
    const hanging = { ...PROGRAM, code: 'hang' };
    const hostile = [1, 2, 3].map(() => checker.follow(false, 'a'));
    // The second one waits for its turn when the check of the first is ended.
    await Promise.all(hostile.map((session) => session.check(hanging)));
    await checker.warmUp();
    const honest = checker.follow(false, 'b');
    await Promise.all([...hostile.map((each) => each.check(hanging)), honest.check(PROGRAM)]);
    expect(said.slice(-4)).toEqual([
      ...Array.from({ length: 3 }, () => expect.stringContaining('had to be ended a moment ago')),
      expect.stringContaining('it was asked about session 4'),
    ]);
    expect(said.filter((message) => message.includes('took longer'))).toHaveLength(1);
  });

  it('are checked without tenants although the check of another session had to be ended', async () => {
    standInThatHangs();
    const { checker, said } = await makeChecker();
    const [hostile, honest] = [checker.follow(false), checker.follow(false)];
    await hostile.check({ ...PROGRAM, code: 'hang' });
    await checker.warmUp();
    await Promise.all([hostile.check(PROGRAM), honest.check(PROGRAM)]);
    expect(said.slice(1)).toEqual([
      expect.stringContaining('had to be ended a moment ago'),
      expect.stringContaining('it was asked about session 2'),
    ]);
  });
});
