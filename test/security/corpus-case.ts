import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const FOLDER = fileURLToPath(new URL('./corpus/', import.meta.url));

/** A text as it is, or a regular expression that it matches. */
const text = z.union([z.string(), z.strictObject({ match: z.string() })]);

const expectation = {
  /** How the run ends. */
  status: z.enum([
    'ok',
    'error',
    'timeout',
    'memory',
    'calls',
    'output',
    'protocol',
    'sandbox-lost',
  ]),
  /** @default anything */
  stdout: text.optional(),
  /** @default anything */
  stderr: text.optional(),
  error: z.strictObject({ type: z.string(), message: z.string().optional() }).optional(),
  /** Whether the session survives. @default true */
  sessionOpen: z.boolean().optional(),
  /** How many calls the host received. @default 0 */
  toolCalls: z.number().optional(),
};

const schema = z.strictObject({
  /** Its number in `cases.ts`. */
  case: z.int().positive(),
  title: z.string().min(1),
  ...expectation,
  /** What the run may take. @default 20000 */
  timeoutMs: z.number().optional(),
  /** In place of the executor's own. */
  limits: z.record(z.string(), z.number()).optional(),
  budgets: z.record(z.string(), z.number()).optional(),
  outputLimitBytes: z.number().optional(),
  /** How often it runs, in one session. @default 1 */
  runs: z.int().positive().optional(),
  /** A program that runs next, while the session is there: in it, or in another one beside it. */
  after: z
    .strictObject({ session: z.enum(['same', 'new']), code: z.string(), stdout: text })
    .optional(),
  /** Where it does not apply or does not hold, and why. */
  gaps: z.partialRecord(z.enum(['docker', 'embedded']), z.string().min(20)).optional(),
  /** What differs in the embedded engine. */
  embedded: z.strictObject(expectation).partial().optional(),
});

/** Where the corpus runs. */
export type Place = 'docker' | 'embedded';

/** A hostile program and what must come of it. */
export type CorpusCase = z.infer<typeof schema> & {
  /** Its path in the corpus without its ending, such as `escape/03-ptrace`. */
  readonly path: string;
  readonly code: string;
};

/** All paths of the corpus, in their order. */
export function corpusPaths(ending: '.py' | '.json' = '.json'): string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => path.slice(0, -ending.length))
    .sort();
}

/** @throws Error where what is beside the program is not as the schema says. */
export function readCorpusCase(path: string): CorpusCase {
  const code = readFileSync(`${FOLDER}${path}.py`, 'utf8');
  const parsed = schema.safeParse(JSON.parse(readFileSync(`${FOLDER}${path}.json`, 'utf8')));
  if (!parsed.success) throw new Error(`${path}.json: ${z.prettifyError(parsed.error)}`);
  return { ...parsed.data, path, code };
}

/** What must come of a program in a place. */
export function expectedIn(place: Place, { embedded, ...rest }: CorpusCase): CorpusCase {
  return (place === 'embedded' ? { ...rest, ...embedded } : rest) as CorpusCase;
}
