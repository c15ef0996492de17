import { execFileSync } from 'node:child_process';
import { builtinModules } from 'node:module';
import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  checkToolName,
  toIdentifier,
  toJavaScriptPath,
  toPythonParameter,
} from '../../src/tools/names.ts';
import { codePoint } from '../support/code-point.ts';

test.for([
  ['get_expenses', 'get_expenses'],
  ['expense:list', 'expense_list'],
  ['mcp.server/tool-name', 'mcp_server_tool_name'],
  ['2fa', '_2fa'],
  ['größe', 'größe'],
  ['查询', '查询'],
  ['ﬁnd', 'find'],
  ['💥', '_'],
  ['𠮷田', '_田'],
  ['class', 'class_'],
  ['await', 'await_'],
  ['None', 'None_'],
  ['print', 'print_'],
  ['list', 'list_'],
  ['asyncio', 'asyncio_'],
  ['ToolError', 'ToolError_'],
  ['submit', 'submit_'],
  ['show', 'show_'],
  ['delete', 'delete_'],
  ['console', 'console_'],
  ['__import__', '__import___'],
])('the tool %s is the function %s', ([name, identifier]) => {
  expect(toIdentifier(name ?? '')).toBe(identifier);
});

test('no tool takes the name of anything that a program finds in JavaScript', () => {
  // In a process of its own, because other tests load libraries that add names here, and give V8
  // options that add names to new contexts.
  const script =
    'const names = [...Object.getOwnPropertyNames(globalThis), ...vm.runInNewContext("Object.getOwnPropertyNames(globalThis)")]; console.log(JSON.stringify(names))';
  const printed = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  // What is run by `node -e` finds its modules too.
  const ofScript = new Set(['exports', 'module', 'require']);
  const names = (JSON.parse(printed) as string[]).filter(
    (name) => /^[a-z]\w*$/i.test(name) && !builtinModules.includes(name) && !ofScript.has(name),
  );
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => toIdentifier(name) === name)).toEqual([]);
});

test.for<[string, string | undefined]>([
  ['orders:list', 'orders.list'],
  ['orders:delete', 'orders.delete'],
  ['time:now', 'time.now'],
  ['fetch:it', 'fetch_.it'],
  ['class:it', 'class_.it'],
  ['constructor:it', 'constructor_.it'],
  ['my-shop:2nd-item', 'my_shop._2nd_item'],
  ['orders', undefined],
  ['a:b:c', undefined],
  ['a:', undefined],
  [':a', undefined],
])('the tool %s is the function %s of an object in JavaScript', ([name, path]) => {
  expect(toJavaScriptPath(name)?.join('.')).toBe(path);
});

test('every name becomes an identifier', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, minLength: 1 }), (name) => {
      expect(toIdentifier(name)).toMatch(/^[\p{XID_Start}_]\p{XID_Continue}*$/u);
    }),
  );
});

test('a parameter only gives way to keywords: it shadows nothing', () => {
  expect(['from', 'type', 'id', 'list', 'start-date', '1st'].map(toPythonParameter)).toEqual([
    'from_',
    'type',
    'id',
    'list',
    'start_date',
    '_1st',
  ]);
});

test.for<[unknown, string]>([
  ['', 'is empty'],
  ['  ', 'is empty'],
  [undefined, 'is not a string'],
  [7, 'is not a string'],
  ['a'.repeat(129), 'has 129 characters'],
  ['a\nb', 'control character'],
  ['a\u0000', 'control character'],
  ['__proto__', 'special meaning'],
  ['constructor', 'special meaning'],
])('%j cannot name a tool', ([name, message]) => {
  expect(() => checkToolName(name)).toThrow(
    expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining(message) }),
  );
});
