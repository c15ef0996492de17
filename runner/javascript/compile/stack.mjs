/**
 * Whether enough of the stack is left. V8 ends the process if the stack is full when it compiles a
 * regular expression, as it does when one is used for the first time.
 */

export const TOO_DEEP = 'The program is nested too deeply: divide it into functions or steps';

const { apply } = Reflect;
const doNothing = () => {};
// On the stack, each element takes 8 bytes. To look for so much room takes as long as to parse some lines.
const ROOM = Array.from({ length: 8192 }, () => 0);

// Of the stack, the compiler uses at most 2.5 KiB for each token, so much less than there is for so many tokens.
const FEW_TOKENS = 192;
// And less than is checked from one check to the next.
const TOKENS_OF_CHECK = 16;
let tokens = 0;

/** Begins a program. Nothing else may use much of the stack. */
export function beginProgram() {
  tokens = 0;
}

/** Comes before each token of the program is parsed. @throws {RangeError} As `needStack`. */
export function countToken() {
  tokens += 1;
  if (tokens % TOKENS_OF_CHECK === 0) needStack();
}

/** @throws {RangeError} If less than 64 KiB of the stack are left. */
export function needStack() {
  if (tokens > FEW_TOKENS) apply(doNothing, undefined, ROOM);
}

/** Returns the error for the author of a program whose nesting takes more stack than there is. */
export function nestedTooDeeply(error) {
  return error instanceof RangeError ? new SyntaxError(TOO_DEEP) : error;
}
