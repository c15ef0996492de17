import { expect, it } from 'vitest';
import type { LanguageName } from '../../src/protocol/messages.ts';
import type { ApprovalRequest } from '../../src/tools/policy/approval-request.ts';
import type { ExecutionEvent } from '../../src/execution/execution.ts';
import { useExecutors } from './support.ts';
import { uniqueKey } from '../support/unique-key.ts';

const KEY = uniqueKey('call-lines');

const makeExecutor = useExecutors();

const PAY = { name: 'pay', description: 'Pays.', run: () => 1 };

/** The lines that the approver of programs in one session reads, sorted. */
async function linesOf(
  language: LanguageName,
  ...programs: readonly string[]
): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  const approver = async ({ line }: ApprovalRequest): Promise<{ approved: true }> => {
    lines.push(line);
    return { approved: true };
  };
  const { executor } = makeExecutor({
    languages: [language],
    tools: [PAY],
    policy: { rules: [{ tool: 'pay', action: 'ask' }], approver },
  });
  for (const code of programs) {
    const { status, stderr, error } = await executor.execute(code, { language, sessionKey: KEY });
    expect({ status, stderr, error }).toEqual({ status: 'ok', stderr: '', error: undefined });
  }
  return lines.toSorted((a, b) => Number(a) - Number(b));
}

it.each([
  ['await', 'await pay()\n\nawait pay()', [1, 3]],
  ['in a function', 'async def one():\n    return await pay()\n\nawait one()\nawait one()', [2, 2]],
  [
    'gather',
    'import asyncio\nawait asyncio.gather(\n    pay(),\n    *(pay() for _ in "a"),\n)',
    [3, 4],
  ],
  [
    'a task',
    'import asyncio\ntask = asyncio.create_task(pay())\nawait asyncio.sleep(0)\nawait task',
    [2],
  ],
  ['a time limit', 'import asyncio\n\nawait asyncio.wait_for(pay(), 60)', [3]],
  [
    'asyncio.run',
    'import asyncio\n\nasync def main():\n    await asyncio.gather(pay())\n\nasyncio.run(main())',
    [4],
  ],
  [
    'a thread',
    'import asyncio, threading\nasync def main():\n    await pay()\nthread = threading.Thread(target=lambda: asyncio.run(main()))\nthread.start()\nthread.join()',
    [3],
  ],
  ['code that is evaluated', 'await eval("pay()")', [1]],
])('the approver reads the line of a call in Python: %s', async (_, code, lines) => {
  expect(await linesOf('python', code)).toEqual(lines);
});

it.each<LanguageName>(['typescript', 'javascript'])(
  'the approver reads the line of a call in %s',
  async (language) => {
    const code = `const one = async () => pay();
await pay();
await Promise.all([
  one(),
  pay({}),
]);
for (const _ of [1, 2])
  await pay();`;
    expect(await linesOf(language, code)).toEqual([1, 2, 5, 8, 8]);
  },
);

it.each([
  ['a command', 'pay\n\npay', [1, 3]],
  ['a function', 'one() {\n  pay\n}\none; one\none', [2, 2, 2]],
  ['a pipeline', 'pay |\n  cat | pay', [1, 2]],
  ['a subshell', '(\n  pay\n)\npay &\nwait', [2, 4]],
  [
    'a substitution',
    'a=$(pay)\nb="$(pay)"; cat <(pay)\nif [[ $(pay) == 1 ]]; then pay; fi',
    [1, 2, 2, 3, 3],
  ],
  ['a loop', 'for i in 1 2; do\n  pay\ndone\nwhile read -r; do\n  pay\ndone <<< 1', [2, 2, 5]],
  ['a continued command', 'true &&\n  pay \\\n  | cat\npay', [2, 4]],
  ['arguments of several lines', "pay '{\n}'\npay - <<EOF\n{}\nEOF\npay", [1, 3, 6]],
  [
    'a substitution of several lines',
    "a=$(pay | sed '\n  p\n')\npay\nb=$(\n  pay\n)\n\npay",
    [1, 4, 6, 9],
  ],
  ['after a comment', "# don't\npay # it's \"\npay", [2, 3]],
  ['a trap', 'end() {\n  pay\n}\ntrap end EXIT\npay', [2, 5]],
  ['a file', 'echo pay > a.sh\nsource ./a.sh', [2]],
])('the approver reads the line of a call in bash: %s', async (_, code, lines) => {
  expect(await linesOf('bash', `exec >/dev/null; ${code}`)).toEqual(lines);
});

