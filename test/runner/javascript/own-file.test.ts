import { describe, expect, it } from 'vitest';
import { useBench } from '../../contracts/subject.ts';
import { nodeSubject } from './node-subject.ts';

const { print, run } = useBench(nodeSubject, { languages: ['javascript', 'typescript'] });

describe('a program of Node that asks which file it is', () => {
  it.each([
    'import { fileURLToPath } from "node:url";\nif (process.argv[1] === fileURLToPath(import.meta.url)) main();\nfunction main() { console.log("main"); }',
    'if (import.meta.filename === process.argv[1]) { console.log("main"); }',
    'if (import.meta.url === `file://${process.argv[1]}`) console.log("main");',
    'if (require.main === module) { main(); }\nfunction main() { console.log("main"); }\nmodule.exports = { main };',
    'if (require.main.filename === __filename) console.log("main"); exports.main = 1;',
    'const { dirname } = await import("node:path");\nif (dirname(__filename) === __dirname && import.meta.dirname === __dirname) console.log("main");',
    'const here = new URL("data.json", import.meta.url);\nif (here.pathname === `${process.cwd()}/data.json`) console.log("main");',
    'if (process.argv.slice(2).length === 0 && process.argv.length === 2) console.log("main");',
  ])('is the one that was started: %j', async (code) => {
    expect(await print(code)).toBe('main\n');
    expect((await run(code, { language: 'typescript' })).stdout).toBe('main\n');
  });

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

  it('may have all these names for itself', async () => {
    expect(
      await print(
        'const module = 1, exports = 2, __filename = 3, __dirname = 4;\nfunction require() { return 5 }\n[module, exports, __filename, __dirname, require()]',
      ),
    ).toBe('[ 1, 2, 3, 4, 5 ]\n');
  });
});
