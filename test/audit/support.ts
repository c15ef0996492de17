import { type FileHandle, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AuditEntry, AuditLog } from '../../src/audit/entry.ts';
import { openAuditLog } from '../../src/audit/log.ts';
import type { AuditLogOptions } from '../../src/audit/options.ts';
import type { AuditVerification } from '../../src/audit/verify/check-lines.ts';
import { verifyAuditFiles } from '../../src/audit/verify/verify-audit-files.ts';

/** A line of a log as whoever reads the file sees it. */
export type Line = Readonly<Record<string, unknown>>;

/** A directory of the test's own; gives the path of a log in it. */
export async function temporaryPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-audit-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 'audit.jsonl');
}

/** Opens a log that is closed after the test. */
export async function open(options: AuditLogOptions): Promise<AuditLog> {
  const log = await openAuditLog(options);
  onTestFinished(() => log.close());
  return log;
}

export function closedEntry(sessionId: string, reason = 'closed'): AuditEntry {
  return { type: 'session-closed', sessionId, reason };
}

export function startedEntry(code: string): AuditEntry {
  return {
    type: 'program-started',
    sessionId: 's',
    programId: '1',
    runId: 'r',
    language: 'python',
    code,
    timeoutMs: 1000,
  };
}

export function callEntry(toolName: string, value: unknown): AuditEntry {
  return {
    type: 'tool-call-ended',
    sessionId: 's',
    programId: '1',
    callId: 'c',
    toolName,
    caller: 'code',
    arguments: value,
    outcome: 'ok',
    durationMs: 1.23456,
    resultBytes: 4,
  };
}

export async function readLog(path: string): Promise<Line[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** All files of a log's series, in the order of their names. */
export async function seriesOf(path: string): Promise<string[]> {
  const directory = join(path, '..');
  return (await readdir(directory)).map((name) => join(directory, name)).sort();
}

export async function verify(path: string, key?: string): Promise<AuditVerification> {
  return verifyAuditFiles([path], key === undefined ? undefined : Buffer.from(key));
}

/** What a log writes into a pipe until it is closed. To look at the whole text after each read would copy it each time. */
export async function readUntilClosed(pipe: FileHandle): Promise<string> {
  const parts: Buffer[] = [];
  let end = '';
  while (!/"type":"log-closed".*\n$/.test(end)) {
    const { bytesRead, buffer } = await pipe.read();
    const part = buffer.subarray(0, bytesRead);
    parts.push(part);
    end = (end + part.toString('latin1')).slice(-1000);
  }
  return Buffer.concat(parts).toString('utf8');
}
