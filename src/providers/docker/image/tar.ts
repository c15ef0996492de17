import { dirname } from 'node:path/posix';

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const CHECKSUM = { offset: 148, bytes: 8 };

/**
 * An archive in the format of `tar` (ustar). Every user can read what is in it.
 * @param files - Contents by path. A path has at most 100 characters, all of them ASCII.
 */
export function tarOf(files: ReadonlyMap<string, string>): Buffer {
  const directories = new Set([...files.keys()].flatMap(directoriesOf));
  return Buffer.concat([
    ...[...directories].map((path) => header(`${path}/`, '5', 0o755, 0)),
    ...[...files].flatMap(([path, text]) => {
      const bytes = Buffer.from(text);
      const rest = Buffer.alloc(-bytes.length & (BLOCK_BYTES - 1));
      return [header(path, '0', 0o644, bytes.length), bytes, rest];
    }),
    Buffer.alloc(2 * BLOCK_BYTES),
  ]);
}

/** The directories in which a file is, from the outermost. */
function directoriesOf(path: string): string[] {
  const directory = dirname(path);
  return directory === '.' ? [] : [...directoriesOf(directory), directory];
}

function header(path: string, type: string, mode: number, size: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  const putNumber = (value: number, offset: number, bytes: number): void => {
    block.write(value.toString(8).padStart(bytes - 1, '0'), offset);
  };
  block.write(path, 0, NAME_BYTES);
  putNumber(mode, 100, 8);
  // The user and the group.
  putNumber(0, 108, 8);
  putNumber(0, 116, 8);
  putNumber(size, 124, 12);
  // No time, so the engine knows the same files again.
  putNumber(0, 136, 12);
  // The checksum is made with spaces in its own place.
  block.fill(' ', CHECKSUM.offset, CHECKSUM.offset + CHECKSUM.bytes);
  block.write(type, 156);
  block.write('ustar', 257);
  block.write('00', 263);
  putNumber(
    block.reduce((sum, byte) => sum + byte, 0),
    CHECKSUM.offset,
    CHECKSUM.bytes,
  );
  return block;
}
