import type { ContainerInspectInfo } from 'dockerode';
import type { Protection, ProtectionName } from '../../sandbox/protection.ts';
import type { SandboxContainerOptions, SandboxHostConfig } from './container-config.ts';
import type { EngineKind } from './engine.ts';

/** What an engine made, what it was asked for, and the engine, for Podman does not report all of it. */
export interface Comparison {
  readonly made: ContainerInspectInfo;
  readonly host: ContainerInspectInfo['HostConfig'] & Partial<SandboxHostConfig>;
  readonly asked: SandboxContainerOptions;
  readonly engine: EngineKind;
}

/** Whether a protection holds. `applied` is undefined where the engine does not say. */
export function row(
  name: ProtectionName,
  asked: string,
  applied: string | undefined,
  holds: boolean,
  missing: string,
): Protection {
  return { name, asked, applied, holds, missing };
}
