import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const RUNNER = fileURLToPath(new URL('../../../../runner', import.meta.url));
const READ = `
import os, sys, tempfile
sys.path.insert(0, sys.argv[1])
from sidecar.memory import bytes_used
def counter(text):
    file = tempfile.TemporaryFile()
    file.write(text.encode())
    file.flush()
    return os.dup(file.fileno())
print(bytes_used([counter(text) for text in sys.argv[2:]]))
`;

// Files that nobody has used for some time do not count: the kernel drops them when it needs memory.
it.each([
  ['control groups of version 2', '5000\n', 'anon 1\ninactive_file 700\nactive_file 9\n', '4300'],
  [
    'control groups of version 1',
    '5000\n',
    'inactive_file 700\nactive_file 9\ntotal_inactive_file 800\ntotal_active_file 9\n',
    '4200',
  ],
  ['a kernel that does not count such files', '5000\n', 'anon 1\n', '5000'],
  ['a count that has just changed', '500\n', 'inactive_file 700\n', '0'],
  ['a counter that says nothing', '', 'inactive_file 700\n', 'None'],
])('the memory of a pod is told with %s', async (_, used, counters, expected) => {
  const { stdout } = await run('python3', ['-I', '-S', '-B', '-c', READ, RUNNER, used, counters]);
  expect(stdout.trim()).toBe(expected);
});
