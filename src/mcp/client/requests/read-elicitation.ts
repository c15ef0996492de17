import { escapeControls } from '../../../shared/control-characters.ts';
import { isRecord } from '../../../shared/guards.ts';
import type { JsonObject } from '../../../shared/json/json.ts';
import { isNestedDeeper } from '../../../shared/json/nesting.ts';
import { assertCompilable } from '../../../tools/schema/schema-size.ts';
import type { ElicitedForm, ElicitedVisit } from './elicitation.ts';

/** In characters. */
const LONGEST_MESSAGE = 10_000;
const LONGEST_URL = 8192;
/** In characters of JSON. */
const LONGEST_SCHEMA = 100_000;
/** Forms are flat: properties, one of them, its choices, one of them. */
const DEEPEST_SCHEMA = 10;

type Question =
  | Pick<ElicitedForm, 'mode' | 'message' | 'schema'>
  | Pick<ElicitedVisit, 'mode' | 'message' | 'url'>;

/** What a server asks for, made safe to show. Undefined if it cannot be shown as it is meant. */
export function readElicitation(params: unknown): Question | undefined {
  if (!isRecord(params)) return undefined;
  const { mode, url, requestedSchema } = params;
  const message = safeText(String(params['message']));
  if (message.length > LONGEST_MESSAGE) return undefined;
  if (mode === 'url') {
    const address = readUrl(url);
    return address === undefined ? undefined : { mode, message, url: address };
  }
  const schema = readSchema(requestedSchema);
  return schema === undefined ? undefined : { mode: 'form', message, schema };
}

/** The form of the address in which letters that only look like others can be told from them. */
function readUrl(url: unknown): string | undefined {
  if (typeof url !== 'string' || url.length > LONGEST_URL || !URL.canParse(url)) return undefined;
  const { protocol, username, password, href } = new URL(url);
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
  return isPlain ? href : undefined;
}

/** The keywords that only people read. All others must stay as they are. */
const SHOWN: ReadonlySet<string> = new Set(['title', 'description']);

function readSchema(schema: unknown): JsonObject | undefined {
  if (!isRecord(schema) || isNestedDeeper(schema, DEEPEST_SCHEMA)) return undefined;
  let isSafe = true;
  const text = JSON.stringify(schema, (key, value: unknown) => {
    isSafe &&= key !== '__proto__' && safeText(key) === key;
    if (typeof value !== 'string') return value;
    const safe = safeText(value);
    isSafe &&= SHOWN.has(key) || safe === value;
    return safe;
  });
  if (!isSafe || text.length > LONGEST_SCHEMA) return undefined;
  const copy = JSON.parse(text) as JsonObject;
  return isRecord(copy['properties']) && isCompilable(copy) ? copy : undefined;
}

/** The answer is checked with it. */
function isCompilable(schema: JsonObject): boolean {
  try {
    assertCompilable(schema, 'schema');
    return true;
  } catch {
    return false;
  }
}

function safeText(text: string): string {
  return escapeControls(text.toWellFormed());
}
