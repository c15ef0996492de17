/** Which statements of TypeScript have no meaning at run time. */

const TYPE_STATEMENTS = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
  'TSNamespaceExportDeclaration',
]);

/** Whether nothing of a statement is left once types are gone. */
export function isTypeOnly(node) {
  if (TYPE_STATEMENTS.has(node.type) || node.declare || isOfTypes(node)) {
    return true;
  }
  switch (node.type) {
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return Boolean(node.declaration) && isTypeOnly(node.declaration);
    case 'TSModuleDeclaration':
      return isTypeOnly(node.body);
    case 'TSModuleBlock':
      return node.body.every(isTypeOnly);
    default:
      return false;
  }
}

function isOfTypes({ importKind, exportKind }) {
  return importKind === 'type' || exportKind === 'type';
}

/** Collects the names that a type, or a declaration of types, refers to. */
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

/** The nodes right below a node. */
export function* childNodes(node) {
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      yield* value.filter(isNode);
    } else if (isNode(value)) {
      yield value;
    }
  }
}

function isNode(value) {
  return typeof value?.type === 'string';
}
