/**
 * The values of a program's statements. Promises among them belong to work that it has started and
 * does not await.
 */

import { unusedName } from '../unused-name.mjs';
import { methodForEffect } from './effects.mjs';

// Expressions that start nothing, or whose promise is awaited already.
const WITHOUT_PROMISES = new Set([
  'AwaitExpression',
  'BinaryExpression',
  'Literal',
  'TemplateLiteral',
  'UnaryExpression',
  'UpdateExpression',
]);

// The value of any other compound assignment is that of an operation such as `+`.
const LOGICAL = new Set(['&&=', '||=', '??=']);

/** The edits by which a program hands out the values of its statements. */
export class StatementValues {
  /**
   * The function that the rewritten program calls with each value: a name that the program does not
   * use.
   */
  watch;
  /**
   * The function that the rewritten program calls with the name and the value of a method: a name
   * that the program does not use.
   */
  withoutEffect;
  /**
   * The variable for the program's value, if statements follow it: a name that the program does not
   * use.
   */
  shown;

  #code;
  #edits;

  constructor(code, edits) {
    this.#code = code;
    this.#edits = edits;
    this.watch = unusedName(code, 'watch');
    this.withoutEffect = unusedName(code, 'withoutEffect');
    this.shown = unusedName(code, 'shown');
  }

  /** Hands out the value of a statement where it is computed. The program continues at once. */
  handOut({ start, end, expression }) {
    const { type, operator } = expression;
    if (operator === 'void' && expression.start === start) {
      this.#edits.open(start + operator.length, ` ${this.watch}(`);
    } else if (WITHOUT_PROMISES.has(type) || assignsNoPromise(expression)) {
      return;
    } else {
      this.#edits.open(start, `${this.watch}(`);
    }
    this.#close(end);
  }

  /**
   * Makes the program return the value of a statement. `isEnd` says that no statement follows it.
   */
  show(node, isEnd) {
    const method = methodForEffect(node.expression);
    if (method !== undefined) {
      this.#edits.open(node.start, `${this.withoutEffect}('${method}',`);
      this.#close(node.end);
    }
    this.#edits.open(node.start, isEnd ? 'return ' : `${this.shown}=`);
  }

  /** Closes a parenthesis at the end of a statement. */
  #close(end) {
    this.#edits.close(this.#code[end - 1] === ';' ? end - 1 : end, ')');
  }
}

/** Whether the value of an assignment is known not to be a promise. A loop can make very many of them. */
function assignsNoPromise({ type, operator, right }) {
  if (type !== 'AssignmentExpression') return false;
  return operator === '=' ? WITHOUT_PROMISES.has(right.type) : !LOGICAL.has(operator);
}
