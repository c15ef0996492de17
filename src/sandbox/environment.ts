import type { ResourceLimits } from './sandbox.ts';

/** The environment variables of a sandbox. None comes from the host. */
export function sandboxEnvironment(limits: ResourceLimits): Readonly<Record<string, string>> {
  const threads = String(threadCount(limits));
  return {
    LANG: 'C.UTF-8',
    HOME: '/tmp',
    // The runner makes it.
    OUTPUT_DIR: '/tmp/outputs',
    // The user id has no name in the sandbox, but programs ask for one.
    USER: 'sandbox',
    OMP_NUM_THREADS: threads,
    OPENBLAS_NUM_THREADS: threads,
  };
}

/**
 * How many threads of a sandbox can compute at once. By default, libraries and interpreters start
 * one for each processor of the machine, which may be more than the sandbox can use.
 */
export function threadCount({ cpus }: ResourceLimits): number {
  return Math.max(1, Math.floor(cpus));
}
