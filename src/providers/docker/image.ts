import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import {
  PACKAGE_DIRECTORY,
  RUNNER_LABEL,
  type RunnerSource,
} from '../../sandbox/runner-command.ts';
import type { ProgressListener } from '../../sandbox/sandbox.ts';
import { PtcError } from '../../shared/errors.ts';
import { readOwnFiles, throwIfLoadFailure } from '../../shared/installation.ts';
import { DOCKERFILE, withBuildContext } from './build-context.ts';
import { CALL_DEADLINE_MS, withDeadline } from './deadline.ts';
import { followAccount } from './engine-account.ts';
import { reasonOf, statusOf } from './engine-error.ts';

/** An image that the engine has. */
export interface SandboxImage {
  readonly reference: string;
  /** Whether this package's own runner is compiled in it. */
  readonly hasRunner: boolean;
  /** Whether it has the runner of another version, of which nothing is used. */
  readonly hasOtherRunner: boolean;
}

export interface ImageOptions {
  readonly docker: Docker;
  /** The caller's own image. @default one that is built from `Dockerfile.sandbox` */
  readonly image: string | undefined;
  readonly runner: RunnerSource;
  readonly onProgress: ProgressListener;
  readonly signal: AbortSignal;
}

/**
 * Sees to it that the engine has the image, once it has pulled or built it.
 * @throws PtcError `IMAGE_UNAVAILABLE`, with what was tried.
 */
export async function provideImage(options: ImageOptions): Promise<SandboxImage> {
  const { docker, image, runner, onProgress } = options;
  const reference = image ?? (await defaultReference(runner));
  let found = await findImage(docker, reference, runner);
  if (found === undefined) {
    await (image === undefined ? buildImage(reference, options) : pullImage(reference, options));
    found = await findImage(docker, reference, runner);
  }
  if (found === undefined) {
    throw new PtcError(
      'IMAGE_UNAVAILABLE',
      `The image ${reference} is gone as soon as it was made.`,
    );
  }
  if (found.hasOtherRunner) {
    onProgress(
      `The image ${reference} does not have the runner of this version of sandboxed-ptc, so its sandboxes start slower. ` +
        'Build it again from what `npx sandboxed-ptc build-context DIRECTORY` writes.',
    );
  }
  return found;
}

/** Named by what is in it, so that an update of this package builds a new one. */
async function defaultReference(runner: RunnerSource): Promise<string> {
  const dockerfile = await readOwnFiles(async () => readFile(join(PACKAGE_DIRECTORY, DOCKERFILE)));
  const hash = createHash('sha256').update(dockerfile).update(runner.hash).digest('hex');
  return `sandboxed-ptc:${hash.slice(0, 12)}`;
}

async function findImage(
  docker: Docker,
  reference: string,
  runner: RunnerSource,
): Promise<SandboxImage | undefined> {
  try {
    const { Config } = await withDeadline('describe an image', CALL_DEADLINE_MS, () =>
      docker.getImage(reference).inspect(),
    );
    const label = Config.Labels?.[RUNNER_LABEL];
    const hasRunner = label === runner.hash;
    return { reference, hasRunner, hasOtherRunner: label !== undefined && !hasRunner };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

async function pullImage(reference: string, options: ImageOptions): Promise<void> {
  const { docker, onProgress, signal } = options;
  onProgress(`Pulling the sandbox image ${reference}`);
  try {
    const pulled = await docker.pull(reference, { abortSignal: signal });
    await followAccount(docker, pulled, () => undefined);
  } catch (cause) {
    throwIfLoadFailure(cause);
    throw new PtcError(
      'IMAGE_UNAVAILABLE',
      `The engine does not have the image ${reference} and could not pull it: ${reasonOf(cause)}. ` +
        'Build or load it, correct the `image` option, or leave the option out to have an image built.',
      { cause, details: { image: reference } },
    );
  }
}

async function buildImage(reference: string, options: ImageOptions): Promise<void> {
  const { docker, runner, onProgress, signal } = options;
  onProgress(`Building the sandbox image ${reference}; this is done once and takes about a minute`);
  try {
    const network = await buildNetwork(docker);
    await withBuildContext(runner, async (context) => {
      const built = await docker.buildImage(
        { context, src: ['Dockerfile', 'runner'] },
        {
          t: reference,
          rm: true,
          forcerm: true,
          ...network,
          abortSignal: signal,
        },
      );
      await followAccount(docker, built, onProgress);
    });
  } catch (cause) {
    throwIfLoadFailure(cause);
    throw new PtcError(
      'IMAGE_UNAVAILABLE',
      `The sandbox image could not be built from ${DOCKERFILE}: ${reasonOf(cause)}. ` +
        'The build needs the image debian:trixie-slim, present or from a registry, and Debian packages from the network. ' +
        'Where neither can be had, pass an image of your own that has python3 as the `image` option.',
      { cause, details: { image: reference } },
    );
  }
}

/** An engine without the network that builds use by default lends them the host's. */
async function buildNetwork(docker: Docker): Promise<{ networkmode?: string }> {
  const networks = await withDeadline('list networks', CALL_DEADLINE_MS, () =>
    docker.listNetworks(),
  );
  const usual = new Set(['bridge', 'podman']);
  return networks.some(({ Name }) => usual.has(Name)) ? {} : { networkmode: 'host' };
}
