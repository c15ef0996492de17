import type { ContainerInspectInfo } from 'dockerode';
import type { Protection, ProtectionName } from '../../../sandbox/protection.ts';
import type { SandboxContainerOptions, SandboxHostConfig } from '../container/container-config.ts';
import type { EngineKind } from '../engine/engine.ts';

/**
 * What an engine made, what was requested, and which engine it is, because Podman does not report
 * everything.
 */
export interface Comparison {
  readonly made: ContainerInspectInfo;
  readonly host: ContainerInspectInfo['HostConfig'] & Partial<SandboxHostConfig>;
  readonly asked: SandboxContainerOptions;
  readonly engine: EngineKind;
}

/** A protection. `applied` is undefined if the engine does not report it. */
export function row(
  name: ProtectionName,
  asked: string,
  applied: string | undefined,
  holds: boolean,
  missing: string,
): Protection {
  return { name, asked, applied, holds, missing };
}
