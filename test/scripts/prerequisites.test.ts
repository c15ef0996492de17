import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { missingLibraries } from '../support/data-libraries.ts';
import { NO_ROOT, skippedFor } from '../support/skipped.ts';

const MODULE = new URL('../../scripts/test/prerequisites.mjs', import.meta.url).href;
const ALL = { sandboxes: true, engine: true, newerNode: false, packages: [] };
const UNIT_TESTS = { sandboxes: false, engine: false, newerNode: false, packages: [] };

/** What a machine without anything else needs, as Debian calls it. */
const PACKAGES =
  'bubblewrap, python3, python3-matplotlib, python3-openpyxl, python3-pandas, strace, chromium';

describe('a machine', () => {
  it('that has everything is told only what is used', skippedFor(missingLibraries()), async () => {
    const machine = new Machine(['python3', 'bwrap', 'strace', 'chromium', 'docker']);
    expect(await machine.installPrerequisites()).toEqual([
      'It takes a while.',
      'It installs or uses:',
      '  the container engine that answers',
      expect.stringContaining('  container images: '),
    ]);
    expect(machine.calls()).toEqual([]);
  });

  it('without Debian is told which tests cannot run, and how to have them', async () => {
    const machine = new Machine(['python3']);
    const lines = await machine.installPrerequisites();
    expect(lines.slice(0, 2)).toEqual(['It takes a while.', 'These cannot run here:']);
    const sentences = [
      'bubblewrap sandbox: install',
      'analyse data',
      'strace',
      'chromium',
      'DOCKER_HOST',
    ];
    expect(lines.slice(2)).toEqual(
      sentences.map((sentence) => expect.stringContaining(sentence) as string),
    );
  });

  it('is told of nothing but Python by tests that need no sandbox', async () => {
    const machine = new Machine(['python3', 'docker', 'apt-get']);
    expect(await machine.installPrerequisites(UNIT_TESTS)).toEqual(['It takes a while.']);
    expect(machine.calls()).toEqual([]);
  });

  it('is told of packages that only some tests need, unless they are there', async () => {
    const machine = new Machine(['python3']);
    const packages = [
      { what: 'version 7 of the AI SDK', directory: '/nonexistent' },
      { what: 'frameworks for agents', directory: '/nonexistent' },
      { what: 'the temporary directory', directory: tmpdir() },
    ];
    const lines = await machine.installPrerequisites({ ...UNIT_TESTS, packages });
    expect(lines.slice(1)).toEqual([
      'It installs or uses:',
      '  npm packages, into node_modules/.cache: version 7 of the AI SDK, frameworks for agents',
    ]);
  });

  it('without Python ends with what to install', async () => {
    const machine = new Machine([]);
    await expect(machine.installPrerequisites()).rejects.toThrow(
      'The tests need python3, 3.9 or newer. Install it',
    );
  });

  it('without the npm packages is told of that, and gets them', async () => {
    const machine = new Machine(['python3', 'npm'], { hasPackages: false });
    const lines = await machine.installPrerequisites();
    expect(lines[0]).toBe('Installs the npm packages of package-lock.json into node_modules.');
    expect(machine.calls()).toEqual(['npm ci']);
  });

  it('with Debian and root is told what is missing, and gets it', skippedFor(NO_ROOT), async () => {
    const machine = new Machine(['python3', 'apt-get']);
    const lines = await machine.installPrerequisites();
    expect(lines).toContain(`  Debian packages, on this machine, by apt-get: ${PACKAGES}`);
    expect(lines).not.toContain('These cannot run here:');
    expect(machine.calls()).toEqual([
      'apt-get.sh update',
      `apt-get.sh install --yes --no-install-recommends ${PACKAGES.replaceAll(',', '')}`,
    ]);
  });
});

/**
 * A directory whose programs are all that can be found. They are doubles that only say that they work, or write down
 * what they were called for: no test may install anything on the machine that it runs on.
 */
class Machine {
  readonly #directory = mkdtempSync(join(tmpdir(), 'prerequisites-'));

  constructor(programs: readonly string[], { hasPackages = true } = {}) {
    onTestFinished(() => rmSync(this.#directory, { recursive: true }));
    for (const name of ['bin', 'scripts', 'node_modules']) mkdirSync(join(this.#directory, name));
    if (hasPackages) writeFileSync(join(this.#directory, 'node_modules/.package-lock.json'), '');
    writeFileSync(join(this.#directory, 'calls'), '');
    for (const name of programs) this.#write(`bin/${name}`, name === 'npm');
    this.#write('scripts/apt-get.sh', true);
  }

  /** @returns the lines that it printed. */
  async installPrerequisites(needs: object = ALL): Promise<string[]> {
    const call = `import { installPackages, installPrerequisites } from ${JSON.stringify(MODULE)};
installPackages();
installPrerequisites('It takes a while.', ${JSON.stringify(needs)});`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', call],
      { cwd: this.#directory, env: { PATH: join(this.#directory, 'bin') } },
    );
    const isCall = (line: string): boolean => /^(npm|scripts\/apt-get\.sh) /.test(line);
    return stdout
      .trim()
      .split('\n')
      .filter((line) => !isCall(line));
  }

  /** The calls that install something. */
  calls(): string[] {
    return readFileSync(join(this.#directory, 'calls'), 'utf8').split('\n').filter(Boolean);
  }

  #write(path: string, isRecorded: boolean): void {
    const file = join(this.#directory, path);
    const calls = join(this.#directory, 'calls');
    const body = isRecorded ? `echo "\${0##*/} $*" >>'${calls}'` : 'exit 0';
    writeFileSync(file, `#!/bin/sh\n${body}\n`);
    chmodSync(file, 0o755);
  }
}
