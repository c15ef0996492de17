import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { AuditVerification } from '../../src/audit/verify/check-lines.ts';
import { verifyAuditFiles } from '../../src/audit/verify/verify-audit-files.ts';
import type { AuditLogOptions } from '../../src/audit/options.ts';
import { closedEntry, open, readLog, seriesOf, temporaryPath } from './support.ts';

const MAX_FILE_BYTES = 2000;

/** Writes so many entries into files that hold a few each. */
async function writeSeries(
  path: string,
  count: number,
  options: Partial<AuditLogOptions> = {},
): Promise<void> {
  const log = await open({ path, maxFileBytes: MAX_FILE_BYTES, ...options });
  for (let index = 0; index < count; index++) log.record(closedEntry(`session-${index}`));
  await log.close();
}

async function verifySeries(path: string): Promise<AuditVerification> {
  return verifyAuditFiles(await seriesOf(path), undefined);
}

describe('an audit log in several files', () => {
  it('begins each with the last hash of the one before, and keeps them near their size', async () => {
    const path = await temporaryPath();
    await writeSeries(path, 40);
    const files = await seriesOf(path);
    expect(files.length).toBeGreaterThan(5);
    const rotated = files.filter((file) => file !== path);
    let previous: unknown = '0'.repeat(64);
    for (let number = 1; number <= rotated.length + 1; number++) {
      const file = number > rotated.length ? path : `${path}.${number}`;
      const lines = await readLog(file);
      expect(lines[0]).toMatchObject({ type: 'log-opened', file: number, previous });
      expect(lines.at(-1)?.['type']).toBe(file === path ? 'log-closed' : 'log-rotated');
      previous = lines.at(-1)?.['hash'];
      // The line that ends a file is beyond its size.
      expect((await readFile(file)).length).toBeLessThan(MAX_FILE_BYTES + 300);
      expect(lines.length).toBeGreaterThan(3);
    }
    const { problem, remarks, end } = await verifySeries(path);
    expect({ problem, remarks }).toEqual({ problem: undefined, remarks: [] });
    expect(end?.hash).toBe(previous);
    const sessions = (await Promise.all([...files].map(readLog))).flat();
    expect(sessions.filter(({ type }) => type === 'session-closed')).toHaveLength(40);
  });

  it('puts a line that is longer than a file into one of its own', async () => {
    const path = await temporaryPath();
    const log = await open({ path, maxFileBytes: 1 });
    for (const id of ['one', 'two', 'three']) log.record(closedEntry(id));
    await log.close();
    expect(await seriesOf(path)).toHaveLength(3);
    expect((await verifySeries(path)).problem).toBeUndefined();
  });

  it('goes on with the series that is there', async () => {
    const path = await temporaryPath();
    for (let turn = 0; turn < 5; turn++) await writeSeries(path, 7);
    const { problem, remarks, files } = await verifySeries(path);
    expect({ problem, remarks }).toEqual({ problem: undefined, remarks: [] });
    expect(files).toBeGreaterThan(5);
  });

  it('removes the oldest files beyond the number that is kept, and says where it begins', async () => {
    const path = await temporaryPath();
    await writeSeries(path, 40, { maxFiles: 3 });
    expect(await seriesOf(path)).toHaveLength(3);
    await writeSeries(path, 1, { maxFiles: 3 });
    const { problem, remarks } = await verifySeries(path);
    expect(problem).toBeUndefined();
    expect(remarks).toHaveLength(1);
    expect(remarks[0]?.what).toMatch(/^the log begins before file \d+: lines 1 to \d+ were not/);
  });

  it('shows a file of it that is missing, or comes twice, or has lost its end', async () => {
    const path = await temporaryPath();
    await writeSeries(path, 40);
    const files = await seriesOf(path);
    const without = files.filter((file) => file !== `${path}.2`);
    expect((await verifyAuditFiles(without, undefined)).problem).toMatchObject({
      file: `${path}.3`,
      line: 1,
      what: 'it begins file 3 of the log, but file 2 was expected',
    });
    const twice = [...files, `${path}.2`];
    expect((await verifyAuditFiles(twice, undefined)).problem).toMatchObject({ file: `${path}.2` });
    const newestMissing = files.filter((file) => file !== path);
    const { problem, remarks } = await verifyAuditFiles(newestMissing, undefined);
    expect(problem).toBeUndefined();
    expect(remarks.at(-1)?.what).toContain('comes after it, but was not passed');
    const lines = (await readFile(`${path}.2`, 'utf8')).split('\n');
    await writeFile(`${path}.2`, `${lines.slice(0, -2).join('\n')}\n`);
    expect((await verifySeries(path)).problem).toMatchObject({
      file: `${path}.2`,
      line: lines.length - 2,
    });
  });

  it('goes on after a crash at whatever step from one file to the next', async () => {
    const path = await temporaryPath();
    const log = await open({ path, maxFileBytes: 1 });
    log.record(closedEntry('one'));
    log.record(closedEntry('two'));
    await log.close();
    const full = await readFile(`${path}.1`);
    const next = await readFile(path);
    const steps: readonly (() => Promise<void>)[] = [
      // Its last line is written, its line end not; it has its old name; it has its new name; the next
      // file is there, and empty; and has part of its first line.
      () => writeFile(path, full.subarray(0, -1)),
      () => writeFile(path, full),
      () => writeFile(`${path}.1`, full),
      async () => {
        await writeFile(`${path}.1`, full);
        await writeFile(path, '');
      },
      async () => {
        await writeFile(`${path}.1`, full);
        await writeFile(path, next.subarray(0, 20));
      },
    ];
    for (const crash of steps) {
      await rm(path, { force: true });
      await rm(`${path}.1`, { force: true });
      await crash();
      await writeSeries(path, 1, { maxFileBytes: 100_000 });
      expect(await seriesOf(path)).toEqual([path, `${path}.1`]);
      const { problem, remarks } = await verifySeries(path);
      expect(problem).toBeUndefined();
      expect(remarks).toHaveLength(1);
      expect(remarks[0]?.what).toContain('ended without closing the log');
      expect((await readLog(`${path}.1`)).at(-1)).toMatchObject({ type: 'log-rotated' });
    }
  });

  it('goes on in a new file if somebody has removed the one that is full, and says so', async () => {
    const path = await temporaryPath();
    const errors: string[] = [];
    const log = await open({
      path,
      maxFileBytes: MAX_FILE_BYTES,
      onError: ({ message }) => errors.push(message),
    });
    log.record(closedEntry('removed'));
    await expect.poll(async () => (await readLog(path)).length).toBe(2);
    await rm(path);
    for (let index = 0; index < 10; index++) log.record(closedEntry(`session-${index}`));
    await log.close();
    expect(errors).toEqual([
      `Audit log ${path}: its file was removed or renamed while the log was open, so its entries may be lost. The log goes on in a new file.`,
    ]);
    const [first] = await readLog(path);
    expect(first).toMatchObject({ type: 'log-opened', after: 'rotated' });
    const { problem, remarks } = await verifySeries(path);
    expect(problem).toBeUndefined();
    expect(remarks.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^the log begins before file 2: lines 1 to \d+ were not/),
    ]);
  });

  it('does not go on behind a file that no other can follow', async () => {
    const path = await temporaryPath();
    await writeSeries(path, 1);
    await rename(path, `${path}.1`);
    await expect(open({ path })).rejects.toMatchObject({ code: 'AUDIT_LOG_INVALID' });
  });
});
