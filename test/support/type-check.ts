import { dirname, join } from 'node:path';
import ts from 'typescript';

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  lib: ['lib.es2023.d.ts'],
  types: [],
};

/** The standard library is parsed once. */
const libraryFolder = dirname(ts.getDefaultLibFilePath(options));
const library = new Map<string, ts.SourceFile | undefined>();

/** What the compiler has against a program with these declarations; the library's own files are not checked. */
export function typeErrors(declarations: string, program: string): string[] {
  const sources = new Map([
    ['/tools.d.ts', declarations],
    ['/program.ts', `${program}\nexport {};`],
  ]);
  const host: ts.CompilerHost = {
    getSourceFile: (name, target) => {
      const source = sources.get(name);
      if (source !== undefined) return ts.createSourceFile(name, source, target);
      if (!library.has(name)) {
        const text = ts.sys.readFile(name);
        library.set(name, text === undefined ? undefined : ts.createSourceFile(name, text, target));
      }
      return library.get(name);
    },
    getDefaultLibFileName: () => join(libraryFolder, 'lib.es2023.d.ts'),
    getDefaultLibLocation: () => libraryFolder,
    getCurrentDirectory: () => '/',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: (name) => sources.has(name) || ts.sys.fileExists(name),
    readFile: (name) => sources.get(name) ?? ts.sys.readFile(name),
    writeFile: () => {},
  };
  const compiled = ts.createProgram([...sources.keys()], options, host);
  const files = [...sources.keys()].map((name) => compiled.getSourceFile(name));
  return files
    .flatMap((file) => [
      ...compiled.getSyntacticDiagnostics(file),
      ...compiled.getSemanticDiagnostics(file),
    ])
    .map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
}
