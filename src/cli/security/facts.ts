import { readFile } from 'node:fs/promises';
import { z } from 'zod/v4';
import { isRecord } from '../../shared/guards.ts';
import { readOwnFiles } from '../../shared/installation.ts';

/** The parts of the program, in their order. */
const PARTS = ['probed_calls.py', 'security_probe.py'].map(
  (name) => new URL(`../../../runner/probe/${name}`, import.meta.url),
);

type Outcomes = Readonly<Record<string, string>>;

/** The facts that the probe found inside a sandbox. Null means that it could not find out. */
export interface ProbeFacts {
  /** Lines of `/proc/self/status`, split into words. */
  readonly status: Readonly<Record<string, readonly string[]>> | null;
  readonly read_only_root: boolean | null;
  readonly writable_directories: readonly string[] | null;
  /** The facts about `/tmp` and `/dev/shm` together. */
  readonly temporary_files: {
    /** The mount options that both have. */
    readonly options: readonly string[];
    readonly bytes: number;
    readonly entries: number;
  } | null;
  /** The directories below which a file of the host is visible. */
  readonly host_directories: readonly string[] | null;
  readonly interfaces: readonly string[] | null;
  readonly control_groups: {
    readonly paths: readonly string[];
    readonly writable: boolean;
  } | null;
  /** Null means no limit. */
  readonly group_limits: {
    readonly memory_bytes: number | null;
    readonly swap_bytes: number | null;
    readonly processors: number | null;
    readonly processes: number | null;
  } | null;
  /** Soft and hard limit. */
  readonly limits: Readonly<Record<string, readonly number[]>> | null;
  readonly oom_score: number | null;
  readonly shown_paths: readonly string[] | null;
  readonly writable_paths: readonly string[] | null;
  readonly devices: readonly string[] | null;
  /** The result of opening a pseudo-terminal: `done`, or the name of an error. */
  readonly terminal: string | null;
  /** The number of each descriptor, and its target. */
  readonly descriptors: readonly (readonly [number, string])[] | null;
  readonly environment: readonly string[] | null;
  readonly processes: readonly number[] | null;
  /** By family: `done`, or the name of an error. */
  readonly sockets: Outcomes | null;
  readonly connection: string | null;
  /** By name: `done`, or the name of an error. */
  readonly system_calls: Outcomes | null;
  /** Null if the interpreter is not WebAssembly. */
  readonly webassembly: {
    readonly javascript: string;
    readonly process: string;
    readonly files: readonly string[];
  } | null;
  /** By attempt: `done`, `without effect`, `took effect`, or the name of an error. */
  readonly supervisor: Outcomes | null;
}

/** What the probe printed until it ended or was stopped. */
export interface ProbeReport {
  /** The facts that are missing are null. */
  readonly facts: ProbeFacts;
  readonly missing: readonly (keyof ProbeFacts)[];
  /** The fact that it was collecting when it stopped; undefined if it was collecting none. */
  readonly collecting: string | undefined;
}

const words = z.array(z.string());
const outcomes = z.record(z.string(), z.string());
const limit = z.number().nullable();

const FACTS: { readonly [Name in keyof ProbeFacts]: z.ZodType<ProbeFacts[Name]> } = {
  status: z.record(z.string(), words).nullable(),
  read_only_root: z.boolean().nullable(),
  writable_directories: words.nullable(),
  temporary_files: z.object({ options: words, bytes: z.number(), entries: z.number() }).nullable(),
  host_directories: words.nullable(),
  interfaces: words.nullable(),
  control_groups: z.object({ paths: words, writable: z.boolean() }).nullable(),
  group_limits: z
    .object({
      memory_bytes: limit,
      swap_bytes: limit,
      processors: limit,
      processes: limit,
    })
    .nullable(),
  limits: z.record(z.string(), z.array(z.number())).nullable(),
  oom_score: limit,
  shown_paths: words.nullable(),
  writable_paths: words.nullable(),
  devices: words.nullable(),
  terminal: z.string().nullable(),
  descriptors: z.array(z.tuple([z.number(), z.string()])).nullable(),
  environment: words.nullable(),
  processes: z.array(z.number()).nullable(),
  sockets: outcomes.nullable(),
  connection: z.string().nullable(),
  system_calls: outcomes.nullable(),
  webassembly: z.object({ javascript: z.string(), process: z.string(), files: words }).nullable(),
  supervisor: outcomes.nullable(),
};

const NAMES = Object.keys(FACTS) as (keyof ProbeFacts)[];

/**
 * The program that collects the facts in a session.
 * @param hostFile - A file of the host, which a sandbox must not see anywhere.
 */
export async function probeProgram(
  hiddenPaths: readonly string[],
  readOnlyPaths: readonly string[],
  hostFile: string,
): Promise<string> {
  const parts = await readOwnFiles(async () =>
    Promise.all(PARTS.map(async (part) => readFile(part, 'utf8'))),
  );
  const facts = [hiddenPaths, readOnlyPaths, hostFile].map((value) => JSON.stringify(value));
  return `${parts.join('\n')}\nreport(${facts.join(', ')})\n`;
}

/** Reads the program's output. What is not a valid fact counts as missing. */
export function parseFacts(printed: string): ProbeReport {
  const found: Record<string, unknown> = {};
  let collecting: string | undefined;
  for (const line of printed.split('\n')) {
    const value = parseLine(line);
    if (typeof value === 'string') collecting = value;
    if (!isRecord(value)) continue;
    Object.assign(found, value);
    collecting = undefined;
  }
  const missing = NAMES.filter((name) => !FACTS[name].safeParse(found[name]).success);
  const facts = NAMES.map((name) => [name, missing.includes(name) ? null : found[name]]);
  return { facts: Object.fromEntries(facts) as ProbeFacts, missing, collecting };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
