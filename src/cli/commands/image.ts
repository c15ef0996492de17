import { type BuildImageOptions, buildImage } from '../../providers/docker/image/build-image.ts';
import { watchInterruption } from '../interruption.ts';
import { showProgress } from '../progress.ts';

/**
 * Builds an image for sandboxes and prints its name. Returns the exit status: 0.
 * @throws PtcError as `buildImage`.
 */
export async function imageBuild(
  options: Pick<BuildImageOptions, 'pip' | 'npm' | 'apt' | 'from' | 'tag'>,
): Promise<number> {
  using interruption = watchInterruption();
  const { signal } = interruption;
  try {
    const name = await buildImage({ ...options, onProgress: showProgress, signal });
    process.stdout.write(`${name}\n`);
    return 0;
  } catch (error) {
    if (interruption.exitStatus !== undefined) return interruption.exitStatus;
    throw error;
  }
}
