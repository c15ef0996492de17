/** Removes the types from TypeScript. Spaces take their place, so that lines and columns stay. */

import { ClassTypes } from './class-types.mjs';
import { EnumsAndNamespaces } from './enums-and-namespaces.mjs';
import { FunctionTypes } from './function-types.mjs';
import { syntaxError } from '../parser.mjs';
import { boundNames } from '../patterns.mjs';
import { nextOutside, nextToken, wordEnd } from '../scanner.mjs';
import { declaredNames, namesWithin } from './scopes.mjs';
import { childNodes, collectTypeNames, firstName, isTypeOnly } from './type-only.mjs';

/**
 * Removes the types from one program, and finds out which names it uses as values and which in
 * types.
 */
export class Types {
  /** Names that are used as values. */
  values = new Set();
  /** Names to which types refer. */
  types = new Set();

  #code;
  #edits;
  #classes;
  #functions;
  #declarations;
  #scopes;

  constructor(code, edits) {
    this.#code = code;
    this.#edits = edits;
    this.#classes = new ClassTypes(code, edits, this);
    this.#functions = new FunctionTypes(code, edits, this);
    this.#declarations = new EnumsAndNamespaces(code, edits, this);
    this.#scopes = this.#declarations.scopes;
  }

  /** Visits the statements of a block, of a namespace or of the program. */
  statements(nodes) {
    this.#declarations.enterBlock(nodes);
    for (const node of nodes) {
      this.visit(node);
    }
    this.#declarations.leaveBlock();
  }

  /** Visits a statement or an expression. */
  visit(node) {
    if (!node) {
      return;
    }
    this.refuseDecorators(node);
    if (isTypeOnly(node)) {
      collectTypeNames(node, this.types);
      this.#edits.replace(node.start, node.end, ';');
      return;
    }
    switch (node.type) {
      case 'Identifier':
        this.values.add(node.name);
        this.#declarations.reference(node);
        break;
      case 'ExpressionStatement':
      case 'ReturnStatement':
      case 'ThrowStatement':
      case 'VariableDeclaration':
        this.#children(node);
        this.#edits.endStatement(node);
        break;
      case 'VariableDeclarator':
        this.pattern(node.id);
        this.visit(node.init);
        break;
      case 'BlockStatement':
      case 'StaticBlock':
        this.statements(node.body);
        break;
      case 'SwitchStatement':
        this.visit(node.discriminant);
        this.#declarations.enterBlock(node.cases.flatMap(({ consequent }) => consequent));
        node.cases.forEach((each) => this.#children(each));
        this.#declarations.leaveBlock();
        break;
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
        this.#loop(node);
        break;
      case 'CatchClause':
        this.#scopes.enter(() => boundNames(node.param));
        this.pattern(node.param);
        this.visit(node.body);
        this.#scopes.leave();
        break;
      case 'LabeledStatement':
        this.visit(node.body);
        break;
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        break;
      case 'ExportNamedDeclaration':
        if (!this.#declarations.exported(node)) {
          this.visit(node.declaration);
        }
        break;
      case 'MemberExpression':
        this.visit(node.object);
        this.visit(node.computed ? node.property : null);
        break;
      case 'Property':
        this.visit(node.computed ? node.key : null);
        this.visit(node.value);
        if (node.shorthand) {
          this.#declarations.shorthand(node.key);
        }
        break;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        this.#declarations.declare(node.id);
        this.#scoped(node);
        break;
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
      case 'ClassExpression':
        this.#scoped(node);
        break;
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
        this.visit(node.expression);
        collectTypeNames(node.typeAnnotation, this.types);
        this.#edits.blank(nextOutside(this.#code, node.expression.end), node.end);
        break;
      case 'TSNonNullExpression':
        this.visit(node.expression);
        this.#edits.blank(node.end - 1, node.end);
        break;
      case 'TSTypeCastExpression':
        throw syntaxError("Unexpected token ':'", this.#code, node.typeAnnotation.start);
      case 'TSTypeAssertion':
        this.#assertion(node);
        break;
      case 'TSInstantiationExpression':
        this.#children(node);
        break;
      case 'TSExportAssignment':
        this.visit(node.expression);
        break;
      case 'TSImportEqualsDeclaration':
        this.values.add(firstName(node.moduleReference));
        this.#declarations.alias(node);
        break;
      case 'TSEnumDeclaration':
        this.#declarations.enumeration(node);
        break;
      case 'TSModuleDeclaration':
        this.#declarations.namespace(node);
        break;
      default:
        if (node.type.startsWith('TS')) {
          this.erase(node);
        } else {
          this.#children(node);
        }
    }
  }

  /** Visits a pattern that declares names: a variable or a parameter. */
  pattern(node) {
    switch (node?.type) {
      case 'TSParameterProperty':
        // Its modifiers are before its name.
        this.#edits.blank(node.start, (node.parameter.left ?? node.parameter).start);
        this.pattern(node.parameter);
        break;
      case 'Identifier': {
        // A `?` or `!` may be between the name and its type.
        const end = wordEnd(this.#code, node.start);
        this.erase(node.typeAnnotation);
        this.#edits.blank(end, node.typeAnnotation?.start ?? node.end);
        break;
      }
      case 'ObjectPattern':
        node.properties.forEach((each) => this.pattern(each));
        this.erase(node.typeAnnotation);
        break;
      case 'ArrayPattern':
        node.elements.forEach((each) => this.pattern(each));
        this.erase(node.typeAnnotation);
        break;
      case 'Property':
        this.visit(node.computed ? node.key : null);
        this.pattern(node.value);
        break;
      case 'AssignmentPattern':
        this.pattern(node.left);
        this.visit(node.right);
        break;
      case 'RestElement':
        this.pattern(node.argument);
        this.erase(node.typeAnnotation);
        break;
    }
  }

  /** Blanks a type, if there is one. */
  erase(type) {
    if (type) {
      collectTypeNames(type, this.types);
      this.#edits.blank(type.start, type.end);
    }
  }

  /** Throws if a node has a decorator. */
  refuseDecorators({ decorators }) {
    if (decorators?.length > 0) {
      throw syntaxError('Decorators are not supported', this.#code, decorators[0].start);
    }
  }

  #children(node) {
    for (const child of childNodes(node)) {
      this.visit(child);
    }
  }

  /** Visits a function or a class, which has its own scope. */
  #scoped(node) {
    this.#scopes.enter(() => namesWithin(node));
    if (node.type.startsWith('Class')) {
      this.#classes.visit(node);
    } else if (node.type.startsWith('Arrow')) {
      this.#functions.arrow(node);
    } else {
      this.#functions.visit(node);
    }
    this.#scopes.leave();
  }

  #loop(node) {
    const head = node.init ?? node.left;
    this.#scopes.enter(() => declaredNames(head));
    if (head?.type === 'VariableDeclaration') {
      this.#children(head);
    } else {
      this.visit(head);
    }
    [node.test, node.update, node.right, node.body].forEach((part) => this.visit(part));
    this.#scopes.leave();
  }

  // With parentheses, an object after a type is not read as a block, and a line ending does not end
  // the statement.
  #assertion(node) {
    this.visit(node.expression);
    collectTypeNames(node.typeAnnotation, this.types);
    const closing = nextToken(this.#code, node.typeAnnotation.end);
    this.#edits.replace(node.start, closing + 1, '(');
    this.#edits.close(node.end, ')');
  }
}
