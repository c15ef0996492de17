import { askForName, hasTurn, holdName, isNameHeld } from '../../shared/held-names/held-name.ts';
import type { SessionKeys } from './keys.ts';

/**
 * The keys that the processes of one user on this machine share.
 * Its functions throw PtcError `NAMES_UNAVAILABLE`, or the system's own error.
 */
export const MACHINE_KEYS: SessionKeys = {
  stateOf: async (id) => {
    const name = nameOf(id);
    if (hasTurn(name)) return 'left';
    return (await isNameHeld(name)) ? 'held' : 'free';
  },
  hold: async (id, options) => holdName(nameOf(id), options),
  waitUntilFree: async (id, patience, signal) => askForName(nameOf(id), patience, signal),
};

function nameOf(id: string): string {
  return `session/${id}`;
}
