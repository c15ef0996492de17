/**
 * Tests that every sandbox must pass, for your own provider, image or language, and tests that every way to call tools must
 * pass, for your own adapter.
 * @module sandboxed-ptc/testing
 */
export { contractSuite } from './contract-suite.ts';
export { FEATURES, type Feature, type Gaps } from './features.ts';
export { policySuite } from './policy/policy-suite.ts';
export type { OpenWay, Way, WayEvent, WayListener, WayParts, WayTool } from './policy/way.ts';
export type {
  AbsentProgram,
  ContractProgram,
  ContractPrograms,
  ProgramOutcome,
} from './programs/contract-programs.ts';
export { PROGRAMS, type ProgramId } from './programs/program-ids.ts';
export { programsOf } from './programs/programs.ts';
export type { ContractSubject, ContractSuite, ContractTest } from './suite.ts';
