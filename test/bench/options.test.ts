import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Row {
  readonly name: string;
}

interface OptionsModule {
  readOptions(
    this: void,
    args: readonly string[],
    providerNames: readonly string[],
  ): Promise<{
    readonly rows: readonly Row[];
    readonly providerNames: readonly string[];
    readonly earlier: object | undefined;
  }>;
}

const bench: OptionsModule = await import(
  String(new URL('../../bench/options.mjs', import.meta.url))
);

function readOptions(args: readonly string[]): ReturnType<OptionsModule['readOptions']> {
  return bench.readOptions(args, ['docker', 'embedded']);
}

async function namesOfRows(...args: string[]): Promise<string[]> {
  return (await readOptions(args)).rows.map(({ name }) => name);
}

describe('the bench reads its options', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'bench-options-'));
  });

  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  it('and measures what takes minutes only where it is asked for', async () => {
    expect(await namesOfRows()).not.toContain('MANY');
    expect(await namesOfRows('--long')).toContain('MANY');
    expect(await namesOfRows('--only', 'many, rtt')).toEqual(['RTT', 'MANY']);
  });

  it('and measures all providers or the one that is named', async () => {
    expect((await readOptions([])).providerNames).toEqual(['docker', 'embedded']);
    expect((await readOptions(['--provider', 'docker'])).providerNames).toEqual(['docker']);
  });

  it.each([
    [['--frob'], /--frob/],
    [['--only', 'RTT,NOPE'], /Unknown row: NOPE/],
    [['--provider', 'podman'], /Unknown provider podman/],
    [['--minutes', 'soon'], /--minutes .* not soon/],
    [['--sessions', '0'], /--sessions .* not 0/],
    [['--compare', 'there-is-no-such-file'], /--compare cannot read there-is-no-such-file/],
  ])('and says what is wrong with %j', async (args, message) => {
    await expect(readOptions(args)).rejects.toThrow(message);
  });

  it('and compares only with a file of figures', async () => {
    const path = join(directory, 'figures.json');
    await writeFile(path, '{"date": "today", "providers": {}}');
    expect((await readOptions(['--compare', path])).earlier).toMatchObject({ date: 'today' });
    await writeFile(path, '{"name": "else"}');
    await expect(readOptions(['--compare', path])).rejects.toThrow('holds none');
  });
});
