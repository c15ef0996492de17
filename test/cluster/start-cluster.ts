import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import Docker from 'dockerode';
import type { ProvidedContext } from 'vitest';
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

export type ClusterOfTests = ProvidedContext['cluster'];

/** A cluster, and what ends it. */
export interface StartedCluster {
  readonly cluster: ClusterOfTests;
  readonly end: () => Promise<void>;
}

/**
 * Starts a cluster that has the sandbox image. It ends when this process does, even if that is killed: then the pipe to the
 * script's command closes.
 * @param variables - For the script, such as the directory of the cluster.
 */
export async function startCluster(
  variables: Readonly<Record<string, string>> = {},
): Promise<StartedCluster> {
  const print = 'echo "$SANDBOXED_PTC_TEST_KUBECONFIG $SANDBOXED_PTC_TEST_RESTRICTED_KUBECONFIG"';
  const env = { ...SCRIPT_ENVIRONMENT, ...variables };
  const child = spawn(
    'scripts/test-cluster.sh',
    ['run', 'sh', '-c', `${print}; exec cat >/dev/null`],
    // Not in the group that a terminal interrupts: the cluster ends after what uses it.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true, env },
  );
  const closed = once(child, 'close');
  const end = async (): Promise<void> => {
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
    return {
      cluster: { kubeconfig, restrictedKubeconfig, image: await loadSandboxImage(env) },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** @returns its name. */
async function loadSandboxImage(env: NodeJS.ProcessEnv): Promise<string> {
  const docker = new Docker();
  const { reference } = await provideImage({
    docker,
    image: undefined,
    runner: await readRunnerSource(),
    onProgress: () => undefined,
    signal: AbortSignal.timeout(600_000),
  });
  const stdio = ['pipe', 'ignore', 'inherit'] as const;
  const load = spawn('scripts/test-cluster.sh', ['load'], { stdio: [...stdio], env });
  const ended = once(load, 'exit') as Promise<[number | null]>;
  const image = await docker.getImage(reference).get();
  // What reads it may end before the last bytes, which only fill the archive up. Its status says whether it has the image.
  const [[status]] = await Promise.all([ended, pipeline(image, load.stdin).catch(() => undefined)]);
  if (status !== 0) throw new Error(`${reference} could not be loaded; why is above.`);
  return reference;
}
