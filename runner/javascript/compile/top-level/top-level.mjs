/** Rewrites the statements of a program so that their declarations are on the global object. */

import { isForEffect } from './effects.mjs';
import { importExpression, requireExpression, specifierName } from './imports.mjs';
import { rewriteNested } from './nested.mjs';
import { nextToken, wordEnd } from '../scanner.mjs';
import { unusedName } from '../unused-name.mjs';
import { isTypeOnly } from '../typescript/type-only.mjs';

/** Rewrites the statements of one program. */
export class TopLevel {
  /** The declarations of functions, in order. */
  functions = [];
  /** Whether the rewritten program returns a value. */
  hasValue = false;

  #code;
  #edits;
  #globals;
  #values;
  #types;
  #functionNames = new Set();
  // The first statement that is not an import, and how many imports are below it.
  #first;
  #laterImports = 0;
  // The functions for these: a name that the program does not use, before a number.
  #imported;

  /** `types` is what was found out about the program's types; null for JavaScript. */
  constructor(code, edits, { globals, values, types }) {
    this.#code = code;
    this.#edits = edits;
    this.#globals = globals;
    this.#values = values;
    this.#types = types;
    this.#imported = unusedName(code, 'import_');
  }

  rewrite(statements) {
    const last = statements.findLast((node) => !isDefinition(node));
    const isEnd = statements.slice(statements.indexOf(last) + 1).every(isWithoutEffect);
    for (const node of statements) {
      if (!loadsModule(node)) this.#first ??= node;
      this.#statement(node);
    }
    if (last?.type === 'ExpressionStatement' && !isForEffect(last.expression)) {
      this.#values.show(last, isEnd);
      this.hasValue = true;
    }
    // As in a module, imports come before all else. The edit comes last, because it is around all others.
    for (let index = this.#laterImports - 1; index >= 0; index -= 1) {
      this.#edits.open(this.#first.start, `;await ${this.#imported}${index}();`);
    }
  }

  #statement(node) {
    if (isTypeOnly(node)) {
      return;
    }
    switch (node.type) {
      case 'ImportDeclaration':
        this.#import(node);
        break;
      case 'ExportNamedDeclaration':
        this.#exportNamed(node);
        break;
      case 'ExportDefaultDeclaration':
        this.#exportDefault(node, node.declaration);
        break;
      case 'TSExportAssignment':
        this.#exportDefault(node, node.expression);
        break;
      case 'ExportAllDeclaration':
        this.#load(node, importExpression(node, [], null));
        break;
      case 'FunctionDeclaration':
        this.#globals.refuse(node.id.name, node.id.start);
        this.functions.push(node);
        this.#functionNames.add(node.id.name);
        this.#edits.open(node.start, ';');
        break;
      case 'ClassDeclaration':
        this.#globals.declare(node.id, true);
        this.#edits.open(node.start, `;${node.id.name}=`);
        this.#edits.close(node.end, ';');
        break;
      case 'VariableDeclaration':
        this.#variables(node);
        break;
      case 'TSEnumDeclaration':
      case 'TSModuleDeclaration':
        if (!this.#functionNames.has(node.id.name)) {
          this.#globals.declare(node.id);
        }
        break;
      case 'TSImportEqualsDeclaration':
        this.#importEquals(node);
        break;
      default:
        this.hasValue =
          rewriteNested(node, { globals: this.#globals, values: this.#values }) || this.hasValue;
    }
  }

  #import(node) {
    const specifiers = node.specifiers.filter((specifier) => this.#isImported(specifier));
    if (specifiers.length < node.specifiers.length && specifiers.length === 0) {
      this.#replace(node, '');
      return;
    }
    const bindings = [];
    let namespace = null;
    for (const { type, imported, local } of specifiers) {
      this.#globals.declare(local);
      if (type === 'ImportNamespaceSpecifier') {
        namespace = local.name;
      } else {
        const name = type === 'ImportDefaultSpecifier' ? 'default' : specifierName(imported);
        const required = this.#types?.values.has(local.name) ?? true;
        bindings.push({ imported: name, local: local.name, required });
      }
    }
    const constants = specifiers.map(({ local }) => this.#globals.makeConstant(local.name));
    this.#load(node, importExpression(node, bindings, namespace) + constants.join(''));
  }

  // A name that is used only in types is a type. A name that is not used may be for a later
  // program.
  #isImported({ importKind, local: { name } }) {
    const { values, types } = this.#types ?? {};
    return importKind !== 'type' && (!types?.has(name) || values.has(name));
  }

  #importEquals(node) {
    const { id, importKind, moduleReference } = node;
    // A value is kept even if this program uses it only in types, because a later one may use it
    // otherwise.
    if (importKind !== 'value' && !this.#isImported({ local: id })) {
      this.#replace(node, '');
      return;
    }
    this.#globals.declare(id);
    const value =
      moduleReference.type === 'TSExternalModuleReference'
        ? requireExpression(moduleReference.expression.value)
        : this.#code.slice(moduleReference.start, moduleReference.end);
    this.#replace(node, `${id.name}=${value}${this.#globals.makeConstant(id.name)}`);
  }

