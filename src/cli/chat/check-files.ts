import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { MOST_FILES, mostFileBytes, nameProblem } from '../../orchestrator/files/input-file.ts';
import { DEFAULT_LIMITS } from '../../sandbox/sandbox.ts';
import { escapeLine } from '../../shared/control-characters.ts';
import { messageOf } from '../../shared/errors.ts';
import { UsageError } from '../failure.ts';
import { formatCount } from '../view/format.ts';

/**
 * Checks the files of `--file` before anything starts.
 * @throws UsageError for what is not a file that can be read, a name that programs cannot use, two
 * files with one name, and files that are too many or too large.
 */
export async function checkFiles(paths: readonly string[]): Promise<void> {
  if (paths.length > MOST_FILES) {
    throw new UsageError(
      `--file is given ${paths.length} times, but a conversation can have ${MOST_FILES} files. Leave some out.`,
    );
  }
  const most = mostFileBytes(DEFAULT_LIMITS);
  const byName = new Map<string, string>();
  let bytes = 0;
  for (const path of paths) {
    bytes += await sizeOf(path);
    if (bytes > most) {
      const files = paths.length === 1 ? 'It has' : 'With it, the files have';
      throw new UsageError(
        `--file ${path} is too large. ${files} ${formatCount(bytes)} bytes, and may have ${formatCount(most)} together. Leave some out, or shorten them.`,
      );
    }
    const name = basename(path);
    const problem = nameProblem(name);
    if (problem !== undefined) {
      throw new UsageError(
        `--file ${escapeLine(path)} has a name that programs cannot use: ${problem}. Rename it.`,
      );
    }
    const other = byName.get(name);
    if (other !== undefined) {
      throw new UsageError(
        `--file ${other} and --file ${path} are both named ${name}, but programs find files by their names. Rename one of them.`,
      );
    }
    byName.set(name, path);
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    await access(path, constants.R_OK);
    const facts = await stat(path);
    if (!facts.isFile()) throw new Error('it is a directory or a device, not a file.');
    return facts.size;
  } catch (cause) {
    throw new UsageError(`--file ${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
