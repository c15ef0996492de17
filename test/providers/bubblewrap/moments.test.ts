import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { findControlGroups } from '../../../src/providers/bubblewrap/control-groups/find.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { specOf } from '../docker/support.ts';

const machine = vi.hoisted(() => ({ answers: true }));

/** Programs of a machine that is too busy to answer. */
vi.mock(import('../../../src/providers/bubblewrap/check/ask-program.ts'), async (load) => {
  const { askProgram } = await load();
  return {
    askProgram: async (name, ...others) => {
      if (machine.answers) return askProgram(name, ...others);
      throw new Error(`\`${name}\` did not answer within 5 s`);
    },
  };
});

beforeEach(() => {
  machine.answers = true;
});

describeWithBubblewrap('after a moment in which bubblewrap did not answer', () => {
  test('sandboxes start', async () => {
    const provider = bubblewrapProvider();
    onTestFinished(async () => provider.close());
    machine.answers = false;
    const refused = {
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('`bwrap` did not answer within 5 s. Run `bwrap --version`'),
    };
    await expect(provider.create(specOf('busy'))).rejects.toMatchObject(refused);
    await expect(provider.software?.()).rejects.toMatchObject(refused);
    machine.answers = true;
    const sandbox = await provider.create(specOf('free'));
    await sandbox.close();
  });
});

test('if systemd does not answer, it is told that this is why there are no control groups', async () => {
  const mount = await mkdtemp(join(tmpdir(), 'control-groups-'));
  onTestFinished(async () => rm(mount, { recursive: true }));
  const path = '/system.slice/sandboxed-ptc-test.service';
  await mkdir(join(mount, path), { recursive: true });
  await writeFile(join(mount, 'cgroup'), `0::${path}\n`);
  for (const file of ['cgroup.procs', 'cgroup.subtree_control']) {
    await writeFile(join(mount, path, file), '');
  }
  machine.answers = false;
  expect(await findControlGroups(mount, mount)).toEqual({
    absence: `the group of this process, ${path}, is not delegated to it as far as can be told: \`systemctl\` did not answer within 5 s`,
  });
});
