const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * The first name that an object of a JSON text has twice; undefined if there is none. `JSON.parse`
 * keeps the last of them without a word.
 * @param json - A text that `JSON.parse` reads.
 */
export function repeatedName(json: string): string | undefined {
  /** The names of each open object; undefined for an open list. */
  const open: (Set<string> | undefined)[] = [];
  let text = '';
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name = JSON.parse(text) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) return name;
      names?.add(name);
    } else text = token;
  }
  return undefined;
}
