import ts from 'typescript';

/** What the syntax of a program reveals. */
export interface ProgramOutline {
  /** The names that it declares at top level. */
  readonly names: ReadonlySet<string>;
  /** The names of its own exports. */
  readonly exported: ReadonlySet<string>;
  /** The names that it assigns to. */
  readonly assigned: ReadonlySet<string>;
  /** The names of properties that it assigns to. */
  readonly properties: ReadonlySet<string>;
  /** The names that it makes global explicitly: `globalThis.name = …`. */
  readonly globals: ReadonlySet<string>;
  /** The names that it looks for, which need not exist: `typeof name`. */
  readonly lookedFor: ReadonlySet<string>;
  /**
   * Its text, in which a top-level `return` with a value is replaced by `throw`, which has the same
   * length and also ends the program.
   */
  readonly text: string;
}

const GLOBAL_OBJECTS = new Set(['globalThis', 'global']);

export function outline(code: string): ProgramOutline {
  const file = ts.createSourceFile('program.ts', code, ts.ScriptTarget.ESNext, true);
  const names = new Set<string>();
  const exported = new Set<string>();
  const assigned = new Set<string>();
  const properties = new Set<string>();
  const globals = new Set<string>();
  const lookedFor = new Set<string>();
  const returns: number[] = [];

  function declare(name: ts.Node | undefined, isExported: boolean): void {
    if (name === undefined) return;
    if (ts.isIdentifier(name)) {
      if (name.text === '') return;
      names.add(name.text);
      if (isExported) exported.add(name.text);
    } else if (ts.isObjectBindingPattern(name) || ts.isArrayBindingPattern(name)) {
      for (const element of name.elements) {
        if (ts.isBindingElement(element)) declare(element.name, isExported);
      }
    }
  }

  function target(node: ts.Expression): void {
    if (ts.isIdentifier(node)) assigned.add(node.text);
    else if (ts.isPropertyAccessExpression(node)) {
      properties.add(node.name.text);
      if (ts.isIdentifier(node.expression) && GLOBAL_OBJECTS.has(node.expression.text)) {
        globals.add(node.name.text);
      }
    } else if (ts.isArrayLiteralExpression(node)) node.elements.forEach(target);
    else if (ts.isObjectLiteralExpression(node)) {
      for (const property of node.properties) {
        if (ts.isShorthandPropertyAssignment(property)) target(property.name);
        else if (ts.isPropertyAssignment(property)) target(property.initializer);
      }
    }
  }

  function visit(node: ts.Node, inFunction: boolean): void {
    if (ts.isReturnStatement(node) && !inFunction && node.expression !== undefined) {
      returns.push(node.getStart(file));
    }
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) target(node.left);
    if (ts.isTypeOfExpression(node) && ts.isIdentifier(node.expression)) {
      lookedFor.add(node.expression.text);
    }
    if (ts.isVariableDeclarationList(node) && !inFunction) {
      const { parent } = node;
      const isTop = parent.parent === file && ts.isVariableStatement(parent);
      const isVariable = (node.flags & ts.NodeFlags.BlockScoped) === 0;
      if (isTop || isVariable) {
        for (const { name } of node.declarations) declare(name, isTop && isExport(parent));
      }
    }
    const inner = inFunction || ts.isFunctionLike(node) || ts.isClassLike(node);
    ts.forEachChild(node, (child) => visit(child, inner || ts.isModuleDeclaration(node)));
  }

  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { importClause: clause } = statement;
      declare(clause?.name, false);
      const bindings = clause?.namedBindings;
      if (bindings !== undefined && ts.isNamespaceImport(bindings)) declare(bindings.name, false);
      else bindings?.elements.forEach(({ name }) => declare(name, false));
    } else if (ts.isExportDeclaration(statement)) {
      const { exportClause: clause } = statement;
      if (clause !== undefined && ts.isNamedExports(clause)) {
        clause.elements.forEach(({ name }) => exported.add(name.text));
      }
    } else if (isNamedDeclaration(statement)) declare(statement.name, isExport(statement));
    visit(statement, false);
  }

  let text = code;
  for (const start of returns) text = `${text.slice(0, start)}throw ${text.slice(start + 6)}`;
  return { names, exported, assigned, properties, globals, lookedFor, text };
}

function isNamedDeclaration(node: ts.Statement): node is ts.Statement & ts.DeclarationStatement {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    (ts.isModuleDeclaration(node) && (node.flags & ts.NodeFlags.GlobalAugmentation) === 0) ||
    ts.isImportEqualsDeclaration(node)
  );
}

function isExport(node: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  // A default export has another name.
  const isDefault = modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
  return !isDefault && modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}
