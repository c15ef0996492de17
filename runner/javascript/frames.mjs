/** The marker frames that a guest takes and sends. A frame is one line: marker, JSON, marker, newline. */

// A program may replace what it finds; the runner keeps what it needs.
const { parse, stringify } = JSON;

export const CONFIGURE = ['__PTC_CONFIGURE__', '__PTC_END_CONFIGURE__'];
export const EXECUTE = ['__PTC_EXECUTE__', '__PTC_END_EXECUTE__'];
export const TOOL_RESULT = ['__PTC_TOOL_RESULT__', '__PTC_END_RESULT__'];
export const CANCEL = ['__PTC_CANCEL__', '__PTC_END_CANCEL__'];

export const READY = ['__PTC_READY__', '__PTC_END_READY__'];
export const TOOL_CALL = ['__PTC_TOOL_CALL__', '__PTC_END_CALL__'];
export const OUTCOME = ['__PTC_OUTPUT__', '__PTC_END_OUTPUT__'];

const TAKEN = [TOOL_RESULT, EXECUTE, CANCEL, CONFIGURE];

/** The line that carries `body`, newline included. It is ASCII: all else is escaped. */
export function encode(marker, body) {
  return encodeText(marker, stringify(body));
}

/** The same of JSON that is text already. */
export function encodeText([open, close], json) {
  return `${open}${escapeAll(json)}${close}\n`;
}

/** The marker and the body of a line without its newline; undefined for what is no frame for a guest. */
export function decode(line) {
  const marker = TAKEN.find(([open, close]) => line.startsWith(open) && line.endsWith(close));
  if (marker === undefined) return undefined;
  const [open, close] = marker;
  try {
    return { marker, body: parse(line.slice(open.length, line.length - close.length)) };
  } catch {
    // A tool's result that a host did not live to write to its end.
    return undefined;
  }
}

function escapeAll(json) {
  return json.replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
