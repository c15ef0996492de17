/** Which aliases, `import a = B.C`, are of types only: the compiler leaves them out. */

import { declaredNames } from './scopes.mjs';
import { isOfTypes } from './type-only.mjs';

/**
 * Gives each alias the `importKind` of what it stands for: 'type', 'value', or null if the program does not show it, as
 * for a module and for what an earlier program declared.
 */
export function markAliases(statements) {
  const scopes = new Map();
  collect(new Scope(contentsOf({ body: { body: statements } }), null), scopes);
  for (const alias of scopes.keys()) alias.importKind = kindOf(targetOf(alias, scopes, new Set()));
}

/** Notes the scope of each alias. */
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

  /** What declares a name here or, of a namespace, is exported under it from another part. */
  find(name) {
    const own = this.contents.map(({ node }) => node).filter((node) => declares(node, name));
    if (own.length > 0 || this.outer === null) return own;
    return exportsOf(this.outer.find(this.namespace), name);
  }
}

/** What declares that which an alias stands for. `seen` has the aliases on the way, which may form a circle. */
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

/** The names of `A.B.C`. */
function pathOf({ left, right, name }) {
  return left ? [...pathOf(left), right.name] : [name];
}

/** What namespaces export under a name. Of other declarations nothing is known. */
function exportsOf(nodes, name) {
  return nodes
    .filter(({ type }) => type === 'TSModuleDeclaration')
    .flatMap(contentsOf)
    .filter(({ node, isExported }) => isExported && declares(node, name))
    .map(({ node }) => node);
}

/** What is declared right within a namespace, and whether it is exported. */
function contentsOf({ body, declare }) {
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
