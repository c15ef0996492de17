import {
  askForName,
  hasTurn,
  type HeldName,
  holdName,
  isNameHeld,
} from '../../shared/held-names/held-name.ts';
import type { HeldKey, SessionKeys } from './keys.ts';

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
  hold: async (id, options) => {
    const name = await holdName(nameOf(id), options);
    return name && heldKey(name);
  },
  waitUntilFree: async (id, { patience, signal }) => askForName(nameOf(id), patience, signal),
};

function heldKey(name: HeldName): HeldKey {
  return {
    get isWanted() {
      return name.isWanted;
    },
    // A process that is stopped keeps its names.
    lost: new AbortController().signal,
    release: async () => name.release(),
  };
}

function nameOf(id: string): string {
  return `session/${id}`;
}
