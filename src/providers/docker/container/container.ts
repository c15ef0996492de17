import type Docker from 'dockerode';
import type { HostMessage } from '../../../protocol/messages.ts';
import type { StreamTransport } from '../../../protocol/stream-transport.ts';
import type { SecurityReport } from '../../../sandbox/protection.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { throwIfAborted } from '../../../shared/async/abort.ts';
import { PtcError } from '../../../shared/errors.ts';
import { openAttachStream } from './attach-request.ts';
import { attachTransport } from './attach.ts';
import type { SandboxContainerOptions } from './container-config.ts';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';
import { DockerSandbox } from '../docker-sandbox.ts';
import { asStartError, statusOf } from '../engine/engine-error.ts';
import type { EngineKind } from '../engine/engine.ts';
import { ExitWatch } from './exit-watch.ts';
import { missingProtections } from '../security/profile-check.ts';
import type { LeftContainers } from './left-containers.ts';
import { removeContainer } from './remove-container.ts';
import { reportSecurity } from '../security/security-report.ts';

export interface CreateContainerOptions {
  readonly engine: EngineKind;
  /** What the user calls the image, for messages. The container gets it by its id. */
  readonly imageName: string;
  readonly signal?: AbortSignal | undefined;
  /** Receives the container if the engine did not remove it in time, or may still create it. */
  readonly left: LeftContainers;
}

export interface StartContainerOptions extends CreateContainerOptions {
  /** A message that the runner receives as soon as it starts, even if this host is dead by then. */
  readonly firstMessage?: HostMessage | undefined;
}

/**
 * Creates a container and starts the runner in it. If anything fails, the container is removed, or
 * added to `left` if the engine does not answer. The
 * signal is checked between the steps, which take milliseconds, because a container that is removed
 * while it starts may start after its removal.
 * @throws PtcError `SANDBOX_START_FAILED`, `SANDBOX_UNAVAILABLE`, `IMAGE_UNAVAILABLE` or `ABORTED`.
 */
export async function startContainer(
  docker: Docker,
  config: SandboxContainerOptions,
  { engine, imageName, firstMessage, signal, left }: StartContainerOptions,
): Promise<Sandbox> {
  throwIfAborted(signal);
  // By name, because the answer with the id may be lost.
  const container = docker.getContainer(config.name);
  let exit: ExitWatch | undefined;
  let transport: StreamTransport | undefined;
  try {
    const { id, checked } = await createContainer(docker, config, { engine, signal, left });
    exit = new ExitWatch(container);
    // Attaches before the start, so that no output of the runner is missed.
    transport = attachTransport(await openAttachStream(docker, config.name), exit);
    if (firstMessage !== undefined) transport.send(firstMessage);
    await checked;
    throwIfAborted(signal);
    await withDeadline('start a container', CALL_DEADLINE_MS, (abortSignal) =>
      container.start({ abortSignal }),
    );
    throwIfAborted(signal);
    const report = (): Promise<SecurityReport> => reportSecurity(docker, config, engine);
    return new DockerSandbox(id, container, transport, left, report);
  } catch (error) {
    exit?.stop();
    transport?.destroy();
    if (!(await removeContainer(container))) left.add(container);
    throw asStartError(error, imageName);
  }
}

/** A container that is not started. */
interface CreatedContainer {
  readonly id: string;
  /** Rejects if the engine did not give it all protections. Await it before the start. */
  readonly checked: Promise<void>;
}

/**
 * Creates a container, and begins to check it. If the engine does not say whether it created it, the
 * container is added to `left`: an engine goes on with a request that nobody waits for.
 * @throws PtcError `SANDBOX_UNAVAILABLE` or `ABORTED`, and what dockerode throws.
 */
export async function createContainer(
  docker: Docker,
  config: SandboxContainerOptions,
  { engine, signal, left }: Omit<CreateContainerOptions, 'imageName'>,
): Promise<CreatedContainer> {
  const container = docker.getContainer(config.name);
  const creating = docker.createContainer(inBody(config));
  let id: string;
  try {
    ({ id } = await withDeadline('create a container', CALL_DEADLINE_MS, () => creating));
  } catch (error) {
    if (statusOf(error) === undefined) left.addUnanswered(container, creating);
    throw error;
  }
  throwIfAborted(signal);
  const checked = checkProtections(container, config, engine);
  // Awaited later, unless something else fails first.
  checked.catch(() => undefined);
  return { id, checked };
}

/**
 * Sends the settings only in the body of the request. dockerode would also put them into the URL,
 * and they contain the runner's code; engines and proxies refuse long URLs.
 */
function inBody({ name, ...settings }: SandboxContainerOptions): Docker.ContainerCreateOptions {
  const request = { name, _query: { name }, _body: settings };
  return request;
}

async function checkProtections(
  container: Docker.Container,
  config: SandboxContainerOptions,
  engine: EngineKind,
): Promise<void> {
  const inspected = await withDeadline('describe a container', CALL_DEADLINE_MS, (abortSignal) =>
    container.inspect({ abortSignal }),
  );
  const missing = missingProtections(inspected, config, engine);
  if (missing.length > 0) {
    throw new PtcError(
      'SANDBOX_START_FAILED',
      `The engine did not give the sandbox all of its protections: ${missing.join('; ')}. ` +
        'Nothing was started. Use an engine and an image that support them.',
      { details: { missing } },
    );
  }
}
