import { assertMatches } from '../../assert-matches.ts';
import { test, type TestGroup } from '../../test-definition.ts';

/** Programs that use `multiprocessing` and `ProcessPoolExecutor`. */
export function multiprocessing(): TestGroup {
  return {
    name: 'multiprocessing',
    languages: ['python'],
    options: {},
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
    ],
  };
}
