import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { SandboxClient, specOf } from '../docker/support.ts';
import { isAlive, untilGone, useSandboxes } from './support.ts';

describe('an embedded sandbox', () => {
  const { start } = useSandboxes();

  it('is gone when close returns, may be closed again, and tells its end', async () => {
    const client = await start();
    const { id } = client.sandbox;
    expect(await isAlive(id)).toBe(true);
    await client.sandbox.close();
    expect(await isAlive(id)).toBe(false);
    await client.sandbox.close();
    await expect(client.closed).resolves.toBeUndefined();
  });

  it('says of a time zone what a program can do', async () => {
    const client = await start();
    const { outcome } = await client.run(
      'from zoneinfo import ZoneInfo\nZoneInfo("Europe/Berlin")',
    );
    expect(outcome.error?.type).toBe('ZoneInfoNotFoundError');
    expect(outcome.error?.traceback).toMatch(
      /Europe\/Berlin: .* use datetime.timezone and an offset'$/,
    );
    expect(outcome.error?.traceback).not.toMatch(/pyodide/i);
  });

  it('can be closed while its program runs and prints without end', async () => {
    const client = await start();
    client.start('while True: print("x" * 1000)');
    await client.next();
    await client.sandbox.close();
    expect(await isAlive(client.sandbox.id)).toBe(false);
  });

  it('tells the memory that it uses, while its program runs too, and nothing once it is gone', async () => {
    const client = await start();
    const before = await client.sandbox.memoryUsage?.();
    client.start('held = bytearray(b"x") * 50_000_000\nprint(1)\nwhile True: pass');
    await client.next();
    const grown = ((await client.sandbox.memoryUsage?.()) ?? 0) - (before ?? 0);
    expect(grown).toBeGreaterThan(45_000_000);
    expect(grown).toBeLessThan(200_000_000);
    await client.sandbox.close();
    expect(await client.sandbox.memoryUsage?.()).toBeUndefined();
  });

  it('that is killed says that it is lost', async () => {
    const client = await start();
    process.kill(Number(client.sandbox.id), 'SIGKILL');
    await expect(client.closed).resolves.toMatchObject({
      code: 'SANDBOX_LOST',
      message: expect.stringContaining('SIGKILL'),
    });
  });

  it('does not outlive its host, though its program never ends', async () => {
    const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
    const host = spawn(
      process.execPath,
      ['--import', here('../../support/typescript-loader.mjs'), here('abandon-sandbox.ts')],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void host.kill('SIGKILL'));
    const [said] = await once(host.stdout, 'data');
    const pid = String(said).trim();
    expect(await isAlive(pid)).toBe(true);
    host.kill('SIGKILL');
    await untilGone(pid);
    expect(await isAlive(pid)).toBe(false);
  });

  it('draws other random numbers than the next one, though both come from one snapshot', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const code =
      'import random, os, json\nprint(json.dumps([random.random(), os.urandom(8).hex()]))';
    const drawn = await Promise.all([one.evaluate(code), other.evaluate(code)]);
    expect(new Set(drawn.flat()).size).toBe(4);
  });
});

describe('an embedded provider', () => {
  it('starts nothing for a caller that has aborted, and nothing after its close', async () => {
    const provider = embeddedProvider();
    const aborted = provider.create(specOf('aborted'), { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    const controller = new AbortController();
    const late = provider.create(specOf('aborted'), { signal: controller.signal });
    controller.abort();
    await expect(late).rejects.toMatchObject({ code: 'ABORTED' });
    await provider.close();
    await expect(provider.create(specOf('closed'))).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('the snapshot', () => {
  let home = '';
  const messages: string[] = [];
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'ptc-home-'));
    messages.length = 0;
    vi.stubEnv('XDG_CACHE_HOME', home);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true, force: true });
  });

  /** Starts a sandbox of a new provider, runs a program in it and ends both. */
  async function runOnce(): Promise<unknown> {
    const provider = embeddedProvider({ onProgress: (message) => messages.push(message) });
    const client = new SandboxClient(await provider.create(specOf('snapshot')));
    try {
      await client.next();
      return await client.evaluate('import json\nprint(json.dumps([json.__name__, 1 + 1]))');
    } finally {
      await client.sandbox.close();
      await provider.close();
    }
  }

  it('is made on first use, kept, and made again if the file is damaged', async () => {
    expect(await runOnce()).toEqual(['json', 2]);
    expect(messages).toEqual([expect.stringContaining('Preparing Python')]);
    const [name = ''] = await readdir(join(home, 'sandboxed-ptc'));
    const path = join(home, 'sandboxed-ptc', name);
    const whole = await readFile(path);

    expect(await runOnce()).toEqual(['json', 2]);
    expect(messages).toHaveLength(1);
    // Not `toEqual`, which looks at each of 17 million bytes.
    expect(whole.equals(await readFile(path))).toBe(true);

    await truncate(path, 1_000_000);
    expect(await runOnce()).toEqual(['json', 2]);
    expect(messages).toHaveLength(2);
    expect((await readFile(path)).length).toBeGreaterThan(10_000_000);
  }, 180_000);

  it.runIf(process.platform !== 'win32')(
    'is made again if another user may have changed it, and the listener gets the reason',
    async () => {
      expect(await runOnce()).toEqual(['json', 2]);
      const directory = join(home, 'sandboxed-ptc');
      const [name = ''] = await readdir(directory);
      const path = join(directory, name);
      await chmod(path, 0o666);
      messages.length = 0;
      expect(await runOnce()).toEqual(['json', 2]);
      expect(messages).toEqual([
        `The stored snapshot of Python is not used: ${path} is writable for other users (its mode is 666).`,
        expect.stringContaining('Preparing Python'),
      ]);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      messages.length = 0;
      expect(await runOnce()).toEqual(['json', 2]);
      expect(messages).toEqual([]);
    },
    180_000,
  );

  it('is kept in memory if it cannot be stored, and the listener gets the reason', async () => {
    await writeFile(join(home, 'sandboxed-ptc'), 'in the way');
    expect(await runOnce()).toEqual(['json', 2]);
    expect(messages).toEqual([
      expect.stringContaining('Preparing Python'),
      expect.stringMatching(/could not be stored.*(EEXIST|ENOTDIR)/),
    ]);
  });

  it('is made once for sandboxes that are started together', async () => {
    const provider = embeddedProvider({ onProgress: (message) => messages.push(message) });
    const sandboxes = await Promise.all([1, 2, 3].map(async () => provider.create(specOf('many'))));
    await Promise.all(sandboxes.map(async (sandbox) => sandbox.close()));
    await provider.close();
    expect(messages).toHaveLength(1);
  });
});
