import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { DeferredOutcome } from '../../src/execution/deferred/deferred-call.ts';
import type { LanguageName } from '../../src/protocol/messages.ts';

const FOLDER = fileURLToPath(new URL('./corpus/', import.meta.url));
const PRELUDES = fileURLToPath(new URL('./preludes/', import.meta.url));

/** Where the corpus runs: `watched` is bubblewrap without control groups. */
export const PLACES = ['docker', 'bubblewrap', 'watched', 'embedded', 'kubernetes'] as const;
export type Place = (typeof PLACES)[number];

/** How the programs of each language end. */
export const ENDINGS: Readonly<Record<LanguageName, string>> = {
  python: '.py',
  javascript: '.js',
  typescript: '.ts',
  bash: '.sh',
};

/** A text as it is, or a regular expression that it matches. */
export type ExpectedText = string | { readonly match: string };

/** A number, or the most that it may be. */
type Count = number | { readonly atMost: number };

/** What can come of a deferred call. */
export const OUTCOMES = [
  'done',
  'failed',
  'not-made',
  'unknown',
] as const satisfies DeferredOutcome[];

/** What must come of a run. */
export interface Expectation {
  readonly status: string;
  /** @default anything */
  readonly stdout?: ExpectedText;
  /** @default anything */
  readonly stderr?: ExpectedText;
  /** The type, and a regular expression for the message. @default none where `status` is `ok` */
  readonly error?: { readonly type: string; readonly message?: string };
  /** Whether the session survives. @default true */
  readonly sessionOpen?: boolean;
  /** How many calls the host received. @default 0 */
  readonly toolCalls?: Count;
  /** How many of the calls that it deferred had each outcome. @default it deferred none */
  readonly deferred?: Readonly<Partial<Record<DeferredOutcome, Count>>>;
}

/** A hostile program and what must come of it. */
export interface CorpusCase extends Expectation {
  /** Its path in the corpus without its ending, such as `escape/03-ptrace`. */
  readonly path: string;
  /** @default python */
  readonly language: LanguageName;
  /** With its prelude, where it has one. */
  readonly code: string;
  /** Its number in `shown/cases.ts`. */
  readonly case: number;
  readonly title: string;
  /** The promises of SECURITY.md that it shows, by their ids in `shown/promises.ts`. @default none */
  readonly shows?: readonly string[];
  /**
   * Whose code decides what comes of it, if that is the same in several places:
   *
   * - `host`: what the host does with arguments that a runner passes on unread. It runs in one place.
   * - `runner`: the runner and the host. It runs in one place of each runner. Docker and bubblewrap have the same one.
   *
   * @default the sandbox too, so it runs everywhere
   */
  readonly decidedBy?: 'host' | 'runner';
  /**
   * Whether the session is as before after its run, if the sandbox holds: the program leaves no file, descriptor, setting or
   * task, and what it starts ends with its run. Such programs share sessions, and each of them shows that the ones before it
   * left nothing. @default false
   */
  readonly leavesNothing?: boolean;
  /**
   * Whether it needs a new session, or changes what the next program of its session can do, although it has `decidedBy`:
   * those share sessions too. @default false
   */
  readonly ownSession?: boolean;
  /**
   * What the run may take. If this must end it, it is doubled until the program has printed and called what it must.
   * @default 120000
   */
  readonly timeoutMs?: number;
  /** Options of an executor of its own. */
  readonly limits?: Readonly<Record<string, number>>;
  readonly budgets?: Readonly<Record<string, number>>;
  readonly maxOutputBytes?: number;
  /**
   * Whether the approver decides calls of `asked` that wait at the same time together, for which the host asks the runner to
   * say when the program waits. The program has an executor of its own. @default false
   */
  readonly asksTogether?: boolean;
  /** How often it runs, in one session. @default 1 */
  readonly runs?: number;
  /** Whether its session ends by itself after its run. @default false */
  readonly endsWhenIdle?: boolean;
  /** A program that runs next, while the session is there: in it, or in another one beside it. */
  readonly after?: {
    readonly session: 'same' | 'new';
    readonly code: string;
    readonly stdout: ExpectedText;
  };
  /**
   * Where it does not apply or does not hold, and why. What is said of bubblewrap is said of it without groups too, and what
   * is said of Docker is said of pods, which have the same image.
   */
  readonly gaps?: Readonly<Partial<Record<Place, string>>>;
  /** What differs in bubblewrap. */
  readonly bubblewrap?: Partial<Expectation>;
  /** What differs in bubblewrap without control groups, besides. */
  readonly watched?: Partial<Expectation>;
  /** What differs in the embedded sandbox. */
  readonly embedded?: Partial<Expectation>;
  /** What differs in pods. */
  readonly kubernetes?: Partial<Expectation>;
}

