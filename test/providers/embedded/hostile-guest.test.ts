import { afterEach, describe, expect, it } from 'vitest';
import type { OutcomeMessage } from '../../../src/protocol/messages.ts';
import { bootInput } from '../../../src/providers/embedded/boot-input.ts';
import { startSandbox } from '../../../src/providers/embedded/embedded-sandbox.ts';
import { findEmbeddedPackages } from '../../../src/providers/embedded/embedded-packages.ts';
import { commandFor } from '../../../src/providers/embedded/snapshot/prepare-python.ts';
import { SandboxClient } from '../docker/support.ts';
import { workerScript } from './worker-script.ts';

const MEBIBYTE = 1024 * 1024;
const LIMITS = { memoryBytes: 64 * MEBIBYTE, temporaryStorageBytes: MEBIBYTE };

/** What precedes the attack: a guest that has all that the runner's own has, and waits for its program. */
const PREPARATION = `
import { SupervisorLink } from './link.mjs';
const frame = (name, end, body) =>
  new TextEncoder().encode('__PTC_' + name + '__' + JSON.stringify(body) + '__PTC_END_' + end + '__\\n');
const tell = postMessage.bind(globalThis);
globalThis.addEventListener('message', ({ data }) => {
  const link = new SupervisorLink(data.link);
  const report = (fields) => link.send(frame('OUTPUT', 'OUTPUT', {
    execution_id: 'run', success: true, value: null, error: null, exit_code: 0, ...fields,
  }));
  const error = { type: 'Error', message: 'm', line: null, traceback: 't' };
  const waitForMessage = () => {
    for (;;) {
      const { wakes } = link;
      if (link.canReceive) return new TextDecoder().decode(link.receive());
      link.blockForMessage(wakes);
    }
  };
  /** As if it waited, which it does not. */
  const claimToWait = () => {
    const control = new Int32Array(data.link.control);
    Atomics.store(control, 2, 1);
    Atomics.notify(control, 2);
  };
  tell(['ready', '1']);
  while (!waitForMessage().includes('__PTC_EXECUTE__'));
`;

