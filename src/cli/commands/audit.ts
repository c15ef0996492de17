import { escapeControls } from '../../shared/control-characters.ts';
import { messageOf } from '../../shared/errors.ts';
import { checkAuditKey } from '../../audit/options.ts';
import { KEY_NEEDED, type AuditFinding } from '../../audit/verify/check-lines.ts';
import { verifyAuditFiles } from '../../audit/verify/verify-audit-files.ts';
import { UsageError } from '../failure.ts';
import { colorsFor } from '../terminal/terminal.ts';

export interface AuditVerifyOptions {
  /** The environment variable that has the log's key. */
  readonly keyEnv?: string;
}

/**
 * Verifies the chain of an audit log and prints the first problem. Returns the exit status: 0 if
 * the chain is intact, otherwise 1.
 * @throws UsageError for a file that cannot be read, or a missing key.
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
    print(`${count}: ${verdictOn(problem)}`);
    return 1;
  }
  print(`${count}: ${colors.green('the chain is intact')}.`);
  if (end !== undefined) print(`The last line is ${end.seq}, with the hash ${end.hash}.`);
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
      `The environment variable ${variable} is not set. Set it; --key-env takes the name of the variable, not the key.`,
    );
  }
  checkAuditKey(key, variable);
  return Buffer.from(key);
}

function verdictOn({ what }: AuditFinding): string {
  return what === KEY_NEEDED
    ? 'the chain was not checked. Pass the name of the environment variable with the key: --key-env NAME.'
    : 'the chain is broken there. Later lines were not checked.';
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
