/**
 * What TypeScript adds to classes: members without a body, modifiers, parameters that are
 * properties.
 */

import { syntaxError } from '../parser.mjs';
import { nextOutside, nextToken, wordEnd } from '../scanner.mjs';
import { boundNames } from '../patterns.mjs';
import { collectTypeNames } from './type-only.mjs';

const MODIFIERS = new Set([
  'abstract',
  'declare',
  'override',
  'private',
  'protected',
  'public',
  'readonly',
]);

/** Removes the types from classes. */
export class ClassTypes {
  #code;
  #edits;
  #types;

  constructor(code, edits, types) {
    this.#code = code;
    this.#edits = edits;
    this.#types = types;
  }

  visit(node) {
    this.#types.erase(node.typeParameters);
    this.#types.visit(node.superClass);
    this.#types.erase(node.superTypeParameters);
    if (node.abstract) {
      this.#edits.blank(node.start, node.start + 'abstract'.length);
    }
    if (node.implements?.length > 0) {
      node.implements.forEach((each) => collectTypeNames(each, this.#types.types));
      this.#edits.blank(this.#headEnd(node), node.body.start);
    }
    for (const member of node.body.body) {
      this.#member(member, node);
    }
  }

  #headEnd({ start, id, superClass, superTypeParameters, typeParameters, abstract }) {
    const before = superTypeParameters ?? superClass ?? typeParameters ?? id;
    if (before) {
      return nextOutside(this.#code, before.end);
    }
    const keyword = abstract ? nextToken(this.#code, start + 'abstract'.length) : start;
    return keyword + 'class'.length;
  }

  #member(member, node) {
    if (member.type === 'StaticBlock' || member.decorators?.length > 0) {
      this.#types.visit(member);
      return;
    }
    const { start, end, key, value } = member;
    if (member.accessor) {
      throw syntaxError('Fields that are accessors are not supported', this.#code, start);
    }
    if (member.type === 'TSIndexSignature' || isWithoutMeaning(member)) {
      collectTypeNames(member, this.#types.types);
      this.#edits.replace(start, end, ';');
      return;
    }
    this.#modifiers(start, member.computed ? key.start - 1 : key.start);
    this.#types.visit(member.computed ? key : null);
    this.#types.erase(member.typeParameters);
    this.#mark(member);
    this.#types.erase(member.typeAnnotation);
    this.#types.visit(value);
    if (member.type === 'PropertyDefinition') {
      this.#edits.endStatement(member);
    } else if (member.kind === 'constructor') {
      this.#assignProperties(value, node);
    }
  }

  #modifiers(start, end) {
    let offset = start;
    while (offset < end) {
      const after = wordEnd(this.#code, offset);
      if (MODIFIERS.has(this.#code.slice(offset, after))) {
        this.#edits.blank(offset, after);
      }
      offset = nextToken(this.#code, Math.max(after, offset + 1));
    }
  }

  /** Blanks the `?` or `!` after the name of a member. */
  #mark({ key, computed }) {
    const end = computed ? nextOutside(this.#code, key.end) + 1 : key.end;
    const mark = nextToken(this.#code, end);
    if (this.#code[mark] === '?' || this.#code[mark] === '!') {
      this.#edits.blank(mark, mark + 1);
    }
  }

  #assignProperties({ params, body }, node) {
    const names = params
      .filter(({ type }) => type === 'TSParameterProperty')
      .flatMap(({ parameter }) => boundNames(parameter));
    if (names.length === 0) {
      return;
    }
    const assignments = names.map((name) => `this.${name}=${name};`).join('');
    const first = node.body.start + 1;
    this.#edits.close(first, names.map((name) => `${name};`).join(''));
    const parentCall = body.body.find(isParentCall);
    if (parentCall) {
      this.#edits.follow(parentCall.end, assignments);
    } else {
      const directive = body.body.findLast((statement) => statement.directive);
      this.#edits.follow(directive?.end ?? body.start + 1, assignments);
    }
  }
}

function isWithoutMeaning({ type, abstract, declare, value }) {
  return abstract || declare || (type === 'MethodDefinition' && !value.body);
}

function isParentCall({ type, expression }) {
  return (
    type === 'ExpressionStatement' &&
    expression.type === 'CallExpression' &&
    expression.callee.type === 'Super'
  );
}
