import { homedir } from 'node:os';
import { attempt } from './attempt.ts';

/**
 * The home directory of the user that this process runs as. Undefined for a user whom the system does
 * not know, as containers often have, unless HOME is set.
 */
export function homeDirectory(): string | undefined {
  // Empty if HOME is. As a path, that would be the working directory.
  return attempt(homedir) || undefined;
}
