import assert from 'node:assert/strict';
import { assertMatches } from '../assert-matches.ts';
import { test, type TestGroup } from '../test-definition.ts';
import { double } from '../toolbox.ts';

/**
 * What a sandbox decides and only Python shows: `/dev/shm`, signals of the kernel, threads, and processes that a program leaves.
 * How Python itself behaves is tested in `test/guests` of the repository.
 */
export function pythonProcesses(): TestGroup {
  return {
    name: 'processes and threads in Python',
    languages: ['python'],
    options: { tools: [double] },
    tests: [
      test(
        'pools and queues take functions of the program',
        async (bench) => {
          const code = `
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
def square(x):
    return x * x
def work(queue, lock, count):
    with lock:
        count.value += 1
    queue.put("from the child")
with ProcessPoolExecutor(2) as executor:
    print(list(executor.map(square, range(4))))
with multiprocessing.Pool(2) as pool:
    print(pool.map(square, range(4)))
queue, lock, count = multiprocessing.Queue(), multiprocessing.Lock(), multiprocessing.Value("i", 0)
child = multiprocessing.Process(target=work, args=(queue, lock, count))
child.start()
print(queue.get())
child.join()
print(count.value, child.exitcode)`;
          const stdout = '[0, 1, 4, 9]\n[0, 1, 4, 9]\nfrom the child\n1 0\n';
          assertMatches(await bench.run(code), { status: 'ok', stdout, stderr: '' });
        },
        { needs: 'fork' },
      ),
      test(
        'a spawned process takes functions of modules',
        async (bench) => {
          const code = `
import math, multiprocessing
with multiprocessing.get_context("spawn").Pool(1) as pool:
    print(pool.map(math.sqrt, [4, 9]))`;
          assertMatches(await bench.run(code), {
            status: 'ok',
            stdout: '[2.0, 3.0]\n',
            stderr: '',
          });
        },
        { needs: 'fork' },
      ),
      test(
        'shared memory stays for the next program',
        async (bench) => {
          const make = `
from multiprocessing.shared_memory import SharedMemory
shared = SharedMemory(create=True, size=100)
shared.buf[:4] = b"kept"`;
          assertMatches(await bench.run(make), { status: 'ok', stderr: '' });
          const read = 'print(bytes(shared.buf[:4]))\nshared.close()\nshared.unlink()';
          assertMatches(await bench.run(read), { status: 'ok', stdout: "b'kept'\n", stderr: '' });
        },
        { needs: 'fork' },
      ),
      test(
        'a tool is called from threads with loops of their own',
        async (bench) => {
          const code = `
import asyncio, threading
results = {}
def work(i):
    results[i] = asyncio.run(double(x=i))
threads = [threading.Thread(target=work, args=(i,)) for i in range(5)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(results.items()))
print(await asyncio.gather(double(x=6), asyncio.to_thread(lambda: asyncio.run(double(x=7)))))`;
          assert.equal(
            await bench.print(code),
            '[(0, 0), (1, 2), (2, 4), (3, 6), (4, 8)]\n[12, 14]\n',
          );
        },
        { needs: 'threads' },
      ),
      test(
        'a background process ends with its program, which is told',
        async (bench) => {
          const code =
            'import subprocess\nprocess = subprocess.Popen(["sleep", "1000"])\nprint("started")';
          assertMatches(await bench.run(code), {
            status: 'ok',
            stdout: 'started\n',
            stderr:
              'Warning: background processes ended because the program ended before them: 1\n',
          });
          assert.equal(await bench.print('print(process.wait())'), '-9\n');
        },
        { needs: 'subprocesses' },
      ),
      test(
        'an access to an invalid address loses the session and keeps what was printed',
        async (bench) => {
          const code = 'import ctypes\nprint("so far", flush=True)\nctypes.string_at(0)';
          assertMatches(await bench.run(code), {
            status: 'sandbox-lost',
            stdout: 'so far\n',
            sessionOpen: false,
            error: { message: /signal 11/ },
          });
          assert.equal(await bench.print('print("next")'), 'next\n');
        },
        { needs: 'native code' },
      ),
    ],
  };
}
