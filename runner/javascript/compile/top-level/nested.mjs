/**
 * Statements inside statements, outside of functions: `var` is global there too, values are handed
 * out, and `return` ends the program.
 */

/**
 * Makes the variables of a top-level statement global, and hands out its values. Returns whether
 * the program can return a value in it.
 * @param {object} node
 * @param {{ globals: import('./globals.mjs').Globals, values:
 * import('./statement-values.mjs').StatementValues }} edits
 */
export function rewriteNested(node, edits) {
  return statement(node, edits, true);
}

// A semicolon before an assignment separates it from the line before; after `if (…)` it would be
// the body.
function statement(node, edits, isBetweenStatements) {
  const { globals, values } = edits;
  switch (node?.type) {
    case 'VariableDeclaration':
      if (node.kind === 'var') {
        globals.assign(node, isBetweenStatements ? ';' : '');
      }
      return false;
    case 'ExpressionStatement':
      values.handOut(node);
      return false;
    case 'ReturnStatement':
      return node.argument !== null;
    case 'BlockStatement':
      return list(node.body, edits);
    case 'IfStatement':
      return either(
        statement(node.consequent, edits, false),
        statement(node.alternate, edits, false),
      );
    case 'ForStatement':
      if (isVariable(node.init)) {
        globals.assignInLoop(node.init, '');
      }
      return statement(node.body, edits, false);
    case 'ForInStatement':
    case 'ForOfStatement':
      if (isVariable(node.left)) {
        globals.assignEach(node.left);
      }
      return statement(node.body, edits, false);
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'LabeledStatement':
      return statement(node.body, edits, false);
    case 'SwitchStatement':
      return either(...node.cases.map(({ consequent }) => list(consequent, edits)));
    case 'TryStatement':
      return either(
        statement(node.block, edits, true),
        statement(node.handler?.body, edits, true),
        statement(node.finalizer, edits, true),
      );
    default:
      return false;
  }
}

function list(statements, edits) {
  return either(...statements.map((node) => statement(node, edits, true)));
}

function isVariable(node) {
  return node?.type === 'VariableDeclaration' && node.kind === 'var';
}

function either(...answers) {
  return answers.includes(true);
}
