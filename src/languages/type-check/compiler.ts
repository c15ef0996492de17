import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import ts from 'typescript';
import type { CheckAnswer, CheckRequest, DeclaredModule, TypeProblem } from './check-messages.ts';
import { type DiagnosticContext, isProblem } from './diagnostics.ts';
import { GUEST_GLOBALS } from './guest-globals.ts';
import { outline, type ProgramOutline } from './program-outline.ts';

const GLOBALS_FILE = '/globals.d.ts';
const TOOLS_FILE = '/tools.d.ts';
const PROGRAM_FILE = '/session/program.ts';
/** So many problems are described at most; the others are only there to be counted. */
const MAX_PROBLEMS = 1000;

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  // Without this rule an empty array is never[]; what it says is not passed on.
  noImplicitAny: true,
  noImplicitThis: false,
  strictPropertyInitialization: false,
  useUnknownInCatchVariables: false,
  allowUnreachableCode: true,
  allowUnusedLabels: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  // The newest: what a guest lacks of it, it says itself.
  lib: ['lib.esnext.d.ts'],
  types: [],
  skipLibCheck: true,
  declaration: true,
};

/** The compiler with its library, which it parses once. */
export class Compiler {
  readonly #library: string = dirname(createRequire(import.meta.url).resolve('typescript'));
  readonly #libraryFiles: Map<string, ts.SourceFile | undefined> = new Map();
  /** Files of the last program, by name. */
  #files: Map<string, ts.SourceFile> = new Map();
  #last: ts.Program | undefined;

  check(request: CheckRequest): CheckAnswer {
    const { code, modules } = request;
    const program = outline(code);
    const names = [...new Set([...program.names, ...program.globals])];
    const changed = [...program.assigned];
    if (!request.typed) return { problems: [], names, text: undefined, changed };
    const compiled = this.#compile(request, program);
    const file = compiled.getSourceFile(PROGRAM_FILE);
    if (file === undefined || compiled.getSyntacticDiagnostics(file).length > 0) {
      // The guest knows best what it cannot parse.
      return { problems: [], names, text: undefined, changed };
    }
    const checker = compiled.getTypeChecker();
    const context = { checker, file, outline: program, hasUnknownNames: request.hasUnknownNames };
    const problems = problemsOf(compiled, code.length, context);
    if (problems.length > 0) return { problems, names: [], text: undefined, changed: [] };
    const known = new Set(modules.flatMap((each) => each.names));
    const grown = grownNames(context).filter((name) => program.names.has(name) || known.has(name));
    const text = grown.some((name) => program.names.has(name))
      ? undefined
      : emitted(compiled, file);
    return {
      problems,
      names,
      text: program.globals.size > 0 ? undefined : text,
      changed: [...changed, ...grown],
    };
  }

  #compile(request: CheckRequest, program: ProgramOutline): ts.Program {
    const nameOf = (module: Pick<DeclaredModule, 'id'>): string =>
      `/session/${request.session}-${module.id}.d.ts`;
    const texts = new Map([
      [GLOBALS_FILE, GUEST_GLOBALS],
      [TOOLS_FILE, request.tools],
      [PROGRAM_FILE, programText(request, program)],
      ...request.modules.map((module) => [nameOf(module), module.text] as const),
    ]);
    const files = new Map<string, ts.SourceFile>();
    const getSourceFile = (name: string): ts.SourceFile | undefined => {
      const text = texts.get(name);
      if (text === undefined) return this.#libraryFile(name);
      let file = files.get(name) ?? this.#files.get(name);
      if (file?.text !== text) file = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true);
      files.set(name, file);
      return file;
    };
    const host: ts.CompilerHost = {
      getSourceFile,
      getDefaultLibFileName: () => join(this.#library, 'lib.esnext.d.ts'),
      getDefaultLibLocation: () => this.#library,
      getCurrentDirectory: () => '/session',
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      fileExists: (name) => texts.has(name),
      readFile: (name) => texts.get(name),
      writeFile: () => {},
      // Only modules of the session are found; every other one is any.
      resolveModuleNameLiterals: (literals) =>
        literals.map(({ text }) => {
          const resolvedFileName = `/session${text.slice(1)}.d.ts`;
          return {
            resolvedModule: texts.has(resolvedFileName)
              ? { resolvedFileName, extension: ts.Extension.Dts }
              : undefined,
          };
        }),
    };
    this.#last = ts.createProgram([...texts.keys()], OPTIONS, host, this.#last);
    this.#files = files;
    return this.#last;
  }

  #libraryFile(name: string): ts.SourceFile | undefined {
    if (dirname(name) !== this.#library) return undefined;
    if (!this.#libraryFiles.has(name)) {
      const text = ts.sys.readFile(name);
      const file =
        text === undefined
          ? undefined
          : ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true);
      this.#libraryFiles.set(name, file);
    }
    return this.#libraryFiles.get(name);
  }
}

/** What follows the program has its names known outside it, and those of earlier programs inside. */
function programText(request: CheckRequest, program: ProgramOutline): string {
  const exported = [...program.names].filter((name) => !program.exported.has(name));
  const lines = [`${program.text}\n;export { ${exported.join(', ')} };`];
  for (const { id, names } of request.modules) {
    const imported = names.filter((name) => !program.names.has(name));
    if (imported.length > 0) {
      lines.push(`import { ${imported.join(', ')} } from './${request.session}-${id}';`);
    }
  }
  return lines.join('\n');
}

function problemsOf(
  compiled: ts.Program,
  length: number,
  context: DiagnosticContext,
): TypeProblem[] {
  const { file } = context;
  return compiled
    .getSemanticDiagnostics(file)
    .filter((each) => (each.start ?? 0) < length && isProblem(each, context))
    .slice(0, MAX_PROBLEMS)
    .map(({ start = 0, code, messageText }) => {
      const { line, character } = file.getLineAndCharacterOfPosition(start);
      const message = ts.flattenDiagnosticMessageText(messageText, '\n');
      return { line: line + 1, column: character + 1, code, message };
    });
}

/** The variables whose objects get properties that their types do not have. */
function grownNames({ file, outline: { properties }, checker }: DiagnosticContext): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isPropertyAccessExpression(node) &&
      ts.isIdentifier(node.expression) &&
      properties.has(node.name.text) &&
      checker.getSymbolAtLocation(node.name) === undefined
    ) {
      names.push(node.expression.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

/** The declarations of the names that a program exports; undefined where they cannot be written. */
function emitted(compiled: ts.Program, file: ts.SourceFile): string | undefined {
  let text: string | undefined;
  const write = (_name: string, written: string): void => {
    text = written;
  };
  compiled.emit(file, write, undefined, true);
  return text;
}
