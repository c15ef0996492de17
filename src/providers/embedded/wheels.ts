import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SoftwareVersion } from '../../sandbox/software/software.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { invalidOption } from '../../shared/options/option-values.ts';

/** A library for programs in Python, as a file that pip would install. */
export interface Wheel {
  /** The path of the file, whose name says what it is: `attrs-25.3.0-py3-none-any.whl`. */
  readonly path: string;
  /** The SHA-256 of the file, in hexadecimal. @default not checked */
  readonly sha256?: string;
}

/** A wheel that was read and checked. */
export interface ReadWheel extends SoftwareVersion {
  readonly fileName: string;
  readonly content: Buffer;
  readonly sha256: string;
}

export const WHEEL: OptionsObject<Wheel> = {
  of: 'wheels',
  names: { path: 'text', sha256: 'text' },
  page: 'docs/libraries.md',
  otherWords: { file: 'path', hash: 'sha256', digest: 'sha256' },
  required: ['path'],
};

const MOST_WHEELS = 100;
/** All wheels together. Unpacked, they take several times as much of the memory of Python. */
const MOST_BYTES = 32 * 1024 * 1024;

/** `NAME-VERSION(-BUILD)-PYTHON-ABI-PLATFORM.whl`, as in PEP 427. */
const FILE_NAME = /^(\w[\w.]{0,60})-(\d[\w.+!]{0,30})(?:-\d\w*)?-([\w.]+)-([\w.]+)-([\w.]+)\.whl$/;
const ZIP = Buffer.from('PK\u0003\u0004');

/** @throws PtcError `OPTION_INVALID` */
export function checkWheels(wheels: readonly Wheel[] = []): void {
  if (wheels.length > MOST_WHEELS) {
    throw invalidOption('wheels', wheels.length, `at most ${MOST_WHEELS} files`);
  }
  const seen = new Set<string>();
  for (const wheel of wheels) {
    checkOptionNames(wheel, WHEEL);
    const { path, sha256 } = wheel;
    const { name } = nameOf(path);
    // Installers take these names for the same.
    const normalized = name.replaceAll(/[-_.]+/g, '-').toLowerCase();
    if (seen.has(normalized)) {
      throw unusable(path, `is the second one of ${name}. Name one of them`);
    }
    seen.add(normalized);
    if (sha256 !== undefined && !/^[\da-f]{64}$/i.test(sha256)) {
      throw invalidOption(
        'wheels.sha256',
        sha256,
        'the 64 hexadecimal digits that `sha256sum` prints',
      );
    }
  }
}

/** The name and the version of each wheel, from the names of their files. */
export function wheelVersions(wheels: readonly Wheel[] = []): readonly SoftwareVersion[] {
  return wheels.map(({ path }) => nameOf(path));
}

/** @throws PtcError `OPTION_INVALID` for a file that cannot be read, or is not the one that is meant. */
export async function readWheels(wheels: readonly Wheel[] = []): Promise<readonly ReadWheel[]> {
  const files = await Promise.all(
    wheels.map(async ({ path }) => readable(path, async () => stat(path))),
  );
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > MOST_BYTES) throw invalidOption('wheels', total, `at most ${MOST_BYTES} bytes`);
  return Promise.all(wheels.map(readWheel));
}

async function readable<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    throw unusable(
      path,
      `cannot be read: ${messageOf(cause)}. Download it again, or correct the path`,
    );
  }
}

async function readWheel({ path, sha256: wanted }: Wheel): Promise<ReadWheel> {
  const content = await readable(path, async () => readFile(path));
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (wanted !== undefined && wanted.toLowerCase() !== sha256) {
    const why = `has the SHA-256 ${sha256}, and not ${wanted.toLowerCase()}. It is another file than the one that you chose`;
    throw unusable(path, why);
  }
  if (!content.subarray(0, ZIP.length).equals(ZIP)) {
    throw unusable(path, 'is not a zip file, as every wheel is. Download it again');
  }
  return { ...nameOf(path), fileName: basename(path), content, sha256 };
}

/**
 * Only the name of the file says for which Python and which platform it is.
 * @throws PtcError `OPTION_INVALID`
 */
function nameOf(path: string): SoftwareVersion {
  const [, name, version, , abi = '', platform = ''] = FILE_NAME.exec(basename(path)) ?? [];
  if (name === undefined || version === undefined) {
    const example = 'attrs-25.3.0-py3-none-any.whl';
    throw unusable(path, `does not have the name of a wheel, such as ${example}. Keep its name`);
  }
  const isPure = abi === 'none' && platform === 'any';
  if (!isPure && !platform.endsWith('_wasm32')) {
    const why = `is for ${platform}. Use a wheel of pure Python, which ends in none-any.whl, or one that was made for Pyodide`;
    throw unusable(path, why);
  }
  return { name: name.replaceAll('_', '-'), version };
}

function unusable(path: string, why: string): PtcError {
  return new PtcError('OPTION_INVALID', `The wheel ${path} ${why}.`, {
    details: { option: 'wheels', value: path },
  });
}
