import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import {
  compareRunner,
  otherRunnerNotice,
  RUNNER_LABEL,
  type ImageRunner,
} from '../../../sandbox/image-runner.ts';
import { PACKAGE_DIRECTORY, type RunnerSource } from '../../../sandbox/runner-command.ts';
import type { ProgressListener } from '../../../sandbox/sandbox.ts';
import { throwIfAborted } from '../../../shared/async/abort.ts';
import { PtcError } from '../../../shared/errors.ts';
import { readOwnFiles, throwIfLoadFailure } from '../../../shared/installation.ts';
import { buildContextFiles, DOCKERFILE } from './build-context.ts';
import { type ImagePackages, packageLines, referenceOf } from './packages.ts';
import { tarOf } from './tar.ts';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';
import { followProgress } from '../engine/engine-progress.ts';
import { asUnavailable, reasonOf, statusOf } from '../engine/engine-error.ts';

/** An image that the engine has. */
export interface SandboxImage extends ImageRunner {
  readonly reference: string;
  /** The engine's id of its content. */
  readonly id: string;
}

export interface ImageOptions {
  readonly docker: Docker;
  /** The image that the user chose. @default an image that is built from `Dockerfile.sandbox` */
  readonly image: string | undefined;
  /** What the image has in addition, if it is built. */
  readonly packages?: ImagePackages | undefined;
  readonly runner: RunnerSource;
  readonly onProgress: ProgressListener;
  readonly signal: AbortSignal;
}

/**
 * Makes sure that the engine has the image; pulls or builds it if necessary.
 * @throws PtcError `IMAGE_UNAVAILABLE`, with what was tried; `SANDBOX_UNAVAILABLE` if the engine fails;
 * `ABORTED` if the signal ends a build.
 */
export async function provideImage(options: ImageOptions): Promise<SandboxImage> {
  const { docker, image, runner, onProgress, packages } = options;
  const reference = image ?? (await builtReference(runner, packages));
  let found = await findImage(docker, reference, runner);
  if (found === undefined) {
    await (image === undefined ? buildImage(reference, options) : pullImage(reference, options));
    found = await findImage(docker, reference, runner);
  }
  if (found === undefined) {
    throw new PtcError(
      'IMAGE_UNAVAILABLE',
      `The engine does not have the image ${reference} although it was just pulled or built. Try again, and find out what removes images.`,
    );
  }
  if (found.hasOtherRunner) onProgress(otherRunnerNotice(reference));
  return found;
}

/**
 * The name contains a hash of the contents, so that each version of this package builds its own
 * image.
 */
async function builtReference(runner: RunnerSource, packages: ImagePackages = {}): Promise<string> {
  const dockerfile = await readOwnFiles(async () => readFile(join(PACKAGE_DIRECTORY, DOCKERFILE)));
  return referenceOf([dockerfile, runner.hash, packageLines(packages), packages.from ?? '']);
}

async function findImage(
  docker: Docker,
  reference: string,
  runner: RunnerSource,
): Promise<SandboxImage | undefined> {
  try {
    const { Id: id, Config } = await withDeadline('describe an image', CALL_DEADLINE_MS, () =>
      docker.getImage(reference).inspect(),
    );
    return { reference, id, ...compareRunner(Config.Labels?.[RUNNER_LABEL], runner) };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    return asUnavailable(error);
  }
}

async function pullImage(reference: string, options: ImageOptions): Promise<void> {
  const { docker, onProgress, signal } = options;
  onProgress(`Pulling the sandbox image ${reference}`);
  try {
    const pulled = await docker.pull(reference, { abortSignal: signal });
    await followProgress(docker, pulled, () => undefined);
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
  const { docker, runner, onProgress, signal, packages } = options;
  const hasPackages = packageLines(packages ?? {}) !== '';
  onProgress(
    `Building the sandbox image ${reference}. This happens once, and takes ${hasPackages ? 'some minutes' : 'about a minute'}.`,
  );
  try {
    const network = await buildNetwork(docker);
    // All of it is in memory: the engine may end the request while it still receives it.
    const archive = tarOf(await buildContextFiles(runner, packages));
    const built = await docker.buildImage(Readable.from([archive]), {
      t: reference,
      rm: true,
      forcerm: true,
      ...network,
      ...(packages?.from !== undefined && { buildargs: { BASE_IMAGE: packages.from } }),
      abortSignal: signal,
    });
    await followProgress(docker, built, onProgress);
  } catch (cause) {
    throwIfAborted(signal, 'The build of the image');
    throwIfLoadFailure(cause);
    throw new PtcError(
      'IMAGE_UNAVAILABLE',
      `The engine could not build the sandbox image from ${DOCKERFILE}: ${reasonOf(cause)}. ` +
        (hasPackages
          ? 'If it names a package that was not found, correct its name or version. '
          : '') +
        `The build needs the image ${packages?.from ?? 'debian:trixie-slim'}, on the machine or from a registry, and packages from the network. ` +
        'Without network, set the `image` option to an image that has python3.',
      { cause, details: { image: reference } },
    );
  }
}

/**
 * An engine without the network that builds use by default needs the network of the host for them.
 */
async function buildNetwork(docker: Docker): Promise<{ networkmode?: string }> {
  const networks = await withDeadline('list networks', CALL_DEADLINE_MS, () =>
    docker.listNetworks(),
  );
  const usual = new Set(['bridge', 'podman']);
  return networks.some(({ Name }) => usual.has(Name)) ? {} : { networkmode: 'host' };
}
