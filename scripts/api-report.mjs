// `npm run api:report` writes api-report.txt: every declaration that the package exports, without comments and bodies, so that
// a change of the public interface shows in a diff. With `--check`, it fails if the file is not current. It reads what was
// built.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import ts from 'typescript';

const REPORT = 'api-report.txt';
const HEADING = `Every declaration that the package exports, by entry point. \`npm run api:report\` writes this file. A name that
an earlier entry point exports too is only listed. Types that an exported one refers to, and that are not exported themselves,
are at the end.
`;
const ROOT = resolve(import.meta.dirname, '..');
const isOwn = (file) => relative(ROOT, file.fileName).startsWith('dist/');

process.chdir(ROOT);
const { name: packageName, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const entryPoints = entryFiles();
const report = writeReport(entryPoints, declarationsOf(entryPoints));
if (!process.argv.includes('--check')) writeFileSync(REPORT, report);
else if (readFileSync(REPORT, 'utf8') !== report) {
  console.error(`${REPORT} is not current. Run \`npm run api:report\`, and review the changes.`);
  process.exitCode = 1;
}

/** The name of each entry point, and the file of its declarations. */
function entryFiles() {
  return Object.entries(exports)
    .filter(([, file]) => file.endsWith('.js'))
    .map(([entry, file]) => [
      entry.replace(/^\./, packageName),
      resolve(file.replace(/js$/, 'd.ts')),
    ]);
}

function declarationsOf(entries) {
  const { config } = ts.readConfigFile('tsconfig.json', (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  return ts.createProgram(
    entries.map(([, file]) => file),
    options,
  );
}

function writeReport(entries, program) {
  const checker = program.getTypeChecker();
  const target = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const places = new Map();
  const waiting = [];
  const sections = entries.map(([entry, file]) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file));
    const names = checker.getExportsOfModule(module).sort(byName);
    const texts = names.map((exported) => {
      const symbol = target(exported);
      const note = isTypeOnly(exported, symbol) ? '// only its type\n' : '';
      const first = places.get(symbol);
      if (first !== undefined) return `${note}export { ${exported.name} } from '${first}';`;
      places.set(symbol, entry);
      waiting.push(symbol);
      return `${note}${print(symbol, exported.name)}`;
    });
    return [entry, texts];
  });
  const hidden = [];
  // The list grows meanwhile: a type that is not exported can refer to further ones.
  for (const symbol of waiting) {
    for (const used of referredTo(symbol)) {
      if (places.has(used)) continue;
      places.set(used, undefined);
      hidden.push(used);
      waiting.push(used);
    }
  }
  sections.push(['not exported', hidden.sort(byName).map((symbol) => print(symbol, symbol.name))]);
  const parts = sections.map(([title, texts]) => `## ${title}\n\n${texts.join('\n')}\n`);
  return [HEADING, ...parts].join('\n');

  /** The own types that the public declarations of a symbol name. */
  function referredTo(symbol) {
    const found = new Set();
    const visit = (node) => {
      if (isPrivate(node)) return;
      const own = ts.isIdentifier(node) && checker.getSymbolAtLocation(node);
      const used = own && target(own);
      // Members and type parameters are parts of declarations, which are printed with them.
      if (used?.declarations?.some((one) => isOwn(one.getSourceFile()) && isTopLevel(one)))
        found.add(used);
      ts.forEachChild(node, visit);
    };
    symbol.declarations.forEach(visit);
    return found;
  }
}

function byName({ name: one }, { name: other }) {
  return one < other ? -1 : Number(one > other);
}

/** Whether the entry point exports only the type of a value, by `export type`. */
function isTypeOnly({ declarations: [specifier] }, { flags }) {
  if (!ts.isExportSpecifier(specifier) || (flags & ts.SymbolFlags.Value) === 0) return false;
  return specifier.isTypeOnly || specifier.parent.parent.isTypeOnly;
}

function isTopLevel(declaration) {
  return ts.isSourceFile(statementOf(declaration).parent);
}

function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function isPrivate(node) {
  return (
    (node.name !== undefined && ts.isPrivateIdentifier(node.name)) ||
    (ts.canHaveModifiers(node) &&
      ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword))
  );
}

/** The text of a symbol's declarations, without comments and private members. */
function print(symbol, exportedName) {
  const printer = ts.createPrinter({ removeComments: true });
  const texts = symbol.declarations.map((declaration) => {
    const { transformed } = ts.transform(statementOf(declaration), [withoutPrivate]);
    return printer.printNode(ts.EmitHint.Unspecified, transformed[0], declaration.getSourceFile());
  });
  if (exportedName !== symbol.name) texts.push(`export { ${symbol.name} as ${exportedName} };`);
  return texts.join('\n');
}

function withoutPrivate(context) {
  const visit = (node) => (isPrivate(node) ? undefined : ts.visitEachChild(node, visit, context));
  return (node) => ts.visitNode(node, visit);
}
