/** Finds which names of a TypeScript program refer to members of enclosing enums and namespaces. */

import { boundNames } from '../patterns.mjs';
import { childNodes, isTypeOnly } from './type-only.mjs';

/** The scopes around the current position, the innermost last. */
export class Scopes {
  #scopes = [];
  // How many of them are bodies of enums and namespaces. Mostly none is, and then no name is a member.
  #bodies = 0;

  /** The number of enclosing scopes. */
  get depth() {
    return this.#scopes.length;
  }

  /**
   * Enters a scope. `names` returns the names that it declares, and is called only if they are
   * needed.
   */
  enter(names) {
    this.#scopes.push({ names });
  }

  /** Enters the body of an enum or a namespace. `object` is the variable with its members. */
  enterBody(members, object) {
    this.#scopes.push({ names: () => [], members, object });
    this.#bodies += 1;
  }

  leave() {
    if (this.#scopes.pop().members !== undefined) this.#bodies -= 1;
  }

  /**
   * Returns the variable with the member to which `name` refers. Undefined if `name` is not a
   * member.
   */
  objectOf(name) {
    if (this.#bodies === 0) return undefined;
    for (let index = this.#scopes.length - 1; index >= 0; index -= 1) {
      const scope = this.#scopes[index];
      scope.declared ??= new Set(scope.names());
      if (scope.declared.has(name)) return undefined;
      if (scope.members?.has(name)) return scope.object;
    }
    return undefined;
  }
}

/**
 * Yields the names that statements declare for their block, including those of `var` in inner
 * blocks.
 */
export function* blockNames(statements) {
  for (const statement of statements) {
    const node = statement.declaration ?? statement;
    if (!isTypeOnly(node)) yield* declaredNames(node);
    yield* variables(node);
  }
}

/** The names that a function or a class declares for its own code. */
export function namesWithin({ id, params = [] }) {
  return [...boundNames(id), ...params.flatMap((each) => boundNames(each.parameter ?? each))];
}

/** The names that one declaration declares. */
export function declaredNames(node) {
  switch (node?.type) {
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id }) => boundNames(id));
    case 'ClassDeclaration':
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'TSEnumDeclaration':
    case 'TSImportEqualsDeclaration':
    case 'TSModuleDeclaration':
      return node.id ? [node.id.name] : [];
    default:
      return [];
  }
}

const WITH_VARIABLES_OF_ITS_OWN = /Function|Class|^TS/;

function* variables(node) {
  if (WITH_VARIABLES_OF_ITS_OWN.test(node.type)) return;
  if (node.type === 'VariableDeclaration' && node.kind === 'var' && !node.declare) {
    yield* declaredNames(node);
  }
  for (const child of childNodes(node)) yield* variables(child);
}

/**
 * An enum or a namespace, or both under one name, merged from all the parts that declare it.
 * @typedef {object} Merged
 * @property {Set<string>} members Of the enum.
 * @property {Map<string, Merged>} exports Of the namespace.
 */

/** The enums and namespaces that statements declare, by name. @returns {Map<string, Merged>} */
export function mergeDeclarations(statements) {
  const table = new Map();
  for (const node of statements) add(table, node);
  return table;
}

function add(table, node) {
  if (!/^TS(?:Enum|Module)Declaration$/.test(node.type) || isTypeOnly(node)) return;
  const { id, members = [], body } = node;
  const merged = mergedAt(table, id.name);
  for (const member of members) merged.members.add(memberName(member));
  if (body?.type === 'TSModuleDeclaration') add(merged.exports, body);
  else if (body) addExports(merged.exports, body.body);
}

function addExports(table, statements) {
  for (const statement of statements) {
    const { type, declaration, isExport, id } = statement;
    if (isExport && !isTypeOnly(statement)) mergedAt(table, id.name);
    if (type !== 'ExportNamedDeclaration' || !declaration) continue;
    if (declaration.type.startsWith('TS')) add(table, declaration);
    else for (const name of declaredNames(declaration)) mergedAt(table, name);
  }
}

/**
 * Returns the entry of a table for a name, and creates an empty one if necessary. @returns {Merged}
 */
export function mergedAt(table, name) {
  const merged = table.get(name) ?? { members: new Set(), exports: new Map() };
  table.set(name, merged);
  return merged;
}

/** The name of a member of an enum. */
export function memberName({ id }) {
  return String(id.name ?? id.value);
}
