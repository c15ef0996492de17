import { posix } from 'node:path';

const IMPORT = /^import\s+(?:\* as (\w+)|(\w+)|\{([^}]*)\})\s+from\s+['"](.+?)['"];?$/gm;
const EXPORTED_DECLARATION = /^export (?=(?:async )?(?:function\*?|class|const) (\w+))/gm;
const EXPORTED_NAMES = /^export\s*\{([^}]*)\};?$/gm;
const NOT_ASCII = /[^\0-\u007f]/g;
const LEFT_OVER = /^(?:import|export)\b[^(\n]*/m;

/**
 * Sources of modules by the names under which other modules import them: packages by name, others
 * by their path relative to `runner/javascript`.
 */
export type GuestModules = Readonly<Record<string, string>>;

/**
 * Makes one script of a guest's modules, for Node's snapshots, which cannot contain modules. In the
 * script, an object `factories` has a function for each module, which returns the module's exports.
 * @param end - The rest of the script, which starts the guest.
 * @throws Error for a form of import or export that is not supported.
 */
export function javascriptScript(modules: GuestModules, entry: string, end: string): string {
  const factories = new Map<string, string>();
  const add = (name: string): void => {
    // Reserves the place first, so that modules that import each other are added once.
    factories.set(name, '');
    const { text, imported } = factoryOf(name, modules);
    factories.set(name, text);
    for (const other of imported) if (other in modules && !factories.has(other)) add(other);
  };
  add(entry);
  const members = [...factories].map(([name, text]) => `${JSON.stringify(name)}: ${text}`);
  return inAscii(`'use strict';\n{\nconst factories = {\n${members.join(',\n')}\n};\n${end}}\n`);
}

/**
 * Escapes characters, which are only in texts, patterns and comments. V8 takes two bytes for each
 * character of a script if one of them needs two, and so would a snapshot.
 */
function inAscii(script: string): string {
  return script.replace(
    NOT_ASCII,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function factoryOf(name: string, modules: GuestModules): { text: string; imported: string[] } {
  const imported: string[] = [];
  const exported: string[] = [];
  const text = (modules[name] ?? '')
    .replace(IMPORT, (_all, whole?: string, byDefault?: string, names?: string, from = '') => {
      const other = from.startsWith('.') ? posix.join(posix.dirname(name), from) : from;
      imported.push(other);
      const pattern = whole ?? byDefault ?? `{${(names ?? '').replaceAll(' as ', ': ')}}`;
      return `const ${pattern} = load(${JSON.stringify(other)});`;
    })
    .replace(EXPORTED_DECLARATION, (_all, own: string) => {
      exported.push(own);
      return '';
    })
    .replace(EXPORTED_NAMES, (_all, names: string) => {
      exported.push(
        ...names.split(',').map((each) => each.trim().replace(/^(\S+) as (\S+)$/, '$2: $1')),
      );
      return '';
    });
  const left = LEFT_OVER.exec(text);
  if (left !== null)
    throw new Error(`${name} has an import or export that is not supported: ${left[0]}`);
  // The parentheses make V8 compile the function at once, instead of reading it twice.
  return { text: `((load) => {\n${text}\nreturn { ${exported.join(', ')} };\n})`, imported };
}
