import type { HostConfig } from 'dockerode';

// Engines report one thing in several forms. Here they become one, which can be compared and shown.

/** Words for a value of an engine's report. */
export function show(value: string | number | boolean | null | undefined): string {
  if (value === undefined || value === null || value === '') return 'not set';
  return String(value);
}

/** The number of bytes as a person writes it. */
export function showBytes(bytes: number | null | undefined): string {
  if (bytes === undefined || bytes === null || bytes <= 0) return 'no limit';
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${bytes} bytes`;
}

export function isEmpty(list: readonly unknown[] | null | undefined): boolean {
  return list === null || list === undefined || list.length === 0;
}

/** Of these, what the other list lacks. */
export function lacking(
  wanted: readonly string[],
  found: readonly string[] | null | undefined,
): string[] {
  return wanted.filter((item) => found?.includes(item) !== true);
}

/** Each as `nofile=256:256`; Podman writes `RLIMIT_NOFILE`. */
export function ulimitTexts(ulimits: HostConfig['Ulimits'] | null): string[] {
  return (ulimits ?? []).map(({ Name = '', Soft, Hard }) => {
    const name = Name.toLowerCase().replace(/^rlimit_/, '');
    return `${name}=${Soft}:${Hard}`;
  });
}

/** The options of each temporary file system, as `/tmp:noexec`. Engines give them in any order. */
export function temporaryOptions(fileSystems: HostConfig['Tmpfs'] | null): string[] {
  return Object.entries(fileSystems ?? {}).flatMap(([path, options]) =>
    options.split(',').map((option) => `${path}:${option}`),
  );
}

/** `ALL`, or, from Podman, each capability that it would have given. */
export function dropsAll(capabilities: readonly string[] | null | undefined): boolean {
  if (capabilities === null || capabilities === undefined) return false;
  return capabilities.includes('ALL') || capabilities.length > 10;
}
