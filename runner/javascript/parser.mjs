/** What a model wrote, parsed as one program. */

import { tsPlugin } from '@sveltejs/acorn-typescript';
import { getLineInfo, Parser, tokTypes } from 'acorn';
import { nextToken } from './scanner.mjs';

const OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true,
};
// The plugin for TypeScript wants locations.
const TYPESCRIPT_OPTIONS = { ...OPTIONS, locations: true };

const POSITION = / \(\d+:\d+\)$/;
const TOKEN = /(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|\d+|[^])/uy;

// What is exported may be of an earlier program.
const withExports = (Base) =>
  class extends Base {
    checkLocalExport() {}
  };

const JavaScript = Parser.extend(withExports);
const TypeScript = Parser.extend(tsPlugin(), withExports);

/**
 * @param {string} code
 * @param {boolean} typescript
 * @returns {{ statements: object[], isObject: boolean }} The statements at top level; `isObject` where the whole
 *   program is one expression that begins with a brace.
 * @throws {SyntaxError} With `line` and `column`, both from 1.
 */
export function parseProgram(code, typescript) {
  const Language = typescript ? TypeScript : JavaScript;
  const options = typescript ? TYPESCRIPT_OPTIONS : OPTIONS;
  const object = parseObject(code, Language, options);
  if (object !== null) {
    const { start, end } = object;
    const statement = { type: 'ExpressionStatement', start, end, expression: object };
    return { statements: [statement], isObject: true };
  }
  try {
    return { statements: Language.parse(code, options).body, isObject: false };
  } catch (error) {
    throw positioned(error, code);
  }
}

/** A syntax error of the program at an offset of its text. */
export function syntaxError(message, code, offset) {
  const { line, column } = getLineInfo(code, offset);
  return Object.assign(new SyntaxError(message), { line, column: column + 1 });
}

// `{ a, b }` and `{ a: 1 }` are objects to who writes them as the whole of a program, as in Node's REPL.
function parseObject(code, Language, options) {
  if (code[nextToken(code, 0)] !== '{' || code.trimEnd().endsWith(';')) {
    return null;
  }
  const parser = new Language(options, code);
  try {
    parser.nextToken();
    const expression = parser.parseExpression();
    return parser.type === tokTypes.eof ? expression : null;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}

function positioned(error, code) {
  if (!(error instanceof SyntaxError) || error.pos === undefined) {
    return error;
  }
  const message = error.message.replace(POSITION, '');
  const isUnexpected = message === 'Unexpected token';
  return syntaxError(isUnexpected ? unexpected(code, error.pos) : message, code, error.pos);
}

/** The engine's own words for a token that does not belong where it is. */
function unexpected(code, position) {
  TOKEN.lastIndex = position;
  const token = TOKEN.exec(code);
  return token === null ? 'Unexpected end of input' : `Unexpected token '${token[0]}'`;
}
