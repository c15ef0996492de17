/** Finds out which aliases (`import a = B.C`) refer to types only. The compiler removes those. */

import { declaredNames } from './scopes.mjs';
import { isOfTypes } from './type-only.mjs';

/**
 * Sets the `importKind` of each alias: 'type', 'value', or null if the program alone does not tell,
 * because the target is a module or was declared by an earlier program.
 */
export function markAliases(statements) {
  const scopes = new Map();
  collect(new Scope(contentsOf({ body: { body: statements } }), null), scopes);
  for (const alias of scopes.keys()) alias.importKind = kindOf(targetOf(alias, scopes, new Set()));
}

/** Records the scope of each alias. */
function collect(scope, scopes) {
  for (const { node } of scope.contents) {
    if (isAlias(node)) {
      scopes.set(node, scope);
    } else if (node.type === 'TSModuleDeclaration') {
      collect(new Scope(contentsOf(node), scope, node.id.name), scopes);
    }
  }
}

function kindOf(target) {
  if (target.length === 0) return null;
  return target.every(isOfTypes) ? 'type' : 'value';
}

/** The program, or one part of a namespace. */
class Scope {
  /** @param {string} [namespace] Its name, if it is one. */
  constructor(contents, outer, namespace) {
    this.contents = contents;
    this.outer = outer;
    this.namespace = namespace;
  }

  /**
   * Returns the nodes that declare a name in this scope. In a namespace, also those that another
   * part of it exports.
   */
  find(name) {
    const own = this.contents.map(({ node }) => node).filter((node) => declares(node, name));
    if (own.length > 0 || this.outer === null) return own;
    return exportsOf(this.outer.find(this.namespace), name);
  }
}

/**
 * Returns the nodes that declare the target of an alias. `seen` has the aliases on the way, which
 * may form a cycle.
 */
function targetOf(alias, scopes, seen) {
  if (seen.has(alias) || alias.moduleReference.type === 'TSExternalModuleReference') return [];
  seen.add(alias);
  const follow = (nodes) =>
    nodes.flatMap((node) => (isAlias(node) ? targetOf(node, scopes, seen) : node));
  const [first, ...members] = pathOf(alias.moduleReference);
  let scope = scopes.get(alias);
  while (scope.outer !== null && scope.find(first).length === 0) scope = scope.outer;
  let found = follow(scope.find(first));
  for (const name of members) found = follow(exportsOf(found, name));
  return found;
}

/** Returns the names of `A.B.C`. */
function pathOf({ left, right, name }) {
  return left ? [...pathOf(left), right.name] : [name];
}

/** Returns what namespaces export under a name. Nothing is known about other declarations. */
function exportsOf(nodes, name) {
  return nodes
    .filter(({ type }) => type === 'TSModuleDeclaration')
    .flatMap(contentsOf)
    .filter(({ node, isExported }) => isExported && declares(node, name))
    .map(({ node }) => node);
}

/** Returns the declarations directly in a namespace, and whether each is exported. `declare module 'a'` has no body. */
function contentsOf({ body, declare }) {
  if (body === undefined) return [];
  if (body.type === 'TSModuleDeclaration') return [{ node: body, isExported: true }];
  return body.body.map((statement) => {
    const { type, declaration, isExport } = statement;
    const isExported = declare || isExport || type === 'ExportNamedDeclaration';
    return { node: declaration ?? statement, isExported };
  });
}

function declares(node, name) {
  return node.id?.name === name || declaredNames(node).includes(name);
}

function isAlias({ type }) {
  return type === 'TSImportEqualsDeclaration';
}
