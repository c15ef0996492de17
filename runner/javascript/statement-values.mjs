/** The values of a program's statements: promises among them are of what it has started and does not await. */

import { unusedName } from './globals.mjs';

// What starts nothing, and what is waited for already.
const WITHOUT_PROMISES = new Set([
  'AwaitExpression',
  'Literal',
  'TemplateLiteral',
  'UnaryExpression',
  'UpdateExpression',
]);

/** The edits that have a program hand out the values of its statements. */
export class StatementValues {
  /** What the rewritten program calls with each value: no name of its own. */
  watch;
  /** The variable for the value of the whole, where statements come after it: no name of the program's either. */
  shown;

  #code;
  #edits;

  constructor(code, edits) {
    this.#code = code;
    this.#edits = edits;
    this.watch = unusedName(code, 'watch');
    this.shown = unusedName(code, 'shown');
  }

  /** Has the value of a statement handed out where it comes about; the program goes on at once. */
  handOut({ start, end, expression }) {
    const { type, operator } = expression;
    if (operator === 'void' && expression.start === start) {
      this.#edits.open(start + operator.length, ` ${this.watch}(`);
    } else if (WITHOUT_PROMISES.has(type)) {
      return;
    } else {
      this.#edits.open(start, `${this.watch}(`);
    }
    this.#edits.close(this.#code[end - 1] === ';' ? end - 1 : end, ')');
  }

  /** Has the program return the value of a statement, `isEnd` where no statement comes after it. */
  show(node, isEnd) {
    this.#edits.open(node.start, isEnd ? 'return ' : `${this.shown}=`);
  }
}
