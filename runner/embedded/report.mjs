/** A guest's report of how a program ended, which a hostile program may have written. */

import { decodeBody, isFrame, OUTCOME } from './frames.mjs';

/**
 * More than a value and the texts of an error take. The host accepts 4 MiB, and the outcome has one
 * field more.
 */
export const MAX_REPORT_BYTES = 4 * 1024 * 1024 - 4096;
/**
 * A report has few fields and no lists, so outside of texts there are only quotes of names,
 * punctuation and numbers.
 */
const MAX_BYTES_BESIDE_TEXTS = 1000;
const MAX_STATUS = 255;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns the body of a line with a report, which `checkReport` must check. Undefined for other
 * lines.
 */
export function readReport(line) {
  if (!isFrame(line, OUTCOME) || line.length > MAX_REPORT_BYTES) return undefined;
  if (!isAscii(line) || !hasFewValues(line)) return undefined;
  try {
    return decodeBody(line, OUTCOME) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the fields of a report, without any others. Undefined if the guest's code does not write
 * such a report.
 */
export function checkReport({ success, value, error, exit_code, outputs = null }) {
  if (value !== null && typeof value !== 'string') return undefined;
  if (outputs !== null && !isOutputPath(outputs)) return undefined;
  if (success === true) {
    const isRight = error === null && exit_code === 0;
    return isRight ? { success, value, error, exit_code, outputs } : undefined;
  }
  const failure = checkError(error);
  if (success !== false || failure === undefined || !isFailureStatus(exit_code)) return undefined;
  return { success, value, error: failure, exit_code, outputs };
}

/** Only the guest for Python has files, so it alone reports a directory. */
function isOutputPath(path) {
  return typeof path === 'string' && /^\/tmp\/outputs-[0-9a-f]{8}$/.test(path);
}

function checkError(error) {
  const { type, message, line, traceback } = error ?? {};
  const areTexts = [type, message, traceback].every((text) => typeof text === 'string');
  const isLine = line === null || (Number.isSafeInteger(line) && line >= 0);
  return areTexts && isLine ? { type, message, line, traceback } : undefined;
}

function isFailureStatus(status) {
  return Number.isInteger(status) && status >= 1 && status <= MAX_STATUS;
}

/** Other text would become longer when it is passed on. */
function isAscii(line) {
  return line.every((byte) => byte < 0x80);
}

/** Whether little is outside of texts. A parsed value takes many times the memory of its text. */
function hasFewValues(line) {
  let besideTexts = 0;
  for (let position = 0; position < line.length;) {
    const start = line.indexOf(QUOTE, position);
    besideTexts += (start === -1 ? line.length : start) - position + 1;
    if (besideTexts > MAX_BYTES_BESIDE_TEXTS) return false;
    if (start === -1) return true;
    position = start + 1;
    while (position < line.length && line[position] !== QUOTE) {
      position += line[position] === BACKSLASH ? 2 : 1;
    }
    position += 1;
  }
  return true;
}
