import type { ExecutionResult } from '../../src/execution/execution.ts';
import { describe, expect, it } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';
import { createDeferred } from '../../src/shared/deferred.ts';
import type { Session } from '../../src/sessions/executor.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { itNeeds, useBench, type Subject } from './subject.ts';
import { printed, stoppedAt } from '../support/time-limit.ts';

/** Time, output and memory limits, and aborting. */
export function describeLimits(subject: Subject): void {
  describe('limits', () => {
    const calls: ToolContext[] = [];
    let called = createDeferred<ToolContext>();
    const bench = useBench(subject, {
      toolList: [
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
      ],
    });
    const { print, run } = bench;

    it.each([
      ['computes', 'while True: pass'],
      ['sleeps', 'import time\ntime.sleep(60)'],
      ['waits in its loop', 'import asyncio\nawait asyncio.sleep(60)'],
      ['waits in asyncio.run', 'import asyncio\nasyncio.run(asyncio.sleep(60))'],
      ['waits for a tool', 'await wait_for_signal()'],
    ])(
      'a program that %s past its time ends; what it printed and its state stay',
      async (_, endless) => {
        await print(`kept_over_timeout = ${JSON.stringify(endless)}`);
        const result = await stoppedAt(printed('so far'), async (timeoutMs) =>
          run(`print("so far")\n${endless}`, { timeoutMs }),
        );
        expect(result).toMatchObject({
          status: 'timeout',
          success: false,
          stdout: 'so far\n',
          sessionOpen: true,
          error: { type: 'Timeout', message: expect.stringMatching(/limit of \d+ ms/) },
        });
        expect(await print('print(len(kept_over_timeout))')).toBe(`${endless.length}\n`);
      },
    );

    it('a program that swallows every interrupt is ended with its interpreter', async () => {
      let session: Session | undefined;
      const result = await stoppedAt(printed('so far'), async (timeoutMs) => {
        session = await bench.open();
        return session.execute(
          'import time\nwhile True:\n    try:\n        print("so far", flush=True)\n        time.sleep(60)\n    except BaseException:\n        pass',
          { timeoutMs },
        );
      });
      expect(result).toMatchObject({
        status: 'timeout',
        stdout: expect.stringMatching(/^(so far\n)+$/),
        sessionOpen: false,
        error: { type: 'Timeout' },
      });
      await expect(session?.execute('1')).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
      expect(bench.provider.open.has(session?.id ?? '')).toBe(false);
    });

    it('a timeout fires the signals of the tools that are waited for', async () => {
      const bothCalled = (): boolean => calls.length === 2;
      await stoppedAt(bothCalled, async (timeoutMs) => {
        calls.length = 0;
        const code = 'import asyncio\nawait asyncio.gather(wait_for_signal(), wait_for_signal())';
        return run(code, { timeoutMs });
      });
      expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    });

    it('cleanup that a program does when it is interrupted is done, and seen', async () => {
      const code = 'import time\ntry:\n    time.sleep(60)\nfinally:\n    print("cleaned up")';
      const result = await stoppedAt(printed('cleaned up'), async (timeoutMs) =>
        run(code, { timeoutMs }),
      );
      expect(result).toMatchObject({
        status: 'timeout',
        stdout: 'cleaned up\n',
        sessionOpen: true,
      });
    });

    it('an abort before the run is an error, and nothing runs', async () => {
      const signal = AbortSignal.abort(new Error('changed my mind'));
      await expect(run('print("ran")', { signal })).rejects.toMatchObject({ code: 'ABORTED' });
      await expect(bench.runOnce('print("ran")', { signal })).rejects.toMatchObject({
        code: 'ABORTED',
      });
    });

    it('an abort during the run ends it, keeps what it printed, and fires the tool’s signal', async () => {
      called = createDeferred();
      const controller = new AbortController();
      const pending = run('print("so far")\nawait wait_for_signal()', {
        signal: controller.signal,
      });
      const context = await called.promise;
      expect(context.signal.aborted).toBe(false);
      controller.abort();
      expect(context.signal.aborted).toBe(true);
      expect(await pending).toMatchObject({
        status: 'cancelled',
        stdout: 'so far\n',
        sessionOpen: true,
        error: { type: 'Cancelled', line: 2 },
      });
      expect(await print('print("next")')).toBe('next\n');
    });

    it('an abort after the run changes nothing', async () => {
      const controller = new AbortController();
      const result = await run('print("done")', { signal: controller.signal });
      controller.abort();
      expect(result.status).toBe('ok');
      expect(await print('print("next")')).toBe('next\n');
    });

    it('a tool that is not awaited any more when the run ends has its signal fired', async () => {
      called = createDeferred();
      const result = await run(
        'import asyncio\ntask = asyncio.create_task(wait_for_signal())\nawait asyncio.sleep(0.05)\nprint("done")',
      );
      expect(result).toMatchObject({ status: 'ok', stdout: 'done\n' });
      expect((await called.promise).signal.aborted).toBe(true);
    });

    it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
      'a time limit of %s is refused',
      async (timeoutMs) => {
        await expect(run('1', { timeoutMs })).rejects.toSatisfy(
          (error) => PtcError.isInstance(error) && error.code === 'OPTION_INVALID',
        );
      },
    );

    itNeeds(
      'memory limit',
      subject,
      'a memory bomb has the status memory, and the next session is fine',
      async () => {
        const session = await bench.open();
        const result = await session.execute(
          'print("so far", flush=True)\nhoard = []\nwhile True:\n    hoard.append(bytearray(10_000_000))',
        );
        expect(result).toMatchObject({ status: 'memory', stdout: 'so far\n', sessionOpen: false });
        expect(await bench.runOnce('print("fine")')).toMatchObject({
          status: 'ok',
          stdout: 'fine\n',
        });
      },
    );
  });

  describe('output limits', () => {
    const limit = 1000;
    const bench = useBench(subject, { outputLimitBytes: limit });
    const { run } = bench;

    it('output up to the limit is whole', async () => {
      const result = await run(`print("x" * ${limit}, end="")`);
      expect(result).toMatchObject({ truncated: false, stdout: 'x'.repeat(limit) });
    });

    it.each([
      ['a', 1],
      ['é', 2],
      ['€', 3],
      ['🙂', 4],
    ])(
      'of more %s than the limit the head and the tail stay, and the omitted bytes add up',
      async (character, size) => {
        const total = 5003;
        const result = await run(`print("${character}" * ${total}, end="")\n`);
        expect(result).toMatchObject({ status: 'ok', truncated: true });
        const parts = /^(.*)\n\[… ([\d,]+) bytes of output left out here …\]\n(.*)$/su.exec(
          result.stdout,
        );
        const [, head = '', omitted = '', tail = ''] = parts ?? [];
        const kept = head + tail;
        const keptBytes = Buffer.byteLength(kept);
        expect(kept.replaceAll(character, '')).toBe('');
        expect(head.length).toBeGreaterThan(0);
        expect(tail.length).toBeGreaterThan(0);
        expect(keptBytes + Number(omitted.replaceAll(',', ''))).toBe(total * size);
        expect(keptBytes).toBeGreaterThan(limit - 8);
      },
    );

    it('the head and the tail stay of a program that is ended with its interpreter too', async () => {
      const code =
        'import time\nprint("first")\nprint("x" * 5000)\nprint("last", flush=True)\nwhile True:\n    try:\n        time.sleep(60)\n    except BaseException:\n        pass';
      const ended = ({ stdout, sessionOpen }: ExecutionResult): boolean =>
        !sessionOpen && stdout.includes('last');
      const result = await stoppedAt(ended, async (timeoutMs) => run(code, { timeoutMs }));
      expect(result).toMatchObject({ status: 'timeout', sessionOpen: false, truncated: true });
      expect(result.stdout).toMatch(/^first\nx.*x\nlast\n$/s);
    });

    it('each stream has its own limit', async () => {
      const result = await run('import sys\nprint("o" * 900)\nprint("e" * 900, file=sys.stderr)');
      expect(result.truncated).toBe(false);
      const more = await run('import sys\nprint("short")\nprint("e" * 5000, file=sys.stderr)');
      expect(more).toMatchObject({ truncated: true, stdout: 'short\n' });
    });

    it('a last value that is longer than the limit is cut, and the result says so', async () => {
      const result = await run('"x" * 5000');
      expect(result).toMatchObject({ status: 'ok', truncated: true });
      expect(result.stdout.length).toBeLessThan(limit + 100);
    });

    it('a hundred megabytes of output end in the head and the tail, and not in the host’s memory', async () => {
      const before = process.memoryUsage().rss;
      const result = await run(
        'print("first line")\nline = "x" * 99\nfor _ in range(1_000_000):\n    print(line)\nprint("last line")',
        { timeoutMs: 120_000 },
      );
      expect(result).toMatchObject({ status: 'ok', truncated: true });
      expect(result.stdout).toMatch(/^first line\nx+/);
      expect(result.stdout).toMatch(/x\nlast line\n$/);
      expect(result.stdout).toContain(
        `${(100_000_021 - limit).toLocaleString('en')} bytes of output left out`,
      );
      expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
    }, 150_000);
  });
}
