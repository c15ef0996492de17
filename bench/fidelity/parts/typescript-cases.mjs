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

/**
 * @typedef {object} TypeScriptCase
 * @property {string} id
 * @property {string} code
 * @property {string} javascript - The JavaScript that `tsc` generates.
 * @property {() => boolean} isCorrect - Whether its type checker, which takes long, finds no error.
 */

/** @returns {Generator<TypeScriptCase>} */
export function* readCases(suite, isChosen) {
  const root = join(suite, CASES);
  const libraries = new Map();
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
  );
  for (const path of paths.filter((each) => each.endsWith('.ts') && !each.endsWith('.d.ts'))) {
    const id = path.split(sep).join('/');
    if (!isChosen(id)) continue;
    const text = readFileSync(join(root, path), 'utf8');
    if (OTHER_KINDS.test(text)) continue;
    // The keyword that TypeScript had before. The compiler no longer accepts it.
    const code = text.replaceAll(
      /^(\s*(?:export |declare )*)module(?= [\w.]+\s*\{)/gm,
      '$1namespace',
    );
    const source = ts.createSourceFile(NAME, code, OPTIONS.target, true);
    if (source.parseDiagnostics.length > 0 || hasOtherSyntax(source)) continue;
    const compilerOptions = { ...OPTIONS, noEmit: false };
    const { outputText } = ts.transpileModule(code, { compilerOptions });
    yield { id, code, javascript: outputText, isCorrect: () => isCorrect(source, libraries) };
  }
}

function isCorrect(source, libraries) {
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
