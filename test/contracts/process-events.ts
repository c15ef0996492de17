import { describe, expect, it } from 'vitest';
import { useBench, type Subject } from './subject.ts';

const WAIT = 'await new Promise((done) => setTimeout(done, 20)); console.log("on");';

/** What a program of JavaScript listens for at its process, and when it is called. */
export function describeProcessEvents(subject: Subject): void {
  describe('a program of JavaScript that listens at its process', () => {
    const { print, run } = useBench(subject, { languages: ['javascript'] });

    it.each([
      [
        'for rejections',
        'process.on("unhandledRejection", ({ message }) => console.log(message)); Promise.reject(new Error("late"));',
        'late\non\n',
      ],
      [
        'for errors',
        'process.on("uncaughtException", ({ message }, origin) => console.log(message, origin)); setTimeout(() => { throw new Error("late") }, 1);',
        'late uncaughtException\non\n',
      ],
      [
        'for errors, and has a rejection',
        'process.on("uncaughtException", ({ message }, origin) => console.log(message, origin)); Promise.reject(new Error("late"));',
        'late unhandledRejection\non\n',
      ],
    ])('%s goes on, and its listener ends with it', async (_, code, expected) => {
      expect(await run(`${code}\n${WAIT}`)).toMatchObject({ status: 'ok', stdout: expected });
      const next = await run(`Promise.reject(new TypeError("unheard"));\n${WAIT}`);
      expect(next).toMatchObject({ status: 'error', stdout: '', error: { type: 'TypeError' } });
    });

    it.each([
      ['console.log("last")', 'ok', 'last\nexit 0\n'],
      ['throw new Error("e")', 'error', 'exit 1\n'],
      ['process.exit(3)', 'error', 'exit 3\n'],
      ['process.exitCode = 3', 'error', 'exit 3\n'],
    ])('for its end hears of it once: %s', async (code, status, stdout) => {
      const listen = 'process.on("exit", (code) => console.log("exit", code));';
      expect(await run(`${listen}\n${code}`)).toMatchObject({ status, stdout });
      expect(await print('console.log("next")')).toBe('next\n');
    });

    it.each([
      ['process.exitCode = 4', { status: 'error', exitCode: 4 }],
      ['process.exit(5)', { status: 'error', exitCode: 5 }],
      ['throw new RangeError("e")', { status: 'error', error: { type: 'RangeError' } }],
    ])('may end otherwise in what it does then: %s', async (code, expected) => {
      const listen = `process.on("exit", () => { ${code} });`;
      expect(await run(listen, { timeoutMs: 300 })).toMatchObject(expected);
      expect(await print('console.log("next")')).toBe('next\n');
    });
  });
}
