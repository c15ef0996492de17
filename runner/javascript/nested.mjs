/** The statements inside statements, outside functions: `var` is global there too, and `return` ends the program. */

/** Makes the variables of a top-level statement global. Returns whether the program can return a value in it. */
export function rewriteNested(node, globals) {
  return statement(node, globals, true);
}

// A semicolon ahead of an assignment keeps it apart from the line before; after `if (…)` it would be the body.
function statement(node, globals, isBetweenStatements) {
  switch (node?.type) {
    case 'VariableDeclaration':
      if (node.kind === 'var') {
        globals.assign(node, isBetweenStatements ? ';' : '');
      }
      return false;
    case 'ReturnStatement':
      return node.argument !== null;
    case 'BlockStatement':
      return list(node.body, globals);
    case 'IfStatement':
      return either(
        statement(node.consequent, globals, false),
        statement(node.alternate, globals, false),
      );
    case 'ForStatement':
      if (isVariable(node.init)) {
        globals.assignInLoop(node.init, '');
      }
      return statement(node.body, globals, false);
    case 'ForInStatement':
    case 'ForOfStatement':
      if (isVariable(node.left)) {
        globals.assignEach(node.left);
      }
      return statement(node.body, globals, false);
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'LabeledStatement':
      return statement(node.body, globals, false);
    case 'SwitchStatement':
      return either(...node.cases.map(({ consequent }) => list(consequent, globals)));
    case 'TryStatement':
      return either(
        statement(node.block, globals, true),
        statement(node.handler?.body, globals, true),
        statement(node.finalizer, globals, true),
      );
    default:
      return false;
  }
}

function list(statements, globals) {
  return either(...statements.map((node) => statement(node, globals, true)));
}

function isVariable(node) {
  return node?.type === 'VariableDeclaration' && node.kind === 'var';
}

function either(...answers) {
  return answers.includes(true);
}