/** The paths of the corpus without this ending, in their order. @default those of all cases */
export function corpusPaths(ending = '.json'): string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => path.slice(0, -ending.length))
    .sort();
}

/** @throws Error where what is beside the program is not as `CorpusCase` says. */
export function readCorpusCase(path: string): CorpusCase {
  const parsed = caseSchema().safeParse(JSON.parse(readFileSync(`${FOLDER}${path}.json`, 'utf8')));
  if (!parsed.success) throw new Error(`${path}.json: ${z.prettifyError(parsed.error)}`);
  const { prelude, ...hostile } = parsed.data as Omit<CorpusCase, 'path' | 'code'> & {
    readonly prelude?: string;
  };
  const ending = ENDINGS[hostile.language];
  const program = readFileSync(`${FOLDER}${path}${ending}`, 'utf8');
  const code =
    prelude === undefined
      ? program
      : `${readFileSync(`${PRELUDES}${prelude}${ending}`, 'utf8')}\n\n${program}`;
  return { ...hostile, path, code };
}

/** Another place whose gaps a place has too. */
const LIKE: Readonly<Partial<Record<Place, Place>>> = {
  watched: 'bubblewrap',
  kubernetes: 'docker',
};

/** Whether it may run in a session in which others have run, and leaves it as it was. */
export function sharesSession({
  leavesNothing = false,
  decidedBy,
  ownSession,
}: CorpusCase): boolean {
  return leavesNothing || (decidedBy !== undefined && ownSession !== true);
}

/** Why it does not run in a place; undefined if it does. */
export function gapIn(place: Place, { gaps }: CorpusCase): string | undefined {
  const like = LIKE[place];
  return gaps?.[place] ?? (like && gaps?.[like]);
}

/** What must come of a program in a place. */
export function expectedIn(place: Place, hostile: CorpusCase): CorpusCase {
  const { bubblewrap, watched, embedded, kubernetes, ...rest } = hostile;
  const changes = {
    docker: {},
    bubblewrap,
    watched: { ...bubblewrap, ...watched },
    embedded,
    kubernetes,
  };
  const own: Partial<Expectation> = changes[place] ?? {};
  const { error: _elsewhere, ...succeeding } = rest;
  return { ...(own.status === 'ok' ? succeeding : rest), ...own };
}

/** Takes no key that it does not know: one that is misspelt would go unchecked. */
function caseSchema(): z.ZodType {
  const text = z.union([z.string(), z.strictObject({ match: z.string() })]);
  const numbers = z.record(z.string(), z.number());
  const count = z.union([z.number(), z.strictObject({ atMost: z.number() })]);
  const reason = z.string().min(20);
  const expectation = {
    status: z.enum([
      ...(['ok', 'error', 'timeout', 'memory-limit', 'budget-exceeded', 'protocol-error'] as const),
      'sandbox-lost',
    ]),
    stdout: text.optional(),
    stderr: text.optional(),
    error: z.strictObject({ type: z.string(), message: z.string().optional() }).optional(),
    sessionOpen: z.boolean().optional(),
    toolCalls: count.optional(),
    deferred: z.partialRecord(z.enum(OUTCOMES), count).optional(),
  };
  const after = { session: z.enum(['same', 'new']), code: z.string(), stdout: text };
  return z.strictObject({
    ...expectation,
    case: z.int().positive(),
    title: z.string().min(1),
    shows: z.array(z.string()).optional(),
    decidedBy: z.enum(['host', 'runner']).optional(),
    leavesNothing: z.boolean().optional(),
    ownSession: z.boolean().optional(),
    language: z.enum(['python', 'javascript', 'typescript', 'bash']).default('python'),
    prelude: z.enum(['runner-parts', 'system-calls', 'attempts', 'hooks', 'verdicts']).optional(),
    timeoutMs: z.number().optional(),
    limits: numbers.optional(),
    budgets: numbers.optional(),
    maxOutputBytes: z.number().optional(),
    asksTogether: z.boolean().optional(),
    runs: z.int().positive().optional(),
    endsWhenIdle: z.boolean().optional(),
    after: z.strictObject(after).optional(),
    gaps: z
      .strictObject({
        docker: reason.optional(),
        bubblewrap: reason.optional(),
        watched: reason.optional(),
        embedded: reason.optional(),
        kubernetes: reason.optional(),
      })
      .optional(),
    bubblewrap: z.strictObject(expectation).partial().optional(),
    watched: z.strictObject(expectation).partial().optional(),
    embedded: z.strictObject(expectation).partial().optional(),
    kubernetes: z.strictObject(expectation).partial().optional(),
  });
}
