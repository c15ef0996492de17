import { posix } from 'node:path';

const IMPORT = /^import\s+(?:\* as (\w+)|(\w+)|\{([^}]*)\})\s+from\s+['"](.+?)['"];?$/gm;
const EXPORTED_DECLARATION = /^export (?=(?:async )?(?:function\*?|class|const) (\w+))/gm;
const EXPORTED_NAMES = /^export\s*\{([^}]*)\};?$/gm;
const LEFT_OVER = /^(?:import|export)\b[^(\n]*/m;

/** Modules by the names that they import each other by, or by their paths from `runner/javascript`. */
export type GuestModules = Readonly<Record<string, string>>;

/**
 * One script of a guest's modules, for what Node does not take modules for: its snapshots. Each becomes a function
 * that gives what it exports, in an object `factories`.
 * @param end - The rest of the script, which starts the guest.
 * @throws Error for an import or export in a form that the runner does not use.
 */
export function javascriptScript(modules: GuestModules, entry: string, end: string): string {
  const factories = new Map<string, string>();
  const add = (name: string): void => {
    // First its own place: of modules that import each other, neither is added twice.
    factories.set(name, '');
    const { text, imported } = factoryOf(name, modules);
    factories.set(name, text);
    for (const other of imported) if (other in modules && !factories.has(other)) add(other);
  };
  add(entry);
  const members = [...factories].map(([name, text]) => `${JSON.stringify(name)}: ${text}`);
  return `'use strict';\n{\nconst factories = {\n${members.join(',\n')}\n};\n${end}}\n`;
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
  if (left !== null) throw new Error(`${name} has what no script can be made of: ${left[0]}`);
  // In parentheses, for V8 compiles it at once then, and does not read it twice.
  return { text: `((load) => {\n${text}\nreturn { ${exported.join(', ')} };\n})`, imported };
}
