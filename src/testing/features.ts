import { PtcError } from '../shared/errors.ts';

/** What a sandbox can lack. Each text says what is true of a sandbox that lacks it. */
export const FEATURES = {
  subprocesses: 'programs cannot start other programs',
  fork: 'programs cannot fork',
  threads: 'programs have no threads',
  'native code': 'an access to an invalid address does not end the interpreter',
  files: 'programs have no files',
  interrupt: 'a program that computes cannot be stopped without the end of its session',
  'pending callbacks': 'the interpreter does not know if a program still waits for a callback',
  'ending itself': 'programs cannot end their interpreter',
  'memory limit': 'nothing limits the memory',
  'process limit': 'nothing limits the number of processes',
  'storage limit': 'nothing limits the size of /tmp',
  'read-only files': 'the file system can be written to',
  'file isolation': 'programs can read the files of the host or of other sessions',
  'process isolation': 'programs can see the processes of the host',
  'environment isolation': 'programs can read the environment of the host',
  'network isolation': 'programs can reach the network of the host',
  kill: 'the suite has no function that kills a sandbox',
} as const;

/** The name of something that a sandbox can lack. */
export type Feature = keyof typeof FEATURES;

/** The features that a sandbox lacks, each with the reason. */
export type Gaps = Partial<Readonly<Record<Feature, string>>>;

/** @throws PtcError `OPTION_INVALID` if a feature does not exist or has no reason. */
export function checkGaps(gaps: Gaps): void {
  for (const [name, reason] of Object.entries(gaps)) {
    if (!Object.hasOwn(FEATURES, name)) {
      const known = Object.keys(FEATURES).join(', ');
      throw invalid(
        `cannot names the feature ${JSON.stringify(name)}, which does not exist. Use one of: ${known}.`,
        name,
      );
    }
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw invalid(
        `cannot[${JSON.stringify(name)}] has no reason. Say as text why the sandbox lacks it.`,
        name,
      );
    }
  }
}

function invalid(message: string, feature: string): PtcError {
  return new PtcError('OPTION_INVALID', message, { details: { option: 'cannot', feature } });
}
