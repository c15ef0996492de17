import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FileAnswerMessage, FileOperation } from '../../../src/protocol/file-messages.ts';
import type { OutcomeMessage } from '../../../src/protocol/messages.ts';
import type { SandboxClient } from '../docker/support.ts';
import { useSandboxes } from './support.ts';

const COMPUTES = "print('begun', flush=True)\nwhile True: pass";
const SLEEPS = "import asyncio\nprint('begun', flush=True)\nawait asyncio.sleep(1000)";
const POLLS = "import asyncio\nprint('begun', flush=True)\nwhile True: await asyncio.sleep(0)";

/** A regular expression that takes twice the time for each character of a line. */
const SLOW = '(a|a)+$';

describe('requests about files in an embedded sandbox', () => {
  const sandboxes = useSandboxes();

  it('one that is cancelled while a program computes is never done', async () => {
    const client = await sandboxes.start();
    await begin(client, COMPUTES);
    for (const id of ['1', '2']) request(client, id, append('log', 'line\n'));
    client.sandbox.transport.send({ kind: 'file-cancel', request_id: '1' });
    expect(await answer(client)).toMatchObject({ request_id: '1', error: { errno: 'ECANCELED' } });
    client.sandbox.transport.send({ kind: 'cancel', execution_id: 'run' });
    expect(await outcome(client)).toMatchObject({ interpreter_end: null });
    expect(await answer(client)).toMatchObject({ request_id: '2', error: null });
    request(client, '3', { operation: 'stat', path: 'log' });
    expect(await answer(client)).toMatchObject({ result: { size: 'line\n'.length } });
  });

  it.each([
    ['sleeps', SLEEPS],
    ['looks for events in a loop', POLLS],
  ])('they are done while a program %s', async (_, code) => {
    const client = await sandboxes.start();
    await begin(client, code);
    // Longer than the memory between the threads.
    const find = '\u0001'.repeat(200_000);
    request(client, '1', append('file', find));
    request(client, '2', { operation: 'edit', path: 'file', find, replace: 'new', all: false });
    request(client, '3', { operation: 'stat', path: 'file' });
    expect(await answer(client)).toMatchObject({ request_id: '1', error: null });
    expect(await answer(client)).toMatchObject({ request_id: '2', error: null });
    expect(await answer(client)).toMatchObject({ request_id: '3', result: { size: 3 } });
  });

  it('the end of a program is told before a request that waits for it is done', async () => {
    const client = await sandboxes.start();
    await begin(client, COMPUTES);
    request(client, '1', { operation: 'stat', path: '.' });
    client.sandbox.transport.send({ kind: 'cancel', execution_id: 'run' });
    const kinds = [(await client.next()).kind, (await client.next()).kind];
    expect(kinds).toEqual(['outcome', 'file-answer']);
  });

  it('a search that goes on after it was cancelled costs the session nothing', async () => {
    const client = await sandboxes.start();
    // A third of the time after which it would be ended as a search that does not end: the machine may become busier.
    await slowSearch(client, 5000);
    client.sandbox.transport.send({ kind: 'file-cancel', request_id: 'slow' });
    expect(await answer(client)).toMatchObject({ error: { errno: 'ECANCELED' } });
    // Until then, the sandbox would have been ended if nothing explained what it does.
    await delay(5000);
    expect(await client.run('print(7)')).toMatchObject({ output: '7\n' });
  });

  it('a search that does not end after it was cancelled ends the sandbox, which says so', async () => {
    const client = await sandboxes.start();
    await slowSearch(client, Infinity);
    client.sandbox.transport.send({ kind: 'file-cancel', request_id: 'slow' });
    await answer(client);
    request(client, '1', { operation: 'stat', path: '.' });
    const message = expect.stringContaining('the work on files, such as a search, did not end');
    expect(await answer(client)).toMatchObject({ request_id: '1', error: { message } });
    await expect(client.closed).resolves.toBeDefined();
  });

  it('a program can be stopped when a search ends that began while it waited', async () => {
    const client = await sandboxes.start();
    await begin(client, SLEEPS, 60_000);
    await slowSearch(client, 5000);
    client.sandbox.transport.send({ kind: 'cancel', execution_id: 'run' });
    expect(await answer(client)).toMatchObject({ request_id: 'slow', error: null });
    expect(await outcome(client)).toMatchObject({
      error: { type: 'KeyboardInterrupt' },
      interpreter_end: null,
    });
  });

  it('a program that cannot be stopped because a search does not end is ended, and told why', async () => {
    const client = await sandboxes.start();
    await begin(client, SLEEPS, 500);
    await slowSearch(client, Infinity);
    client.sandbox.transport.send({ kind: 'cancel', execution_id: 'run' });
    const message = expect.stringContaining('the work on files, such as a search, did not end');
    expect(await answer(client)).toMatchObject({ request_id: 'slow', error: { message } });
    expect(await outcome(client)).toMatchObject({
      error: { message },
      interpreter_end: { reason: 'killed' },
    });
  });
});

/** Runs a program until it has printed something. */
async function begin(client: SandboxClient, code: string, limitMs = 60_000): Promise<void> {
  const { transport } = client.sandbox;
  transport.send({
    kind: 'configure',
    language: 'python',
    tools: [],
    output_limit_bytes: 1000,
    call_limit_bytes: 1_000_000,
    call_limit_values: 20_000,
    cancel_grace_ms: 2000,
    cancel_limit_ms: limitMs,
  });
  const program = { execution_id: 'run', language: 'python', code, time_limit_ms: 60_000 } as const;
  transport.send({ kind: 'execute', ...program });
  expect(await client.next()).toMatchObject({ kind: 'output-delta' });
}

/** Begins a search that takes about this long on this machine at this moment. */
async function slowSearch(client: SandboxClient, milliseconds: number): Promise<void> {
  const grep = {
    operation: 'grep',
    path: 'slow',
    pattern: '**',
    expression: SLOW,
    ignore_case: false,
    limit: 1,
  } as const;
  const line = (length: number): string => `${'a'.repeat(length)}b\n`;
  let text = line(60);
  if (milliseconds < Infinity) {
    // The shortest that takes some time, so that it is measured.
    let [length, tookMs] = [10, 0];
    for (; tookMs < 500; length += 1) {
      request(client, 'length', append('slow', line(length)));
      await answer(client);
      const begun = performance.now();
      request(client, 'length', grep);
      await answer(client);
      tookMs = performance.now() - begun;
    }
    text = line(length - 1).repeat(Math.ceil(milliseconds / tookMs));
  }
  request(client, 'text', append('slow', text));
  await answer(client);
  request(client, 'slow', grep);
  // It has begun, as nothing else was under way.
  await delay(50);
}

function append(path: string, text: string): FileOperation {
  return { operation: 'append', path, data: new TextEncoder().encode(text) };
}

function request(client: SandboxClient, id: string, operation: FileOperation): void {
  client.sandbox.transport.send({ kind: 'file-request', request_id: id, ...operation });
}

async function answer(client: SandboxClient): Promise<FileAnswerMessage> {
  const message = await client.next();
  if (message.kind !== 'file-answer') throw new Error(`The message is ${message.kind}.`);
  return message;
}

async function outcome(client: SandboxClient): Promise<OutcomeMessage> {
  const message = await client.next();
  if (message.kind !== 'outcome') throw new Error(`The message is ${message.kind}.`);
  return message;
}
