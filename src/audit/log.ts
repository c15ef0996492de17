import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, PtcError } from '../shared/errors.ts';
import { holdName } from '../shared/held-names/held-name.ts';
import { Chain } from './chain.ts';
import type { AuditLog } from './entry.ts';
import { AuditFile } from './file.ts';
import { checkAuditLogOptions, type AuditLogOptions } from './options.ts';
import { AuditWriter } from './writer.ts';

/**
 * Opens an audit log, or continues an existing one. The caller closes it, after the executors that
 * write to it.
 * @throws PtcError `OPTION_INVALID`, `AUDIT_LOG_UNAVAILABLE` if another process has it or the file
 * cannot be opened, `AUDIT_LOG_INVALID` if the file does not end like a log, or `NAMES_UNAVAILABLE`
 * if this user has no private directory in which processes tell each other which names they hold.
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  checkAuditLogOptions(options);
  const key = options.secret === undefined ? undefined : Buffer.from(options.secret);
  const path = await unlessUnavailable(options.path, () => resolvePath(options.path));
  const name = await holdName(`audit-log:${path}`);
  if (name === undefined) {
    throw unavailable(
      options.path,
      'another process, or another part of this process, has it open',
    );
  }
  try {
    const found = await unlessUnavailable(path, () => AuditFile.open(path, key));
    const { last } = found.tail;
    return new AuditWriter(found, new Chain(key, last), name, options);
  } catch (error) {
    await name.release();
    throw error;
  }
}

/** Resolves links, so that a file has only one name. Also a link to a file that does not exist yet. */
async function resolvePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const directory = await realpath(dirname(path));
    const target = await missingTarget(path);
    if (target !== undefined) return resolvePath(resolve(directory, target));
    return join(directory, basename(path));
  }
}

/** Where a link leads if nothing is there. Some in `/proc`, such as to a pipe, lead to what has no path. */
async function missingTarget(path: string): Promise<string | undefined> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere ? undefined : readlink(path).catch(() => undefined);
}

async function unlessUnavailable<Result>(
  path: string,
  open: () => Promise<Result>,
): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    if (PtcError.isInstance(error)) throw error;
    throw unavailable(path, messageOf(error), error);
  }
}

function unavailable(path: string, reason: string, cause?: unknown): PtcError {
  return new PtcError(
    'AUDIT_LOG_UNAVAILABLE',
    `The audit log ${path} cannot be opened: ${reason}. Give each process its own file, in a directory that it can write to.`,
    { details: { path }, cause },
  );
}
