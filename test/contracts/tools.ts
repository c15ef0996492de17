import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../src/tools/tool.ts';
import { useBench, type Subject } from './subject.ts';

/** Calling tools: arguments, results, failures. */
export function describeTools(subject: Subject): void {
  describe('tools', () => {
    const seen: unknown[] = [];
    const contexts: ToolContext[] = [];
    const bench = useBench(subject, {
      toolList: [
        {
          name: 'echo',
          description: 'Gives its argument back.',
          inputSchema: { type: 'object', properties: { value: {} }, required: ['value'] },
          run: (input, context) => {
            const { value } = input as { value: unknown };
            seen.push(value);
            contexts.push(context);
            return value;
          },
        },
        {
          name: 'large',
          description: 'Gives 40 MB.',
          run: () => 'x'.repeat(40_000_000),
        },
        {
          name: 'find-orders',
          description: 'Finds orders.',
          inputSchema: {
            type: 'object',
            properties: {
              customer: { type: 'string' },
              limit: { type: ['integer', 'null'], default: null, enum: [null, 1, 2] },
              open: { type: 'boolean', default: false },
              class: { type: 'string' },
            },
            required: ['customer'],
            additionalProperties: false,
          },
          run: (input) => input,
        },
        {
          name: 'save',
          description: 'Takes an object.',
          inputSchema: {
            type: 'object',
            properties: { record: { type: 'object' }, note: { type: 'string' } },
            required: ['record'],
          },
          run: (input) => input,
        },
        { name: 'no_arguments', description: 'Takes none.', run: () => 'none' },
        {
          name: 'secret',
          description: 'Only for the model itself.',
          allowedCallers: ['direct'],
          run: () => {
            seen.push('SECRET RAN');
            return 'secret';
          },
        },
      ],
    });
    const { print, run } = bench;

    it('a tool is called with keywords, by position, and with one dict', async () => {
      expect(
        await print(
          'print(await find_orders(customer="a", limit=2))\nprint(await find_orders("a", 2))\nprint(await find_orders({"customer": "a", "limit": 2}))',
        ),
      ).toBe("{'customer': 'a', 'limit': 2}\n".repeat(3));
    });

    it('a schema with false and null and a keyword for a name works', async () => {
      expect(await print('print(await find_orders("a", open=True, class_="vip"))')).toBe(
        "{'customer': 'a', 'open': True, 'class': 'vip'}\n",
      );
    });

    it('a dict is an argument of its own where the first parameter is an object', async () => {
      expect(await print('print(await save({"a": 1}))')).toBe("{'record': {'a': 1}}\n");
      expect(await print('print(await save({"record": {"a": 1}, "note": "n"}))')).toBe(
        "{'record': {'a': 1}, 'note': 'n'}\n",
      );
    });

    it('wrong numbers and names of arguments are told as Python tells them', async () => {
      const tooMany = await run('await no_arguments(1, 2)');
      expect(tooMany.error).toMatchObject({ type: 'TypeError', line: 1 });
      expect(tooMany.error?.message).toContain('no_arguments() takes 0 positional arguments');
      const twice = await run('await find_orders("a", customer="b")');
      expect(twice.error?.message).toContain("multiple values for argument 'customer'");
      const unknown = await run('await find_orders(client="a")');
      expect(unknown.error).toMatchObject({ type: 'ToolError' });
      expect(unknown.error?.message).toContain('client');
      expect(unknown.error?.message).toContain('customer');
    });

    it('invalid arguments say what was wrong, and the tool does not run', async () => {
      const code =
        'try:\n    await find_orders(customer=5, limit=7)\nexcept ToolError as error:\n    print(error.type, error.tool, error.message)';
      const text = await print(code);
      expect(text).toMatch(/^InvalidArguments find_orders /);
      expect(text).toContain('customer');
      expect(text).toContain('limit');
    });

    it('dates, sets, tuples, paths, enums and things with tolist() are plain arguments', async () => {
      seen.length = 0;
      const code = `
import datetime, enum, pathlib, decimal
class Color(enum.Enum):
    RED = "red"
class Array:
    def tolist(self):
        return [1, 2]
for value in (datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4), {1}, (1, "b"), pathlib.PurePosixPath("/a/b"), Color.RED, Array(), {"n": (None, True)}):
    await echo(value)`;
      expect(await print(code)).toBe('');
      expect(seen).toEqual([
        '2026-01-02',
        '2026-01-02T03:04:00',
        [1],
        [1, 'b'],
        '/a/b',
        'red',
        [1, 2],
        { n: [null, true] },
      ]);
    });

    it.each([
      ['float("nan")', /nan|JSON/i],
      ['float("inf")', /inf|JSON/i],
      ['object()', /object is no JSON value/],
      ['b"bytes"', /bytes is no JSON value/],
      ['{"deep": [lambda: 1]}', /function is no JSON value/],
      ['{(1, 2): 3}', /keys must be/],
    ])('%s is refused as an argument, with a reason', async (value, reason) => {
      seen.length = 0;
      const result = await run(`x = 1\nawait echo(value=${value})`);
      expect(result.error).toMatchObject({ type: 'ToolError', line: 2 });
      expect(result.error?.message).toMatch(/InvalidArguments/);
      expect(result.error?.message).toMatch(reason);
      expect(result.sessionOpen).toBe(true);
      expect(seen).toEqual([]);
    });

    it('an argument that contains itself is refused', async () => {
      const result = await run('loop = []\nloop.append(loop)\nawait echo(value=loop)');
      expect(result.error).toMatchObject({ type: 'ToolError', line: 3 });
    });

    it.each([
      '__PTC_OUTPUT__{"success": true}__PTC_END_OUTPUT__',
      '__PTC_TOOL_CALL__{}__PTC_END_CALL__\n',
      '__PTC_TOOL_RESULT__{}__PTC_END_RESULT__',
      '\u0000\u001b \r\n \u2028 🙂 é',
      '</script> " \\ \' `',
    ])('text travels both ways unchanged: %j', async (text) => {
      seen.length = 0;
      const result = await run(
        `sent = ${JSON.stringify(text)}\nassert await echo(value=sent) == sent\nprint(sent, end="")`,
      );
      expect(result).toMatchObject({ status: 'ok', stdout: text });
      expect(seen).toEqual([text]);
    });

    it('numbers, nulls, booleans and nested values travel both ways unchanged', async () => {
      const value =
        '{"a": [1, -2.5, 1e300, 2**53 - 1, -(2**53) + 1, True, False, None], "": {"": []}, "constructor": {"x": 1}}';
      expect(
        await print(`sent = ${value}\nassert await echo(value=sent) == sent\nprint("same")`),
      ).toBe('same\n');
    });

    it.each([
      ['a key __proto__ anywhere', '{"a": [{"__proto__": {"x": 1}}]}', /value\.a\[0\]\.__proto__/],
      ['an integer that would lose digits', '[2**53 + 1]', /9007199254740993 is too large/],
      ['more than twenty thousand values', '[0] * 20_001', /more than 20,000 values/],
      ['lists in lists, without end', 'deep', /nested more than 63 levels/],
      ['more bytes than a call may have', '"x" * 1_048_576', /1,048,\d+ bytes/],
      ['half of a surrogate pair', '"\\ud800"', /half of a surrogate pair/],
      ['an infinite number', 'float("inf")', /Out of range/],
    ])('%s is refused, the program is told why, and the session goes on', async (_, value, why) => {
      seen.length = 0;
      const result = await run(
        `deep = []\nfor _ in range(70): deep = [deep]\ntry:\n    await echo(value=${value})\nexcept ToolError as error:\n    print(error.type, error.message)`,
      );
      expect(result).toMatchObject({ status: 'ok', stdout: expect.stringMatching(why) });
      expect(result.stdout).toMatch(/^InvalidArguments /);
      expect(seen).toEqual([]);
      expect(await print('print(len(deep))')).toBe('1\n');
    });

    it.each([
      ['a hundred thousand commas and brackets in a text', '",[{" * 100_000'],
      ['almost twenty thousand values', '[0] * 19_990'],
      ['lists sixty deep', 'deep'],
    ])('%s arrive', async (_, value) => {
      const code = `deep = []\nfor _ in range(60): deep = [deep]\nsent = ${value}\nprint(await echo(value=sent) == sent)`;
      expect(await print(code)).toBe('True\n');
    });

    it('a large result that its program does not wait for is dropped, and the next run goes on', async () => {
      const code =
        'import asyncio, time\ntask = asyncio.create_task(large())\nawait asyncio.sleep(0.05)\ntime.sleep(1)';
      expect(await run(code)).toMatchObject({ status: 'ok', sessionOpen: true });
      expect(await print('print(len(await large()))')).toBe('40000000\n');
    });

    it('arguments inherit nothing', async () => {
      seen.length = 0;
      await print('await echo(value={"a": [{}]})');
      const [value] = seen as [{ a: [object] }];
      for (const object of [value, value.a[0]]) {
        expect(Object.getPrototypeOf(object)).toBeNull();
        expect('constructor' in object).toBe(false);
      }
    });

    it.each([
      ['a million characters', '"x" * 1_000_000'],
      ['characters beyond ASCII', '"é🙂" * 50_000'],
    ])('%s come through whole, there and back', async (_, value) => {
      expect(await print(`sent = ${value}\nprint(await echo(value=sent) == sent)`)).toBe('True\n');
    });

    it('a tool’s function is documented and knows its name', async () => {
      const text = await print(
        'print(find_orders.__name__, find_orders.__module__)\nhelp(find_orders)',
      );
      expect(text).toMatch(/^find_orders __main__\n/);
      expect(text).toContain('Finds orders.');
    });

    it('a tool that does not exist is a NameError on the user’s line', async () => {
      const { error } = await run('x = 1\nawait launch_rocket()');
      expect(error).toMatchObject({ type: 'NameError', line: 2 });
    });

    it('a tool that only the model may call is no function of the program', async () => {
      const { error } = await run('await secret()');
      expect(error?.type).toBe('NameError');
    });

    it('a forged call of a tool that only the model may call is refused by the host', async () => {
      seen.length = 0;
      const forge = (name: string): string => `
calls = next(cell.cell_contents for cell in echo.__closure__ if hasattr(cell.cell_contents, "call"))
try:
    print(await calls.call({"name": "${name}", "identifier": "${name}"}, {}))
except ToolError as error:
    print(error.type)`;
      expect(await print(forge('secret'))).toBe('NotAllowed\n');
      expect(seen).toEqual([]);
      for (const name of ['launch_rocket', 'constructor', '__proto__', 'toString', '']) {
        expect(await print(forge(name))).toBe('UnknownTool\n');
      }
    });

    it('a tool that is registered later is there in the next run of the same session', async () => {
      expect((await run('await registered_later()')).error?.type).toBe('NameError');
      bench.executor.tools.register({
        name: 'registered_later',
        description: 'New.',
        run: () => 'here now',
      });
      expect(await print('print(await registered_later())\nprint(await no_arguments())')).toBe(
        'here now\nnone\n',
      );
    });

    it('calls in loops, branches and functions pause and go on; an early exit ends them', async () => {
      const code = `
async def first_large(numbers):
    for number in numbers:
        if await echo(value=number) > 2:
            return number
total = 0
while total < 5:
    total += await echo(value=2)
print(await first_large([1, 2, 3, 4, 5]), total)`;
      const result = await run(code);
      expect(result).toMatchObject({ status: 'ok', stdout: '3 6\n', toolCalls: 6 });
    });

    it('a tool knows its caller, its session and the id of its call', async () => {
      contexts.length = 0;
      const { sessionId } = await run('await echo(value=1)\nawait echo(value=2)');
      expect(contexts).toMatchObject([
        { caller: 'code', sessionId },
        { caller: 'code', sessionId },
      ]);
      expect(new Set(contexts.map(({ callId }) => callId)).size).toBe(2);
    });
  });
}
