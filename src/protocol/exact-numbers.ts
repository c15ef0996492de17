import { endOfString, shapeOfFrame } from './frame-shape.ts';

/**
 * Looks for a number with many digits, a large exponent, or a fraction and an exponent, and also finds some texts. Most answers have
 * none.
 */
const LARGE = /(^|[[:,\s])-?\d{16}|\d[eE]\+?\d{3}|\.\d+[eE]\+?\d/;

/** The beginning of a text, or a number. */
const TOKEN = /"|-?\d[\d.eE+-]*/g;

/**
 * JSON text in which the numbers that JavaScript would change are texts: a program that got another
 * number would ask for another record with it.
 * @param json - Valid JSON.
 */
export function withExactNumbers(json: string): string {
  if (!LARGE.test(json)) return json;
  const parts: string[] = [];
  let done = 0;
  const tokens = new RegExp(TOKEN);
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const [token] = found;
    if (token === '"') {
      tokens.lastIndex = endOfString(json, found.index) + 1;
    } else if (isChanged(token)) {
      parts.push(json.slice(done, found.index), JSON.stringify(token));
      done = tokens.lastIndex;
    }
  }
  return parts.join('') + json.slice(done);
}

/** Whether JavaScript would round a number, or make it infinite. */
function isChanged(number: string): boolean {
  return shapeOfFrame(number, 1).inexactNumber !== undefined || !Number.isFinite(Number(number));
}
