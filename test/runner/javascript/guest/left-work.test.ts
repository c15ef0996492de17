import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

let stop = new AbortController();
let notes = 0;
const executor = new SandboxExecutor({
  provider: unisolatedLocalProvider(),
  languages: ['javascript'],
  tools: new ToolRegistry([
    { name: 'begun', description: 'Has the program stopped.', run: () => stop.abort() },
    { name: 'note', description: 'Counts its calls.', run: () => void (notes += 1) },
  ]),
});
afterAll(() => executor.close());
beforeEach(() => {
  stop = new AbortController();
  notes = 0;
});

/** What a branch of a program waits for while the program ends. */
const OPERATIONS = {
  'a hash': "new Promise((done) => require('node:crypto').scrypt('a', 'b', 32, done))",
  'a digest': "crypto.subtle.digest('SHA-256', new Uint8Array(1e7))",
  'a file': "require('node:fs').promises.readFile('/etc/hostname')",
};
// Node needs ticks for it, which a program that has ended does not get.
const COMPRESS = "require('node:util').promisify(require('node:zlib').gzip)('text')";
const ENDS = {
  'an error': ["throw new Error('ended')", 'error'],
  'its exit': ['process.exit()', 'ok'],
  'an interrupt': ['begun();\nfor (;;);', 'cancelled'],
};

