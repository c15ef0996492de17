import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOnHost } from '../../host-listeners.ts';
import { setHostVariable } from '../../host-variable.ts';
import { PtcError } from '../../../shared/errors.ts';
import type { Session } from '../../../sessions/executor.ts';
import { prints, type TestGroup } from '../../test-definition.ts';

/** What programs must not reach, and where they can write. */
export function isolation(): TestGroup {
  // The results of the tools `host_ports`, `host_file` and `host_process`.
  let ports = '';
  let file = '';
  let mark = '';
  return {
    name: 'isolation',
    options: {
      tools: [
        { name: 'host_ports', description: 'Addresses and ports of the host.', run: () => ports },
        { name: 'host_file', description: 'A file of the host.', run: () => file },
        { name: 'host_process', description: 'A text in a process’s arguments.', run: () => mark },
      ],
    },
    tests: [
      {
        title: 'a program reaches no port of its host',
        programs: ['hostPort'],
        needs: 'network isolation',
        run: async (bench, program) => {
          // A provider may give the host an interface for each sandbox: that of this group is there before the addresses are read.
          await (await bench.session()).release();
          using host = await listenOnHost();
          ports = host.places.join(' ');
          await bench.check(program, { status: 'ok', stdout: 'refused\n' });
          assert.deepEqual(host.reached, [], 'The program reached these addresses of its host.');
        },
      },
      {
        title: 'a program reads no file of its host, by its path or in any mount',
        programs: ['hostFile'],
        needs: 'file isolation',
        run: async (bench, program) => {
          const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-contract-'));
          // No other file has this name, wherever a program looks for it.
          file = join(directory, randomUUID());
          try {
            await writeFile(file, 'S3CRET');
            // Any user can read it, so a sandbox whose programs have another user does not pass for that alone.
            await chmod(directory, 0o755);
            await chmod(file, 0o644);
            await bench.check(program, { status: 'ok', stdout: 'absent\n' });
          } finally {
            await rm(directory, { recursive: true });
          }
        },
      },
      {
        title: 'a program has nothing of its host’s environment',
        programs: ['hostEnvironment'],
        needs: 'environment isolation',
        run: async (bench, program) => {
          // Another suite of this process may have removed it.
          setHostVariable();
          const result = await bench.runOnce(program);
          assert.equal(result.stdout, 'absent\n', JSON.stringify(result));
        },
      },
      {
        title: 'a program sees no process of its host',
        programs: ['hostProcess'],
        needs: 'process isolation',
        run: async (bench, program) => {
          mark = randomUUID();
          // The process ends when its input ends.
          const code = 'process.stdin.resume().on("end", () => {}); console.log("ready")';
          const child = spawn(process.execPath, ['-e', code, mark]);
          const ended = once(child, 'close');
          await once(child.stdout, 'data');
          try {
            await bench.check(program, { status: 'ok', stdout: 'absent\n' });
          } finally {
            child.stdin.end();
            await ended;
          }
        },
      },
      prints('a file in /tmp is there for the next program', 'temporaryFile', 'kept\n', 'files'),
      {
        title: 'a file in /tmp is there for no other session, also not after the end of its own',
        programs: [],
        needs: 'file isolation',
        run: async (bench) => {
          const name = `contract.${randomUUID()}`;
          // It stays open, so that a provider that keeps directories can give the third only that of the first.
          await using second = await bench.open();
          {
            await using first = await bench.open();
            // A sandbox without files shares none.
            if (!(await leaves(first, name))) return;
            assert.ok(!(await takes(second, name)), 'Another session sees the file.');
          }
          await using third = await bench.open();
          assert.ok(!(await takes(third, name)), 'A later session sees the file.');
        },
      },
      prints('the size of /tmp is limited', 'fullStorage', 'bounded\n', 'storage limit'),
      {
        ...prints(
          'a program cannot write to system directories',
          'readOnly',
          'refused\n',
          'read-only files',
        ),
        // The program would write to the host.
        neverWithout: true,
      },
    ],
  };
}

/** Writes a file to the `/tmp` of a session. @returns whether the session has files. */
async function leaves({ files }: Session, name: string): Promise<boolean> {
  try {
    await files.write(name, '');
    return true;
  } catch (error) {
    if (PtcError.isInstance(error) && error.details['errno'] === 'ENOSYS') return false;
    throw error;
  }
}

/** Whether a session sees a file in its `/tmp`, which it then removes. */
async function takes({ files }: Session, name: string): Promise<boolean> {
  const { paths } = await files.glob(name);
  for (const path of paths) await files.remove(path);
  return paths.length > 0;
}
