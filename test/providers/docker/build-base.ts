import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { onTestFinished } from 'vitest';
import { followProgress } from '../../../src/providers/docker/engine/engine-progress.ts';
import { buildImage } from '../../../src/providers/docker/image/build-image.ts';

/**
 * Makes a base image for one test, without network: with these lines of a Dockerfile, which copy from
 * the directory `context`. It has the packages of Debian already that every image gets, which take longest.
 */
export async function buildBase(
  docker: Docker,
  context: string,
  lines: readonly string[],
): Promise<string> {
  const src = [...(await readdir(context)), 'Dockerfile'];
  const dockerfile = [`FROM ${await buildImage()}`, ...lines];
  await writeFile(join(context, 'Dockerfile'), dockerfile.join('\n'));
  const base = `sandboxed-ptc-test:base-${randomUUID()}`;
  const settings = { t: base, networkmode: 'none', rm: true, forcerm: true };
  const built = await docker.buildImage({ context, src }, settings);
  await followProgress(docker, built, () => undefined);
  onTestFinished(async () => docker.getImage(base).remove({ force: true }));
  return base;
}
