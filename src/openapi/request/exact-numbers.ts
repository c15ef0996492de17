import { shapeOfFrame } from '../../protocol/frame-shape.ts';

/** Looks for a number with many digits, and also finds some texts. Most answers have none. */
const LONG = /(^|[[:,\s])-?\d{16}/;

/** The beginning of a text, or a number. */
const TOKEN = /"|-?\d[\d.eE+-]*/g;

/**
 * JSON text in which the numbers that JavaScript would change are texts: a program that got another
 * number would ask for another record with it.
 * @param json - Valid JSON.
 */
export function withExactNumbers(json: string): string {
  if (!LONG.test(json)) return json;
  const parts: string[] = [];
  let done = 0;
  const tokens = new RegExp(TOKEN);
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const [token] = found;
    if (token === '"') {
      tokens.lastIndex = endOfText(json, found.index);
    } else if (shapeOfFrame(token, 1).inexactNumber !== undefined) {
      parts.push(json.slice(done, found.index), JSON.stringify(token));
      done = tokens.lastIndex;
    }
  }
  return parts.join('') + json.slice(done);
}

/** The index after the closing quote. Not a regular expression: a long text would exhaust the stack. */
function endOfText(json: string, start: number): number {
  let quote = start;
  let backslashes: number;
  do {
    quote = json.indexOf('"', quote + 1);
    backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes += 1;
  } while (backslashes % 2 === 1);
  return quote + 1;
}
