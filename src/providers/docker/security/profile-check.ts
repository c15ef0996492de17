import type { ContainerInspectInfo } from 'dockerode';
import type { Protection } from '../../../sandbox/protection.ts';
import { checkHiddenPaths, checkNamespaces, checkRights } from './check-isolation.ts';
import { checkFiles, checkLifetime, checkResources } from './check-resources.ts';
import type { Comparison } from './comparison.ts';
import type { SandboxContainerOptions } from '../container/container-config.ts';
import type { EngineKind } from '../engine/engine.ts';

/**
 * Compares what an engine made with what was requested. The check is needed because engines only
 * warn if their kernel does not support a limit, and an image can add storage. It covers every
 * field of the profile that the engine reports.
 */
export function inspectedProtections(
  made: ContainerInspectInfo,
  asked: SandboxContainerOptions,
  engine: EngineKind,
): readonly Protection[] {
  const comparison: Comparison = { made, host: made.HostConfig, asked, engine };
  return [
    ...checkRights(comparison),
    ...checkFiles(comparison),
    ...checkHiddenPaths(comparison),
    ...checkNamespaces(comparison),
    ...checkResources(comparison),
    ...checkLifetime(comparison),
  ];
}

/** Returns a clause for each protection that is missing. */
export function missingProtections(
  made: ContainerInspectInfo,
  asked: SandboxContainerOptions,
  engine: EngineKind,
): string[] {
  return inspectedProtections(made, asked, engine)
    .filter(({ holds }) => !holds)
    .map(({ missing }) => missing);
}
