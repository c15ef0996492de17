import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { GUEST_GLOBALS } from '../../src/languages/type-check/compiler/guest-globals.ts';
import { declarations } from '../../src/languages/typescript/declarations.ts';
import { toTool } from '../../src/tools/define-tool.ts';

/** The names of the types that a text declares for all programs. */
function typesIn(text: string): string[] {
  const namesOf = (statements: readonly ts.Statement[]): string[] =>
    statements.flatMap((statement) => {
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
        return [statement.name.text];
      }
      // The files that are modules have `declare global { … }`.
      const { body } = statement as ts.ModuleDeclaration;
      const isGlobal = ts.isModuleDeclaration(statement) && statement.name.text === 'global';
      return isGlobal && body && ts.isModuleBlock(body) ? namesOf(body.statements) : [];
    });
  return namesOf(ts.createSourceFile('library.d.ts', text, ts.ScriptTarget.ESNext).statements);
}

/** Also what newer versions of the compiler add, so that a new version shows what is missing. */
function libraryTypes(): string[] {
  const library = dirname(createRequire(import.meta.url).resolve('typescript'));
  const files = readdirSync(library).filter((name) =>
    /^lib\.(?:es|decorators).*\.d\.ts$/.test(name),
  );
  const texts = files.map((name) => readFileSync(join(library, name), 'utf8'));
  return [...new Set([...texts, GUEST_GLOBALS].flatMap(typesIn))];
}

test('a type of a tool has another name than each type that every program has', () => {
  const names = libraryTypes();
  expect(names).toContain('RegExpMatchArray');
  expect(names).toContain('IteratorObject');
  // It would be merged with the other one, and change what other tools and the library return.
  const merged = names.filter((name) => {
    const inputSchema = {
      type: 'object',
      properties: { value: { $ref: `#/$defs/${name}` } },
      $defs: { [name]: { type: 'object', properties: { child: { $ref: `#/$defs/${name}` } } } },
    };
    const tool = toTool(
      { name: 'tool', description: 'It.', inputSchema, run: () => 1 },
      'first call',
    );
    return new RegExp(`^(?:interface|type) ${name} `, 'm').test(declarations([tool]));
  });
  expect(merged).toEqual([]);
});
