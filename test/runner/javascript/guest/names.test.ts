import { describe, expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';

const { print, run } = useBench({ languages: ['javascript'] });

describe('a name that a program declares', () => {
  it.each([
    ['console.log(a); let a = 1', 'a', 1],
    ['f();\nconst { b } = { b: 1 };\nfunction f() { return b }', 'b', 3],
    ['\nnew C(); class C {}', 'C', 2],
  ])('is an error before its declaration, as in a script: %j', async (code, name, line) => {
    const message = `Cannot access '${name}' before initialization`;
    const { error, stdout } = await run(code);
    expect({ error, stdout }).toMatchObject({
      error: { type: 'ReferenceError', message, line },
      stdout: '',
    });
    expect((await run(name)).error?.message).toBe(`${name} is not defined`);
    expect(await print(`var ${name} = 5; ${name}`)).toBe('5\n');
    expect(await print(`${name}; let ${name} = 6`)).toBe('');
    expect(await print(name)).toBe('6\n');
  });

  it.each([
    ['const a = 1;\n  a = 2', 2],
    ['const a = 1; if (false); else a += 2', 1],
    ['const a = 1; a++', 1],
    ['const a = 1; [a] = [2]', 1],
    ['const { a } = { a: 1 };\nfunction f() { a = 2 }\nf()', 2],
    ['import * as a from "node:path"; a = 2', 1],
  ])('says that it is constant if it is assigned to: %j', async (code, line) => {
    const error = { type: 'TypeError', message: 'Assignment to constant variable.', line };
    expect((await run(code)).error).toMatchObject(error);
    expect((await run('a = 3')).error).toMatchObject({ ...error, line: 1 });
    expect(await print('try { a = 3 } catch (error) { console.log(error) }')).toMatch(
      /^TypeError: Assignment to constant variable\.\n +at <run \d+>:1:9\n$/,
    );
  });

  it('is told from a property that cannot be written', async () => {
    const { error } = await run('const a = 1, o = Object.freeze({ a }); o.a = 2');
    expect(error?.message).toBe("Cannot assign to read only property 'a' of object '#<Object>'");
  });
});

describe('the function around a program', () => {
  it.each(['typeof arguments', 'typeof \\u0061rguments', 'eval("typeof " + "argu" + "ments")'])(
    'has no arguments: %s',
    async (code) => {
      expect(await print(code)).toBe('undefined\n');
    },
  );

  it.each(['this === globalThis', 'this === globalThis // arguments'])(
    'has the global object as `this`: %s',
    async (code) => {
      expect(await print(code)).toBe('true\n');
    },
  );
});
