import { isRecord } from '../../../shared/guards.ts';
import { violation } from '../streams/packets.ts';

/** What the kernel says of the process that becomes the runner. See `runner/sidecar/walls.py`. */
export interface CodeFacts {
  readonly process: number;
  readonly user: number;
  readonly groups: readonly number[];
  readonly capabilities: readonly number[];
  readonly newPrivileges: boolean;
  readonly filtersSystemCalls: boolean;
  readonly opensInternetSockets: boolean;
  readonly writesRoot: boolean;
  /** The sizes of writable file systems, by path. */
  readonly temporaryBytes: Readonly<Record<string, number>>;
  readonly processes: number;
  readonly hasToken: boolean;
}

/** What a sidecar says of its pod. */
export interface PodFacts {
  readonly code: CodeFacts;
  /** The addresses that the pod's network reaches. */
  readonly reached: readonly string[];
}

const NUMBERS = ['process', 'user', 'processes'] as const;
const FLAGS = [
  'newPrivileges',
  'filtersSystemCalls',
  'opensInternetSockets',
  'writesRoot',
  'hasToken',
] as const;

/**
 * Reads what a sidecar says. It runs no program, so this only finds what another version says.
 * @throws PtcError `PROTOCOL_VIOLATION`
 */
export function readFacts(text: string): PodFacts {
  const facts = parse(text);
  if (!isPodFacts(facts)) throw violation('it does not say what the pod is like');
  return facts;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isPodFacts(facts: unknown): facts is PodFacts {
  if (!isRecord(facts) || !isListOf('string', facts['reached'])) return false;
  const { code } = facts;
  return (
    isRecord(code) &&
    NUMBERS.every((name) => typeof code[name] === 'number') &&
    FLAGS.every((name) => typeof code[name] === 'boolean') &&
    isListOf('number', code['groups']) &&
    isListOf('number', code['capabilities']) &&
    isRecord(code['temporaryBytes']) &&
    isListOf('number', Object.values(code['temporaryBytes']))
  );
}

function isListOf(type: 'number' | 'string', value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === type);
}
