import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readCosts } from './costs.ts';

/** Of a file that was never measured. */
const UNKNOWN_SECONDS = 10;

/** Starts the files that take longest first, so that no worker has a long one at the end while others have nothing to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const costs = readCosts();
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      costs[relative(process.cwd(), moduleId)]?.seconds ?? UNKNOWN_SECONDS;
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => secondsOf(b) - secondsOf(a));
  }
}
