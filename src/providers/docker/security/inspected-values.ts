import type { HostConfig } from 'dockerode';
import { showBytes } from '../../../shared/show-bytes.ts';

// Engines report the same value in different forms. These functions convert them to one form, which
// can be compared and shown.

/** Formats a value of an engine's report. */
export function show(value: string | number | boolean | null | undefined): string {
  if (value === undefined || value === null || value === '') return 'not set';
  return String(value);
}

/** A limit in bytes for people. Engines report no limit as 0, or not at all. */
export function showByteLimit(bytes: number | null | undefined): string {
  if (bytes === undefined || bytes === null || bytes <= 0) return 'no limit';
  return showBytes(bytes);
}

export function isEmpty(list: readonly unknown[] | null | undefined): boolean {
  return list === null || list === undefined || list.length === 0;
}

/** Returns the items of `wanted` that `found` does not have. */
export function lacking(
  wanted: readonly string[],
  found: readonly string[] | null | undefined,
): string[] {
  return wanted.filter((item) => found?.includes(item) !== true);
}

/** Formats each limit as `nofile=256:256`. Podman reports `RLIMIT_NOFILE`. */
export function ulimitTexts(ulimits: HostConfig['Ulimits'] | null): string[] {
  return (ulimits ?? []).map(({ Name = '', Soft, Hard }) => {
    const name = Name.toLowerCase().replace(/^rlimit_/, '');
    return `${name}=${Soft}:${Hard}`;
  });
}

/**
 * Returns the options of each temporary file system, as `/tmp:noexec`. Engines report them in any
 * order.
 */
export function temporaryOptions(fileSystems: HostConfig['Tmpfs'] | null): string[] {
  return Object.entries(fileSystems ?? {}).flatMap(([path, options]) =>
    options.split(',').map((option) => `${path}:${option}`),
  );
}

/**
 * Whether all capabilities are dropped: Docker reports `ALL`, and Podman each one that it would
 * have given.
 */
export function dropsAll(capabilities: readonly string[] | null | undefined): boolean {
  if (capabilities === null || capabilities === undefined) return false;
  return capabilities.includes('ALL') || capabilities.length > 10;
}
