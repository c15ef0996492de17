import type Docker from 'dockerode';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { END_OF_UNFINISHED_LINE } from '../../../protocol/frames.ts';
import { throwIfAborted } from '../../../shared/async/abort.ts';
import { PtcError } from '../../../shared/errors.ts';
import { openAttachStream } from './attach-request.ts';
import { attachTransport } from './attach.ts';
import { LABELS } from './container-config.ts';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';
import { DockerSandbox } from '../docker-sandbox.ts';
import { reasonOf, statusOf } from '../engine/engine-error.ts';
import { ExitWatch } from './exit-watch.ts';
import { canRun, PAUSED } from './found-containers.ts';
import type { LeftContainers } from './left-containers.ts';
import { removeContainer } from './remove-container.ts';

/**
 * Connects to the persistent container of a session. Returns undefined if none runs. Containers of
 * the session that have ended are removed, because they never will run again, and so are those in
 * `left`, which were to be removed before.
 * @throws PtcError `SANDBOX_LOST` if the container runs but the connection fails,
 * `SANDBOX_UNAVAILABLE` if it is paused or at a deadline, `ABORTED`.
 */
export async function attachContainer(
  docker: Docker,
  sessionId: string,
  left: LeftContainers,
  signal: AbortSignal | undefined,
): Promise<Sandbox | undefined> {
  throwIfAborted(signal);
  const label = [`${LABELS.session}=${sessionId}`, `${LABELS.persistent}=true`];
  // Engines list the newest container first.
  const found = await withDeadline(
    'list its containers',
    CALL_DEADLINE_MS,
    async (abortSignal) => docker.listContainers({ all: true, filters: { label }, abortSignal }),
    signal,
  );
  const isInUse = (one: Docker.ContainerInfo): boolean => canRun(one.State) && !left.has(one);
  const running = found.find(isInUse);
  const ended = found.filter((one) => !isInUse(one));
  await Promise.all(ended.map(async ({ Id }) => removeContainer(docker.getContainer(Id))));
  if (running === undefined) return undefined;
  if (running.State === PAUSED) throw pausedError(running, sessionId);
  const sandbox = await connect(docker, running.Id, { sessionId, left, signal });
  if (signal?.aborted === true) await sandbox?.detach();
  throwIfAborted(signal);
  return sandbox;
}

function pausedError({ Id, Names }: Docker.ContainerInfo, sessionId: string): PtcError {
  const name = Names[0]?.replace('/', '') ?? Id;
  return new PtcError(
    'SANDBOX_UNAVAILABLE',
    `The sandbox of session ${sessionId} is the container ${name}, which is paused. Unpause it with \`docker unpause ${name}\`, or remove it to begin anew.`,
    { details: { sessionId, sandboxId: Id } },
  );
}

async function connect(
  docker: Docker,
  id: string,
  {
    sessionId,
    left,
    signal,
  }: {
    readonly sessionId: string;
    readonly left: LeftContainers;
    readonly signal: AbortSignal | undefined;
  },
): Promise<DockerSandbox | undefined> {
  const container = docker.getContainer(id);
  const exit = new ExitWatch(container);
  try {
    const stream = await openAttachStream(docker, id, signal);
    // An earlier host may have died in the middle of a line.
    stream.write(END_OF_UNFINISHED_LINE);
    return new DockerSandbox(id, container, attachTransport(stream, exit), left);
  } catch (cause) {
    exit.stop();
    // The container has ended after it was listed.
    if (statusOf(cause) === 404 || statusOf(cause) === 409) return undefined;
    if (PtcError.isInstance(cause)) throw cause;
    throw new PtcError(
      'SANDBOX_LOST',
      `The sandbox of session ${sessionId} runs, but the engine could not connect to it: ${reasonOf(cause)}. ` +
        'Try again, or remove its container and start a new session.',
      { cause, details: { sessionId, sandboxId: id } },
    );
  }
}
