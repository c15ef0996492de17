import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, startCliOnTerminal } from '../../support/built-package.ts';
import { answer, callDelta, startOpenAIServer } from '../../support/openai-server.ts';
import { JAVASCRIPT_SANDBOX, ProgramDirectory } from '../support.ts';

const FILES = {
  'tools.mjs': `export const policy = { rules: [{ tool: 'pay', action: 'ask', group: 'program', reason: 'money' }] };
export default [{
  name: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  run: ({ amount }) => 'paid ' + amount,
}];`,
  'wrong.mjs': `export const policy = { rule: [] };
export default [{ name: 'pay', description: 'Pays.', run: () => 1 }];`,
  'pay.mjs': `const one = (amount) => pay({ amount }).catch((error) => error.message);
console.log((await Promise.all([one(1), one(2), one(3)])).join('\\n'));`,
  'typing.mjs': `export const policy = { rules: [{ tool: 'pay', action: 'ask' }] };
export default [
  { name: 'pay', description: 'Pays.', run: () => 'paid' },
  {
    name: 'typed',
    description: 'Waits until a y is typed.',
    run: () => new Promise((resolve) => {
      process.stdin.on('data', (keys) => {
        if (keys.includes('y')) resolve(null);
      });
      console.log('Type now.');
    }),
  },
];`,
  'waits.mjs': `await typed();
console.log(await pay().catch((error) => error.message));`,
};

const TABLE = `The program waits for your decision about 3 calls: money
  #  tool  arguments     line
  1  pay   {"amount":1}  1
  2  pay   {"amount":2}  1
  3  pay   {"amount":3}  1
`;

const REJECTED = 'pay failed (Rejected): it was not approved: the user';

describe('a policy that a module of tools exports', () => {
  it.each([
    ['1 3\n', `paid 1\n${REJECTED} rejected it\npaid 3\n`],
    ['e 2\n{"amount": 5}\ny\n', 'paid 1\npaid 5\npaid 3\n'],
    ['', Array.from({ length: 3 }, () => `${REJECTED} did not answer\n`).join('')],
  ])('makes exec ask the person at the terminal, who types %j', async (input, output) => {
    await using directory = await ProgramDirectory.with(FILES);
    const args = ['exec', ...JAVASCRIPT_SANDBOX, '--tools', 'tools.mjs', 'pay.mjs'];
    const { stdout, stderr, status } = await runCli(args, { cwd: directory.path, input });
    expect({ stdout, status }).toEqual({ stdout: output, status: 0 });
    expect(stderr).toContain(TABLE);
  });

  it.each(['y', 'n\ry'])(
    'is not decided by %j, typed before the question is shown',
    async (keys) => {
      await using directory = await ProgramDirectory.with(FILES);
      const tools = join(directory.path, 'typing.mjs');
      const args = ['exec', ...JAVASCRIPT_SANDBOX, '--tools', tools];
      const started = startCliOnTerminal([...args, join(directory.path, 'waits.mjs')]);
      await started.printed('Type now.');
      started.child.stdin.write(keys);
      await started.printed(/y: approve[^]*> /);
      started.child.stdin.write('\r');
      await started.printed('There is no such choice');
      started.child.stdin.write('n\r');
      expect((await started.finished()).stdout).toContain('the user rejected it');
    },
  );

  it('is shown also if Ctrl-D was typed before, and then nobody answers', async () => {
    await using directory = await ProgramDirectory.with(FILES);
    const tools = join(directory.path, 'typing.mjs');
    const args = ['exec', ...JAVASCRIPT_SANDBOX, '--tools', tools];
    const started = startCliOnTerminal([...args, join(directory.path, 'waits.mjs')]);
    await started.printed('Type now.');
    started.child.stdin.write('\u0004y');
    const { status, stdout } = await started.finished();
    expect(stdout).toMatch(/waits for your decision about one call[^]*y: approve/);
    expect(stdout).toContain('the user did not answer');
    expect(status).toBe(0);
  });

  it('is not decided by what was typed before, also if the question goes to a file', async () => {
    await using directory = await ProgramDirectory.with({ ...FILES, errors: '' });
    const [tools, program, errors] = ['typing.mjs', 'waits.mjs', 'errors'].map((name) =>
      join(directory.path, name),
    ) as [string, string, string];
    const args = ['exec', ...JAVASCRIPT_SANDBOX, '--tools', tools, program, '2>', errors];
    const started = startCliOnTerminal(args);
    await started.printed('Type now.');
    started.child.stdin.write('y\n');
    await expect.poll(() => readFileSync(errors, 'utf8')).toMatch(/y: approve/);
    started.child.stdin.write('n\n');
    expect((await started.finished()).stdout).toContain('the user rejected it');
  });

  it('makes chat ask', async () => {
    const program = JSON.stringify({ code: 'print(await pay(amount=1))' });
    await using server = await startOpenAIServer([
      answer([callDelta(0, program, { id: 'call_1', name: 'execute_code' })], 'tool_calls'),
      answer([{ content: 'Done.' }]),
    ]);
    await using directory = await ProgramDirectory.with(FILES);
    const args = ['chat', '--tools', 'tools.mjs', '--model', 'openai:test'];
    const { status, stdout, stderr } = await runCli(args, {
      cwd: directory.path,
      env: { OPENAI_BASE_URL: server.baseUrl },
      input: 'Pay one.\ny\n',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('The program waits for your decision about one call: money\n');
    expect(stdout).toContain('  │ paid 1\n');
    expect(stdout).toContain('Done.');
  });

  it('is refused if it is wrong', async () => {
    await using directory = await ProgramDirectory.with(FILES);
    const args = ['exec', ...JAVASCRIPT_SANDBOX, '--tools', 'wrong.mjs', 'pay.mjs'];
    const { stderr, status } = await runCli(args, { cwd: directory.path });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/policy .*rule/);
  });

  it.each([
    ['exec', 'null', []],
    ['exec', 'false', []],
    ['chat', 'null', ['--model', 'openai:test']],
  ])(
    'is refused by %s if it is %s, so that nothing runs without one',
    async (name, policy, more) => {
      const tools = FILES['wrong.mjs'].replace('{ rule: [] }', policy);
      await using directory = await ProgramDirectory.with({ ...FILES, 'falsy.mjs': tools });
      const programs = name === 'exec' ? [...JAVASCRIPT_SANDBOX, 'pay.mjs'] : [];
      const args = [name, ...more, '--tools', 'falsy.mjs', ...programs];
      // Nothing listens there, and nothing is asked.
      const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9' };
      const { stderr, status } = await runCli(args, { cwd: directory.path, env, input: 'Pay.\n' });
      expect(status).toBe(2);
      expect(stderr).toContain(`policy must be an object, not ${policy}`);
    },
  );
});
