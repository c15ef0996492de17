import type Docker from 'dockerode';
import type { HostMessage } from '../../protocol/messages.ts';
import type { StreamTransport } from '../../protocol/stream-transport.ts';
import type { SecurityReport } from '../../sandbox/protection.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { throwIfAborted } from '../../shared/abort.ts';
import { PtcError } from '../../shared/errors.ts';
import { openAttachStream } from './attach-request.ts';
import { attachTransport } from './attach.ts';
import type { SandboxContainerOptions } from './container-config.ts';
import { CALL_DEADLINE_MS, withDeadline } from './deadline.ts';
import { DockerSandbox } from './docker-sandbox.ts';
import { asStartError } from './engine-error.ts';
import type { EngineKind } from './engine.ts';
import { ExitWatch } from './exit-watch.ts';
import { missingProtections } from './profile-check.ts';
import { removeContainer } from './remove-container.ts';
import { reportSecurity } from './security-report.ts';

export interface StartContainerOptions {
  readonly engine: EngineKind;
  /** What the runner finds before it is started, whatever becomes of this host. */
  readonly greeting?: HostMessage | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a container and starts the runner in it. Whatever goes wrong on the way, the container
 * does not stay. The signal is looked at between steps, which take milliseconds: a container that
 * is removed while it starts may come to life afterwards.
 * @throws PtcError `SANDBOX_START_FAILED`, `SANDBOX_UNAVAILABLE`, `IMAGE_UNAVAILABLE` or `ABORTED`.
 */
export async function startContainer(
  docker: Docker,
  config: SandboxContainerOptions,
  { engine, greeting, signal }: StartContainerOptions,
): Promise<Sandbox> {
  throwIfAborted(signal);
  // By name, for the answer with the id may never come.
  const container = docker.getContainer(config.name);
  let exit: ExitWatch | undefined;
  let transport: StreamTransport | undefined;
  try {
    const { id } = await withDeadline('create a container', CALL_DEADLINE_MS, () =>
      docker.createContainer(inBody(config)),
    );
    exit = new ExitWatch(container);
    throwIfAborted(signal);
    const checked = checkProtections(container, config, engine);
    // Heard below, unless attaching fails before.
    checked.catch(() => undefined);
    // Before the start, so that nothing that the runner writes is missed.
    transport = attachTransport(await openAttachStream(docker, config.name), exit);
    if (greeting !== undefined) transport.send(greeting);
    await checked;
    throwIfAborted(signal);
    await withDeadline('start a container', CALL_DEADLINE_MS, (abortSignal) =>
      container.start({ abortSignal }),
    );
    throwIfAborted(signal);
    const report = (): Promise<SecurityReport> => reportSecurity(docker, config, engine);
    return new DockerSandbox(id, container, transport, report);
  } catch (error) {
    exit?.stop();
    transport?.destroy();
    await removeContainer(container);
    throw asStartError(error, config.Image);
  }
}

/**
 * Has the settings sent in the request's body alone. The client would also put them into its address, which has the
 * runner's code then; engines, and what may stand before them, refuse addresses of some size.
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
      `The engine did not give the sandbox its protections: ${missing.join('; ')}. ` +
        'Nothing was run. Use an engine and an image that can.',
      { details: { missing } },
    );
  }
}
