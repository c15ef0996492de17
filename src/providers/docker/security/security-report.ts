import type Docker from 'dockerode';
import type { SecurityReport } from '../../../sandbox/protection.ts';
import type { SandboxContainerOptions } from '../container/container-config.ts';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';
import { asUnavailable } from '../engine/engine-error.ts';
import { engineNotes } from '../engine/engine-notes.ts';
import type { EngineKind } from '../engine/engine.ts';
import { inspectedProtections } from './profile-check.ts';

/**
 * Asks the engine about its settings of a container, and about its version and its options.
 * @throws PtcError `SANDBOX_UNAVAILABLE`
 */
export async function reportSecurity(
  docker: Docker,
  asked: SandboxContainerOptions,
  engine: EngineKind,
): Promise<SecurityReport> {
  const questions = (): Promise<[Docker.ContainerInspectInfo, Docker.DockerVersion, unknown]> =>
    Promise.all([docker.getContainer(asked.name).inspect(), docker.version(), docker.info()]);
  const [made, version, info] = await withDeadline(
    'describe a container and itself',
    CALL_DEADLINE_MS,
    questions,
  ).catch(asUnavailable);
  return {
    protections: inspectedProtections(made, asked, engine),
    notes: engineNotes({ version, info: info ?? {}, runtime: made.HostConfig.Runtime }),
  };
}
