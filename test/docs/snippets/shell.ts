/**
 * The commands of a shell script of the documentation, each as its words. It understands what the pages
 * use: quotes, comments, continued lines, pipes, `&&`, variables before a command, and in synopses
 * `[optional]` and `one|another`, of which each makes a command of its own.
 */
export function commandsOf(script: string): string[][] {
  const lines = script.replaceAll('\\\n', ' ').split('\n');
  return lines
    .flatMap(splitLine)
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
    .filter((words) => words.length > 0)
    .flatMap(alternatives);
}

function splitLine(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of line.matchAll(/#.*|'[^']*'|"[^"]*"|[^\s'"]+/g)) {
    if (token.startsWith('#')) break;
    if (token === '|' || token === '&&') commands.push([]);
    else if (/^['"]/.test(token)) commands.at(-1)?.push(token.slice(1, -1));
    else commands.at(-1)?.push(token.replaceAll(/[[\]]/g, ''));
  }
  return commands;
}

function alternatives(words: string[]): string[][] {
  const index = words.findIndex((word) => /^\w+(\|\w+)+$/.test(word));
  if (index === -1) return [words];
  const choices = words[index]?.split('|') ?? [];
  return choices.flatMap((choice) => alternatives(words.with(index, choice)));
}

/** What a command gives to `sandboxed-ptc`; undefined if it does not run it. */
export function packageArguments(words: readonly string[]): readonly string[] | undefined {
  const index = words.indexOf('sandboxed-ptc');
  return index === 0 || words[index - 1] === 'npx' ? words.slice(index + 1) : undefined;
}

/** The script of package.json that a command runs; undefined if it runs none. */
export function scriptOf([command, verb, ...rest]: readonly string[]): string | undefined {
  if (command !== 'npm') return undefined;
  return verb === 'run'
    ? rest.find((word) => !word.startsWith('-'))
    : verb === 'test'
      ? verb
      : undefined;
}
