import { describe, expect, it } from 'vitest';
import { itNeeds, useBench, type Subject } from './subject.ts';

/** Everything that a program writes is its output, on the stream that it chose, byte for byte. */
export function describePrinting(subject: Subject): void {
  describe('printing', () => {
    const bench = useBench(subject);
    const { print, run } = bench;

    it('print heeds sep and end, and keeps blank lines', async () => {
      expect(
        await print('print(1, 2, sep="-", end="!")\nprint()\nprint()\nprint("a", None, end=None)'),
      ).toBe('1-2!\n\na None\n');
    });

    it('print heeds file and flush; stdout and stderr stay apart', async () => {
      const result = await run(
        'import sys\nprint("out")\nprint("err", file=sys.stderr, flush=True)\nprint("out again", flush=True)',
      );
      expect(result).toMatchObject({ stdout: 'out\nout again\n', stderr: 'err\n' });
    });

    it('sys.stdout.write, its buffer and sys.__stdout__ are output', async () => {
      expect(
        await print(
          'import sys\nsys.stdout.write("written")\nsys.stdout.flush()\nsys.stdout.buffer.write(b" bytes")\nsys.stdout.buffer.flush()\nsys.__stdout__.write(" original\\n")\nNone',
        ),
      ).toBe('written bytes original\n');
    });

    it('an unfinished last line is output too', async () => {
      expect(await print('print("no newline", end="")')).toBe('no newline');
    });

    it('what is printed comes before the program ends', async () => {
      const events: string[] = [];
      let inTool: string[] = [];
      bench.executor.tools.register({
        name: 'note_progress',
        description: 'Notes what was printed so far.',
        run: () => {
          inTool = [...events];
        },
      });
      await run(
        'import asyncio\nprint("first")\nawait asyncio.sleep(0.05)\nawait note_progress()\nprint("second")',
        {
          onEvent: (event) => {
            if (event.type === 'output') events.push(event.text);
          },
        },
      );
      expect(inTool.join('')).toBe('first\n');
      expect(events.join('')).toBe('first\nsecond\n');
    });

    it('text without an end of line belongs to its run, also if the program then replaces sys.stdout', async () => {
      const code = 'import io, sys\nprint("before", end="")\nsys.stdout = io.StringIO()';
      expect(await run(code)).toMatchObject({ status: 'ok', stdout: 'before' });
      expect(await run('print("after")')).toMatchObject({ stdout: 'after\n' });
    });

    itNeeds('subprocesses', subject, 'the output of child processes is output', async () => {
      const result = await run(
        'import subprocess, os\nsubprocess.run(["sh", "-c", "echo child; echo complaint >&2"], check=True)\nos.system("echo system")',
      );
      expect(result).toMatchObject({ stdout: 'child\nsystem\n0\n', stderr: 'complaint\n' });
    });

    itNeeds('subprocesses', subject, 'a child process has no input to wait for', async () => {
      expect(
        await print(
          'import subprocess\nprint(repr(subprocess.run(["cat"], capture_output=True).stdout))',
        ),
      ).toBe("b''\n");
    });

    itNeeds('file descriptors', subject, 'os.write to descriptors 1 and 2 is output', async () => {
      const result = await run('import os\nos.write(1, b"one\\n")\nos.write(2, b"two\\n")\nNone');
      expect(result).toMatchObject({ status: 'ok', stdout: 'one\n', stderr: 'two\n' });
    });

    it('input() fails at once and says why', async () => {
      const result = await run('name = input("Your name? ")');
      expect(result).toMatchObject({
        status: 'error',
        sessionOpen: true,
        error: { type: 'EOFError', line: 1, message: expect.stringContaining('input()') },
      });
      expect(await print('import sys\nprint(repr(sys.stdin.read()))')).toBe("''\n");
    });

    it('input() reads what the program put in the place of its standard input', async () => {
      const program =
        'import io, sys\nsys.stdin = io.StringIO("3\\n4\\n")\nprint(int(input("n? ")) + int(input()))';
      expect(await print(program)).toBe('n? 7\n');
      expect((await run('input()')).error?.type).toBe('EOFError');
    });

    it('any text comes through: emoji, NUL bytes, control characters, carriage returns', async () => {
      expect(await print('print("äöü 🙂 \\x00 \\x1b[31m \\r\\n \\u2028", end="")')).toBe(
        'äöü 🙂 \x00 \x1b[31m \r\n \u2028',
      );
    });

    it('a lone surrogate is shown as its escape and does not fail the program', async () => {
      expect(await print('print("a\\ud800b")')).toBe('a\\ud800b\n');
      expect(await print('"\\ud800"')).toBe("'\\ud800'\n");
    });

    it('bytes that are no UTF-8 are shown as replacement characters', async () => {
      expect(
        await print(
          'import sys\nsys.stdout.buffer.write(b"a\\xff\\xfeb\\n")\nsys.stdout.flush()\nNone',
        ),
      ).toBe('a\uFFFD\uFFFDb\n');
    });

    it('a character that is written byte by byte arrives whole', async () => {
      expect(
        await print(
          'import sys\nfor byte in "€🙂".encode():\n    sys.stdout.buffer.write(bytes([byte]))\n    sys.stdout.buffer.flush()\nNone',
        ),
      ).toBe('€🙂');
    });

    it('a program that replaced sys.stdout leaves the next one its output', async () => {
      await run('import sys, io\nsys.stdout = io.StringIO()\nprint("hidden")');
      expect(await print('print("visible")')).toBe('visible\n');
    });

    it('a program that closed sys.stdout leaves the next one its output', async () => {
      await run('import sys\nsys.stdout.close()\nsys.stderr.close()');
      const result = await run('import sys\nprint("visible")\nprint("also", file=sys.stderr)');
      expect(result).toMatchObject({ status: 'ok', stdout: 'visible\n', stderr: 'also\n' });
    });

    it('a program that wraps sys.stdout for UTF-8 can print, and so can the next one', async () => {
      const wrap =
        'import sys, io\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")\nprint("wrapped")';
      expect(await print(wrap)).toBe('wrapped\n');
      expect(await print('print("plain")')).toBe('plain\n');
      const detach =
        'import sys, io\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8")\nprint("detached")';
      expect(await print(detach)).toBe('detached\n');
      expect(await print('print("plain again")')).toBe('plain again\n');
    });

    it('a stream that an earlier program kept still prints', async () => {
      await print(
        'import logging, sys\nlogging.basicConfig(stream=sys.stdout, level="INFO", force=True)\nkept_stream = sys.stdout',
      );
      expect(await print('logging.info("logged")\nprint("kept", file=kept_stream)')).toBe(
        'INFO:root:logged\nkept\n',
      );
    });

    itNeeds(
      'file descriptors',
      subject,
      'a program that closed descriptors 1 and 2 leaves the next one its output',
      async () => {
        await run('import os\nos.close(1)\nos.close(2)');
        expect(await print('print("visible")')).toBe('visible\n');
      },
    );

    it('what is printed after the end of a program belongs to no other', async () => {
      await run(
        'import asyncio\nasync def late():\n    try:\n        await asyncio.sleep(60)\n    finally:\n        print("cancelled at the end")\ntask = asyncio.create_task(late())\nawait asyncio.sleep(0)',
      );
      expect(await print('print("mine")')).toBe('mine\n');
    });
  });
}
