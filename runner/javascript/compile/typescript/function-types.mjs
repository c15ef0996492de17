/** The types of functions: of their parameters, of their results, of `this`. */

import { nextToken } from '../scanner.mjs';
import { collectTypeNames } from './type-only.mjs';

const LINE_END = /[\n\r\u2028\u2029]/;

/** Removes the types from functions. */
export class FunctionTypes {
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
    this.#parameters(node);
    this.#types.erase(node.returnType);
    this.#types.visit(node.body);
  }

  // A line cannot end between `async` and its parenthesis, nor between that and the arrow. If types
  // span several lines, the parenthesis moves to their other end.
  arrow(node) {
    const { typeParameters, returnType, params } = node;
    let opening = nextToken(this.#code, node.async ? node.start + 'async'.length : node.start);
    if (typeParameters) {
      opening = nextToken(this.#code, typeParameters.end);
      this.#typeParameters(typeParameters, opening);
    }
    this.#parameters(node);
    if (returnType) {
      this.#returnType(returnType, this.#closing(params.at(-1)?.end ?? opening + 1));
    }
    this.#types.visit(node.body);
  }

  #parameters({ params }) {
    for (const parameter of params) {
      this.#types.refuseDecorators(parameter.parameter ?? parameter);
      if (parameter.name === 'this') {
        collectTypeNames(parameter, this.#types.types);
        const next = nextToken(this.#code, parameter.end);
        this.#edits.blank(parameter.start, this.#code[next] === ',' ? next + 1 : parameter.end);
      } else {
        this.#types.pattern(parameter);
      }
    }
  }

  #typeParameters(node, opening) {
    if (this.#hasLineEnd(node.start, opening)) {
      collectTypeNames(node, this.#types.types);
      this.#edits.replace(node.start, opening + 1, '(');
    } else {
      this.#types.erase(node);
    }
  }

  #returnType(node, closing) {
    if (this.#hasLineEnd(closing, node.end)) {
      collectTypeNames(node, this.#types.types);
      this.#edits.blank(closing, closing + 1);
      this.#edits.blank(node.start, node.end - 1);
      this.#edits.replace(node.end - 1, node.end, ')');
    } else {
      this.#types.erase(node);
    }
  }

  /** The offset of the closing parenthesis that follows `offset` and the last parameter. */
  #closing(offset) {
    const next = nextToken(this.#code, offset);
    return this.#code[next] === ',' ? nextToken(this.#code, next + 1) : next;
  }

  #hasLineEnd(start, end) {
    return LINE_END.test(this.#code.slice(start, end));
  }
}
