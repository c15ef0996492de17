import type { LanguageName } from '../protocol/messages.ts';

/** An interpreter of programs, as the supervisor in a sandbox starts it. */
export interface Guest {
  /** What it runs; its programs share their state, whichever of these they are written in. */
  readonly languages: readonly LanguageName[];
  /** Program and arguments; empty for the Python that the supervisor itself runs on. */
  readonly command: readonly string[];
}

/** Reads the guests that this package brings. */
export async function readGuests(): Promise<readonly Guest[]> {
  return [{ languages: ['python'], command: [] }];
}

/**
 * The end of the supervisor's command line: the guests for these languages, that of the first one first.
 * Each is its languages, the length of its command, and its command.
 */
export function guestArguments(
  guests: readonly Guest[],
  languages: readonly LanguageName[],
): string[] {
  const needed = new Set(
    languages.flatMap((language) => guests.filter((guest) => guest.languages.includes(language))),
  );
  return [...needed].flatMap(({ languages: served, command }) => [
    served.join(','),
    String(command.length),
    ...command,
  ]);
}
