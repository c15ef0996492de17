/** What protects against a sandbox, one wall each. Several names may have more than one reason. */
export type ProtectionName =
  | 'network'
  | 'user'
  | 'capabilities'
  | 'new privileges'
  | 'system calls'
  | 'root file system'
  | 'storage'
  | 'temporary files'
  | 'host directories'
  | 'devices'
  | 'hidden paths'
  | 'read-only paths'
  | 'name spaces'
  | 'control group'
  | 'memory'
  | 'swap'
  | 'processors'
  | 'processes'
  | 'process limits'
  | 'first to go'
  | 'supervisor'
  | 'descriptors'
  | 'environment'
  | 'command'
  | 'standard input'
  | 'health check'
  | 'log'
  | 'removal'
  | 'runtime'
  | 'permissions'
  | 'JavaScript';

/** One protection: what was asked for, and what the engine says it made. */
export interface Protection {
  readonly name: ProtectionName;
  readonly asked: string;
  /** Undefined where the engine does not say. */
  readonly applied: string | undefined;
  /** False where what was made is less than what was asked for. */
  readonly holds: boolean;
  /** What it means that it does not hold: a clause, such as `the root file system is writable`. */
  readonly missing: string;
}

/** How a sandbox is walled in, as its engine tells. */
export interface SecurityReport {
  readonly protections: readonly Protection[];
  /** What its engine is weak in, though no protection is missing: sentences. */
  readonly notes: readonly string[];
}
