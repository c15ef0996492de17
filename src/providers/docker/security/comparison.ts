import type { ContainerInspectInfo } from 'dockerode';
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
