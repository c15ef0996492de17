/** The statements of a program, rewritten so that what they declare is on the global object. */

import { refuseRestricted } from './globals.mjs';
import { importExpression, specifierName } from './imports.mjs';
import { rewriteNested } from './nested.mjs';

/** Rewrites the statements of one program. */
export class TopLevel {
  /** The declarations of functions, in order. */
  functions = [];
  /** Whether the rewritten program returns a value. */
  hasValue = false;

  #edits;
  #globals;

  constructor(edits, globals) {
    this.#edits = edits;
    this.#globals = globals;
  }

  /** @param {boolean} isObject Whether the one statement begins with a brace and yet is an expression. */
  rewrite(statements, isObject) {
    const last = statements.findLast(({ type }) => type !== 'EmptyStatement');
    for (const node of statements) {
      this.#statement(node, node === last);
    }
    if (last?.type === 'ExpressionStatement') {
      this.#edits.open(last.start, isObject ? 'return (' : 'return ');
      this.#edits.close(last.end, isObject ? ')' : '');
      this.hasValue = true;
    }
  }

  #statement(node, isLast) {
    switch (node.type) {
      case 'ImportDeclaration':
        this.#import(node);
        break;
      case 'ExportNamedDeclaration':
        this.#exportNamed(node);
        break;
      case 'ExportDefaultDeclaration':
        this.#exportDefault(node, isLast);
        break;
      case 'ExportAllDeclaration':
        this.#replace(node, importExpression(node, [], null));
        break;
      case 'FunctionDeclaration':
        refuseRestricted(node.id.name, node.id);
        this.functions.push(node);
        this.#edits.open(node.start, ';');
        break;
      case 'ClassDeclaration':
        this.#globals.declare(node.id);
        this.#edits.open(node.start, `;${node.id.name}=`);
        this.#edits.close(node.end, ';');
        break;
      case 'VariableDeclaration':
        this.#variables(node);
        break;
      default:
        this.hasValue = rewriteNested(node, this.#globals) || this.hasValue;
    }
  }

  #import(node) {
    const bindings = [];
    let namespace = null;
    for (const { type, imported, local } of node.specifiers) {
      this.#globals.declare(local);
      if (type === 'ImportNamespaceSpecifier') {
        namespace = local.name;
      } else {
        const name = type === 'ImportDefaultSpecifier' ? 'default' : specifierName(imported);
        bindings.push({ imported: name, local: local.name, required: true });
      }
    }
    const constants = node.specifiers.map(({ local }) => this.#globals.makeConstant(local.name));
    this.#replace(node, importExpression(node, bindings, namespace) + constants.join(''));
  }

  #exportNamed(node) {
    if (node.declaration) {
      this.#edits.blank(node.start, node.declaration.start);
      this.#statement(node.declaration, false);
    } else if (node.source) {
      const bindings = node.specifiers.map(({ local }) => {
        return { imported: specifierName(local), local: null, required: true };
      });
      this.#replace(node, importExpression(node, bindings, null));
    } else {
      this.#replace(node, '');
    }
  }

  #exportDefault(node, isLast) {
    const { declaration } = node;
    if (declaration.id) {
      this.#edits.blank(node.start, declaration.start);
      this.#statement(declaration, false);
    } else {
      this.#edits.replace(node.start, declaration.start, isLast ? ';return (' : ';(');
      this.#edits.close(declaration.end, ')');
      this.#globals.endStatement(node);
      this.hasValue ||= isLast;
    }
  }

  #variables(node) {
    if (node.kind.endsWith('using')) {
      this.#using(node);
    } else {
      this.#globals.assign(node, ';');
    }
  }

  // What is disposed of when the program ends is declared in it; the global is a second name for it.
  #using(node) {
    const names = node.declarations.flatMap(({ id }) => this.#globals.declare(id));
    const copies = names.map(
      (name) => `;globalThis.${name}=${name}${this.#globals.makeConstant(name)}`,
    );
    this.#edits.close(node.end, `${copies.join('')};`);
  }

  #replace(node, expression) {
    this.#edits.replace(node.start, node.end, `;${expression};`);
  }
}
