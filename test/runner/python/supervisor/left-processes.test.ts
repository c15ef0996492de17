import { describe, expect, it } from 'vitest';
import { useLocalSessions } from './local-sessions.ts';

const { run, statesOf } = useLocalSessions();
describe('what a program leaves behind', () => {
  const warning = (count: number): string =>
    `Warning: background processes ended because the program ended before them: ${count}\n`;

  it.each([
    ['a child', 'pass'],
    ['one of a session of its own', 'os.setsid()'],
    ['one that lost its parent', 'if os.fork() > 0: os._exit(0)'],
    ['one without descriptors', 'os.closerange(0, 256)'],
    ['one that computes', 'while True: pass'],
    ['children of children', 'os.fork(); os.fork()'],
    ['another program', 'os.execvp("sleep", ["sleep", "100"])'],
  ])('in Python is ended with its run: %s [supervisor/freeze]', async (_, code) => {
    const program = `import os, time\nif os.fork() == 0:\n    ${code}\n    time.sleep(100)\ntime.sleep(0.2)`;
    const { session, result } = await run('python', program);
    expect(result).toMatchObject({
      status: 'ok',
      stderr: expect.stringMatching(
        /^Warning: background processes ended because the program ended before them: [1-9]\n$/,
      ),
    });
    expect(statesOf(session)).toMatch(/^[TZ]+$/);
    await session.destroy();
  });

  it('is ended though a thread of the program waits for it, which goes on in the next run [host/threads]', async () => {
    const code = `
import subprocess, threading
begun = threading.Event()
def wait():
    child = subprocess.Popen(["sleep", "100"])
    begun.set()
    ended.append(child.wait())
ended = []
thread = threading.Thread(target=wait)
thread.start()
begun.wait()`;
    const { session, result } = await run('python', code);
    const { stderr } = result;
    expect(stderr).toMatch(/^Warning: threads stopped .*: 1; .*\n/);
    expect(stderr.replace(/^.*\n/, '')).toBe(warning(1));
    const next = await session.execute('thread.join()\nprint(ended)');
    expect(next).toMatchObject({ status: 'ok', stdout: '[-9]\n' });
    await session.destroy();
  });

  it('makes room for processes of the next run, whose objects know how it ended', async () => {
    const code = `
import asyncio, multiprocessing, os, subprocess, time
kept = [subprocess.Popen(["sleep", "100"]) for _ in range(3)]
for _ in range(3):
    if os.fork() == 0:
        time.sleep(100)
worker = multiprocessing.get_context("fork").Process(target=time.sleep, args=(100,))
worker.start()
awaited = await asyncio.create_subprocess_exec("sleep", "100")`;
    const { session, result } = await run('python', code);
    expect(result).toMatchObject({ status: 'ok', stderr: warning(8) });
    const next = await session.execute(`
print(await awaited.wait(), open(f"/proc/self/task/{os.getpid()}/children").read().split())
print([process.poll() for process in kept], worker.exitcode)`);
    expect(next).toMatchObject({
      status: 'ok',
      stdout: '-9 []\n[-9, -9, -9] -9\n',
      stderr: '',
    });
    await session.destroy();
  });

  it('is ended though the interpreter waits for it in the kernel and cannot be stopped', async () => {
    // Between `vfork` and `exec` the kernel stops no thread of the parent; nobody ever opens the other end.
    const code = `
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
os.mkfifo("never")
actions = ctypes.create_string_buffer(256)
libc.posix_spawn_file_actions_init(actions)
libc.posix_spawn_file_actions_addopen(actions, 5, b"never", os.O_RDONLY, 0)
def spawn():
    arguments = (ctypes.c_char_p * 2)(b"true", None)
    libc.posix_spawn(ctypes.byref(ctypes.c_int()), b"/bin/true", actions, None, arguments, None)
thread = threading.Thread(target=spawn, daemon=True)
thread.start()
while not open(f"/proc/self/task/{thread.native_id}/children").read(): time.sleep(0.001)`;
    const { session, result } = await run('python', code);
    expect(result).toMatchObject({ status: 'ok', stderr: warning(1), sessionOpen: true });
    await session.destroy();
  });

  it('prints nothing into the next run', async () => {
    const code =
      'import subprocess\nsubprocess.Popen(["sh", "-c", "while echo late; do sleep 0.001; done"])';
    const { session } = await run('python', code);
    const next = await session.execute('import time\ntime.sleep(0.1)\nprint("mine")');
    expect(next).toMatchObject({ status: 'ok', stdout: 'mine\n', stderr: '' });
    await session.destroy();
  });

  // The time that it has is that of the runner: test_leftovers.py has as much as it needs.
  it('may say its last words, or else is told of', async () => {
    const code =
      'import subprocess\nchild = subprocess.Popen(["sh", "-c", "sleep 0.02; echo last"])';
    const { session, result } = await run('python', code);
    expect(result.status).toBe('ok');
    // On a busy machine, both the shell and its `sleep` may be there when the time is over, or the shell that has printed.
    const ends = ['last\n', warning(1), warning(2), `last\n${warning(1)}`];
    expect(ends).toContain(`${result.stdout}${result.stderr}`);
    await session.destroy();
  });

  it('in one language is ended while the interpreters of others keep their state', async () => {
    const { session } = await run('bash', 'kept=yes; sleep 100 &');
    await session.execute('kept = 42', { language: 'python' });
    const code = 'import subprocess\nsubprocess.Popen(["sleep", "100"])';
    const result = await session.execute(code, { language: 'python' });
    expect(result).toMatchObject({ status: 'ok', stderr: warning(1) });
    await session.execute('globalThis.kept = 1', { language: 'javascript' });
    for (const [language, print] of [
      ['bash', 'echo $kept'],
      ['python', 'print(kept)'],
      ['javascript', 'console.log(kept)'],
    ] as const) {
      expect(await session.execute(print, { language })).toMatchObject({
        stdout: expect.stringMatching(/^(?:yes|42|1)\n$/),
        stderr: '',
      });
      expect(statesOf(session)).toMatch(/^[TZ]+$/);
    }
    await session.destroy();
  });
});