  #exportNamed(node) {
    if (node.declaration) {
      this.#edits.blank(node.start, node.declaration.start);
      this.#statement(node.declaration);
    } else if (node.source) {
      const bindings = node.specifiers
        .filter(({ exportKind }) => exportKind !== 'type')
        .map(({ local }) => ({ imported: specifierName(local), local: null, required: true }));
      this.#load(node, importExpression(node, bindings, null));
    } else {
      this.#replace(node, '');
    }
  }

  #exportDefault(node, declaration) {
    if (declaration.type.endsWith('Declaration') && declaration.id) {
      this.#edits.blank(node.start, declaration.start);
      this.#statement(declaration);
    } else {
      this.#edits.replace(node.start, exportEnd(this.#code, node), ';(');
      this.#edits.close(declaration.end, ')');
      this.#edits.endStatement(node);
    }
  }

  #variables(node) {
    if (node.kind.endsWith('using')) {
      this.#using(node);
    } else {
      this.#globals.assign(node, ';');
    }
  }

  // A resource that is disposed of when the program ends is declared in it. The global is a second
  // name for it.
  #using(node) {
    const names = node.declarations.flatMap(({ id }) => this.#globals.declare(id));
    const copies = names.map(
      (name) => `;globalThis.${name}=${name}${this.#globals.makeConstant(name)}`,
    );
    this.#edits.close(node.end, `${copies.join('')};`);
  }

  /** Loads a module. If statements are above the import, a function does it, which they find and whose errors have the line. */
  #load(node, expression) {
    if (this.#first === undefined) {
      this.#replace(node, expression);
      return;
    }
    this.#replace(node, `async function ${this.#imported}${this.#laterImports}(){${expression}}`);
    this.#laterImports += 1;
  }

  #replace(node, expression) {
    this.#edits.replace(node.start, node.end, `;${expression};`);
  }
}

/** The end of `export default` or `export =`. */
function exportEnd(code, { start }) {
  const second = nextToken(code, start + 'export'.length);
  return code[second] === '=' ? second + 1 : wordEnd(code, second);
}

/** Whether a statement loads a module as a module's statements do: before all others. */
function loadsModule({ type, source }) {
  return type === 'ImportDeclaration' || (type.startsWith('Export') && source);
}

const DEFINITIONS = new Set([
  'ClassDeclaration',
  'EmptyStatement',
  'ExportAllDeclaration',
  'FunctionDeclaration',
  'ImportDeclaration',
  'TSEnumDeclaration',
  'TSImportEqualsDeclaration',
  'TSModuleDeclaration',
]);

/**
 * Whether a statement only defines a name, which often follows the statement that gives the
 * program's value.
 */
function isDefinition(node) {
  switch (node.type) {
    case 'ExportNamedDeclaration':
      return !node.declaration || isDefinition(node.declaration);
    case 'ExportDefaultDeclaration':
      return isDefinition(node.declaration);
    case 'ExpressionStatement':
      return node.directive === 'use strict';
    default:
      return DEFINITIONS.has(node.type) || isTypeOnly(node);
  }
}

/** Whether a definition has no effect at its place. */
function isWithoutEffect(node) {
  const { type, declaration, source } = node;
  if (declaration && type.startsWith('Export')) return isWithoutEffect(declaration);
  const isList = type === 'ExportNamedDeclaration' && !source;
  return isList || type === 'FunctionDeclaration' || type === 'EmptyStatement' || isTypeOnly(node);
}
