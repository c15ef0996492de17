import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import Docker from 'dockerode';
import type { TestProject } from 'vitest/node';
import { provideImage } from '../../src/providers/docker/image/image.ts';
import { readRunnerSource } from '../../src/sandbox/runner-command.ts';
import { SCRIPT_ENVIRONMENT } from './run-script.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly cluster: {
      /** The file of a user who may do everything. */
      readonly kubeconfig: string;
      /** The file of a user who may do what a test's own roles let it. */
      readonly restrictedKubeconfig: string;
      /** The sandbox image, which the node has. */
      readonly image: string;
    };
  }
}

/**
 * Gives the tests a cluster that has the sandbox image. It ends when this process does, even if that is killed: then the
 * pipe to the script's command closes.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const print = 'echo "$SANDBOXED_PTC_TEST_KUBECONFIG $SANDBOXED_PTC_TEST_RESTRICTED_KUBECONFIG"';
  const child = spawn(
    'scripts/test-cluster.sh',
    ['run', 'sh', '-c', `${print}; exec cat >/dev/null`],
    // Not in the group that a terminal interrupts: the cluster ends after what uses it.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true, env: SCRIPT_ENVIRONMENT },
  );
  const closed = once(child, 'close');
  const teardown = async (): Promise<void> => {
    child.stdin.end();
    await closed;
  };
  try {
    child.stdout.setEncoding('utf8');
    const started = once(child.stdout, 'data') as Promise<[string]>;
    const files = await Promise.race([started.then(([text]) => text), closed.then(() => '')]);
    const [kubeconfig, restrictedKubeconfig] = files.trim().split(' ');
    if (kubeconfig === undefined || restrictedKubeconfig === undefined) {
      throw new Error('The cluster did not start; what scripts/test-cluster.sh said is above.');
    }
    const image = await loadSandboxImage();
    project.provide('cluster', { kubeconfig, restrictedKubeconfig, image });
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}

/** @returns its name. */
async function loadSandboxImage(): Promise<string> {
  const docker = new Docker();
  const { reference } = await provideImage({
    docker,
    image: undefined,
    runner: await readRunnerSource(),
    onProgress: () => undefined,
    signal: AbortSignal.timeout(600_000),
  });
  const load = spawn('scripts/test-cluster.sh', ['load'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(load, 'exit') as Promise<[number | null]>;
  const image = await docker.getImage(reference).get();
  // What reads it may end before the last bytes, which only fill the archive up. Its status says whether it has the image.
  const [[status]] = await Promise.all([ended, pipeline(image, load.stdin).catch(() => undefined)]);
  if (status !== 0) throw new Error(`${reference} could not be loaded; why is above.`);
  return reference;
}