describe('what goes on after a program of Node', () => {
  it.each(
    Object.entries(OPERATIONS).flatMap(([operation, code]) =>
      Object.entries(ENDS).map(([end, [last, status]]) => ({ operation, code, end, last, status })),
    ),
  )('waits for $operation when $end ends it, which calls no tool then', async (row) => {
    await using session = await executor.acquire();
    const branch = `(async () => {\n  await ${row.code};\n  console.log('late');\n  await note();\n})();`;
    const ended = await session.execute(`globalThis.kept = 42;\n${branch}\n${row.last}`, {
      signal: stop.signal,
    });
    expect(ended).toMatchObject({ status: row.status, stdout: 'late\n', sessionOpen: true });
    expect(await session.execute('await new Promise(setImmediate);\nkept')).toMatchObject({
      status: 'ok',
      stdout: '42\n',
    });
    expect(notes).toBe(0);
  });

  it('does not go on with what needs ticks of Node', async () => {
    await using session = await executor.acquire();
    const stopped = await session.execute(
      `for (let n = 0; ; n += 1) {\n  if (n === 3) begun();\n  await ${COMPRESS};\n}`,
      { signal: stop.signal },
    );
    expect(stopped).toMatchObject({ status: 'cancelled', sessionOpen: true });
    expect(await session.execute('1')).toMatchObject({ status: 'ok', stdout: '1\n' });
  });

  it('does not fail the next program', async () => {
    await using session = await executor.acquire();
    const ended = await session.execute(
      "require('node:fs').promises.readFile('/none');\nthrow new Error('ended');",
    );
    expect(ended).toMatchObject({ status: 'error', error: { message: 'ended' } });
    expect(await session.execute('1')).toMatchObject({ status: 'ok', stdout: '1\n' });
  });

  it('tells the end of a program that nothing can continue', async () => {
    await using session = await executor.acquire();
    await session.execute("await require('node:fs').promises.readFile('/etc/hostname')");
    expect(await session.execute('await new Promise(() => {})')).toMatchObject({
      exitCode: 13,
      sessionOpen: true,
    });
  });

  it.each([
    ['a listener for its exit', "process.on('exit', () => void branch());"],
    [
      'a listener for its idle end that fails',
      "process.once('beforeExit', () => { branch(); throw new Error('ended'); });",
    ],
    [
      'the text of its last value',
      "({ [require('node:util').inspect.custom]: () => { branch(); return 'shown'; } })",
    ],
  ])('waits for what %s starts, which calls no tool then', async (_, code) => {
    await using session = await executor.acquire();
    const branch = `globalThis.branch = async () => {\n  await ${OPERATIONS['a hash']};\n  console.log('late');\n  await note();\n};`;
    const ended = await session.execute(`${branch}\n${code}`);
    expect(ended).toMatchObject({ stdout: expect.stringMatching(/^late\n/), sessionOpen: true });
    expect(await session.execute('await new Promise(setImmediate);\n1')).toMatchObject({
      status: 'ok',
      stdout: '1\n',
    });
    expect(notes).toBe(0);
  });

  it.each([
    ['after a file', "await require('node:fs').promises.readFile('/etc/hostname');\nend();"],
    [
      'in a callback of Node',
      "require('node:fs').readFile('/etc/hostname', () => end());\nawait new Promise(() => {});",
    ],
  ])('ends at once with process.exit %s', async (_, code) => {
    await using session = await executor.acquire();
    const end =
      "const end = () => { console.log('before'); process.exit(3); console.log('after'); };";
    expect(await session.execute(`${end}\n${code}\nconsole.log('later');`)).toMatchObject({
      exitCode: 3,
      stdout: 'before\n',
      stderr: '',
      sessionOpen: true,
    });
    expect(await session.execute('1')).toMatchObject({ status: 'ok', stdout: '1\n', stderr: '' });
  });

  it.each([
    ['failed', true, "throw new Error('ended')"],
    ['was done', false, 'clearInterval(timer)'],
  ])('does not go on to watch files of a program that %s', async (_, persistent, end) => {
    await using session = await executor.acquire();
    const watch = (name: string, keepsAlive: boolean): string =>
      `const fs = require('node:fs'), file = process.cwd() + '/watched';
fs.writeFileSync(file, '');
const timer = setInterval(() => fs.appendFileSync(file, 'more'), 10);
fs.watchFile(file, { interval: 5, persistent: ${keepsAlive} }, () => { console.log('${name}'); fs.unwatchFile(file); clearInterval(timer); });
undefined;`;
    await session.execute(`${watch('first', persistent)}\n${end}`);
    const second = watch('second', true);
    expect(await session.execute(second)).toMatchObject({ status: 'ok', stdout: 'second\n' });
  });

  it('does not run timers that are set after the end, nor waits for them', async () => {
    await using session = await executor.acquire();
    const ended = await session.execute(
      `(async () => {\n  await ${OPERATIONS['a hash']};\n  setInterval(() => console.log('late'), 1);\n  setTimeout(() => {}, 1e9);\n})();\nthrow new Error('ended');`,
    );
    expect(ended).toMatchObject({ status: 'error', stdout: '' });
    expect(await session.execute('1')).toMatchObject({ status: 'ok', stdout: '1\n' });
  });

  it.each([
    ['a message port', 'new MessageChannel().port1.onmessage = () => {};'],
    [
      '2 message ports',
      'const { port1, port2 } = new MessageChannel();\nport1.onmessage = () => port2.postMessage(0);\nport2.onmessage = () => port1.postMessage(0);\nport1.postMessage(0);',
    ],
    [
      '3 message ports',
      "for (const name of ['a', 'b', 'c']) new BroadcastChannel(name).onmessage = () => {};",
    ],
    ['a file watcher', "require('node:fs').watchFile('/none', () => {});"],
  ])('closes %s, so that later programs can end', async (name, code) => {
    await using session = await executor.acquire();
    // Only once its statements are done does it wait.
    const ended = await session.execute(`${code}\nsetTimeout(() => begun());`, {
      signal: stop.signal,
    });
    expect(ended).toMatchObject({ status: 'cancelled', sessionOpen: true });
    expect(ended.stderr).toContain(`it still waited for: ${name}`);
    expect(await session.execute('1')).toMatchObject({ status: 'ok', stdout: '1\n' });
  });

  it('names what it closed before an interrupt cut that off', async () => {
    await using session = await executor.acquire();
    const ended = await session.execute(
      `const { port1, port2 } = new MessageChannel(), { close } = port1;
port1.onmessage = () => {};
let loops = true;
port1.close = () => { close.call(port1); if (loops) { loops = false; for (;;); } };
setTimeout(() => {}, 1e9);
setTimeout(() => begun());`,
      { signal: stop.signal },
    );
    expect(ended).toMatchObject({ status: 'cancelled', sessionOpen: true });
    expect(ended.stderr.split('\n')).toEqual([
      'Warning: the statements of the program were done, and it still waited for: a timer, a message port, a tool call',
      '',
    ]);
    expect(await session.execute('1')).toMatchObject({ status: 'ok', stdout: '1\n' });
  });

  it.each(Object.entries(OPERATIONS))(
    'ends the sandbox if it is %s again and again',
    async (_, code) => {
      const session = await executor.acquire();
      const stopped = await session.execute(
        `for (let n = 0; ; n += 1) {\n  if (n === 3) begun();\n  await ${code};\n}`,
        { signal: stop.signal },
      );
      expect(stopped).toMatchObject({ status: 'cancelled', sessionOpen: false });
    },
  );
});
