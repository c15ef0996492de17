/** The kinds of protection of a sandbox. A report can have several protections of one kind. */
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
  | 'namespaces'
  | 'control group'
  | 'memory'
  | 'swap'
  | 'processors'
  | 'processes'
  | 'process limits'
  | 'out-of-memory score'
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

/** One protection: what was requested, and what the engine or the system reports. */
export interface Protection {
  readonly name: ProtectionName;
  /** What was requested, for people to read. */
  readonly asked: string;
  /** What is reported, for people to read. Undefined if it is not reported. */
  readonly applied: string | undefined;
  /** False if the sandbox has less than was requested. */
  readonly holds: boolean;
  /**
   * What it means if the protection does not hold: a clause, such as `the root file system is
   * writable`.
   */
  readonly missing: string;
}

/** A protection. `applied` is undefined if it is not reported. */
export function protection(
  name: ProtectionName,
  asked: string,
  applied: string | undefined,
  holds: boolean,
  missing: string,
): Protection {
  return { name, asked, applied, holds, missing };
}

/** The protections of a sandbox, as the engine or the system reports them. */
export interface SecurityReport {
  readonly protections: readonly Protection[];
  /**
   * Weaknesses of the machine or of its engine, although no protection is missing. Each is a
   * paragraph.
   */
  readonly notes: readonly string[];
}
