/**
 * Whether enough of the stack is left. V8 ends the process if the stack is full when it compiles a
 * regular expression, as it does when one is used for the first time.
 */

export const TOO_DEEP = 'The program is nested too deeply: divide it into functions or steps';

const { apply } = Reflect;
const doNothing = () => {};
// On the stack, each element takes 8 bytes.
const ROOM = Array.from({ length: 8192 }, () => 0);

/** @throws {RangeError} If less than 64 KiB of the stack are left. */
export function needStack() {
  apply(doNothing, undefined, ROOM);
}

/** Returns the error for the author of a program whose nesting takes more stack than there is. */
export function nestedTooDeeply(error) {
  return error instanceof RangeError ? new SyntaxError(TOO_DEEP) : error;
}
