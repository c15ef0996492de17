import assert from 'node:assert/strict';
import type { ExecutionResult } from '../../../../src/execution/execution.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import type { ToolContext } from '../../../../src/tools/tool.ts';
import { printed, stoppedAt } from '../../../../src/testing/stopped-at.ts';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** Time limits of programs in Python. */
export function pythonLimits(): TestGroup {
  const calls: ToolContext[] = [];
  let called = createDeferred<ToolContext>();
  return {
    name: 'limits in Python',
    options: {
      tools: [
        {
          name: 'wait_for_signal',
          description: 'Answers only when it is told to stop.',
          run: async (_input, context) => {
            calls.push(context);
            called.resolve(context);
            return new Promise((resolve) => {
              context.signal.addEventListener('abort', () => resolve('stopped'));
            });
          },
        },
        {
          name: 'signal_is_waited_for',
          description: 'Answers once the other tool runs.',
          run: async () => {
            await called.promise;
          },
        },
      ],
    },
    tests: [
      ...(
        [
          ['waits in its loop', 'import asyncio\nawait asyncio.sleep(60)'],
          ['waits in asyncio.run', 'import asyncio\nasyncio.run(asyncio.sleep(60))'],
        ] as const
      ).map(([what, endless]) =>
        test(`a program that ${what} past its time ends; what it printed and its state stay`, async (bench) => {
          await bench.print(`kept_over_timeout = ${JSON.stringify(endless)}`);
          const result = await stoppedAt(printed('so far'), async (timeoutMs) =>
            bench.run(`print("so far")\n${endless}`, { timeoutMs }),
          );
          assertMatches(result, {
            status: 'timeout',
            success: false,
            stdout: 'so far\n',
            sessionOpen: true,
            error: { type: 'Timeout', message: /limit of \d+ ms/, line: 3 },
          });
          assert.equal(await bench.print('print(len(kept_over_timeout))'), `${endless.length}\n`);
        }),
      ),
      test('the recursion limit is Python’s own, and applies to the calls of the program only', async (bench) => {
        const code = `
import sys
def depth(at=1):
    try: return depth(at + 1)
    except RecursionError: return at
def reached():
    limit = sys.getrecursionlimit()
    return limit, depth() >= limit - 3
sys.setrecursionlimit(1000)
shown = [reached()]
sys.setrecursionlimit(1100)
shown.append(reached())
for limit in (0, "1000", 2**31):
    try: sys.setrecursionlimit(limit)
    except (ValueError, TypeError, OverflowError) as error: shown.append(type(error).__name__)
sys.setrecursionlimit(1000)
print(shown)`;
        const shown = "[(1000, True), (1100, True), 'ValueError', 'TypeError', 'OverflowError']\n";
        assert.equal(await bench.print(code), shown);
        assert.equal(await bench.print(`import asyncio\nawait asyncio.sleep(0)${code}`), shown);
      }),
      test('a timeout fires the signals of the tools that are waited for [case 87]', async (bench) => {
        const bothCalled = (): boolean => calls.length === 2;
        await stoppedAt(bothCalled, async (timeoutMs) => {
          calls.length = 0;
          const code = 'import asyncio\nawait asyncio.gather(wait_for_signal(), wait_for_signal())';
          return bench.run(code, { timeoutMs });
        });
        assert.deepEqual(
          calls.map(({ signal }) => signal.aborted),
          [true, true],
        );
      }),
      test('what a program prints after its time limit is not in the output of the next program [case 84]', async (bench) => {
        const code =
          'import time\ntry:\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print("stale")\n    raise';
        const result = await stoppedAt(printed('stale'), async (timeoutMs) =>
          bench.run(code, { timeoutMs }),
        );
        assertMatches(result, { status: 'timeout', stdout: 'stale\n' });
        assert.equal(await bench.print('print("fresh")'), 'fresh\n');
      }),
      test('the signal of a tool that is not awaited any more fires when the program ends', async (bench) => {
        called = createDeferred();
        const result = await bench.run(
          'import asyncio\ntask = asyncio.create_task(wait_for_signal())\nawait signal_is_waited_for()\nprint("done")',
        );
        assertMatches(result, { status: 'ok', stdout: 'done\n' });
        assert.equal((await called.promise).signal.aborted, true);
      }),
    ],
  };
}

/** What remains of output above the limit, for programs in Python. */
export function pythonOutputLimits(): TestGroup {
  const limit = 1000;
  return {
    name: 'output limits in Python',
    options: { maxOutputBytes: limit },
    tests: [
      ...(
        [
          ['a', 1],
          ['é', 2],
          ['€', 3],
          ['🙂', 4],
        ] as const
      ).map(([character, size]) =>
        test(`of more ${character} than the limit the head and the tail stay, and the omitted bytes add up [every/long-output]`, async (bench) => {
          const total = 5003;
          const result = await bench.run(`print("${character}" * ${total}, end="")\n`);
          assertMatches(result, { status: 'ok', truncated: true });
          const parts = /^(.*)\n\[… ([\d,]+) bytes of output left out here …\]\n(.*)$/su.exec(
            result.stdout,
          );
          const [, head = '', omitted = '', tail = ''] = parts ?? [];
          const kept = head + tail;
          const keptBytes = Buffer.byteLength(kept);
          assert.equal(kept.replaceAll(character, ''), '');
          assert.ok(head.length > 0);
          assert.ok(tail.length > 0);
          assert.equal(keptBytes + Number(omitted.replaceAll(',', '')), total * size);
          assert.ok(keptBytes > limit - 8);
        }),
      ),
      test('the head and the tail stay of a program that is ended with its interpreter too', async (bench) => {
        const code =
          'import time\nprint("first")\nprint("x" * 5000)\nprint("last", flush=True)\nwhile True:\n    try:\n        time.sleep(60)\n    except BaseException:\n        pass';
        const ended = ({ stdout, sessionOpen }: ExecutionResult): boolean =>
          !sessionOpen && stdout.includes('last');
        const result = await stoppedAt(ended, async (timeoutMs) => bench.run(code, { timeoutMs }));
        assertMatches(result, { status: 'timeout', sessionOpen: false, truncated: true });
        assert.match(result.stdout, /^first\nx.*x\nlast\n$/s);
      }),
      test('each stream has its own limit', async (bench) => {
        const result = await bench.run(
          'import sys\nprint("o" * 900)\nprint("e" * 900, file=sys.stderr)',
        );
        assert.equal(result.truncated, false);
        const more = await bench.run(
          'import sys\nprint("short")\nprint("e" * 5000, file=sys.stderr)',
        );
        assertMatches(more, { truncated: true, stdout: 'short\n' });
      }),
    ],
  };
}
