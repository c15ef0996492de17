import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../src/shared/deferred.ts';
import { itNeeds, useBench, type Feature, type Subject } from './subject.ts';

/** Programs that end their own interpreter, and sandboxes that are ended from outside. */
export function describeInterpreterEnds(subject: Subject): void {
  describe('interpreters that end', () => {
    const reached = { current: createDeferred<void>() };
    const bench = useBench(subject, {
      toolList: [
        {
          name: 'reach',
          description: 'Tells that the program came here, and never answers.',
          run: async (_input, { signal }) => {
            reached.current.resolve();
            return new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(new Error('stopped')));
            });
          },
        },
      ],
    });

    const ends: readonly (readonly [string, Feature, string, RegExp])[] = [
      ['os._exit(0)', 'supervisor', 'import os\nos._exit(0)', /status 0/],
      ['os._exit(7)', 'supervisor', 'import os\nos._exit(7)', /status 7/],
      ['os.abort()', 'supervisor', 'import os\nos.abort()', /signal 6/],
      ['a segmentation fault', 'native code', 'import ctypes\nctypes.string_at(0)', /signal 11/],
      ['a kill of itself', 'subprocesses', 'import os\nos.kill(os.getpid(), 9)', /signal 9/],
      ['execv', 'subprocesses', 'import os\nos.execv("/bin/true", ["true"])', /status 0/],
    ];
    for (const [name, feature, code, reason] of ends) {
      itNeeds(
        feature,
        subject,
        `${name} loses the session and keeps what was printed`,
        async () => {
          const session = await bench.open();
          const result = await session.execute(`print("so far", flush=True)\n${code}`);
          expect(result).toMatchObject({
            status: 'sandbox-lost',
            success: false,
            exitCode: 1,
            stdout: 'so far\n',
            sessionOpen: false,
          });
          expect(result.error?.message).toMatch(reason);
          await expect(session.execute('1')).rejects.toMatchObject({
            code: 'SESSION_NOT_FOUND',
          });
          expect(bench.provider.open.has(session.id)).toBe(false);
          expect(await bench.runOnce('print("others live")')).toMatchObject({
            stdout: 'others live\n',
          });
        },
      );
    }

    itNeeds('fork', subject, 'a program that forks ends once', async () => {
      const code =
        'import os\npid = os.fork()\nif pid == 0:\n    print("child")\nelse:\n    os.waitpid(pid, 0)\n    print("parent")';
      const result = await bench.run(code);
      expect(result).toMatchObject({ status: 'ok', stdout: 'child\nparent\n', sessionOpen: true });
      const awaiting = await bench.run(`import asyncio\nawait asyncio.sleep(0)\n${code}`);
      expect(awaiting).toMatchObject({ status: 'ok', stdout: 'child\nparent\n' });
      expect(await bench.print('print("once")')).toBe('once\n');
    });

    itNeeds('fork', subject, 'a forked child hands its parent what it found', async () => {
      const code = `
import os
read_fd, write_fd = os.pipe()
if os.fork() == 0:
    os.write(write_fd, b"from the child")
    os._exit(0)
os.close(write_fd)
print(os.read(read_fd, 100).decode())`;
      expect(await bench.print(code)).toBe('from the child\n');
    });

    itNeeds(
      'subprocesses',
      subject,
      'a background process ends with its program, which is told',
      async () => {
        const code =
          'import subprocess\nprocess = subprocess.Popen(["sleep", "1000"])\nprint("started")';
        expect(await bench.run(code)).toMatchObject({
          status: 'ok',
          stdout: 'started\n',
          stderr: 'Warning: background processes ended because the program ended before them: 1\n',
        });
        expect(await bench.print('print(process.wait())')).toBe('-9\n');
      },
    );

    it('a sandbox that is killed under a program is lost, and its tool is told', async () => {
      reached.current = createDeferred();
      const session = await bench.open();
      const printed = createDeferred<void>();
      const pending = session.execute('print("so far", flush=True)\nawait reach()', {
        onEvent: ({ type }) => {
          if (type === 'output') printed.resolve();
        },
      });
      await Promise.all([reached.current.promise, printed.promise]);
      const sandbox = bench.provider.created.get(session.id);
      if (sandbox === undefined) throw new Error('the session has no sandbox');
      await subject.kill(sandbox);
      expect(await pending).toMatchObject({
        status: 'sandbox-lost',
        stdout: 'so far\n',
        sessionOpen: false,
        toolCalls: 1,
      });
      expect(bench.executor.getSession(session.id)).toBeUndefined();
    });

    it('a sandbox that is killed between runs is a lost session, not a hanging one', async () => {
      const session = await bench.open();
      const sandbox = bench.provider.created.get(session.id);
      if (sandbox === undefined) throw new Error('the session has no sandbox');
      const closed = createDeferred<void>();
      const watch = setInterval(() => {
        if (bench.executor.getSession(session.id) === undefined) closed.resolve();
      }, 5);
      await subject.kill(sandbox);
      await closed.promise;
      clearInterval(watch);
      await expect(session.execute('1')).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
      expect(await bench.runOnce('print("new")')).toMatchObject({ status: 'ok', stdout: 'new\n' });
    });
  });
}
