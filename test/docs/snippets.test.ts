import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'acorn';
import type { Command, CommanderError } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { allBlocks, blocksOf, pages, placeOf, type Block } from './snippets/blocks.ts';
import { commandLineParser } from './snippets/command-line.ts';
import { commandsOf, packageArguments, scriptOf } from './snippets/shell.ts';

/** What is wrong with each block, in their order: an empty text if nothing is. */
type Check = (blocks: readonly Block[]) => string[] | Promise<string[]>;

const each =
  (check: (block: Block) => string | Promise<string>): Check =>
  async (blocks) =>
    Promise.all(blocks.map(async (block) => check(block)));

/** How the blocks of each language are checked, or why they are not. */
const CHECKS: Readonly<Record<string, Check | { readonly because: string }>> = {
  // Node 20 has the syntax of this edition and no newer one; types.system.test.ts checks the types.
  js: each(({ text }) => messageOf(() => parse(text, { ecmaVersion: 2024, sourceType: 'module' }))),
  ts: { because: 'types.system.test.ts checks them' },
  sh: each((block) => bashError(block) || shellErrors(block)),
  bash: each(bashError),
  python: pythonErrors,
  json: each(({ text }) => messageOf(() => JSON.parse(text))),
  yaml: each(({ text }) => parseDocument(text).errors.join('\n')),
  ini: each(({ text }) => wrongLines(text, /^(?:#.*|\[\w+\]|\w+=.*)?$/)),
  dockerfile: each(({ text }) =>
    wrongLines(text, /^(?:(?:FROM|RUN|WORKDIR|COPY|ENV|USER|CMD) .+)?$/),
  ),
  text: {
    because: 'it is what a program printed; programs.system.test.ts compares that of its programs',
  },
  mermaid: { because: 'its parser needs a browser' },
};

const scripts = (
  JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Readonly<Record<string, string>> }
).scripts;
let parser: Command;

beforeAll(async () => {
  parser = await commandLineParser();
});

function wrongLines(text: string, right: RegExp): string {
  return text
    .split('\n')
    .filter((line) => !right.test(line))
    .join('\n');
}

function messageOf(action: () => unknown): string {
  try {
    action();
    return '';
  } catch (error) {
    return String(error);
  }
}

function bashError({ text }: Block): string {
  return spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' }).stderr;
}

/** What is wrong with each block. Programs may `await` at their top level. */
function pythonErrors(blocks: readonly Block[]): string[] {
  const program = `
import ast, json, sys
for text in json.load(sys.stdin):
    try:
        compile(text, "block", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        print()
    except SyntaxError as error:
        print(error)`;
  const input = JSON.stringify(blocks.map(({ text }) => text));
  const { stdout } = spawnSync('python3', ['-I', '-c', program], { input, encoding: 'utf8' });
  return stdout.split('\n').slice(0, -1);
}

async function shellErrors({ page, text }: Block): Promise<string> {
  const errors: string[] = [];
  for (const words of commandsOf(text)) {
    const args = packageArguments(words);
    if (args !== undefined) errors.push(await parserError(args));
    errors.push(scriptError(words));
    if (words[0] === 'node') errors.push(fileError(page, words.slice(1).find(isNoOption)));
  }
  return errors.filter((error) => error !== '').join('\n');
}

/** `tolerated` is the code of an error of the parser that is none here. */
async function parserError(args: readonly string[], tolerated?: string): Promise<string> {
  return parser.parseAsync(args, { from: 'user' }).then(
    () => '',
    (error: CommanderError) => {
      const isRight = error.exitCode === 0 || error.code === tolerated;
      return isRight ? '' : `sandboxed-ptc ${args.join(' ')}: ${error.message}`;
    },
  );
}

function scriptError(words: readonly string[]): string {
  const script = scriptOf(words);
  return script === undefined || script in scripts ? '' : `package.json has no script ${script}`;
}

function isNoOption(word: string): boolean {
  return !word.startsWith('-');
}

function fileError(page: string, file = ''): string {
  const saved = blocksOf(page).some((block) => block.file === file);
  return saved || existsSync(file)
    ? ''
    : `there is no file ${file}, and no block of the page after "Save this as \`${file}\`"`;
}

describe('the code of the documentation', () => {
  it('is of languages that are checked, or says why it is not checked', async () => {
    const unknown = (await allBlocks()).filter(
      ({ language, notChecked }) => notChecked === undefined && CHECKS[language] === undefined,
    );
    const help =
      'Name the language after the fence: one of CHECKS in test/docs/snippets.test.ts (`text` for output), or add it there. If a block cannot be checked, put <!-- not checked: reason --> before it.';
    const wrong = unknown.map((block) => `${placeOf(block)}: "${block.language}". ${help}`);
    expect(wrong).toEqual([]);
  });

  it.each(Object.keys(CHECKS).filter((language) => typeof CHECKS[language] === 'function'))(
    'is right: %s',
    async (language) => {
      const check = CHECKS[language] as Check;
      const blocks = (await allBlocks()).filter(
        (block) => block.language === language && block.notChecked === undefined,
      );
      const errors = await check(blocks);
      expect(errors).toHaveLength(blocks.length);
      const wrong = blocks.map((block, index) => `${placeOf(block)}: ${errors[index]}`);
      expect(wrong.filter((_, index) => errors[index] !== '')).toEqual([]);
      expect(blocks).not.toEqual([]);
    },
  );

  it('names commands, options and scripts that exist, also within a sentence', async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const page of await pages()) {
      const spans = readFileSync(page, 'utf8').matchAll(
        /`((?:npx )?sandboxed-ptc |npm )([^`\n]+)`/g,
      );
      for (const [, command = '', rest = ''] of spans) {
        const [words = []] = commandsOf(command + rest);
        const args = packageArguments(words);
        // A sentence names a command without its files.
        const error =
          args === undefined
            ? scriptError(words)
            : await parserError(args, 'commander.missingArgument');
        if (error !== '') wrong.push(`${page}: ${error}`);
        count += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(20);
  });
});

describe('the check of shell commands', () => {
  const block = (text: string): Block => {
    return {
      page: 'README.md',
      line: 1,
      language: 'sh',
      text,
      file: undefined,
      notChecked: undefined,
    };
  };

  it.each([
    ['npx sandboxed-ptc exce program.py', "unknown command 'exce'"],
    ['npx sandboxed-ptc exec --sandbox docker program.py', "unknown option '--sandbox'"],
    ['sandboxed-ptc demo [--language python|perl]', "'perl' is invalid"],
    ['npx sandboxed-ptc exec', "missing required argument 'file'"],
    ['cd x && KEY=… npm run --silent biuld # builds', 'no script biuld'],
    ['node no-such-file.mjs', 'no file no-such-file.mjs'],
    ['node --test no-such-file.mjs', 'no file no-such-file.mjs'],
  ])('finds what is wrong with %s', async (text, message) => {
    expect(await shellErrors(block(text))).toContain(message);
  });

  it('reads what the pages write', async () => {
    const text =
      "echo 'a | b' | npx sandboxed-ptc exec [--json] \\\n  - # runs it\nnpm test -- -t 'x # y'";
    expect(commandsOf(text)).toEqual([
      ['echo', 'a | b'],
      ['npx', 'sandboxed-ptc', 'exec', '--json', '-'],
      ['npm', 'test', '--', '-t', 'x # y'],
    ]);
    expect(await shellErrors(block(text))).toBe('');
  });
});
