import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findEmbeddedPackages } from '../../../src/providers/embedded/embedded-packages.ts';
import { holdName } from '../../../src/shared/held-names/held-name.ts';

const HOLDER = fileURLToPath(new URL('../hold-once.ts', import.meta.url));

const PERMISSIONS = ['--allow-read', '--allow-write', '--allow-net', '--allow-env'];

/** What a process of Deno that may not read `/proc` says when it tries to hold a name. */
async function denoHolds(name: string, permissions: readonly string[]): Promise<string> {
  const packages = findEmbeddedPackages();
  if ('reason' in packages) throw new Error(packages.reason);
  const given = [...PERMISSIONS, '--allow-sys=uid,homedir,hostname', ...permissions];
  const command = ['run', '--no-prompt', ...given, HOLDER, name];
  const { stdout } = await promisify(execFile)(packages.denoPath, command);
  return stdout.trim();
}

describe('Deno without --allow-all', () => {
  it('is refused a name that a process of Node holds, and gets it afterwards', async () => {
    const name = randomUUID();
    const held = await holdName(name);
    expect(await denoHolds(name, ['--allow-run=/bin/sh'])).toBe('refused');
    await held?.release();
    expect(await denoHolds(name, ['--allow-run=/bin/sh'])).toBe('held');
  });

  it('holds no name if it cannot tell on which machine it runs, and says what it needs', async () => {
    expect(await denoHolds(randomUUID(), [])).toMatch(
      /^NAMES_UNAVAILABLE .*boot_id.* give it --allow-run=\/bin\/sh or --allow-all\.$/,
    );
  });
});
