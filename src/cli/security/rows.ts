import type { Protection, ProtectionName } from '../../sandbox/protection.ts';
import type { Observation } from './judge-facts.ts';

/** What is known about one protection from outside and inside the sandbox. */
export interface SecurityRow {
  readonly name: ProtectionName;
  readonly asked: string;
  readonly applied: string;
  readonly seen: string;
  /** `unknown` if neither the provider nor the probe could find out, or the probe was stopped before. */
  readonly verdict: 'holds' | 'missing' | 'unknown';
}

/** The requested protections for which only the probe can find out whether they hold. */
const PROBED_PROTECTIONS: Partial<Record<ProtectionName, string>> = {
  supervisor: 'out of reach',
  environment: 'nothing of the host’s',
  descriptors: 'nothing of the host’s',
  network: 'none',
  processes: 'none',
  'host directories': 'none',
};

/**
 * Combines the reports of the provider with the probe's findings: one row for each protection, in
 * order.
 */
export function securityRows(
  protections: readonly Protection[],
  observations: readonly Observation[],
): readonly SecurityRow[] {
  const names = new Set([...protections, ...observations].map(({ name }) => name));
  return [...names].map((name) => {
    const reported = protections.filter((protection) => protection.name === name);
    const seen = observations.filter((observation) => observation.name === name);
    return {
      name,
      asked: list(
        reported.length === 0
          ? [PROBED_PROTECTIONS[name] ?? '']
          : reported.map(({ asked }) => asked),
      ),
      applied:
        reported.length > 0 && reported.every(isAsAsked)
          ? 'as asked'
          : list(reported.map(describe)),
      seen: list(seen.map((observation) => observation.seen)),
      verdict: verdictOf(reported, seen),
    };
  });
}

function verdictOf(
  reported: readonly Protection[],
  seen: readonly Observation[],
): SecurityRow['verdict'] {
  const known = [...reported.filter(({ applied }) => applied !== undefined), ...seen];
  const isOpen = seen.some(({ holds }) => holds === undefined);
  if ([...reported, ...seen].some(({ holds }) => holds === false)) return 'missing';
  return isOpen || known.length === 0 ? 'unknown' : 'holds';
}

function isAsAsked({ asked, applied, holds }: Protection): boolean {
  return holds && (applied === asked || applied === 'as asked');
}

function describe({ applied = 'not reported' }: Protection): string {
  return applied;
}

function list(texts: readonly string[]): string {
  return [...new Set(texts)].filter(Boolean).join(', ') || '–';
}
