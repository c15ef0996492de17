import { escapeLine } from '../../shared/control-characters.ts';
import { showBytes } from '../../shared/show-bytes.ts';
import type { FileEntry, FileList } from '../../tools/session-files.ts';

/** How many files one program can return. */
const MAX_OUTPUTS = 20;
/** How many bytes its files can have together. */
const MAX_OUTPUT_BYTES = 10 * 1024 * 1024;

/** With the directories before it. */
const LONGEST_NAME = 200;

const NOT_REGULAR = 'only regular files are returned';
const BAD_NAME = `a name can have ${LONGEST_NAME} characters, all of them displayed, and no backslashes`;
const NAMED_TWICE = 'the sandbox named it twice';
const TOO_MANY = `a program can return ${MAX_OUTPUTS} files`;
const TOO_LARGE = `the files of a program can have ${showBytes(MAX_OUTPUT_BYTES)} together`;

/**
 * Chooses which files of a program are returned: the first that have room, in the order of the list.
 * Adds the others to `leftOut`.
 */
export function chooseOutputs({ entries, truncated }: FileList, leftOut: LeftOut): FileEntry[] {
  const chosen: FileEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const { name, type, sizeBytes } = entry;
    const why =
      (type !== 'file' && NOT_REGULAR) ||
      (!isUsable(name) && BAD_NAME) ||
      (chosen.some((other) => other.name === name) && NAMED_TWICE) ||
      (chosen.length === MAX_OUTPUTS && TOO_MANY) ||
      (bytes + sizeBytes > MAX_OUTPUT_BYTES && TOO_LARGE);
    if (why) {
      leftOut.add(name, why);
    } else {
      chosen.push(entry);
      bytes += sizeBytes;
    }
  }
  if (truncated) leftOut.addUnknown();
  return chosen;
}

/** Whether a path stays in a directory to which it is appended, and means the same on each system. */
function isUsable(name: string): boolean {
  const parts = name.split('/');
  return (
    name.length <= LONGEST_NAME &&
    escapeLine(name) === name &&
    name.isWellFormed() &&
    !name.includes('\\') &&
    !parts.some((part) => part === '' || part === '.' || part === '..')
  );
}

const MOST_NAMED = 5;

/** What a program left and does not return, with the reasons. */
export class LeftOut {
  /** Names, by reason. */
  readonly #byReason: Map<string, string[]> = new Map();
  #hasUnknown = false;

  get isEmpty(): boolean {
    return this.#byReason.size === 0 && !this.#hasUnknown;
  }

  /** @param why - A clause, the same for all names with this reason. */
  add(name: string, why: string): void {
    const names = this.#byReason.get(why) ?? [];
    names.push(name);
    this.#byReason.set(why, names);
  }

  /** There is more than could be listed. */
  addUnknown(): void {
    this.#hasUnknown = true;
  }

  /** Says what is left out, in a sentence for each reason. Of each, it names a few. */
  sentences(): string[] {
    const sentences = [...this.#byReason].map(([why, names]) => {
      const named = names.slice(0, MOST_NAMED).map(quoted).join(', ');
      const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
      const what = names.length === 1 ? '1 entry' : `${names.length} entries`;
      return `Of $OUTPUT_DIR, ${what} could not be returned, because ${why}: ${named}${more}.`;
    });
    if (this.#hasUnknown)
      sentences.push(
        'Of $OUTPUT_DIR, more was left out, because it has too many entries to list, or some that cannot be read.',
      );
    return sentences;
  }
}

function quoted(name: string): string {
  const text = escapeLine(name.toWellFormed());
  return text.length > LONGEST_NAME ? `"${text.slice(0, LONGEST_NAME)}…"` : `"${text}"`;
}
