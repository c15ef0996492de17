/** Statements that a program makes for their effect. Their values are not its result. */

import EventEmitter from 'node:events';
import util from 'node:util';

const { isMap, isSet, isWeakMap, isWeakSet } = util.types;
const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate']);

/** Whether an expression is for its effect, whatever its value is. */
export function isForEffect({ type, operator, callee, right, consequent, alternate, expressions }) {
  switch (type) {
    case 'AssignmentExpression':
    case 'UpdateExpression':
      return true;
    case 'UnaryExpression':
      return operator === 'delete';
    case 'CallExpression':
      return TIMERS.has(callee.name) || callee.object?.name === 'console';
    case 'LogicalExpression':
      return isForEffect(right);
    case 'ConditionalExpression':
      return isForEffect(consequent) && isForEffect(alternate);
    case 'SequenceExpression':
      return isForEffect(expressions[expressions.length - 1]);
    default:
      return false;
  }
}

const isNumber = (value) => typeof value === 'number';
const isBoolean = (value) => typeof value === 'boolean';
const isEmitter = (value) => value instanceof EventEmitter;
const isCollection = (value) =>
  isMap(value) || isSet(value) || isWeakMap(value) || isWeakSet(value);

/**
 * What the methods of arrays, collections, emitters and streams return that are called for their
 * effect. Methods of the same names that return something else are not meant.
 */
const RESULTS = {
  __proto__: null,
  push: isNumber,
  unshift: isNumber,
  set: isCollection,
  add: isCollection,
  delete: isBoolean,
  write: isBoolean,
  on: isEmitter,
  once: isEmitter,
  off: isEmitter,
  addListener: isEmitter,
  removeListener: isEmitter,
  end: isEmitter,
  pipe: isEmitter,
};

/** Returns the name of the method that an expression calls, if its value may be that of an effect. */
export function methodForEffect(expression) {
  const { type, callee } =
    expression.type === 'ChainExpression' ? expression.expression : expression;
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression' || callee.computed)
    return undefined;
  const { name } = callee.property;
  return name in RESULTS ? name : undefined;
}

/** Returns the value of a call of such a method, or undefined if it is that of an effect. */
export function withoutEffect(method, value) {
  return RESULTS[method](value) ? undefined : value;
}
