/**
 * The files of the compiler's library after ES2023, by the first release line of Node that has any
 * of their names. Found by looking for each name of each file in Node 20.20, 21.7, 22.12, 23.11,
 * 24.8, 25.9 and 26.10.
 */
const ADDED: readonly (readonly [node: number, files: readonly string[]])[] = [
  [20, ['es2024.arraybuffer', 'es2024.regexp', 'es2024.sharedmemory', 'es2024.string']],
  [20, ['esnext.decorators', 'esnext.disposable']],
  [21, ['es2024.collection', 'es2024.object']],
  [22, ['es2024.promise', 'es2025.collection', 'es2025.iterator', 'esnext.array']],
  [23, ['es2025.intl', 'es2025.promise']],
  [24, ['es2025.float16', 'es2025.regexp', 'esnext.error', 'esnext.intl', 'esnext.sharedmemory']],
  [25, ['esnext.typedarrays']],
  [26, ['esnext.collection', 'esnext.date', 'esnext.temporal']],
];

const ADDED_FILES: ReadonlySet<string> = new Set(ADDED.flatMap(([, files]) => files.map(fileName)));
const NEWEST = Math.max(...ADDED.map(([node]) => node));

/** The whole library. */
export const WHOLE_LIBRARY: readonly string[] = ['lib.esnext.d.ts'];

/**
 * The files of the compiler's library that a release line of Node has.
 * @param node - The major version; undefined if it is unknown.
 * @param hasFile - Whether the compiler has a file. Other versions divide the library in another
 * way: then the whole library is used.
 */
export function libraryOf(
  node: number | undefined,
  hasFile: (name: string) => boolean,
): readonly string[] {
  if (node === undefined || node >= NEWEST) return WHOLE_LIBRARY;
  if (![...ADDED_FILES].every(hasFile)) return WHOLE_LIBRARY;
  const added = ADDED.filter(([since]) => since <= node).flatMap(([, files]) => files);
  return ['lib.es2023.d.ts', ...added.map(fileName)];
}

/** Whether a file belongs to a later release line of Node than those of a library. */
export function isLeftOut(file: string, library: readonly string[]): boolean {
  return library !== WHOLE_LIBRARY && ADDED_FILES.has(file) && !library.includes(file);
}

/** The major version of Node in a version such as `20.19.2`; undefined for any other text. */
export function nodeLine(version: string | undefined): number | undefined {
  const [, major] = /^(\d{1,4})\./.exec(version ?? '') ?? [];
  return major === undefined ? undefined : Number(major);
}

function fileName(name: string): string {
  return `lib.${name}.d.ts`;
}
