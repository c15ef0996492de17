import type { RunnerSource } from './runner-command.ts';

/** The label of an image that says which version of the runner the image has. */
export const RUNNER_LABEL = 'sandboxed-ptc.runner';

/** The runner of an image, compared with that of this version of the package. */
export interface ImageRunner {
  /** Whether the image has the compiled runner of this version. */
  readonly hasRunner: boolean;
  /** Whether it has the runner of another version, which is not used. */
  readonly hasOtherRunner: boolean;
}

/** @param label - The value of the image's `RUNNER_LABEL`. */
export function compareRunner(label: string | undefined, { hash }: RunnerSource): ImageRunner {
  const hasRunner = label === hash;
  return { hasRunner, hasOtherRunner: label !== undefined && !hasRunner };
}

/** What to tell the user of an image that has the runner of another version. */
export function otherRunnerNotice(image: string): string {
  return (
    `The image ${image} does not have the runner of this version of sandboxed-ptc, so its sandboxes start slower. ` +
    'Build it again from the output of `npx sandboxed-ptc build-context DIRECTORY`.'
  );
}
