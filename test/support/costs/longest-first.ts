import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readCosts } from './costs.ts';

/** Of a file that was never measured. */
const UNKNOWN_SECONDS = 10;

/**
 * Starts the files that take longest first, so that no worker has a long one at the end while others have nothing to do.
 * The files of a project stay together, those of the smallest project first: vitest ends a worker if the next file is of
 * another project, and a new worker loads everything again.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const costs = readCosts();
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      costs[relative(process.cwd(), moduleId)]?.seconds ?? UNKNOWN_SECONDS;
    const sizes = new Map<string, number>();
    for (const { project } of files) sizes.set(project.name, (sizes.get(project.name) ?? 0) + 1);
    const sizeOf = ({ project }: TestSpecification): number => sizes.get(project.name) ?? 0;
    const sorted = await super.sort(files);
    return sorted.sort(
      (a, b) =>
        sizeOf(a) - sizeOf(b) ||
        a.project.name.localeCompare(b.project.name) ||
        secondsOf(b) - secondsOf(a),
    );
  }
}
