/**
 * Says what is so in a sandbox, for errors of programs that expect a package or a network, and where a syntax error is that Node
 * reports without a place.
 */

const NO_NETWORK = 'there is no network here; only tools reach anything outside';
const NO_PACKAGE = 'it is not installed, and nothing can be installed here';
const IN_MODULE = 'this is in a module that the program imports';
/** The stack of a syntax error that has no place, because Node knows it only in its native code. */
const LOADS_MODULE = /^SyntaxError\b.*\n(?:(?! +at ).*\n)* +at .*\(node:internal\/modules\/esm\//;
const NO_MODULE = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);
const NO_ADDRESS = new Set(['EAI_AGAIN', 'ENOTFOUND', 'ENETUNREACH']);
const PACKAGE = /^Cannot find (?:module|package) '(?![./])[^'\n]*'(?:$| imported from )/m;
const MOST_CAUSES = 10;

/**
 * Returns what to add to the message of an error; '' if nothing is known. It can throw, because a
 * program may have made the error.
 */
export function advice(error) {
  if (NO_MODULE.has(error.code) && PACKAGE.test(error.message)) return NO_PACKAGE;
  if (error instanceof SyntaxError && LOADS_MODULE.test(error.stack)) return IN_MODULE;
  let cause = error;
  for (let count = 0; count < MOST_CAUSES && cause instanceof Error; count += 1) {
    if (NO_ADDRESS.has(cause.code)) return NO_NETWORK;
    cause = cause.cause;
  }
  return '';
}
