import { PtcError } from '../shared/errors.ts';

/** What not every place can do that runs programs: each with what is missing where it cannot. */
export const FEATURES = {
  subprocesses: 'programs start no other programs',
  files: 'programs have no files',
  interrupt: 'a program that computes is not stopped without its session',
  'ending itself': 'programs cannot end their interpreter',
  'memory limit': 'nothing bounds the memory',
  'process limit': 'nothing bounds the number of processes',
  'storage limit': 'nothing bounds the size of /tmp',
  'read-only files': 'the file system can be written to',
  'file isolation': 'the files of the host can be read',
  'process isolation': 'the processes of the host can be seen',
  'environment isolation': 'the environment of the host can be read',
  'network isolation': 'the network of the host can be reached',
  kill: 'the subject does not say how a sandbox is killed',
} as const;

export type Feature = keyof typeof FEATURES;

/** What a subject cannot do, and why. */
export type Gaps = Partial<Readonly<Record<Feature, string>>>;

/** @throws PtcError `OPTION_INVALID` for a feature that there is not, and for one without a reason. */
export function checkGaps(gaps: Gaps): void {
  for (const [name, reason] of Object.entries(gaps)) {
    if (!Object.hasOwn(FEATURES, name)) {
      const known = Object.keys(FEATURES).join(', ');
      throw invalid(`cannot names the feature ${JSON.stringify(name)}; there are: ${known}.`, name);
    }
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw invalid(`cannot[${JSON.stringify(name)}] must say why, in words.`, name);
    }
  }
}

function invalid(message: string, feature: string): PtcError {
  return new PtcError('OPTION_INVALID', message, { details: { option: 'cannot', feature } });
}
