import { describe, expect, it } from 'vitest';
import { denoCommand } from '../../../src/providers/embedded/deno/deno-command.ts';

const options = {
  denoPath: '/engine/deno',
  supervisorPath: '/runner/supervisor.mjs',
  limits: { memoryBytes: 256 * 1024 * 1024, temporaryStorageBytes: 16 * 1024 * 1024 },
  platform: 'darwin',
} as const;

describe('the command of an embedded sandbox', () => {
  const { file, args, env } = denoCommand(options);

  it('denies every permission that Deno knows and grants none [compared/isolation, embedded/permissions]', () => {
    const denied = ['read', 'write', 'net', 'env', 'sys', 'run', 'ffi', 'import'];
    expect(args).toEqual(expect.arrayContaining(denied.map((name) => `--deny-${name}`)));
    expect(args).toContain('--no-prompt');
    expect(args.filter((argument) => argument.startsWith('--allow') || argument === '-A')).toEqual(
      [],
    );
  });

  it('loads nothing from anywhere and reads no configuration', () => {
    const nothing = ['--no-remote', '--no-npm', '--cached-only', '--no-config', '--no-lock'];
    expect(args).toEqual(expect.arrayContaining(nothing));
  });

  it('has an environment that does not depend on the host’s and no place for a cache [embedded/permissions]', () => {
    expect(Object.keys(env).sort()).toEqual(['DENO_DIR', 'DENO_NO_UPDATE_CHECK', 'NO_COLOR', 'TZ']);
    expect(env['TZ']).toBe('UTC');
    expect(env['DENO_DIR']).toBe('/engine/deno/none');
  });

  it('refuses code made of text, and memory beyond the limit [compared/memory, embedded/wasm-memory]', () => {
    const flags = args.find((argument) => argument.startsWith('--v8-flags='));
    expect(flags).toContain('--disallow-code-generation-from-strings');
    // 32 MiB of the interpreter and 256 MiB, in pages of 64 KiB.
    expect(flags).toContain('--wasm-max-mem-pages=4608');
  });

  it('runs the supervisor, as the last word of the command', () => {
    expect(file).toBe('/engine/deno');
    expect(args.at(-1)).toBe('/runner/supervisor.mjs');
  });

  it('is under the kernel’s limit on Linux, with paths that are never a part of shell code [compared/memory, embedded/kernel-memory]', () => {
    const denoPath = '/odd "$(path)/deno';
    const linux = denoCommand({ ...options, denoPath, platform: 'linux' });
    expect(linux.file).toBe('/bin/sh');
    expect(linux.args.slice(0, 2)).toEqual(['-c', 'ulimit -d "$1"; shift; exec "$@"']);
    expect(linux.args.slice(2, 6)).toEqual([
      'sh',
      String(2 * 1024 ** 2 + 272 * 1024),
      denoPath,
      'run',
    ]);
  });

  it('keeps SystemRoot on Windows, without which nothing starts there', () => {
    const windows = denoCommand({ ...options, platform: 'win32', systemRoot: 'C:\\Windows' });
    expect(windows.env['SystemRoot']).toBe('C:\\Windows');
  });
});
