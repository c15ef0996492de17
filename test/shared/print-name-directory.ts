// Prints the directory of names and its identity, or the code and the message of why there is none. With the argument
// `windows`, users have no ids, as on Windows.
import {
  nameDirectoryIdentity,
  openNameDirectory,
} from '../../src/shared/held-names/name-directory.ts';
import { PtcError } from '../../src/shared/errors.ts';

async function describe(): Promise<unknown> {
  try {
    return { directory: await openNameDirectory(), identity: await nameDirectoryIdentity() };
  } catch (error) {
    if (!PtcError.isInstance(error)) throw error;
    return { code: error.code, message: error.message };
  }
}

if (process.argv[2] === 'windows') Object.defineProperty(process, 'getuid', { value: undefined });
process.stdout.write(`${JSON.stringify(await describe())}\n`);
