import { describe, expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';

const { print, run } = useBench({ languages: ['javascript', 'typescript'] });

describe('a program of Node that asks which file it is', () => {
  it('finds where modules are', async () => {
    expect(
      await print(
        '["fs", "node:path", "./a.js", "data:text/javascript,1"].map((each) => import.meta.resolve(each).replace(process.cwd(), ""))',
      ),
    ).toBe("[ 'node:fs', 'node:path', 'file:///a.js', 'data:text/javascript,1' ]\n");
  });

  it('has it in functions, and its mistakes where they are', async () => {
    expect(
      await print(
        'function f(a = import.meta.url) { return [a, import . meta.url] }\nclass A { static url = import.meta.url }\nnew Set([...f(), A.url]).size',
      ),
    ).toBe('1\n');
    const { error } = await run(
      'const a = import.meta; const b = a.dirname + import.meta.not.there;',
    );
    expect(error?.traceback).toContain(`\n${' '.repeat(61)}^\n`);
  });
});
