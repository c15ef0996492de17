import type { ResourceLimits } from './sandbox.ts';

/** The variables of a sandbox's environment: nothing of the host's. */
export function sandboxEnvironment(limits: ResourceLimits): Readonly<Record<string, string>> {
  const threads = String(threadCount(limits));
  return {
    LANG: 'C.UTF-8',
    HOME: '/tmp',
    // The user's number has no name, but programs ask for one.
    USER: 'sandbox',
    OMP_NUM_THREADS: threads,
    OPENBLAS_NUM_THREADS: threads,
  };
}

/**
 * How many threads of a sandbox can compute at once. Libraries and interpreters would start one for each of the machine's
 * processors, which may be more than the sandbox may have.
 */
export function threadCount({ cpus }: ResourceLimits): number {
  return Math.max(1, Math.floor(cpus));
}