describe('a guest that a program has taken over', () => {
  const clients: SandboxClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map(async ({ sandbox }) => sandbox.close()));
  });

  /** Starts a sandbox whose guest does this as soon as it has a program. */
  async function attack(code: string): Promise<SandboxClient> {
    const packages = findEmbeddedPackages();
    if ('reason' in packages) throw new Error(packages.reason);
    const script = await workerScript(`${PREPARATION}\n${code}\n}, { once: true });`);
    const javascript = { languages: ['javascript'], script } as const;
    const input = bootInput({ javascript, ...LIMITS });
    const client = new SandboxClient(await startSandbox(commandFor(packages, LIMITS), input));
    clients.push(client);
    expect(await client.next()).toMatchObject({ kind: 'ready' });
    const { transport } = client.sandbox;
    const of = { language: 'javascript' } as const;
    const settings = {
      tools: [],
      output_limit_bytes: 1000,
      cancel_grace_ms: 200,
      cancel_limit_ms: 5000,
      call_limit_bytes: 1_000_000,
      call_limit_values: 20_000,
    };
    transport.send({ kind: 'configure', ...of, ...settings });
    const program = { execution_id: 'run', code: '', time_limit_ms: 60_000 };
    transport.send({ kind: 'execute', ...of, ...program });
    return client;
  }

  async function outcomeOf(client: SandboxClient): Promise<OutcomeMessage> {
    for (;;) {
      const message = await client.next();
      if (message.kind === 'outcome') return message;
    }
  }

  it('ends with an exit status of eight bits [embedded/exit-status]', async () => {
    const outcome = await outcomeOf(await attack("link.end('exit', 2 ** 53 - 1);"));
    expect(outcome.interpreter_end).toEqual({ reason: 'exit', status: 255 });
  });

  it('has its account of a crash shown short, on one line and without control characters [embedded/crash]', async () => {
    const account = String.raw`'APPROVED \u001b[2J\u009b\u202e\u2028' + 'x'.repeat(900) + '\nby the host'`;
    const outcome = await outcomeOf(await attack(`link.end('crash', null, ${account});`));
    expect(outcome.interpreter_end).toEqual({ reason: 'signal', status: 11 });
    const message = outcome.error?.message ?? '';
    expect(message).toMatch(/^the interpreter was ended as by signal 11 \(APPROVED \u{fffd}\[2J/u);
    expect(message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]|by the host/u);
    expect(message.length).toBeLessThan(400);
  });

  it.each([
    ['a status of more than eight bits', '{ success: false, error, exit_code: 300 }'],
    ['a success with a status', '{ exit_code: 7 }'],
    ['a success with an error', '{ error }'],
    ['a failure without an error', '{ success: false, exit_code: 1 }'],
    ['a failure with status 0', '{ success: false, error }'],
    ['a value that is not text', '{ value: { a: 1 } }'],
    [
      'an error of another shape',
      '{ success: false, error: { ...error, line: 1.5 }, exit_code: 1 }',
    ],
    ['a line before the first', '{ success: false, error: { ...error, line: -1 }, exit_code: 1 }'],
    [
      'a line past all numbers',
      '{ success: false, error: { ...error, line: 1e300 }, exit_code: 1 }',
    ],
    ['a word in place of a fact', "{ success: 'true' }"],
    ['many values', '{ more: new Array(1000).fill([]) }'],
    ['more than 4 MiB', "{ value: 'x'.repeat(1 << 22) }"],
    ['what grows when it is escaped', "{ value: 'é' }"],
  ])('that reports %s is ended', async (_, fields) => {
    const outcome = await outcomeOf(await attack(`report(${fields}); waitForMessage();`));
    expect(outcome).toMatchObject({
      success: false,
      error: { message: expect.stringContaining('broke into its interpreter') },
      interpreter_end: { reason: 'killed' },
    });
  });

  it('has its own fields of a report left out', async () => {
    const fields = '{ more: 1, success: false, error: { ...error, more: 1 }, exit_code: 1 }';
    const outcome = await outcomeOf(await attack(`report(${fields}); waitForMessage();`));
    expect(outcome).toMatchObject({ exit_code: 1, interpreter_end: null });
    expect(outcome.error).toEqual({ type: 'Error', message: 'm', line: null, traceback: 't' });
  });

  it('has its report read whole if that comes byte by byte', async () => {
    const client = await attack(`
const parts = [];
const send = link.send.bind(link);
link.send = (line) => parts.push(line);
report({ value: '\\\\"[{'.repeat(1000) });
for (const byte of parts[0]) send(new Uint8Array([byte]));
waitForMessage();`);
    expect(await outcomeOf(client)).toMatchObject({ value: '\\"[{'.repeat(1000) });
  });

  it.each(['for (;;);', 'setInterval(() => {}, 1);'])(
    'that reports success but keeps running with %s has not ended: it is stopped like any other program [embedded/waiting-guest, embedded/real-end]',
    async (rest) => {
      const client = await attack(`report(); link.print(new Uint8Array([46])); ${rest}`);
      // It is told when the report before it has been read.
      expect(await client.next()).toMatchObject({ kind: 'output-delta', text: '.' });
      client.sandbox.transport.send({ kind: 'cancel', execution_id: 'run' });
      const outcome = await outcomeOf(client);
      expect(outcome).toMatchObject({ success: false, interpreter_end: { reason: 'killed' } });
    },
  );

  it('that reports success and then exits has exited [embedded/waiting-guest, embedded/real-end]', async () => {
    const outcome = await outcomeOf(await attack("report(); link.end('exit', 7);"));
    expect(outcome).toMatchObject({
      success: false,
      interpreter_end: { reason: 'exit', status: 7 },
    });
  });

  it('has ended as its last report says [embedded/waiting-guest]', async () => {
    const failure = '{ success: false, error, exit_code: 7 }';
    const client = await attack(`report(); report(${failure}); waitForMessage();`);
    expect(await outcomeOf(client)).toMatchObject({ success: false, exit_code: 7 });
  });

  it('that reports the end of another run has not ended', async () => {
    const client = await attack("report({ execution_id: 'other' }); for (;;) waitForMessage();");
    client.sandbox.transport.send({ kind: 'cancel', execution_id: 'run' });
    expect(await outcomeOf(client)).toMatchObject({
      success: false,
      interpreter_end: { reason: 'killed' },
    });
  });

  it('that sends a call longer than the limit is ended, and the host gets no part of the call', async () => {
    const call = "{ execution_id: 'run', call_id: '1', tool_name: 't', arguments: { a } }";
    const client = await attack(
      `const a = 'x'.repeat(1_000_000); link.send(frame('TOOL_CALL', 'CALL', ${call})); waitForMessage();`,
    );
    expect(await client.next()).toMatchObject({
      kind: 'outcome',
      interpreter_end: { reason: 'killed' },
    });
  });

  it('says nothing by the messages of its worker [embedded/shared-memory]', async () => {
    const claims =
      "tell(['exit', 0]); tell(['end', 0]); tell(['line', 'x']); tell(['crash', 'x']);";
    const client = await attack(`${claims} report({ value: 'v' }); waitForMessage();`);
    expect(await outcomeOf(client)).toMatchObject({ success: true, value: 'v' });
  });

  it('that sends a line without end is ended', async () => {
    const client = await attack('for (;;) link.send(new Uint8Array(1 << 16));');
    expect(await outcomeOf(client)).toMatchObject({ interpreter_end: { reason: 'killed' } });
  });

  it.each([
    ['processor time', 'for (;;);'],
    ['memory', 'const kept = []; for (;;) kept.push(new Uint8Array(1 << 24).fill(1));'],
  ])(
    'that claims to wait and takes %s is ended between programs [embedded/process-memory, host/between-programs]',
    async (_, taking) => {
      const client = await attack(`report(); claimToWait(); ${taking}`);
      expect(await outcomeOf(client)).toMatchObject({ success: true });
      await expect(client.closed).resolves.toMatchObject({ code: 'SANDBOX_LOST' });
    },
  );
});
