import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeFrame } from '../../../src/protocol/frames.ts';
import { bootInput } from '../../../src/providers/embedded/boot-input.ts';
import { startDeno } from '../../../src/providers/embedded/deno/deno-process.ts';
import { findEmbeddedPackages } from '../../../src/providers/embedded/embedded-packages.ts';
import {
  commandFor,
  preparePython,
} from '../../../src/providers/embedded/snapshot/prepare-python.ts';
import { NO_LINUX, skippedFor } from '../../support/skipped.ts';
import type { SandboxClient } from '../docker/support.ts';
import { useSandboxes } from './support.ts';

const MEBIBYTE = 1024 * 1024;

describe('the limits of an embedded sandbox', () => {
  const { start } = useSandboxes();
  const memoryBytes = 128 * MEBIBYTE;

  it('a program that wants too much gets MemoryError, and its state stays', async () => {
    const client = await start({ memoryBytes });
    const before = await peakBytes(client);
    await client.run('kept = 1');
    const bombs = {
      objects:
        'def hoard():\n    kept = []\n    while True: kept.append(bytearray(1_000_000))\nhoard()',
      'a string that doubles': 'text = "x"\nwhile True: text += text',
      'one large block': 'bytearray(1_000_000_000)',
    };
    for (const [name, bomb] of Object.entries(bombs)) {
      const { outcome } = await client.run(bomb);
      const { output } = await client.run('text = None\nprint(kept, len(bytearray(64_000_000)))');
      expect({ [name]: { outcome, output } }).toMatchObject({
        [name]: {
          outcome: { error: { type: 'MemoryError' }, interpreter_end: null },
          output: '1 64000000\n',
        },
      });
    }
    // What compiled code and garbage add is little beside the limit.
    expect((await peakBytes(client)) - before).toBeLessThan(memoryBytes + 64 * MEBIBYTE);
  });

  it.each([
    ['large', 10_000_000],
    ['small', 10],
  ])(
    'a program that fills a variable with %s objects ends for want of memory [case 38, embedded/wasm-memory]',
    async (_, size) => {
      const client = await start({ memoryBytes: 32 * MEBIBYTE });
      const { output, outcome } = await client.run(
        `print("so far", flush=True)\nhoard = []\nwhile True: hoard.append(bytearray(${size}))`,
      );
      expect(output).toBe('so far\n');
      expect(outcome).toMatchObject({ success: false, interpreter_end: { reason: 'memory' } });
    },
  );

  it('a program may use what the limit says', async () => {
    const client = await start({ memoryBytes });
    expect(await client.evaluate(`print(len(bytearray(${memoryBytes - 16 * MEBIBYTE})))`)).toBe(
      memoryBytes - 16 * MEBIBYTE,
    );
  });

  it('memory outside the interpreter is measured, and exceeding it is reported as memory [compared/memory, embedded/process-memory]', async () => {
    const client = await start({ memoryBytes });
    const { output, outcome } = await client.run(
      'import os\nprint("so far", flush=True)\npipes = []\nwhile True:\n    pipes.append(os.pipe())\n    os.write(pipes[-1][1], b"x" * 1_000_000)',
    );
    expect(output).toBe('so far\n');
    expect(outcome).toMatchObject({ success: false, interpreter_end: { reason: 'memory' } });
    await expect(client.closed).resolves.toMatchObject({ code: 'SANDBOX_LOST' });
  });

  it(
    'while the host does not read and nothing can be watched, the kernel’s limit ends the process [embedded/kernel-memory]',
    skippedFor(NO_LINUX),
    async () => {
      const packages = findEmbeddedPackages();
      if ('reason' in packages) throw new Error(packages.reason);
      const limits = { memoryBytes, temporaryStorageBytes: MEBIBYTE };
      const python = await preparePython(packages, {
        onProgress: () => {},
        signal: new AbortController().signal,
        wheels: undefined,
      });
      const input = bootInput({ python, ...limits });
      const deno = await startDeno(commandFor(packages, limits), input);
      onTestFinished(async () => deno.kill());
      const { child, ended } = deno;
      await once(child.stdout, 'data');
      child.stdout.pause();
      const code =
        'import os\nprint("x" * 500_000, flush=True)\npipes = []\nwhile True:\n    pipes.append(os.pipe())\n    os.write(pipes[-1][1], b"x" * 1_000_000)';
      const message = {
        kind: 'execute',
        language: 'python',
        execution_id: 'bomb',
        code,
        time_limit_ms: 60_000,
      } as const;
      child.stdin.write(Buffer.concat(encodeFrame(message)));
      await once(child, 'exit');
      expect(child.signalCode).toMatch(/SIGTRAP|SIGABRT|SIGILL|SIGSEGV/);
      child.stdout.resume();
      child.stderr.resume();
      await ended;
    },
  );

  it('files are limited as on a full disk, and what is deleted can be written again', async () => {
    const client = await start({ temporaryStorageBytes: 4 * MEBIBYTE });
    const { outcome } = await client.run('open("/tmp/big", "wb").write(b"x" * 5_000_000)');
    expect(outcome.error).toMatchObject({
      type: 'OSError',
      message: expect.stringMatching(/space/),
    });
    const { outcome: truncated } = await client.run('open("/tmp/a", "wb").truncate(1 << 30)');
    expect(truncated.error?.message).toMatch(/space/);
    const rewrite = `
import os
for i in range(30):
    with open("/tmp/again", "wb") as file:
        file.write(b"x" * 1_500_000)
        file.write(b"y" * 1_500_000)
    size = os.path.getsize("/tmp/again")
    os.remove("/tmp/again")
print(size)`;
    expect(await client.evaluate(rewrite)).toBe(3_000_000);
    const { outcome: many } = await client.run(
      'import os\nfor i in range(30_000): os.mkdir(f"/tmp/d{i}")',
    );
    expect(many.error?.message).toMatch(/space/);
  });

  it('recursion is an error and not the end of the interpreter [case 49]', async () => {
    const client = await start();
    const recursions = {
      'of Python': 'def down(n):\n    return down(n + 1)\ndown(0)',
      'of json': 'import json\njson.loads("[" * 5000)',
      'of repr': 'nested = []\nfor _ in range(5000): nested = [nested]\nlen(repr(nested))',
      'of a cached function':
        'import functools, sys\nsys.setrecursionlimit(10**6)\n@functools.cache\ndef sum_to(n): return n + sum_to(n - 1)\nsum_to(10**6)',
      'of a sort':
        'import sys\nsys.setrecursionlimit(10**6)\ndef sort(n): return sorted([n], key=lambda x: sort(n + 1))\nsort(0)',
    };
    for (const [name, code] of Object.entries(recursions)) {
      const { outcome } = await client.run(code);
      const { interpreter_end: end, error } = outcome;
      expect({ [name]: [end, error?.type ?? 'none'] }).toEqual({
        [name]: [null, expect.stringMatching(/RecursionError|JSONDecodeError|none/)],
      });
      expect(await client.evaluate('print(1)')).toBe(1);
    }
  });

  it.each([
    [
      'objects that are freed',
      'class Node:\n    def __init__(self, next): self.next = next\nlast = None\nfor _ in range(20_000): last = Node(last)\nlast = None',
    ],
    ['JSON that is read', 'import json\njson.loads("[" * 200_000)'],
  ])(
    'nesting that is too deep for the interpreter ends it, and the error says what to do: %s [case 49]',
    async (_, code) => {
      const client = await start();
      const { outcome } = await client.run(code);
      expect(outcome).toMatchObject({
        error: {
          message: expect.stringMatching(
            /Maximum call stack size exceeded.* nested too deeply.*; keep them in a flat list$/,
          ),
        },
        interpreter_end: { reason: 'signal', status: 11 },
      });
    },
  );

  it('a crash of the interpreter is reported, with the output until then [case 49, embedded/worker-says]', async () => {
    const client = await start();
    const { output, outcome } = await client.run(
      'import ctypes\nprint("so far", flush=True)\nctypes.string_at(0xfffffff0, 100)',
    );
    expect(output).toBe('so far\n');
    expect(outcome).toMatchObject({
      success: false,
      interpreter_end: { reason: 'signal', status: 11 },
    });
  });

  it('an endless flood of output does not grow the process [case 51]', async () => {
    const client = await start();
    client.sandbox.transport.send({
      kind: 'configure',
      language: 'python',
      tools: [],
      output_limit_bytes: 1000,
      call_limit_bytes: 1_048_576,
      call_limit_values: 20_000,
      cancel_grace_ms: 1000,
      cancel_limit_ms: 5000,
    });
    const execution = {
      kind: 'execute',
      language: 'python',
      execution_id: 'flood',
      time_limit_ms: 60_000,
    } as const;
    client.sandbox.transport.send({
      ...execution,
      code: 'import sys\nfor _ in range(50): sys.stdout.write("x" * 2_000_000)\nprint("end")',
    });
    let output = '';
    let omitted = 0;
    for (;;) {
      const message = await client.next();
      if (message.kind === 'outcome') break;
      if (message.kind !== 'output-delta') continue;
      output += message.text;
      omitted += message.omitted_bytes;
    }
    expect(output).toMatch(/^x+end\n$/);
    expect(output.length + omitted).toBe(100_000_004);
    expect(await peakBytes(client)).toBeLessThan(400 * MEBIBYTE);
  });
});

/** The most memory that the process ever had. */
async function peakBytes({ sandbox }: SandboxClient): Promise<number> {
  const status = await readFile(`/proc/${sandbox.id}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
