import { expect, test } from 'vitest';
import type { RunnerConnection } from '../../src/execution/connection/runner-connection.ts';
import { LANGUAGES } from '../../src/languages/languages.ts';
import type { LanguageName, ToolStub } from '../../src/protocol/messages.ts';
import { Interpreters } from '../../src/sessions/session/interpreters.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const tools = [defineTool({ name: 'a', description: 'Does it.', run: () => 1 })];

/** Which tools an interpreter is told of for each of some programs, and whether with documentation. */
function told(name: LanguageName, programs: readonly string[]): (string | undefined)[] {
  let sent: string | undefined;
  const configure = (_language: LanguageName, [stub]: readonly ToolStub[]): void => {
    sent = stub?.documentation === undefined ? 'names' : 'documentation';
  };
  const interpreters = new Interpreters({ configure } as unknown as RunnerConnection);
  return programs.map((code) => {
    sent = undefined;
    interpreters.configure(LANGUAGES[name], tools, code);
    return sent;
  });
}

test('a sandbox gets the documentation of tools with the first program that seems to read it', () => {
  for (const reading of ['help(a)', 'a.__doc__', 'import inspect', 'import pydoc as p']) {
    expect(told('python', ['a()', 'b()', reading, 'a()', reading])).toEqual([
      'names',
      undefined,
      'documentation',
      undefined,
      undefined,
    ]);
  }
  expect(told('bash', ['a', 'a --help', 'a'])).toEqual(['names', 'documentation', undefined]);
});

test('programs that cannot read documentation never get it', () => {
  expect(told('typescript', ['a()', 'help(a); a.__doc__; "--help"'])).toEqual(['names', undefined]);
});
