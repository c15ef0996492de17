import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import type { Block } from './blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Declares what blocks use without declaring it. */
export const GIVEN_NAMES: string = join(import.meta.dirname, 'given-names.d.ts');

/** What is not of a page is parsed once. The options that differ from page to page do not change how. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** The sources of the entry points of package.json, so that no build is needed. */
function entryPoints(): Record<string, string[]> {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string>>;
  };
  const built = Object.entries(exports).filter(([, file]) => file.startsWith('./dist/'));
  return Object.fromEntries(
    built.map(([path, file]) => [
      path.replace(/^\./, name),
      [join(ROOT, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))],
    ]),
  );
}

/**
 * What the compiler has against blocks of JavaScript and TypeScript, each as a module of its own.
 * `more` are options of the compiler besides those of pages.
 */
export function typeErrorsOf(
  blocks: readonly Block[],
  more: Readonly<ts.CompilerOptions> = {},
): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: entryPoints(),
    allowJs: true,
    checkJs: true,
    strict: true,
    // A page shows JavaScript without annotations.
    noImplicitAny: false,
    useUnknownInCatchVariables: false,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    ...more,
  };
  // As many empty lines come first that a message has the line of the page.
  const sources = new Map(
    blocks.map(({ page, line, file, language, text }) => [
      join(ROOT, page, file ?? `${line}.${language === 'ts' ? 'mts' : 'mjs'}`),
      `${'\n'.repeat(line - 1)}${text}\nexport {};`,
    ]),
  );
  // Each page is a directory, with the files that it says to save.
  const directories = new Set([...sources.keys()].map((name) => dirname(name)));
  const files = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...files,
    getSourceFile: (name, target) => {
      const source = sources.get(name);
      if (source !== undefined) return ts.createSourceFile(name, source, target);
      if (!parsed.has(name)) parsed.set(name, files.getSourceFile(name, target));
      return parsed.get(name);
    },
    fileExists: (name) => sources.has(name) || files.fileExists(name),
    directoryExists: (name) => directories.has(name) || ts.sys.directoryExists(name),
  };
  const program = ts.createProgram([GIVEN_NAMES, ...sources.keys()], options, host);
  return [GIVEN_NAMES, ...sources.keys()].flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      describe,
    );
  });
}

function describe({ file, start = 0, messageText }: ts.Diagnostic): string {
  const page = file && relative(ROOT, dirname(file.fileName));
  const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
  return `${page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
}
