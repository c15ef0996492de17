import { createHash } from 'node:crypto';
import { appendFile, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuditLogOptions } from '../../src/audit/options.ts';
import {
  callEntry,
  closedEntry,
  open,
  readLog,
  seriesOf,
  startedEntry,
  temporaryPath,
  verify,
} from './support.ts';

const KEY = 'a secret of the tests';

describe('an audit log', () => {
  it('has a line for each entry, in order, between those of its opening and its closing', async () => {
    const path = await temporaryPath();
    const log = await open({ path });
    log.record({
      type: 'session-opened',
      sessionId: 's',
      provider: 'docker',
      resumed: undefined,
      labels: { user: 'u', __proto__: 'none' },
    });
    log.record(startedEntry('print(1)'));
    log.record(callEntry('add', { a: 1, b: 'ä' }));
    log.record(closedEntry('s', 'expired'));
    await log.close();
    const lines = await readLog(path);
    expect(lines.map(({ type }) => type)).toEqual([
      'log-opened',
      'session-opened',
      'program-started',
      'tool-call-ended',
      'session-closed',
      'log-closed',
    ]);
    expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(lines.map(({ previous }) => previous).slice(1)).toEqual(
      lines.map(({ hash }) => hash).slice(0, -1),
    );
    for (const { recordedAt } of lines)
      expect(recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(lines[2]).toMatchObject({
      codeSha256: sha256('print(1)'),
      codeBytes: 8,
      timeoutMs: 1000,
    });
    expect(lines[3]).toMatchObject({
      argumentsSha256: sha256('{"a":1,"b":"ä"}'),
      argumentsBytes: 16,
      durationMs: 1.235,
      outcome: 'ok',
    });
    expect(await verify(path)).toMatchObject({ problem: undefined, remarks: [], lines: 6 });
  });

  it('can be read by its owner alone', async () => {
    const path = await temporaryPath();
    await open({ path });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('goes on with the chain of the file that is there', async () => {
    const path = await temporaryPath();
    for (const sessionId of ['one', 'two', 'three']) {
      const log = await open({ path, secret: KEY });
      log.record(closedEntry(sessionId));
      await log.close();
    }
    const lines = await readLog(path);
    expect(lines.map(({ after }) => after).filter(Boolean)).toEqual(['new', 'closed', 'closed']);
    expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await verify(path, KEY)).toMatchObject({ problem: undefined, remarks: [] });
    expect((await verify(path)).problem?.what).toContain('the log has a key');
  });

  it('refuses to go on where its last line was changed, or made with another key', async () => {
    const path = await temporaryPath();
    await (await open({ path, secret: KEY })).close();
    const invalid = { code: 'AUDIT_LOG_INVALID' };
    await expect(open({ path, secret: `${KEY}!` })).rejects.toMatchObject(invalid);
    await expect(open({ path })).rejects.toMatchObject(invalid);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"seq":2', '"seq":3'));
    await expect(open({ path, secret: KEY })).rejects.toMatchObject(invalid);
    // The file is free again for who mends it.
    await writeFile(path, text);
    await (await open({ path, secret: KEY })).close();
  });

  it.each(['\n', '# notes of my own\n', 'notes', '{"json":"of another kind"}\n', '\n\n', '{}'])(
    'leaves a file alone that is not an audit log: %j',
    async (text) => {
      const path = await temporaryPath();
      await writeFile(path, text);
      await expect(open({ path })).rejects.toMatchObject({ code: 'AUDIT_LOG_INVALID' });
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

  it('says where it cannot be opened', async () => {
    const path = await temporaryPath();
    await expect(open({ path: `${path}/in/no/directory` })).rejects.toMatchObject({
      code: 'AUDIT_LOG_UNAVAILABLE',
    });
    await expect(open({ path: `${path}/..` })).rejects.toMatchObject({
      code: 'AUDIT_LOG_UNAVAILABLE',
    });
  });

  it('is refused to whoever opens it a second time, under whatever name, until it is closed', async () => {
    const path = await temporaryPath();
    const log = await open({ path });
    await symlink(path, `${path}.link`);
    const held = { code: 'AUDIT_LOG_UNAVAILABLE' };
    await expect(open({ path })).rejects.toMatchObject(held);
    await expect(open({ path: `${path}.link` })).rejects.toMatchObject(held);
    await log.close();
    await (await open({ path: `${path}.link` })).close();
    expect(await verify(path)).toMatchObject({ problem: undefined, lines: 4 });
  });

  it('has the name of the file to which a link leads, also if nothing is there yet', async () => {
    const path = await temporaryPath();
    await symlink(basename(path), `${path}.link`);
    const log = await open({ path: `${path}.link`, maxFileBytes: 1 });
    await expect(open({ path })).rejects.toMatchObject({ code: 'AUDIT_LOG_UNAVAILABLE' });
    log.record(closedEntry('a'));
    log.record(closedEntry('b'));
    await log.close();
    expect(await seriesOf(path)).toEqual([path, `${path}.1`, `${path}.link`]);
    expect(await verify(path)).toMatchObject({ problem: undefined });
  });

  it('tells whoever goes on writing to a closed one, once', async () => {
    const path = await temporaryPath();
    const errors: string[] = [];
    const log = await open({ path, onError: (error) => errors.push(error.message) });
    await log.close();
    log.record(closedEntry('late'));
    log.record(closedEntry('later'));
    await log.close();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('Close it after its executors');
    expect(await readLog(path)).toHaveLength(2);
  });

  it('adds what a crash of the machine left as it is', async () => {
    const path = await temporaryPath();
    const log = await open({ path });
    log.record(closedEntry('whole'));
    await log.close();
    const whole = await readFile(path);
    const torn = Buffer.concat([whole, Buffer.from('{"reason":"clo\0\xff', 'latin1')]);
    await writeFile(path, torn);
    expect((await verify(path)).problem).toMatchObject({ line: 4 });
    // Twice, as a process may crash while it says that another one did.
    for (const left of ['{"after":"cra', '\n', '']) {
      const next = await open({ path });
      await next.close();
      await appendFile(path, left);
    }
    expect((await readFile(path)).subarray(0, torn.length)).toEqual(torn);
    const { problem, remarks } = await verify(path);
    expect(problem).toBeUndefined();
    expect(remarks).toMatchObject([{ line: 5 }, { line: 8 }, { line: 11 }]);
    expect(remarks[0]?.what).toContain('within a line');
  });

  it('goes on after a crash within its first line, wherever that was', async () => {
    const path = await temporaryPath();
    await (await open({ path })).close();
    const whole = await readFile(path);
    const end = whole.indexOf('\n');
    for (const length of [1, 2, 3, 100, end - 1, end]) {
      await writeFile(path, whole.subarray(0, length));
      await (await open({ path })).close();
      expect(await verify(path)).toMatchObject({ problem: undefined });
    }
  });

  it('says that a key is undefined, as that of a variable that is not set', async () => {
    const options = { path: await temporaryPath(), secret: undefined as never };
    await expect(open(options)).rejects.toThrow(
      'secret of an audit log must be a secret of at least 16 bytes, not undefined. Is its variable set?',
    );
  });

  it.each<[string, Partial<AuditLogOptions>]>([
    ['path', { path: '' }],
    ['maxFileBytes', { maxFileBytes: 0.5 }],
    ['maxFiles', { maxFiles: 0 }],
    ['secret', { secret: 'too short' }],
    ['secret', { secret: undefined as never }],
  ])('refuses a wrong %s, and shows no key', async (option, wrong) => {
    const options = { path: await temporaryPath(), ...wrong };
    const refused = open(options);
    await expect(refused).rejects.toMatchObject({ code: 'OPTION_INVALID', details: { option } });
    await expect(refused).rejects.not.toThrow('too short');
  });
});

describe('the texts in an audit log', () => {
  const code = 'print("a secret")';

  async function record(options: Partial<AuditLogOptions>, text = code): Promise<unknown> {
    const path = await temporaryPath();
    const log = await open({ path, ...options });
    log.record(startedEntry(text));
    await log.close();
    expect((await verify(path)).problem).toBeUndefined();
    return (await readLog(path))[1];
  }

  it('are left out where nobody asks for them', async () => {
    const line = await record({});
    expect(line).not.toHaveProperty('code');
    expect(line).not.toHaveProperty('codeLeftOut');
  });

  it('are there in full where they are asked for', async () => {
    expect(await record({ includeText: true })).toMatchObject({ code });
    const path = await temporaryPath();
    const log = await open({ path, includeText: true });
    log.record(callEntry('add', { a: 1 }));
    await log.close();
    expect((await readLog(path))[1]).toMatchObject({ arguments: '{"a":1}' });
  });

  it('pass the redaction, which leaves their digests and sizes as they were', async () => {
    const kinds: string[] = [];
    const redact = (text: string, kind: string): string => {
      kinds.push(kind);
      return text.replace('a secret', '***');
    };
    expect(await record({ includeText: true, redact })).toMatchObject({
      code: 'print("***")',
      codeSha256: sha256(code),
      codeBytes: code.length,
    });
    expect(kinds).toEqual(['code']);
    expect(await record({ redact })).not.toHaveProperty('code');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['gives no text', () => undefined as never],
    [
      'is async and rejects',
      (async () => {
        throw new Error('broken');
      }) as never,
    ],
  ])('are left out where the redaction %s, and the line says so', async (_title, redact) => {
    const line = await record({ includeText: true, redact });
    expect(line).toMatchObject({ codeLeftOut: 'redaction-failed', codeSha256: sha256(code) });
    expect(line).not.toHaveProperty('code');
  });

  it('are left out where they are too long', async () => {
    const long = 'x'.repeat(2 ** 20 + 1);
    const line = await record({ includeText: true }, long);
    expect(line).toMatchObject({ codeLeftOut: 'too-long', codeBytes: long.length });
    expect(line).not.toHaveProperty('code');
  });

  it('are cut short where they are names that a sandbox chose', async () => {
    const path = await temporaryPath();
    const log = await open({ path });
    log.record(callEntry('x'.repeat(10_000_000), {}));
    await log.close();
    const [, line] = await readLog(path);
    expect(line?.['toolName']).toBe(`${'x'.repeat(1024)}… (10000000 characters)`);
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
