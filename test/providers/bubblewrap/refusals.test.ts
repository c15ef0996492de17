import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Availability } from '../../../src/sandbox/sandbox.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';

const LOADER = new URL('../../support/typescript-loader.mjs', import.meta.url).href;
const PROBE = fileURLToPath(new URL('./print-probe.ts', import.meta.url));

/** Whether bubblewrap works in a place that `wrapper` makes before it starts a command. */
async function probeUnder(...wrapper: readonly string[]): Promise<Availability> {
  const [file, ...args] = [...wrapper, process.execPath, '--import', LOADER, PROBE];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(printed);
}

describeWithBubblewrap('if it cannot work, bubblewrap reports the reason', () => {
  test.runIf(process.getuid?.() === 0)('in a container whose /proc is masked', async () => {
    const mask = 'mount --bind /dev/null /proc/kallsyms && exec "$@"';
    const wrapper = ['unshare', '--mount', '--pid', '--fork', '--mount-proc'];
    expect(await probeUnder(...wrapper, '/bin/sh', '-c', mask, 'sh')).toEqual({
      usable: false,
      reason: expect.stringContaining('cannot mount its own /proc'),
      remedy: expect.stringContaining('systempaths=unconfined'),
    });
  });

  test('for a root without other user ids', async () => {
    expect(await probeUnder('unshare', '--user', '--map-root-user')).toEqual({
      usable: false,
      reason: expect.stringContaining('does not have the user ids'),
      remedy: expect.stringContaining('as an ordinary user'),
    });
  });
});
