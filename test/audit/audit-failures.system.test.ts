import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyAuditFiles } from '../../src/audit/verify/verify-audit-files.ts';
import { startTypeScript } from '../support/typescript-process.ts';
import { closedEntry, open, readLog, seriesOf, temporaryPath, verify } from './support.ts';

const WRITER = new URL('./write-log.ts', import.meta.url);

interface Writer {
  readonly process: ReturnType<typeof startTypeScript>;
  readonly said: AsyncIterator<string>;
}

/** @param fileLimitBytes - In force before it writes. */
async function startWriter(
  path: string,
  {
    fileLimitBytes,
    args = [],
  }: { readonly fileLimitBytes?: number; readonly args?: string[] } = {},
): Promise<Writer> {
  const child = startTypeScript(WRITER, path, ...args);
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Interface = createInterface(child.stdout);
  const said = lines[Symbol.asyncIterator]();
  expect((await said.next()).value).toBe('open');
  if (fileLimitBytes !== undefined) await limitFiles(child, fileLimitBytes);
  child.kill('SIGUSR2');
  return { process: child, said };
}

/** Has the kernel refuse what would make a file of this process longer, as a full disk does; partly, where it must. */
async function limitFiles({ pid }: Writer['process'], bytes: number | 'unlimited'): Promise<void> {
  await promisify(execFile)('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
}

describe('a log whose disk is full', () => {
  it('goes on by itself where it stopped once there is room, and counts what was dropped [host/audit-counts]', async () => {
    const path = await temporaryPath();
    const writer = await startWriter(path, { fileLimitBytes: 100_000 });
    const said = String((await writer.said.next()).value);
    expect(said).toMatch(/^failing after \d+: .*EFBIG/);
    const recorded = Number(/\d+/.exec(said)?.[0]);
    expect((await readFile(path)).length).toBe(100_000);
    await limitFiles(writer.process, 'unlimited');
    // No call of anybody's has it try again.
    await expect.poll(async () => (await readLog(path)).at(-1)?.['type']).toBe('entries-dropped');
    writer.process.kill('SIGTERM');
    await once(writer.process, 'close');
    const { problem, remarks } = await verify(path);
    expect(problem).toBeUndefined();
    expect(remarks).toHaveLength(1);
    const lines = await readLog(path);
    expect(lines.at(-1)?.['type']).toBe('log-closed');
    const dropped = Number(lines.find(({ type }) => type === 'entries-dropped')?.['count']);
    expect(dropped).toBeGreaterThan(0);
    const written = lines.filter(({ type }) => type === 'session-closed').length;
    expect(written + dropped).toBe(recorded);
  });
});

describe('a log that another process has open', () => {
  it('is refused as long as that process lives [host/held-names]', async () => {
    const path = await temporaryPath();
    const { process: child } = await startWriter(path);
    await expect(open({ path })).rejects.toThrow('another process');
    child.kill('SIGKILL');
    await once(child, 'close');
    await (await open({ path })).close();
  });
});

describe('a log whose process is killed', () => {
  it('is whole, and goes on, wherever the kill came', async () => {
    const path = await temporaryPath();
    const kills = 4;
    for (let kill = 1; kill <= kills; kill++) {
      // Most kills come between two files where they are small, and within a file where they are not.
      const writer = await startWriter(path, { args: [kill % 2 === 0 ? '5000' : '300000'] });
      const files = (await seriesOf(path)).length;
      await expect
        .poll(async () => (await seriesOf(path)).length, { interval: 1 })
        .toBeGreaterThan(files + kill);
      writer.process.kill('SIGKILL');
      await once(writer.process, 'close');
    }
    const log = await open({ path });
    log.record(closedEntry('after the kills'));
    await log.close();
    const { problem, remarks } = await verifyAuditFiles(await seriesOf(path), undefined);
    expect(problem).toBeUndefined();
    expect(remarks).toHaveLength(kills);
    for (const { what } of remarks) expect(what).toContain('ended without closing the log');
  });

  it('keeps a line that it left torn, and says so', async () => {
    const path = await temporaryPath();
    const writer = await startWriter(path, { fileLimitBytes: 50_001 });
    expect((await writer.said.next()).value).toContain('failing');
    writer.process.kill('SIGKILL');
    await once(writer.process, 'close');
    const left = await readFile(path);
    expect(left.length).toBe(50_001);
    const lineCount = left.toString().split('\n').length;
    expect((await verify(path)).problem?.line).toBe(lineCount);
    await (await open({ path })).close();
    expect((await readFile(path)).subarray(0, left.length)).toEqual(left);
    const { problem, remarks } = await verify(path);
    expect(problem).toBeUndefined();
    expect(remarks).toMatchObject([{ line: lineCount + 1 }]);
    expect(remarks[0]?.what).toContain('within a line');
  });
});
