import { messageOf, PtcError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/guards.ts';
import { isOfKind } from '../../shared/options/option-kinds.ts';
import { showValue } from '../../shared/show-value.ts';
import { targetOf } from './pointer.ts';

/** The versions of the specification that differ in what is read here. */
export type OpenApiVersion = '2.0' | '3.0' | '3.1';

/** A part of a document. Nothing about it is known. */
export type Part = Readonly<Record<string, unknown>>;

/** How many references may follow one another. */
const MAXIMUM_HOPS = 20;

/** An OpenAPI document that was parsed. Whoever wrote it may be hostile. */
export class OpenApiDocument {
  readonly root: Part;
  readonly version: OpenApiVersion;
  readonly paths: Part;
  readonly #read: Map<unknown, WeakMap<Part, Outcome>> = new Map();
  /** What references lead to: thousands of places may have the same long one. */
  readonly #targets: Map<string, unknown> = new Map();

  /** @throws PtcError `OPTION_INVALID` if this is not an OpenAPI document. It says what was found. */
  constructor(document: unknown) {
    if (!isOfKind(document, 'object')) throw notADocument(showValue(document), PARSE);
    const root = document as Part;
    this.root = root;
    this.version = versionOf(root);
    const { paths } = root;
    if (!isRecord(paths)) throw notADocument(`one whose paths are ${showValue(paths)}`);
    this.paths = paths;
  }

  /** The object that a value is or refers to; undefined if there is none in the document. */
  resolve(value: unknown): Part | undefined {
    let at = value;
    for (let hops = 0; hops < MAXIMUM_HOPS && isRecord(at); hops++) {
      const reference = at['$ref'];
      if (typeof reference !== 'string') return at;
      at = this.#targetOf(reference);
    }
    return undefined;
  }

  /**
   * What a function reads from a part, which it does only once: thousands of operations may refer to
   * the same large part.
   * @param read - The same function each time. What it throws is thrown again.
   */
  readOnce<Result>(read: (document: OpenApiDocument, part: Part) => Result, part: Part): Result {
    const outcomes = this.#read.get(read) ?? new WeakMap<Part, Outcome>();
    this.#read.set(read, outcomes);
    const outcome = outcomes.get(part) ?? outcomeOf(() => read(this, part));
    outcomes.set(part, outcome);
    if ('error' in outcome) throw outcome.error;
    return outcome.result as Result;
  }

  #targetOf(reference: string): unknown {
    if (!this.#targets.has(reference)) {
      this.#targets.set(reference, targetOf(this.root, reference));
    }
    return this.#targets.get(reference);
  }
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { result: read() };
  } catch (error) {
    return { error };
  }
}

const PARSE = 'Parse text first, with JSON.parse or a parser of YAML.';

function versionOf(document: Part): OpenApiVersion {
  const { version, names } = readTop(document);
  if (version === undefined) {
    throw notADocument(
      `an object without openapi and swagger, which has ${names === '' ? 'no members' : names}`,
    );
  }
  const text =
    typeof version === 'number' ? version.toFixed(1) : showValue(version).replaceAll('"', '');
  if (text === '2.0') return '2.0';
  const [, known] = /^(3\.[01])(\.|$)/.exec(text) ?? [];
  if (known === '3.0' || known === '3.1') return known;
  throw notADocument(`one of the version ${showValue(version)}`);
}

/** The version, and the first names of members. An object of a class may throw when it is read. */
function readTop(document: Part): { readonly version: unknown; readonly names: string } {
  try {
    const { openapi, swagger } = document;
    const names = Object.keys(document).slice(0, 5).join(', ').slice(0, 200);
    return { version: openapi ?? swagger, names: names === '' ? '' : JSON.stringify(names) };
  } catch (error) {
    throw notADocument(`an object that cannot be read: ${messageOf(error)}`);
  }
}

function notADocument(found: string, advice = 'See docs/openapi.md.'): PtcError {
  return new PtcError(
    'OPTION_INVALID',
    `document must be an OpenAPI document of version 3.0 or 3.1, or of Swagger 2.0, not ${found}. ${advice}`,
    { details: { option: 'document' } },
  );
}
