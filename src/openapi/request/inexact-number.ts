import { formatPath } from '../../shared/json/json.ts';
import { shapeOfFrame } from '../../protocol/frame-shape.ts';

/** Looks for a number with many digits, and also finds some texts. Most answers have none. */
const LONG = /(^|[[:,\s])-?\d{16}/;

/** The beginning of a text, a number, or what lists and objects are made of. */
const TOKEN = /["[\]{},:]|-?\d[\d.eE+-]*/g;

/** A number of an answer that JavaScript would change. */
export interface InexactNumber {
  readonly number: string;
  /** Where it is, such as `orders[3].id`; empty if it is the whole answer. */
  readonly path: string;
}

/**
 * The first number of JSON text that programs would get changed; undefined if there is none.
 * @param json - Valid JSON.
 */
export function inexactNumberIn(json: string): InexactNumber | undefined {
  if (!LONG.test(json)) return undefined;
  /** The name or the index of the value that is read, in each list or object around it. */
  const path: (string | number)[] = [];
  let name = '';
  const tokens = new RegExp(TOKEN);
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const [token] = found;
    const last = path.at(-1);
    if (token === '"') {
      tokens.lastIndex = endOfText(json, found.index);
      name = json.slice(found.index, tokens.lastIndex);
    } else if (token === '[') path.push(0);
    else if (token === '{') path.push('');
    else if (token === ']' || token === '}') path.pop();
    else if (token === ':') path.splice(-1, 1, JSON.parse(name) as string);
    else if (token !== ',') {
      const { inexactNumber } = shapeOfFrame(token, 1);
      if (inexactNumber !== undefined) return { number: inexactNumber, path: formatPath(path) };
    } else if (typeof last === 'number') path.splice(-1, 1, last + 1);
  }
  return undefined;
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
