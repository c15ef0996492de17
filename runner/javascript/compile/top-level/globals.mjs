/** Converts declarations of a program to assignments to properties of the global object. */

import { syntaxError } from '../parser.mjs';
import { boundNames } from '../patterns.mjs';
import { unusedName } from '../unused-name.mjs';

// Another value for these would break the global object itself.
const RESTRICTED = new Set(['undefined', 'NaN', 'Infinity', 'globalThis']);

/** How many tools of a namespace an error names. */
const MOST_SHOWN = 5;

/** The names that one program declares, and the edits that make them global. */
export class Globals {
  /** The names that must be made global before the program runs. */
  names = new Set();
  /** The names among them that `let`, `const` and `class` declare. */
  lexicalNames = new Set();
  /**
   * The function that the rewritten program calls to make a global constant: a name that the
   * program does not use.
   */
  constant;

  #code;
  #edits;
  #toolsOf;

  /** `toolsOf` has the tools of each namespace, by its name. */
  constructor(code, edits, toolsOf) {
    this.#code = code;
    this.#edits = edits;
    this.#toolsOf = toolsOf;
    this.constant = unusedName(code, 'constant');
  }

  /** Adds the names of a binding, and returns them. */
  declare(pattern, isLexical = false) {
    const names = boundNames(pattern);
    for (const name of names) {
      this.refuse(name, pattern.start);
      this.names.add(name);
      if (isLexical) this.lexicalNames.add(name);
    }
    return names;
  }

  /** Throws if `name` must not be declared at top level. */
  refuse(name, offset) {
    const tools = this.#toolsOf.get(name);
    if (tools === undefined && !RESTRICTED.has(name)) return;
    const others = tools?.length > MOST_SHOWN ? ` and ${tools.length - MOST_SHOWN} more` : '';
    const shown = tools?.slice(0, MOST_SHOWN).join(', ');
    const why = tools ? `: it is the namespace of ${shown}${others}; choose another name` : '';
    const message = `Identifier '${name}' has already been declared${why}`;
    throw syntaxError(message, this.#code, offset);
  }

  /** Returns the end of an assignment expression, which makes the name constant. */
  makeConstant(name) {
    return `,${this.constant}(${JSON.stringify(name)})`;
  }

  /**
   * Converts a declaration that is a statement to an assignment. `opening` replaces its keyword.
   */
  assign(node, opening) {
    this.assignInLoop(node, opening);
    this.#edits.endStatement(node);
  }

  /** Converts a declaration in the head of a loop to one expression. */
  assignInLoop({ kind, start, declarations }, opening) {
    this.#edits.replace(start, declarations[0].start, opening);
    for (const { id, init, start: declaratorStart, end } of declarations) {
      const names = this.declare(id, kind !== 'var');
      if (init === null) {
        this.#edits.open(declaratorStart, kind === 'var' ? 'void ' : '');
        this.#edits.close(end, kind === 'var' ? '' : '=void 0');
      } else if (id.type !== 'Identifier') {
        this.#edits.open(declaratorStart, '(');
        this.#edits.close(end, ')');
      }
      if (init !== null) {
        // For a declaration, V8 reports the start of the value; for an assignment, that of the name
        // or of the operator.
        this.#edits.attribute(id.start, id.start + 1, init.start);
        this.#edits.attribute(id.end, init.start, init.start);
      }
      if (kind === 'const') {
        this.#edits.close(end, names.map((name) => this.makeConstant(name)).join(''));
      }
    }
  }

  /** Makes the only binding of `for … of` and `for … in` a target of assignments. */
  assignEach({ start, declarations: [{ id }] }) {
    this.declare(id);
    this.#edits.blank(start, id.start);
    if (id.name === 'async') {
      // `for (async of` would begin an arrow function.
      this.#edits.open(id.start, '(');
      this.#edits.close(id.end, ')');
    }
  }
}
