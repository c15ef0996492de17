import { basename, dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import ts from 'typescript';
import {
  BOUNDS,
  type CheckAnswer,
  type CheckRequest,
  type DeclaredModule,
  type TypeProblem,
} from '../shared/check-messages.ts';
import { shortened } from '../shared/check-reply.ts';
import { type DiagnosticContext, isProblem } from './diagnostics.ts';
import { GLOBALS_FILE, PROGRAM_FILE, SESSION_FOLDER, TOOLS_FILE } from './file-names.ts';
import { GUEST_GLOBALS } from './guest-globals.ts';
import { isLeftOut, libraryOf, WHOLE_LIBRARY } from '../shared/node-library.ts';
import { outline, type ProgramOutline } from './program-outline.ts';

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  // Without this rule, an empty array has the type never[]. Its own errors are not passed on.
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
  types: [],
  skipLibCheck: true,
  declaration: true,
};

/** The end of the compiler's message about a name that a newer library has. */
const LIBRARY_ADVICE = / Do you need to change your target library\?.*$/;

/** The compiler with its library, which it parses once. */
export class Compiler {
  readonly #library: string = dirname(createRequire(import.meta.url).resolve('typescript'));
  readonly #libraryFiles: Map<string, ts.SourceFile | undefined> = new Map();
  /** The files of the last program, by name. */
  #files: Map<string, ts.SourceFile> = new Map();
  #last: ts.Program | undefined;

  check(request: CheckRequest): CheckAnswer {
    const { code, modules } = request;
    const program = outline(code);
    const names = [...new Set([...program.names, ...program.globals])];
    const known = new Set(modules.flatMap((each) => each.names));
    const changed = [...program.assigned].filter((name) => known.has(name));
    const untyped = { problems: [], problemCount: 0, names, changed };
    if (!request.typed) return untyped;
    const compiled = this.#compile(request, program);
    const file = compiled.getSourceFile(PROGRAM_FILE);
    if (file === undefined || compiled.getSyntacticDiagnostics(file).length > 0) {
      // The guest reports syntax errors better.
      return untyped;
    }
    const checker = compiled.getTypeChecker();
    const { hasUnknownNames } = request;
    const isWholeLibrary = this.#libraryOf(request) === WHOLE_LIBRARY;
    const context = { checker, file, outline: program, hasUnknownNames, isWholeLibrary };
    const diagnostics = problemsOf(compiled, code.length, context);
    if (diagnostics.length > 0) {
      const problems = diagnostics
        .slice(0, BOUNDS.problems)
        .map((each) => described(each, context, request));
      return { problems, problemCount: diagnostics.length, names: [], changed: [] };
    }
    const grown = grownNames(context).filter((name) => program.names.has(name) || known.has(name));
    const isLoose = program.globals.size > 0 || grown.some((name) => program.names.has(name));
    return {
      problems: [],
      problemCount: 0,
      names,
      text: isLoose ? undefined : emitted(compiled, file),
      changed: [...new Set([...changed, ...grown])],
    };
  }

  #compile(request: CheckRequest, program: ProgramOutline): ts.Program {
    const nameOf = (module: Pick<DeclaredModule, 'id'>): string =>
      `${SESSION_FOLDER}${request.session}-${module.id}.d.ts`;
    const texts = new Map([
      [GLOBALS_FILE, GUEST_GLOBALS],
      [TOOLS_FILE, request.tools],
      [PROGRAM_FILE, programText(request, program)],
      ...request.modules.map((module) => [nameOf(module), module.text] as const),
    ]);
    const files = new Map<string, ts.SourceFile>();
    const library = this.#libraryOf(request);
    const getSourceFile = (name: string): ts.SourceFile | undefined => {
      const text = texts.get(name);
      // Files of the library refer to others, also to those of later versions of Node.
      if (text === undefined && isLeftOut(basename(name), library)) return undefined;
      if (text === undefined) return this.#libraryFile(name);
      let file = files.get(name) ?? this.#files.get(name);
      if (file?.text !== text) file = parsed(name, text);
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
      // Only modules of the session are resolved. All others are `any`.
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
    const options = { ...OPTIONS, lib: [...library] };
    this.#last = ts.createProgram([...texts.keys()], options, host, this.#last);
    this.#files = files;
    return this.#last;
  }

  #libraryOf({ node }: CheckRequest): readonly string[] {
    return libraryOf(node, (name) => this.#libraryFile(join(this.#library, name)) !== undefined);
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

/**
 * Parses a file that is not of the library. Its directives `/// <reference … />` are ignored, as Node
 * ignores them: they would declare names that Node lacks, and make a check slow.
 */
function parsed(name: string, text: string): ts.SourceFile {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true);
  return Object.assign(file, {
    referencedFiles: [],
    typeReferenceDirectives: [],
    libReferenceDirectives: [],
  });
}

/** The text after the program exports its names, and imports those of earlier programs. */
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
): ts.Diagnostic[] {
  return compiled
    .getSemanticDiagnostics(context.file)
    .filter((each) => (each.start ?? 0) < length && isProblem(each, context));
}

function described(
  { start = 0, code, messageText }: ts.Diagnostic,
  { file }: DiagnosticContext,
  { node }: CheckRequest,
): TypeProblem {
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  const text = ts.flattenDiagnosticMessageText(messageText, '\n');
  // The program cannot change the library.
  const place = node === undefined ? 'The sandbox' : `Node ${node}`;
  const message = shortened(text.replace(LIBRARY_ADVICE, ` ${place} does not have it.`));
  return { line: line + 1, column: character + 1, code, message };
}

/** The variables and classes whose objects get properties that their types do not have. */
function grownNames({ file, outline: { properties }, checker }: DiagnosticContext): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isPropertyAccessExpression(node) &&
      properties.has(node.name.text) &&
      checker.getSymbolAtLocation(node.name) === undefined &&
      (checker.getTypeAtLocation(node.expression).flags & ts.TypeFlags.Any) === 0
    ) {
      const name = ownerOf(node.expression);
      if (name !== undefined) names.push(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

/** The name whose type describes an object: that of the variable, or of the class of `this`. */
function ownerOf(object: ts.Expression): string | undefined {
  if (ts.isPropertyAccessExpression(object) || ts.isElementAccessExpression(object)) {
    return ownerOf(object.expression);
  }
  if (object.kind === ts.SyntaxKind.ThisKeyword) {
    return ts.findAncestor(object, ts.isClassLike)?.name?.text;
  }
  return ts.isIdentifier(object) ? object.text : undefined;
}

/**
 * The declarations of the names that a program exports; undefined if they cannot be written or are
 * too long.
 */
function emitted(compiled: ts.Program, file: ts.SourceFile): string | undefined {
  let text: string | undefined;
  const write = (_name: string, written: string): void => {
    text = written;
  };
  compiled.emit(file, write, undefined, true);
  return (text?.length ?? 0) > BOUNDS.declarations ? undefined : text;
}
