/** Parses the text of a model as one program. */

import { tsPlugin } from '@sveltejs/acorn-typescript';
import { getLineInfo, Parser, tokTypes } from 'acorn';
import { corrected } from './parser-corrections.mjs';
import { nextToken } from './scanner.mjs';
import { beginProgram, countToken, TOO_DEEP } from './stack.mjs';

const OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true,
};
// The plugin for TypeScript needs locations.
const TYPESCRIPT_OPTIONS = { ...OPTIONS, locations: true };

const NO_STACK = 'Not enough stack space to parse input';
const POSITION = / \(\d+:\d+\)$/;
const TOKEN = /(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|\d+|[^])/uy;

// Without this class, V8 does not support the declaration either.
const CAN_DISPOSE = 'DisposableStack' in globalThis;

/** Matches programs whose meaning in TypeScript may differ although JavaScript has the same syntax. */
const MAY_DIFFER = /\b(?:import|export)\b/;
const TYPE_ARGUMENTS_END = /[^=]>/;
/**
 * Matches most programs with types, which are not worth parsing as JavaScript first. Strings and comments may match too:
 * what it finds decides only how long the program is parsed.
 */
const LOOKS_TYPED =
  /\b(?:const|let|var)\s+[\w$]+\s*:|\(\s*[\w$]+\??\s*:|\b(?:interface|type)\s+[\w$]+\s*[={<]|\bas\s+(?:[A-Z]|any\b|const\b|number\b|string\b|unknown\b)/;

const ofPrograms = (Base) =>
  class extends Base {
    nextToken() {
      countToken();
      super.nextToken();
    }

    // An earlier program may have declared what is exported.
    checkLocalExport() {}

    parseVar(node, isFor, kind, ...others) {
      if (kind.endsWith('using') && !CAN_DISPOSE) {
        this.raise(node.start, `'${kind}' is not supported here: use try and finally`);
      }
      return super.parseVar(node, isFor, kind, ...others);
    }
  };

const JavaScript = Parser.extend(ofPrograms);
const TypeScript = Parser.extend(tsPlugin(), ofPrograms, corrected);

/**
 * @param {string} code
 * @param {boolean} typescript
 * @returns {{ statements: object[], hasTypes: boolean }} The statements at top level, and whether
 * types may be among them. A program in TypeScript often has none, and is parsed in half the time
 * then.
 * @throws {SyntaxError} With `line` and `column`, both from 1.
 */
export function parseProgram(code, typescript) {
  if (!typescript) return { statements: parse(code, JavaScript, OPTIONS), hasTypes: false };
  if (isSameWithoutTypes(code) && !LOOKS_TYPED.test(code)) {
    try {
      return { statements: parse(code, JavaScript, OPTIONS), hasTypes: false };
    } catch {
      // It has types, or errors.
    }
  }
  return { statements: parse(code, TypeScript, TYPESCRIPT_OPTIONS), hasTypes: true };
}

/** Whether a program that is correct in JavaScript means the same in TypeScript. */
function isSameWithoutTypes(code) {
  const start = code.indexOf('<');
  // `a < b > (c)` compares in JavaScript, and calls in TypeScript.
  const mayCall = start !== -1 && TYPE_ARGUMENTS_END.test(code.slice(start));
  return !mayCall && !MAY_DIFFER.test(code);
}

function parse(code, Language, options) {
  beginProgram();
  const object = parseObject(code, Language, options);
  if (object !== null) {
    const { start, end } = object;
    return [{ type: 'ExpressionStatement', start, end, expression: object }];
  }
  try {
    return Language.parse(code, options).body;
  } catch (error) {
    throw positioned(error, code);
  }
}

/** A syntax error at an offset of the program's text. */
export function syntaxError(message, code, offset) {
  const { line, column } = getLineInfo(code, offset);
  return Object.assign(new SyntaxError(message), { line, column: column + 1 });
}

// As the whole of a program, `{ a, b }` and `{ a: 1 }` are meant as objects, as in Node's REPL.
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
    // If it is nested too deeply, it is so as statements too.
    if (error instanceof SyntaxError || error instanceof RangeError) {
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
  if (message === NO_STACK) return syntaxError(TOO_DEEP, code, error.pos);
  // The end of an element, which was taken for a comparison with a regular expression.
  const start = error.pos - 2;
  if (message.startsWith('Unterminated regular') && code.startsWith('</', start)) {
    return syntaxError("Unexpected token '<': JSX is not supported", code, start);
  }
  const isUnexpected = message === 'Unexpected token';
  return syntaxError(isUnexpected ? unexpected(code, error.pos) : message, code, error.pos);
}

/** V8's message for an unexpected token. */
function unexpected(code, position) {
  TOKEN.lastIndex = position;
  const token = TOKEN.exec(code);
  return token === null ? 'Unexpected end of input' : `Unexpected token '${token[0]}'`;
}
