/** Finds statements of TypeScript that have no effect at run time. */

const TYPE_STATEMENTS = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
  'TSNamespaceExportDeclaration',
]);

/** Whether nothing of a statement is left after types are removed. */
export function isTypeOnly(node) {
  const { type, declare, importKind, exportKind, declaration } = node;
  if (TYPE_STATEMENTS.has(type) || declare || importKind === 'type' || exportKind === 'type') {
    return true;
  }
  switch (type) {
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return Boolean(declaration) && isTypeOnly(declaration);
    case 'TSModuleDeclaration':
      return isOfTypes(node);
    default:
      return false;
  }
}

/**
 * Whether a declaration is one of types, or a namespace that contains only such declarations. As
 * for the compiler, a namespace has a value if it contains something that is only declared, as by
 * `declare class`.
 */
export function isOfTypes(node) {
  switch (node.type) {
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return true;
    case 'TSImportEqualsDeclaration':
      return !node.isExport;
    case 'ExportNamedDeclaration':
      return Boolean(node.declaration) && isOfTypes(node.declaration);
    case 'TSModuleDeclaration':
      return isOfTypes(node.body);
    case 'TSModuleBlock':
      return node.body.every(isOfTypes);
    default:
      return false;
  }
}

/** Collects the names to which a type, or a declaration of types, refers. */
export function collectTypeNames(node, names) {
  const reference = node.typeName ?? node.exprName;
  if (reference) {
    names.add(firstName(reference));
  } else if (node.type === 'TSExpressionWithTypeArguments') {
    names.add(firstName(node.expression));
  }
  for (const child of childNodes(node)) {
    collectTypeNames(child, names);
  }
}

/** The `A` of `A.B.C`. */
export function firstName(node) {
  return node.left || node.object ? firstName(node.left ?? node.object) : node.name;
}

/** The child nodes of a node. */
export function childNodes(node) {
  const found = [];
  // Not as a generator, which takes several times as long, and this is called for each node of a program.
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) found.push(...value.filter(isNode));
    else if (isNode(value)) found.push(value);
  }
  return found;
}

function isNode(value) {
  return typeof value?.type === 'string';
}
