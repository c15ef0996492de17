import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const RUNNER = fileURLToPath(new URL('../../../../runner', import.meta.url));

async function python(code: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('python3', ['-I', '-S', '-B', '-c', code, RUNNER, ...args]);
  return stdout;
}

/** The modules that are loaded with one of the sidecar's, beside those that each interpreter has. */
async function loadedWith(module: string): Promise<readonly string[]> {
  const code = `
import os, sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
import sidecar.${module}
print(*sorted(set(sys.modules) - before))
`;
  return (await python(code)).trim().split(' ');
}

// Each connection to a pod waits for it. Other modules, such as `socket`, take longer than all else that it does.
it('a relay loads two small modules beside those that each interpreter has', async () => {
  expect(await loadedWith('relay')).toEqual([
    '_socket',
    '_struct',
    'sidecar',
    'sidecar.relay',
    'struct',
  ]);
});

// Each pod has one as long as it lives. What it needs only at its start is loaded by a child.
it('a sidecar loads small modules beside its own', async () => {
  const loaded = await loadedWith('main');
  expect(loaded.filter((name) => !name.startsWith('sidecar'))).toEqual([
    '_collections',
    '_socket',
    '_struct',
    'select',
    'struct',
  ]);
  expect(loaded).not.toContain('sidecar.facts');
});

it.each([
  ['is a small program', '/bin/cat', 'cat'],
  ['is Python if the image has no such program', '/bin/none', 'python3'],
])(
  'while a connection lasts, its relay %s, and it ends with the connection',
  async (_, cat, name) => {
    const code = `
import os, socket, subprocess, sys, tempfile, time
*start_arguments, name = sys.argv[1:]
with tempfile.TemporaryDirectory() as directory:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(directory + "/relays")
    listener.listen()
    start = "import sys; sys.path.insert(0, sys.argv[1]); from sidecar import relay; relay._CAT = sys.argv[2]; relay.main(sys.argv[3:])"
    command = [sys.executable, "-I", "-S", "-B", "-c", start, *start_arguments, directory + "/relays"]
    relay = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    connection = listener.accept()[0]
    descriptors = socket.recv_fds(connection, 1, 2)[1]
    os.write(descriptors[1], b"hello ")
    os.close(descriptors[1])
    # The relay has closed its own, so its output ends.
    said = relay.stdout.read().decode()
    while open(f"/proc/{relay.pid}/comm").read().strip() != name:
        time.sleep(0.01)
    connection.close()
    print(said, relay.wait())
`;
    expect(await python(code, cat, name)).toBe('hello  0\n');
  },
);
