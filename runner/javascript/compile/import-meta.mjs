/** `import.meta`, which only real modules have. Here it is an object in the global scope. */

import { childNodes } from './typescript/type-only.mjs';

const KEY = 'import.meta';
const MAY_BE_THERE = /\bimport\s*\.\s*meta\b/;

/** Replaces each `import.meta` of a program by the object. */
export function rewriteImportMeta(statements, code, edits) {
  if (MAY_BE_THERE.test(code)) for (const node of statements) rewrite(node, edits);
}

function rewrite(node, edits) {
  if (node.type === 'MetaProperty' && node.meta.name === 'import') {
    edits.replace(node.start, node.end, `globalThis['${KEY}']`);
  } else {
    for (const child of childNodes(node)) rewrite(child, edits);
  }
}

/**
 * Creates the object, as if the program were in a file.
 * @param {object} file
 * @param {string} file.url
 * @param {string} file.filename
 * @param {string} file.dirname
 * @param {(specifier: string) => string} file.resolve
 */
export function provideImportMeta({ dirname, filename, resolve, url }) {
  const value = Object.assign(Object.create(null), { dirname, filename, resolve, url });
  Object.defineProperty(globalThis, KEY, { value });
}
