import type { ContainerInspectInfo } from 'dockerode';
import type { Protection } from '../../sandbox/protection.ts';
import { checkHiddenPaths, checkNameSpaces, checkRights } from './check-isolation.ts';
import { checkFiles, checkLifetime, checkResources } from './check-resources.ts';
import type { Comparison } from './comparison.ts';
import type { SandboxContainerOptions } from './container-config.ts';
import type { EngineKind } from './engine.ts';

/**
 * Compares what an engine made with what it was asked for: engines drop limits that their kernel
 * lacks and only warn, and an image can bring storage of its own. Every field of the profile that
 * the engine reports is looked at.
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
    ...checkNameSpaces(comparison),
    ...checkResources(comparison),
    ...checkLifetime(comparison),
  ];
}

/** Gives a clause for each protection that is missing. */
export function missingProtections(
  made: ContainerInspectInfo,
  asked: SandboxContainerOptions,
  engine: EngineKind,
): string[] {
  return inspectedProtections(made, asked, engine)
    .filter(({ holds }) => !holds)
    .map(({ missing }) => missing);
}
