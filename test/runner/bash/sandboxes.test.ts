import { expect, it } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { useBash } from '../../support/bash-bench.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { describeWithEngine } from '../../support/engine.ts';

describeWithEngine('bash in a container', () => testsIn(dockerProvider));
describeWithBubblewrap('bash in bubblewrap', () => testsIn(bubblewrapProvider));

function testsIn(provider: () => SandboxProvider): void {
  const { run } = useBash(provider, [
    {
      name: 'double',
      description: 'Doubles a number.',
      inputSchema: { type: 'object', properties: { number: { type: 'number' } } },
      run: ({ number }: { number: number }) => number * 2,
    },
  ]);

  it('keeps its state, also after a program that exits', async () => {
    expect(await run('x=1; cd /usr; f() { echo "f $x"; }; exit 3')).toMatchObject({ exitCode: 3 });
    expect(await run('f; pwd')).toMatchObject({ status: 'ok', stdout: 'f 1\n/usr\n', stderr: '' });
  });

  it('has tools in pipes, at once, and under other programs though no file there may be run', async () => {
    const result = await run(
      'double --number 2 | cat; double --number 3 & wait; seq 3 | xargs -P 3 -n 1 double --number | sort -n',
    );
    expect(result).toMatchObject({ status: 'ok', stdout: '4\n6\n2\n4\n6\n', stderr: '' });
    const others = await run(
      `timeout 9 double --number 4; sh -c 'double --number 5'; env double --number 6`,
    );
    expect(others).toMatchObject({ status: 'ok', stdout: '8\n10\n12\n', stderr: '' });
    const copied = await run('cp /bin/true /tmp/copy; /tmp/copy');
    expect(copied).toMatchObject({ exitCode: 126 });
  });

  it('takes one process for a call, of the few that a sandbox may have', async () => {
    // The ids of a sandbox's processes follow one another.
    const { stdout } = await run('(echo $BASHPID); double --number 2 >/dev/null; (echo $BASHPID)');
    const [before, after] = stdout.trim().split('\n').map(Number);
    expect(after! - before!).toBe(2);
  });

  it('keeps its state if a program fails while it has all processes that it may have', async () => {
    const fill = `python3 -c 'import os, time
try:
    while True:
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)
except BlockingIOError:
    pass'
sleep 100 &`;
    const failed = await run(`kept=yes; fail() { return 2; }\n${fill}\nfail`);
    expect(failed).toMatchObject({ status: 'error', exitCode: 2, sessionOpen: true });
    expect(await run('echo $kept')).toMatchObject({ status: 'ok', stdout: 'yes\n' });
  });

  it('can be interrupted, and ends what is left behind', async () => {
    const stopped = await run('sleep 100; echo no', { timeoutMs: 500 });
    expect(stopped).toMatchObject({ status: 'timeout', stdout: '', sessionOpen: true });
    expect(await run('(setsid sleep 100 &) ; f')).toMatchObject({
      stdout: 'f 1\n',
      stderr: 'Warning: background processes ended because the program ended before them: 1\n',
    });
  });
}
