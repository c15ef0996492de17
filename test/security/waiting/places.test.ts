import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NOT_OF_PROGRAMS, WAITING_PLACES } from './places.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A field of a class, or a variable of a module, with its type or its first value. */
const DECLARATION =
  /^(?: {2}(?:(?:private|protected|static) )?)?(?:readonly |const |let )?(#?\w+)(\??: .*| = .*)$/;

/** What can hold any number of things, and texts that begin empty. */
const CAN_GROW =
  /\[\](?: =|;)|(?:\b(?:Map|Set)<.*(?:= new|;$))|\b(?:P|Serial)Queue\b|\bSemaphore\b|\bFairQueue<.*= new|= '';$/;

/** The fields and variables that can grow, such as `audit/queue.ts #records`. */
function growingFields(): string[] {
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' });
  // The contract tests are tests.
  const sources = files.filter((file) => file.endsWith('.ts') && !file.startsWith('testing/'));
  return sources.sort().flatMap((file) =>
    readFileSync(`${root}src/${file}`, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, name, declared = ''] = DECLARATION.exec(line) ?? [];
        const isVariable = /^(?:const|let) [a-z]/.test(line);
        const isField = name?.startsWith('#') === true || isVariable;
        // A list with its contents does not grow.
        const isFilled = /new (?:Map|Set)(?:<.*>)?\([^)]|ReadonlySet|ReadonlyMap/.test(declared);
        return isField && !isFilled && CAN_GROW.test(declared) ? [`${file} ${name}`] : [];
      }),
  );
}

/** The fields that a place names, one by one. */
function fieldsOf(line: string): string[] {
  const [file = '', ...names] = line.split(' ');
  return names.map((name) => `${file} ${name}`);
}

const listed = WAITING_PLACES.flatMap(({ fields }) => fields.flatMap(fieldsOf));

describe('the list of the places where data of programs waits', () => {
  it('has each field of src that can grow, or says why no program makes it grow', () => {
    const folders = Object.keys(NOT_OF_PROGRAMS);
    const growing = growingFields();
    expect(growing).toContain('audit/queue.ts #records');
    const unknown = growing.filter(
      (field) => !listed.includes(field) && !folders.some((folder) => field.startsWith(folder)),
    );
    expect(unknown).toEqual([]);
    const unused = folders.filter(
      (folder) => !growing.some((field) => field.startsWith(folder) && !listed.includes(field)),
    );
    expect(unused).toEqual([]);
  });

  it('has only fields that exist, once each', () => {
    expect(listed.filter((field, index) => listed.indexOf(field) !== index)).toEqual([]);
    const missing = listed.filter((field) => {
      const [file = '', name = ''] = field.split(' ');
      const path = `${root}src/${file}`;
      return !existsSync(path) || !new RegExp(`${name}\\b`).test(readFileSync(path, 'utf8'));
    });
    expect(missing).toEqual([]);
  });

  it.each(WAITING_PLACES)('says what bounds $what', ({ bounds }) => {
    expect(bounds).not.toEqual([]);
    const missing = bounds.filter(
      ({ name, file }) => !readFileSync(`${root}${file}`, 'utf8').includes(name),
    );
    expect(missing).toEqual([]);
  });
});
