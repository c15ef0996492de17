/** What a model wrote, parsed as one program. */

import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser, tokTypes } from 'acorn';

const OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true,
  locations: true,
};

const OPENS_WITH_BRACE = /^(?:\s|\/\/.*|\/\*[^]*?\*\/)*\{/;
const ENDS_WITH_SEMICOLON = /;\s*$/;
const POSITION = / \(\d+:\d+\)$/;
const TOKEN = /(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|\d+|[^])/uy;

// `{ a, b }` and `{ a: 1 }` are objects to who writes them as the whole of a program, as in Node's REPL.
const withObjects = (Base) =>
  class extends Base {
    static parseObject(code) {
      const parser = new this(OPTIONS, code);
      parser.nextToken();
      const expression = parser.parseExpression();
      return parser.type === tokTypes.eof ? expression : null;
    }

    // What is exported may be of an earlier program.
    checkLocalExport() {}
  };

const JavaScript = Parser.extend(withObjects);
const TypeScript = Parser.extend(tsPlugin(), withObjects);

/**
 * @param {string} code
 * @param {boolean} typescript
 * @returns {{ statements: object[], isObject: boolean }} The statements at top level; `isObject` where the whole
 *   program is one expression that begins with a brace.
 * @throws {SyntaxError} With `line` and `column`, both from 1.
 */
export function parseProgram(code, typescript) {
  const Language = typescript ? TypeScript : JavaScript;
  const object = parseObject(code, Language);
  if (object !== null) {
    const { start, end } = object;
    const statement = { type: 'ExpressionStatement', start, end, expression: object };
    return { statements: [statement], isObject: true };
  }
  try {
    return { statements: Language.parse(code, OPTIONS).body, isObject: false };
  } catch (error) {
    throw positioned(error, code);
  }
}

/** A syntax error of the program at a place that the parser gave: a line from 1, a column from 0. */
export function syntaxError(message, { line, column }) {
  return Object.assign(new SyntaxError(message), { line, column: column + 1 });
}

function parseObject(code, Language) {
  if (!OPENS_WITH_BRACE.test(code) || ENDS_WITH_SEMICOLON.test(code)) {
    return null;
  }
  try {
    return Language.parseObject(code);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}

function positioned(error, code) {
  if (!(error instanceof SyntaxError) || error.loc === undefined) {
    return error;
  }
  const message = error.message.replace(POSITION, '');
  return syntaxError(
    message === 'Unexpected token' ? unexpected(code, error.pos) : message,
    error.loc,
  );
}

/** The engine's own words for a token that does not belong where it is. */
function unexpected(code, position) {
  TOKEN.lastIndex = position;
  const token = TOKEN.exec(code);
  return token === null ? 'Unexpected end of input' : `Unexpected token '${token[0]}'`;
}
