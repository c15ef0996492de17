import { readRunnerSource } from '../../../sandbox/runner-command.ts';
import type { ProgressListener } from '../../../sandbox/sandbox.ts';
import { checkOptionNames, type OptionsObject } from '../../../shared/options/option-names.ts';
import { invalidOption } from '../../../shared/options/option-values.ts';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';
import { asUnavailable } from '../engine/engine-error.ts';
import { findEngine } from '../engine/engine.ts';
import { provideImage } from './image.ts';
import { checkPackages, type ImagePackages, PACKAGES } from './packages.ts';

/** Options of `buildImage`. */
export interface BuildImageOptions extends ImagePackages {
  /**
   * A name for the image, in addition to the one that is made of its contents: `my-sandbox:1`.
   * @default none
   */
  readonly tag?: string;
  /** The address of the engine, as the option of `dockerProvider`. @default as there */
  readonly host?: string;
  /** Receives the steps of the build. */
  readonly onProgress?: ProgressListener;
  /** Aborts the build, which then throws. */
  readonly signal?: AbortSignal;
}

export const BUILD_IMAGE: OptionsObject<BuildImageOptions> = {
  of: 'buildImage',
  names: { ...PACKAGES.names, tag: 'text', host: 'text', onProgress: 'function', signal: 'signal' },
  page: 'docs/libraries.md',
  otherWords: { ...PACKAGES.otherWords, name: 'tag', image: 'from' },
};

/**
 * What engines take: a registry with a port or none, words in lower case with separators between
 * them, then a version.
 */
const TAG =
  /^(?!(?:[^:/]+:\d+\/)?[^:]{256})((?:[a-z\d](?:[a-z\d.-]*[a-z\d])?:\d{1,5}\/)?[a-z\d]+(?:(?:\.|__?|-+|\/)[a-z\d]+)*)(?::(\w[\w.-]{0,127}))?$/;

/**
 * Builds an image for sandboxes with further packages, unless the engine has it. It is built again
 * after an update of this package. Base images and packages come from the network.
 * @returns The name of the image, for the option `image` of `dockerProvider`.
 * @throws PtcError `OPTION_INVALID`, `SANDBOX_UNAVAILABLE` if no engine works, `IMAGE_UNAVAILABLE`
 * with the last lines of a build that failed, or `ABORTED`.
 */
export async function buildImage(options: BuildImageOptions = {}): Promise<string> {
  checkOptionNames(options, BUILD_IMAGE);
  const { tag, host, onProgress = (): void => undefined, signal, ...packages } = options;
  checkPackages(packages);
  const [, repo, version = 'latest'] = TAG.exec(tag ?? '') ?? [];
  if (tag !== undefined && repo === undefined) {
    throw invalidOption('tag', tag, 'the name of an image in lower case, such as my-sandbox:1');
  }
  const engine = await findEngine(host);
  try {
    const { docker } = engine;
    const runner = await readRunnerSource();
    const stop = signal ?? new AbortController().signal;
    const image = { docker, image: undefined, packages, runner, onProgress, signal: stop };
    const { reference } = await provideImage(image);
    if (tag === undefined || repo === undefined) return reference;
    await withDeadline('name an image', CALL_DEADLINE_MS, () =>
      docker.getImage(reference).tag({ repo, tag: version }),
    ).catch(asUnavailable);
    return tag;
  } finally {
    engine.close();
  }
}
