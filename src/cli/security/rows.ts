import type { Protection, ProtectionName } from '../../sandbox/protection.ts';
import type { Observation } from './judge-facts.ts';

/** What is known of one protection from both sides of the wall. */
export interface SecurityRow {
  readonly name: ProtectionName;
  readonly asked: string;
  readonly applied: string;
  readonly seen: string;
  /** `unknown` where neither the engine nor the probe could tell. */
  readonly verdict: 'holds' | 'missing' | 'unknown';
}

/** What is promised where only the probe can tell whether it holds. */
const PROMISES: Partial<Record<ProtectionName, string>> = {
  supervisor: 'out of reach',
  environment: 'nothing of the host’s',
  descriptors: 'nothing of the host’s',
  network: 'none',
  processes: 'none',
  'host directories': 'none',
};

/** Puts what the engine says beside what was seen from inside: one row for each protection, in their order. */
export function securityRows(
  protections: readonly Protection[],
  observations: readonly Observation[],
): readonly SecurityRow[] {
  const names = new Set([...protections, ...observations].map(({ name }) => name));
  return [...names].map((name) => {
    const told = protections.filter((protection) => protection.name === name);
    const seen = observations.filter((observation) => observation.name === name);
    return {
      name,
      asked: list(told.length === 0 ? [PROMISES[name] ?? ''] : told.map(({ asked }) => asked)),
      applied: told.length > 0 && told.every(isAsAsked) ? 'as asked' : list(told.map(describe)),
      seen: list(seen.map((observation) => observation.seen)),
      verdict: verdictOf(told, seen),
    };
  });
}

function verdictOf(
  told: readonly Protection[],
  seen: readonly Observation[],
): SecurityRow['verdict'] {
  const known = [...told.filter(({ applied }) => applied !== undefined), ...seen];
  if ([...told, ...seen].some(({ holds }) => !holds)) return 'missing';
  return known.length === 0 ? 'unknown' : 'holds';
}

function isAsAsked({ asked, applied, holds }: Protection): boolean {
  return holds && (applied === asked || applied === 'as asked');
}

function describe({ applied = 'not told' }: Protection): string {
  return applied;
}

function list(texts: readonly string[]): string {
  return [...new Set(texts)].filter(Boolean).join(', ') || '–';
}
