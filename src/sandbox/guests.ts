import { bashGuest } from './bash-guest.ts';
import type { Guest } from './guest.ts';
import { nodeGuest } from './javascript-guest.ts';
import type { SandboxSpec } from './sandbox.ts';

/** Reads the guests that this package brings. */
export async function readGuests(): Promise<readonly Guest[]> {
  const python: Guest = { languages: ['python'], program: '', command: () => [] };
  return [python, await nodeGuest(), await bashGuest()];
}

/**
 * The end of the supervisor's command line: the guests for a sandbox's languages, that of the first one first.
 * Each is its languages, the program that it needs, the length of its command, and its command.
 * @param directory - Where the files of guests are, in sandboxes that have them.
 */
export function guestArguments(
  guests: readonly Guest[],
  { languages, limits }: Pick<SandboxSpec, 'languages' | 'limits'>,
  directory?: string,
): string[] {
  return guestsFor(guests, languages).flatMap((guest) => {
    const command =
      directory === undefined || guest.installed === undefined
        ? guest.command(limits)
        : guest.installed.command(directory, limits);
    return [guest.languages.join(','), guest.program, String(command.length), ...command];
  });
}

/** Those that a sandbox for these languages has, that of the first one first. */
export function guestsFor(
  guests: readonly Guest[],
  languages: SandboxSpec['languages'],
): readonly Guest[] {
  const needed = languages.flatMap((language) =>
    guests.filter((guest) => guest.languages.includes(language)),
  );
  return [...new Set(needed)];
}
