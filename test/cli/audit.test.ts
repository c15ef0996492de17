import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedEntry, open, temporaryPath } from '../audit/support.ts';
import { runCli } from '../support/built-package.ts';

const KEY = 'a secret of the tests';

/** Writes a log of two files, 7 lines, and gives the path of the newer one. */
async function writeLog(key?: string): Promise<string> {
  const path = await temporaryPath();
  const log = await open({ path, maxFileBytes: 900, ...(key !== undefined && { secret: key }) });
  for (const id of ['one', 'two', 'three']) log.record(closedEntry(id));
  await log.close();
  return path;
}

describe('sandboxed-ptc audit verify', () => {
  it('finds a log of several files intact, in any order', async () => {
    const path = await writeLog();
    const { status, stdout, stderr } = await runCli(['audit', 'verify', path, `${path}.1`]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(
      /^2 files, 7 lines: the chain is intact\.\nThe last line is 7, with the hash [0-9a-f]{64}\.\n$/,
    );
  });

  it('says which line of which file is wrong first, with status 1', async () => {
    const path = await writeLog();
    const text = await readFile(`${path}.1`, 'utf8');
    await writeFile(`${path}.1`, text.replace('"one"', '"eno"'));
    const { status, stdout } = await runCli(['audit', 'verify', `${path}.1`, path]);
    expect(status).toBe(1);
    expect(stdout).toBe(
      `wrong: ${path}.1:2: it was changed: its hash does not match its content.\n` +
        '2 files, 7 lines: the chain is broken there. Later lines were not checked.\n',
    );
  });

  it('notes where the log was not closed or its files are not all there', async () => {
    const path = await writeLog();
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.split('\n').slice(0, -2).join('\n').concat('\n'));
    const { status, stdout } = await runCli(['audit', 'verify', path]);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^note: .*:1: the log begins before file 2: lines 1 to 4 were not checked\.$/m,
    );
    expect(stdout).toMatch(/^note: .*:\d: the log is open, or its process ended/m);
  });

  it('takes the key of a log from the variable that is named, and never shows it', async () => {
    const path = await writeLog(KEY);
    const args = ['audit', 'verify', '--key-env', 'AUDIT_KEY', `${path}.1`, path];
    expect(await runCli(args, { env: { AUDIT_KEY: KEY } })).toMatchObject({ status: 0 });
    const wrong = await runCli(args, { env: { AUDIT_KEY: 'another secret, a guess' } });
    expect(wrong).toMatchObject({ status: 1 });
    expect(wrong.stdout).toContain('made with another key');
    expect(wrong.stdout + wrong.stderr).not.toContain('guess');
    const none = await runCli(['audit', 'verify', path]);
    expect(none).toMatchObject({ status: 1 });
    expect(none.stdout).toContain('the log has a key, so it can be checked only with that key');
    expect(none.stdout).toContain(
      'the chain was not checked. Pass the name of the environment variable with the key: --key-env NAME.',
    );
    expect(none.stdout).not.toContain('broken');
  });

  it('escapes what a file could do to a terminal [case 80]', async () => {
    const path = join(await temporaryPath(), '..', '\u001b[31m.jsonl');
    await writeFile(path, 'no log\n');
    const { status, stdout } = await runCli(['audit', 'verify', path]);
    expect(status).toBe(1);
    expect(stdout).toContain(String.raw`\x1b[31m.jsonl:1: it is not a complete line`);
    expect(stdout).not.toContain('\u001b');
  });

  it.each([
    [
      ['audit', 'verify'],
      {},
      "missing required argument 'file'. See sandboxed-ptc audit verify --help.",
    ],
    [['audit', 'verify', '/nowhere/audit.jsonl'], {}, 'ENOENT'],
    [['audit', 'verify', '--key-env', 'AUDIT_KEY', 'x'], {}, 'AUDIT_KEY is not set'],
    [['audit', 'verify', '--key-env', 'AUDIT_KEY', 'x'], { AUDIT_KEY: 'short' }, '16 bytes'],
    [['audit', 'destroy'], {}, "unknown command 'destroy'. See sandboxed-ptc audit --help."],
  ])('refuses %j with status 2', async (args, env, message) => {
    const { status, stdout, stderr } = await runCli(args, { env });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
