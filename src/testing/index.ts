/**
 * Tests that every sandbox must pass, for your own provider, image or language.
 * @module sandboxed-ptc/testing
 */
export { contractSuite } from './contract-suite.ts';
export { FEATURES, type Feature, type Gaps } from './features.ts';
export type {
  AbsentProgram,
  ContractProgram,
  ContractPrograms,
  ProgramOutcome,
} from './programs/contract-programs.ts';
export { PROGRAMS, type ProgramId } from './programs/program-ids.ts';
export { programsOf } from './programs/programs.ts';
export type { ContractSubject, ContractSuite, ContractTest } from './suite.ts';
