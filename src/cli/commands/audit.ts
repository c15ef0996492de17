import { escapeControls } from '../../shared/control-characters.ts';
import { messageOf } from '../../shared/errors.ts';
import { checkAuditKey } from '../../telemetry/audit-options.ts';
import type { AuditFinding } from '../../telemetry/audit-verify.ts';
import { verifyAuditFiles } from '../../telemetry/verify-audit-files.ts';
import { UsageError } from '../failure.ts';
import { colorsFor } from '../terminal.ts';

export interface AuditVerifyOptions {
  /** The variable of the environment that has the log's key. */
  readonly keyEnv?: string;
}

/**
 * Checks the chain of an audit log and prints what is wrong first. Returns the exit status: 0 where it
 * is whole, 1 where it is not.
 * @throws UsageError for a file that cannot be read, or a key that is not there.
 */
export async function verifyAudit(
  files: readonly string[],
  { keyEnv }: AuditVerifyOptions,
): Promise<number> {
  const key = keyEnv === undefined ? undefined : keyFrom(keyEnv);
  const colors = colorsFor(process.stdout);
  const { problem, remarks, end, ...found } = await verifyFiles(files, key);
  for (const remark of remarks) print(`${colors.yellow('note:')} ${describe(remark)}`);
  const count = `${counted(found.files, 'file')}, ${counted(found.lines, 'line')}`;
  if (problem !== undefined) {
    print(`${colors.red('wrong:')} ${describe(problem)}`);
    print(`${count}: the chain is broken there. What comes after it was not checked.`);
    return 1;
  }
  print(`${count}: ${colors.green('the chain is whole')}.`);
  if (end !== undefined) print(`Line ${end.seq} is the last, with the hash ${end.hash}.`);
  return 0;
}

async function verifyFiles(
  files: readonly string[],
  key: Buffer | undefined,
): ReturnType<typeof verifyAuditFiles> {
  try {
    return await verifyAuditFiles(files, key);
  } catch (error) {
    throw new UsageError(`The log cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

function keyFrom(variable: string): Buffer {
  const key = process.env[variable];
  if (key === undefined || key === '') {
    throw new UsageError(
      `The variable ${variable} is not set. --key-env takes its name, not the key itself.`,
    );
  }
  checkAuditKey(key, variable);
  return Buffer.from(key);
}

function describe({ file, line, what }: AuditFinding): string {
  return escapeControls(`${file}:${line}: ${what}.`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
