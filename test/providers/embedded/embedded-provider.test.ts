import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { cacheDirectory } from '../../../src/providers/embedded/snapshot/snapshot-cache.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { SandboxClient, specOf } from '../docker/support.ts';
import { isAlive, untilGone, useSandboxes } from './support.ts';
import { ON_WINDOWS, skippedFor } from '../../support/skipped.ts';

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

  it('can be closed while its program runs and prints without end [every/closed-session]', async () => {
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

  it('does not outlive its host, though its program never ends [case 91]', async () => {
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

  it('gives no sandbox that starts while it closes', async () => {
    const provider = embeddedProvider();
    const late = provider.create(specOf('closed'));
    await provider.close();
    await expect(late).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('the snapshot', () => {
  let home = '';
  const messages: string[] = [];
  const useHome = async (): Promise<void> => {
    home = await mkdtemp(join(tmpdir(), 'ptc-home-'));
    vi.stubEnv('XDG_CACHE_HOME', home);
  };
  const leaveHome = async (): Promise<void> => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true, force: true });
  };
  const makeProvider = (): SandboxProvider =>
    embeddedProvider({ onProgress: (message) => messages.push(message) });
  beforeEach(() => {
    messages.length = 0;
  });

  /** Starts sandboxes of a new provider together, runs a program in each and ends all. */
  async function runIn(count: number): Promise<void> {
    const provider = makeProvider();
    const outputs = Array.from({ length: count }, async () => {
      const client = new SandboxClient(await provider.create(specOf('snapshot')));
      await client.next();
      const output = await client.evaluate(
        'import json\nprint(json.dumps([json.__name__, 1 + 1]))',
      );
      await client.sandbox.close();
      return output;
    });
    try {
      for (const output of await Promise.all(outputs)) expect(output).toEqual(['json', 2]);
    } finally {
      await provider.close();
    }
  }

  it('is not made for a provider that closes', async () => {
    await useHome();
    onTestFinished(leaveHome);
    const provider: SandboxProvider = embeddedProvider({ onProgress: () => void provider.close() });
    await expect(provider.create(specOf('closed'))).rejects.toMatchObject({ code: 'CLOSED' });
  });

  // To make one takes five seconds of processor time, so these tests share one. Each leaves a whole file.
  describe('in its file', () => {
    let path = '';
    const madeFirst: string[] = [];
    beforeAll(async () => {
      // Now the usual cache has its file, whose name contains a hash of the runner.
      await runIn(1);
      const names = (await readdir(cacheDirectory() ?? '')).filter((name) =>
        name.endsWith('.snapshot'),
      );
      await useHome();
      await mkdir(cacheDirectory() ?? '', { mode: 0o700 });
      const files = names.map((name) => join(cacheDirectory() ?? '', name));
      for (const file of files) await writeFile(file, 'damaged', { mode: 0o600 });
      messages.length = 0;
      await runIn(3);
      madeFirst.push(...messages);
      const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
      path = files[sizes.findIndex((size) => size > 10_000_000)] ?? 'none was made';
    });
    afterAll(leaveHome);

    it('is made again if the file is damaged, once for sandboxes that start together [embedded/snapshot]', async () => {
      expect(madeFirst).toEqual([expect.stringContaining('Preparing Python')]);
      expect((await readFile(path)).length).toBeGreaterThan(10_000_000);
    });

    it('is kept [embedded/snapshot]', async () => {
      const whole = await readFile(path);
      await runIn(1);
      expect(messages).toEqual([]);
      // Not `toEqual`, which looks at each of 17 million bytes.
      expect(whole.equals(await readFile(path))).toBe(true);
    });

    it(
      'is made again if another user may have changed it, and kept in memory if it cannot be stored; the listener gets the reasons [embedded/snapshot-again]',
      skippedFor(ON_WINDOWS),
      async () => {
        const directory = cacheDirectory() ?? '';
        await chmod(directory, 0o777);
        await runIn(2);
        const why = `${directory} is writable for other users (its mode is 777)`;
        expect(messages).toEqual([
          `The stored snapshot of Python is not used: ${why}.`,
          expect.stringContaining('Preparing Python'),
          expect.stringMatching(/could not be stored.*is writable for other users/),
        ]);
      },
    );
  });
});
