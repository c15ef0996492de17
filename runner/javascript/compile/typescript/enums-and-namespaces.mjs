/**
 * The declarations of TypeScript that have a value: enums, namespaces, and aliases of their
 * members.
 */

import { syntaxError } from '../parser.mjs';
import { boundNames } from '../patterns.mjs';
import { nextToken } from '../scanner.mjs';
import { unusedName } from '../unused-name.mjs';
import { blockNames, memberName, mergedAt, mergeDeclarations, Scopes } from './scopes.mjs';
import { firstName } from './type-only.mjs';

/** Converts these declarations of one program to JavaScript. */
export class EnumsAndNamespaces {
  /** The scopes around the current position. */
  scopes = new Scopes();

  #code;
  #edits;
  #types;
  // The end of names of variables that the program does not use.
  #suffix;
  // For each enclosing block: the names that an enum or a namespace can extend so far, and its
  // enums and namespaces.
  #blocks = [];
  // The enclosing namespaces, the innermost last. The program is not one of them.
  #namespaces = [];
  // Whether the next enum or namespace is exported from a namespace.
  #isExported = false;

  constructor(code, edits, types) {
    this.#code = code;
    this.#edits = edits;
    this.#types = types;
    this.#suffix = unusedName(code, '_');
  }

  enterBlock(statements) {
    const isProgram = this.#blocks.length === 0;
    const own = isProgram ? statements.map((each) => each.declaration ?? each) : statements;
    this.#blocks.push({ known: new Set(), merged: mergeDeclarations(own) });
    this.scopes.enter(() => blockNames(statements));
  }

  leaveBlock() {
    this.#blocks.pop();
    this.scopes.leave();
  }

  /** Records a name that an enum or a namespace can extend. Returns whether it was known. */
  declare(id) {
    const { known } = this.#blocks.at(-1);
    const isKnown = known.has(id?.name);
    known.add(id?.name);
    return isKnown;
  }

  /** Makes the bare name of a member refer to the enclosing enum or namespace. */
  reference({ name, start }) {
    const object = this.scopes.objectOf(name);
    if (object !== undefined) {
      this.#edits.open(start, `${object}.`);
    }
  }

  /** The same for `{ name }`, in which the name is also that of a property. */
  shorthand({ name, start }) {
    if (this.scopes.objectOf(name) !== undefined) {
      this.#edits.open(start, `${name}:`);
    }
  }

  enumeration(node) {
    const { name } = node.id;
    const { declaration, object, merged } = this.#begin(node.id);
    const opening = nextToken(this.#code, node.id.end);
    this.#edits.replace(node.start, opening + 1, `${declaration}(${object}=>[`);
    this.#edits.replace(node.end - 1, node.end, `])(${name});`);
    this.scopes.enterBody(merged.members, object);
    let previous = null;
    for (const member of node.members) {
      this.#member(member, object, previous);
      previous = member;
    }
    this.scopes.leave();
  }

  // Numbers can also be found by value; strings cannot.
  #member(member, object, previous) {
    const { id, initializer, start, end } = member;
    const key = JSON.stringify(memberName(member));
    const own = `${object}[${key}]`;
    if (initializer) {
      const equals = this.#code.indexOf('=', nextToken(this.#code, id.end));
      this.#types.visit(initializer);
      this.#edits.replace(start, equals + 1, `typeof(${own}=`);
      this.#edits.close(end, `)==="string"||(${object}[${own}]=${key})`);
    } else {
      const value = previous ? `${object}[${JSON.stringify(memberName(previous))}]+1` : '0';
      this.#edits.replace(start, end, `${object}[${own}=${value}]=${key}`);
    }
  }

  namespace(node) {
    const { id, body, start, end } = node;
    const { declaration, object, merged } = this.#begin(id);
    const opening = `${declaration}(${object}=>{`;
    const closing = `})(${id.name});`;
    const isDotted = body.type === 'TSModuleDeclaration';
    this.#edits.replace(start, isDotted ? body.start : body.start + 1, opening);
    this.#namespaces.push({ object, merged });
    this.scopes.enterBody(merged.exports, object);
    if (isDotted) {
      this.enterBlock([body]);
      this.#isExported = true;
      this.namespace(body);
      this.leaveBlock();
      this.#edits.close(end, closing);
    } else {
      this.#types.statements(body.body);
      this.#edits.replace(end - 1, end, closing);
    }
    this.scopes.leave();
    this.#namespaces.pop();
  }

  /**
   * Makes an export of a namespace a property of it. Returns whether there is an enclosing
   * namespace.
   */
  exported({ start, declaration }) {
    const object = this.#namespaces.at(-1)?.object;
    if (object === undefined) {
      return false;
    }
    if (!declaration) {
      const message = 'A namespace exports only declarations, such as `export const a = b`';
      throw syntaxError(message, this.#code, start);
    }
    this.#edits.blank(start, declaration.start);
    const { type, id, end } = declaration;
    this.#isExported = type.startsWith('TS');
    this.#types.visit(declaration);
    if (type === 'VariableDeclaration') {
      const names = declaration.declarations.flatMap((each) => boundNames(each.id));
      const property = declaration.kind === 'const' ? constantProperty : variableProperty;
      this.#edits.follow(end, names.map((name) => property(object, name)).join(''));
    } else if (!type.startsWith('TS')) {
      this.#edits.follow(end, constantProperty(object, id.name));
    }
    return true;
  }

  /** Makes `import a = B.C` in a namespace a constant. */
  alias({ start, end, id, moduleReference, isExport }) {
    const object = this.#namespaces.at(-1)?.object;
    if (object !== undefined) {
      const around = this.scopes.objectOf(firstName(moduleReference));
      const reference = this.#code.slice(moduleReference.start, moduleReference.end);
      const value = around === undefined ? reference : `${around}.${reference}`;
      const property = isExport ? constantProperty(object, id.name) : '';
      this.#edits.replace(start, end, `;const ${id.name}=${value};${property}`);
    }
  }

  /**
   * Begins the code of an enum or a namespace with a statement that assigns an object to its name:
   * that of its earlier parts, if there are any. In the code, the object has its own variable,
   * because a member may have the same name.
   */
  #begin(id) {
    const { name } = id;
    const isKnown = this.declare(id);
    const namespace = this.#isExported ? this.#namespaces.at(-1) : undefined;
    this.#isExported = false;
    const table = namespace?.merged.exports ?? this.#blocks.at(-1).merged;
    const property = namespace && `${namespace.object}.${name}`;
    const keyword = isKnown || this.#blocks.length === 1 ? '' : 'let ';
    const found = property ? `${property}||{}` : '{}';
    return {
      declaration: `;${keyword}${name}=${property ? `${property}=` : ''}${isKnown ? name : found};`,
      object: `${name}${this.#suffix}${this.scopes.depth}`,
      merged: mergedAt(table, name),
    };
  }
}

function constantProperty(object, name) {
  return `;${object}.${name}=${name};`;
}

// Assignments inside the namespace are visible from outside, and the other way round.
function variableProperty(object, name) {
  const value = name === 'value' ? 'other' : 'value';
  return (
    `;Object.defineProperty(${object},${JSON.stringify(name)},{enumerable:true,configurable:true,` +
    `get:()=>${name},set:${value}=>{${name}=${value}}});`
  );
}
