/** The declarations of TypeScript that have a value of their own: enums, namespaces, aliases of their members. */

import { boundNames } from './patterns.mjs';
import { nextToken } from './scanner.mjs';

/** Makes plain JavaScript of the declarations in one program. */
export class EnumsAndNamespaces {
  #code;
  #edits;
  #types;
  // For each block around, what its names stand for: the members of an enum, nothing of all else.
  #blocks = [];
  // The namespaces around, the inmost last; the program is none.
  #namespaces = [];
  // The enum around, and whether the enum or namespace that comes next is exported from a namespace.
  #enumeration = null;
  #isExported = false;

  constructor(code, edits, types) {
    this.#code = code;
    this.#edits = edits;
    this.#types = types;
  }

  enterBlock() {
    this.#blocks.push(new Map());
  }

  leaveBlock() {
    this.#blocks.pop();
  }

  /** Notes a name that an enum or a namespace can add to. Returns what was known of it. */
  declare(id, members = new Set()) {
    const block = this.#blocks.at(-1);
    const known = block?.get(id?.name);
    block?.set(id?.name, members);
    return known;
  }

  /** Has a member of the enum around be found by its bare name. */
  reference({ name, start }) {
    if (this.#enumeration?.members.has(name)) {
      this.#edits.open(start, `${this.#enumeration.name}.`);
    }
  }

  enumeration(node) {
    const { name } = node.id;
    const isExported = this.#takeExported();
    const members = new Set(node.members.map(memberName));
    const known = this.declare(node.id, members);
    known?.forEach((member) => members.add(member));
    const opening = nextToken(this.#code, node.id.end);
    this.#edits.replace(
      node.start,
      opening + 1,
      `${this.#target(name, known, isExported)}(${name}=>([`,
    );
    this.#edits.replace(node.end - 1, node.end, `],${name}))(${known ? name : '{}'});`);
    const around = this.#enumeration;
    this.#enumeration = { name, members };
    let previous = null;
    for (const member of node.members) {
      this.#member(member, name, previous);
      previous = member;
    }
    this.#enumeration = around;
  }

  // Numbers are found by value too, strings are not.
  #member(member, name, previous) {
    const { id, initializer, start, end } = member;
    const key = JSON.stringify(memberName(member));
    const own = `${name}[${key}]`;
    if (initializer) {
      const equals = this.#code.indexOf('=', nextToken(this.#code, id.end));
      this.#types.visit(initializer);
      this.#edits.replace(start, equals + 1, `typeof(${own}=`);
      this.#edits.close(end, `)==="string"||(${name}[${own}]=${key})`);
    } else {
      const value = previous ? `${name}[${JSON.stringify(memberName(previous))}]+1` : '0';
      this.#edits.replace(start, end, `${name}[${own}=${value}]=${key}`);
    }
  }

  namespace(node) {
    const { id, body, start, end } = node;
    const { name } = id;
    const isExported = this.#takeExported();
    const known = this.declare(id);
    const fresh = isExported ? `${this.#namespaces.at(-1)}.${name}||{}` : '{}';
    const closing = `;return ${name}})(${known ? name : fresh});`;
    const target = this.#target(name, known, isExported);
    const isDotted = body.type === 'TSModuleDeclaration';
    this.#edits.replace(start, isDotted ? body.start : body.start + 1, `${target}(${name}=>{`);
    this.#namespaces.push(name);
    if (isDotted) {
      this.enterBlock();
      this.#isExported = true;
      this.namespace(body);
      this.leaveBlock();
      this.#edits.close(end, closing);
    } else {
      this.#types.statements(body.body);
      this.#edits.replace(end - 1, end, closing);
    }
    this.#namespaces.pop();
  }

  /** Has what a namespace exports be a property of it. Returns whether there is a namespace around. */
  exported({ start, declaration }) {
    const namespace = this.#namespaces.at(-1);
    if (namespace === undefined) {
      return false;
    }
    this.#edits.blank(start, declaration.start);
    const { type, id, end } = declaration;
    this.#isExported = type.startsWith('TS');
    this.#types.visit(declaration);
    if (type === 'VariableDeclaration') {
      const names = declaration.declarations.flatMap((each) => boundNames(each.id));
      const property = declaration.kind === 'const' ? constantProperty : variableProperty;
      this.#edits.follow(end, names.map((name) => property(namespace, name)).join(''));
    } else if (!type.startsWith('TS')) {
      this.#edits.follow(end, constantProperty(namespace, id.name));
    }
    return true;
  }

  /** Makes `import a = B.C` in a namespace a constant. */
  alias({ start, end, id, moduleReference, isExport }) {
    const namespace = this.#namespaces.at(-1);
    if (namespace !== undefined) {
      const reference = this.#code.slice(moduleReference.start, moduleReference.end);
      const property = isExport ? constantProperty(namespace, id.name) : '';
      this.#edits.replace(start, end, `;const ${id.name}=${reference};${property}`);
    }
  }

  #takeExported() {
    const isExported = this.#isExported;
    this.#isExported = false;
    return isExported;
  }

  /** The beginning of a statement that gives `name` a value: an assignment where there is such a name already. */
  #target(name, known, isExported) {
    const isDeclared = this.#blocks.length === 1 || known !== undefined;
    const property = isExported ? `${this.#namespaces.at(-1)}.${name}=` : '';
    return `;${isDeclared ? '' : 'let '}${name}=${property}`;
  }
}

function memberName({ id }) {
  return String(id.name ?? id.value);
}

function constantProperty(namespace, name) {
  return `;${namespace}.${name}=${name};`;
}

// What the namespace's own code assigns is seen from outside, and the other way round.
function variableProperty(namespace, name) {
  const value = name === 'value' ? 'other' : 'value';
  return (
    `;Object.defineProperty(${namespace},${JSON.stringify(name)},{enumerable:true,configurable:true,` +
    `get:()=>${name},set:${value}=>{${name}=${value}}});`
  );
}
