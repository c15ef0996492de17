// TypeScript's test cases that are one program without syntax errors, and the JavaScript that its
// compiler generates.

import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import ts from 'typescript';

/** The path of the cases in the repository. */
export const CASES = 'crates/stc_ts_type_checker/tests';
const FOLDERS = ['compiler', 'conformance'];
/** Cases with several files, or with JSX. */
const OTHER_KINDS = /^\s*\/\/\s*@(?:filename|jsx)\b/im;

const NAME = '/case.ts';
const OPTIONS = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: false,
  noResolve: true,
  noEmit: true,
  types: [],
};

/** The library files of the compiler, parsed once. */
const libraries = new Map();

/**
 * @typedef {object} TypeScriptCase
 * @property {string} code
 * @property {string} javascript - The JavaScript that `tsc` generates.
 * @property {() => boolean} isCorrect - Whether its type checker, which takes long, finds no error.
 */

/** The paths of all cases in the suite, which are their ids. @returns {readonly string[]} */
export function casePaths(suite) {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(suite, CASES, folder), { recursive: true }).map((path) => join(folder, path)),
  )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .map((path) => path.split(sep).join('/'));
}

/** @returns {TypeScriptCase | undefined} Nothing if the file is not one program of TypeScript. */
export function readCase(suite, id) {
  const text = readFileSync(join(suite, CASES, id), 'utf8');
  if (OTHER_KINDS.test(text)) return undefined;
  // The keyword that TypeScript had before. The compiler no longer accepts it.
  const code = text.replaceAll(
    /^(\s*(?:export |declare )*)module(?= [\w.]+\s*\{)/gm,
    '$1namespace',
  );
  const source = ts.createSourceFile(NAME, code, OPTIONS.target, true);
  if (source.parseDiagnostics.length > 0 || hasOtherSyntax(source)) return undefined;
  const compilerOptions = { ...OPTIONS, noEmit: false };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  return { code, javascript: outputText, isCorrect: () => isCorrect(source) };
}

function isCorrect(source) {
  const host = ts.createCompilerHost(OPTIONS);
  const getSourceFile = (path, ...others) => {
    if (path === NAME) return source;
    if (!libraries.has(path)) libraries.set(path, host.getSourceFile(path, ...others));
    return libraries.get(path);
  };
  const program = ts.createProgram([NAME], OPTIONS, { ...host, getSourceFile });
  try {
    return (
      [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
        .length === 0
    );
  } catch {
    // The compiler itself fails on one case.
    return false;
  }
}

/** Decorators, `accessor`, and the imports and exports of CommonJS. */
function hasOtherSyntax(node) {
  return (
    ts.isDecorator(node) ||
    node.kind === ts.SyntaxKind.AccessorKeyword ||
    (ts.isExportAssignment(node) && node.isExportEquals === true) ||
    (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) ||
    ts.forEachChild(node, hasOtherSyntax) === true
  );
}