it.each([
  ['several in one substitution', 'a=$(\n  pay\n  pay\n)', 2],
  ['several in one continued command', 'pay \\\n && pay', 2],
  ['a here-document', 'cat <<EOF\n$(pay)\n$(pay)\nEOF', 2],
  ['code that is evaluated', "eval '\npay'\n\npay", 2],
  ['code of a trap', "pay\ntrap 'pay' EXIT", 2],
  ['a name in a variable', 'name=pay\n$name', 1],
  [
    'another bash',
    'bash -c pay\nexport -f pay\necho 1 | xargs -I{} bash -c pay\necho pay > a.sh\nbash a.sh',
    3,
  ],
  ['another program', 'find . -maxdepth 0 -exec pay \\;\necho | xargs pay', 2],
])('the approver reads no line in bash that could be wrong: %s', async (_, code, calls) => {
  expect(await linesOf('bash', `exec >/dev/null; ${code}`)).toEqual(Array.from({ length: calls }));
});

it('the approver reads the line in bash that calls a function of an earlier program', async () => {
  const earlier = 'twice() {\n  pay\n  pay\n} >/dev/null';
  expect(await linesOf('bash', earlier, '\n\n\ntwice\npay >/dev/null')).toEqual([4, 4, 5]);
});

it.each([
  ['given to another function', '\nawait Promise.resolve({}).then(pay);', [2]],
  ['in a recursion', 'const deep = (n) => n ? deep(n - 1)\n  : pay();\nawait deep(100);', [2]],
  ['in code that is evaluated', '\nawait eval("\\n\\n\\npay()");', [2]],
  ['after the program wanted no frames', 'Error.stackTraceLimit = 0;\nawait pay();', [2]],
  ['with another global Error', 'globalThis.Error = class extends Error {};\nawait pay();', [2]],
])('the approver reads the line of a call in JavaScript: %s', async (_, code, lines) => {
  expect(await linesOf('javascript', code)).toEqual(lines);
});

it('the approver reads the line of the program that calls a function of an earlier one', async () => {
  expect(
    await linesOf(
      'javascript',
      '\n\n\nasync function twice() { await pay(); await pay(); }',
      '\nawait twice();',
    ),
  ).toEqual([2, 2]);
});

it('to find the line of a call changes no stack that the program makes', async () => {
  const code = `const deep = (n) => n ? deep(n - 1) : pay().then(() => Error.stackTraceLimit);
const limit = await deep(9);
Error.stackTraceLimit = 3;
await pay();
if (limit !== 60 || Error.stackTraceLimit !== 3) throw new Error(limit);`;
  expect(await linesOf('javascript', code)).toEqual([1, 4]);
});

it('stacks are as long as before after a program was stopped while the line of its call was found', async () => {
  const { executor } = makeExecutor({ languages: ['javascript'], tools: [PAY] });
  const run = { sessionKey: KEY, language: 'javascript' } as const;
  const code = `let limit = Error.stackTraceLimit;
let isStuck = false;
Object.defineProperty(Error, 'stackTraceLimit', {
  get: () => limit,
  set: (value) => {
    limit = value;
    if (isStuck || value !== 1) return;
    isStuck = true;
    console.log('stuck');
    for (;;);
  },
});
await pay();`;
  const stop = new AbortController();
  const onEvent = ({ type }: ExecutionEvent): void => {
    if (type === 'output-delta') stop.abort();
  };
  const { status } = await executor.execute(code, { ...run, onEvent, signal: stop.signal });
  expect(status).toBe('cancelled');
  const next = await executor.execute('[limit, Error.stackTraceLimit]', run);
  expect(next).toMatchObject({ value: [60, 60] });
});

it('to find the line of a call looks only at its first frame, however many there are', async () => {
  const code = `const own = Error.prepareStackTrace;
const counts = [];
globalThis.Error = class extends Error {
  static prepareStackTrace(error, frames) { counts.push(frames.length); return own(error, frames); }
};
const deep = (n) => n ? deep(n - 1) : pay();
await deep(50);
if (counts.join() !== '1') throw counts;`;
  expect(await linesOf('javascript', code)).toEqual([6]);
});

it('a program that forges the frames of a call has no lines, and goes on', async () => {
  const code = `const own = Error.prepareStackTrace;
const frame = { getFileName: () => '<run 1>', getLineNumber: () => ({ toJSON: () => 'none' }) };
globalThis.Error = class extends Error {
  static prepareStackTrace(error) { return own(error, [frame]); }
};
await pay();`;
  expect(await linesOf('javascript', code)).toEqual([undefined]);
});

it('a program that changes how stacks are made has no lines, and goes on', async () => {
  const code = 'Error.prepareStackTrace = () => { throw new Error("no"); };\nawait pay();';
  expect(await linesOf('javascript', code)).toEqual([undefined]);
});
