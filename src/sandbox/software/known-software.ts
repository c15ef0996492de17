import { readSoftware } from './ask-software.ts';
import type { SandboxSoftware } from './software.ts';

/** How to find out which software sandboxes have. */
export interface SoftwareQuestion {
  /** Identifies the image or the installation. */
  readonly place: string;
  /** Runs `softwareCommand` in a sandbox, and returns what it printed. Undefined if it did not come to its end. */
  readonly ask: () => Promise<string | undefined>;
  /**
   * Describes the installation, so that the text changes if a library is installed or removed.
   * @param searched - The directories in which Python searches.
   * @default an image, which does not change
   */
  readonly look?: (searched: readonly string[]) => Promise<string>;
}

interface Answer {
  readonly software: SandboxSoftware | undefined;
  readonly searched: readonly string[];
  readonly state: string;
}

/** How many places to remember. */
const MOST_PLACES = 16;

/** The answers of this process, the oldest first. */
const answers = new Map<string, Answer>();

/**
 * Returns the software of a place. It is asked until it answers once in this process, and again if it has
 * changed. Undefined if its answer cannot be used.
 * @throws what `ask` throws.
 */
export async function knownSoftware({
  place,
  ask,
  look = async () => '',
}: SoftwareQuestion): Promise<SandboxSoftware | undefined> {
  const known = answers.get(place);
  if (known !== undefined && known.state === (await look(known.searched))) return known.software;
  const printed = await ask();
  if (printed === undefined) return undefined;
  const { software, searched = [] } = readSoftware(printed) ?? {};
  answers.delete(place);
  answers.set(place, { software, searched, state: await look(searched) });
  const [oldest] = answers.keys();
  if (answers.size > MOST_PLACES && oldest !== undefined) answers.delete(oldest);
  return software;
}
