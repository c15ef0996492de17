import { execFile, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeGuest } from '../../src/sandbox/guests/javascript-guest.ts';

const run = promisify(execFile);
const MEBIBYTES = 256;
const LIMITS = {
  memoryBytes: MEBIBYTES * 2 ** 20,
  cpus: 1,
  processes: 64,
  temporaryStorageBytes: 0,
};
/** A program that prints what the guest is started with. */
const SHOW_OPTIONS =
  'const seen: string[] = process.execArgv.slice(-2); console.log(`${seen}`); 6 * 7';

/** The files of the guest, with its snapshot for one limit of memory, as `Dockerfile.sandbox` makes it. */
let directory: string;
let node: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'installed-'));
  const { installed } = await nodeGuest();
  for (const [path, text] of Object.entries(installed?.files ?? {})) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  node = join(directory, 'javascript/node');
  const make = ['./start.sh', 'make', String(MEBIBYTES), `${MEBIBYTES}.snapshot`];
  await run('sh', make, { cwd: node });
  await writeFile(join(node, 'description'), await describeProcessor());
  await run('mkfifo', [join(directory, 'token')]);
});
afterAll(async () => rm(directory, { recursive: true }));

async function describeProcessor(): Promise<string> {
  return (await run('sh', [join(node, 'start.sh'), 'describe'])).stdout;
}

/** What the guest is started with, and its answer to one program. */
async function answer(
  mebibytes: number,
  code = SHOW_OPTIONS,
  start?: readonly string[],
): Promise<{ readonly started: string; readonly said: string }> {
  const { installed } = await nodeGuest();
  const limits = { ...LIMITS, memoryBytes: mebibytes * 2 ** 20 };
  const command = start ?? installed?.command(directory, limits) ?? [];
  const program = JSON.stringify({
    execution_id: 'a',
    language: 'typescript',
    code,
    time_limit_ms: 9,
  });
  const frame = `__PTC_EXECUTE__${program}__PTC_END_EXECUTE__`;
  const [file = '', ...args] = command;
  // Its descriptors as the supervisor gives them to a guest.
  const token = openSync(join(directory, 'token'), constants.O_RDWR | constants.O_NONBLOCK);
  const stdio = ['ignore', 'inherit', 'inherit', 'pipe', 'pipe', 'pipe', 2, token, token] as const;
  const child = spawn(file, args, { stdio: [...stdio] });
  closeSync(token);
  const [, , , frames, lines] = child.stdio;
  const printed = child.stdio.at(5);
  if (!(frames instanceof Writable)) throw new Error('The guest has no way in.');
  frames.write(`${frame}\n`);
  let started = '';
  if (printed instanceof Readable)
    printed.on('data', (chunk: Buffer) => (started += chunk.toString()));
  let said = '';
  for await (const chunk of lines as Readable) {
    said += String(chunk);
    // With its way in, the guest ends.
    if (said.includes('END_OUTPUT')) frames.end();
  }
  return { started, said };
}

describe('a guest whose files are in the sandbox', () => {
  it('starts from its snapshot if that was made for the same memory and processor', async () => {
    const { started, said } = await answer(MEBIBYTES);
    expect(started).toBe(`--snapshot-blob,${join(node, '256.snapshot')}\n`);
    expect(said).toMatch(
      /^__PTC_READY__\{"version":"[\d.]+"\}__PTC_END_READY__\n__PTC_OUTPUT__.*"value":"42".*\n$/,
    );
  });

  it('describes errors with methods that the language got only when it started from its snapshot', async () => {
    const custom = "Symbol.for('nodejs.util.inspect.custom')";
    const code = `throw { [${custom}]: () => \`sorted \${[2, 1].toSorted()}\` }`;
    const { said } = await answer(MEBIBYTES, code);
    expect(said).toContain('"message":"sorted 1,2"');
  });

  it('starts from its script if it has no snapshot for this memory limit', async () => {
    const { started, said } = await answer(300);
    expect(started).not.toContain('snapshot');
    expect(said).toContain('"value":"42"');
  });

  it('starts from its script on another processor than the snapshot was made on', async () => {
    const [permission] = (await describeProcessor()).split('\n');
    await writeFile(join(node, 'description'), `${permission}\nanother processor\n`);
    const { started, said } = await answer(MEBIBYTES);
    expect(started).not.toContain('snapshot');
    expect(said).toContain('"value":"42"');
  });

  it('starts without a shell from a snapshot that a provider keeps for its own sandboxes', async () => {
    const { installed } = await nodeGuest();
    const snapshot = Buffer.from('a snapshot');
    const printed = `${snapshot.toString('base64')}\n${await describeProcessor()}`;
    const made = installed?.snapshot?.read(printed, directory, LIMITS);
    expect(made?.files).toEqual({ 'javascript/node/256.snapshot': snapshot });
    const { started, said } = await answer(MEBIBYTES, undefined, made?.command);
    expect(made?.command[0]).toBe('node');
    expect(started).toBe(`--snapshot-blob,${join(node, '256.snapshot')}\n`);
    expect(said).toContain('"value":"42"');
  });

  it('knows its processor', async () => {
    expect(await describeProcessor()).toMatch(/(flags|Features)\s*: \w+/);
    expect(await readdir(node)).toContain('start.sh');
  });
});
