import type { ExecutionError, LanguageName } from '../protocol/messages.ts';

const PYTHON_TYPES: ReadonlySet<string> = new Set([
  'KeyError',
  'TypeError',
  'IndexError',
  'AttributeError',
]);
/** One of these in the traceback of a group of exceptions, behind the lines that draw its frame. */
const IN_GROUP = /^[ |+-]{0,40}(?:Key|Type|Index|Attribute)Error\b/m;
/** As of `for a, b in result` for a dict. */
const UNPACKING = /^(?:too many|not enough) values to unpack\b/;

/** What V8 says of a value that is not what the program expected. */
const V8_MESSAGES =
  /Cannot (?:read properties of|destructure)|is not iterable|is not a function|undefined or null/;

const TESTS: Readonly<Record<LanguageName, (error: ExecutionError) => boolean>> = {
  python: ({ type, message, traceback }) => {
    if (type === 'ValueError') return UNPACKING.test(message);
    if (type.endsWith('ExceptionGroup')) return IN_GROUP.test(traceback);
    return PYTHON_TYPES.has(type);
  },
  javascript: isV8Error,
  typescript: isV8Error,
  // Its errors are texts of the programs that it starts.
  bash: () => false,
};

/** Whether a program failed because a value did not have the shape that it expected. */
export function isShapeError(error: ExecutionError, language: LanguageName): boolean {
  return TESTS[language](error);
}

function isV8Error({ type, message }: ExecutionError): boolean {
  return type === 'TypeError' && V8_MESSAGES.test(message);
}
