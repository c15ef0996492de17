import { bashGuest } from './bash-guest.ts';
import type { Guest } from './guest.ts';
import { nodeGuest } from './javascript-guest.ts';
import type { SandboxSpec } from '../sandbox.ts';

/** Reads the guests of this package. */
export async function readGuests(): Promise<readonly Guest[]> {
  const python: Guest = { languages: ['python'], program: '', command: () => [] };
  return [python, await nodeGuest(), await bashGuest()];
}

/**
 * The end of the supervisor's command line: the guests for a sandbox's languages, beginning with
 * that of the first language. Each guest has its languages, the command that must be installed, the
 * length of its command line, and its command line.
 * @param directory - The directory with the guests' files, in sandboxes that have them.
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

/** The guests that a sandbox for these languages has, beginning with that of the first language. */
export function guestsFor(
  guests: readonly Guest[],
  languages: SandboxSpec['languages'],
): readonly Guest[] {
  const needed = languages.flatMap((language) =>
    guests.filter((guest) => guest.languages.includes(language)),
  );
  return [...new Set(needed)];
}
