import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import type { ContractSubject } from '../../../src/testing/index.ts';

/** @param image - @default the sandbox image of this package */
export function dockerSubject(
  docker: Docker,
  language: LanguageName,
  image?: string,
): ContractSubject {
  return {
    name: image === undefined ? 'docker' : `docker with ${image}`,
    language,
    provider: () => dockerProvider({ ...(image !== undefined && { image }) }),
    kill: async ({ id }) => {
      await docker.getContainer(id).kill();
    },
  };
}

/** An image with the oldest Python, and nothing of this package: the runner is sent when a sandbox starts. */
export const OLDEST_PYTHON = 'sandboxed-ptc-test:python3.9';

const engineScript = fileURLToPath(new URL('../../../scripts/test-engine.sh', import.meta.url));

/** Makes the image in the engine, unless it is there. */
export async function makeOldestPython(): Promise<void> {
  await promisify(execFile)(engineScript, ['image', '3.9']);
}
