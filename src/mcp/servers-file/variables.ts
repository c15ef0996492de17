import { PtcError } from '../../shared/errors.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\{([^}]*)\}/g;
const PARTS = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in all texts of a value, once: what a variable contains is
 * not read again. The default is used if the variable is not set or is empty, as in a shell.
 * @param place - What messages call the place of the value.
 * @throws PtcError `OPTION_INVALID` for a variable that is not set, or for something else in `${…}`.
 */
export function fillIn(value: unknown, place: string, environment: Environment): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(REFERENCE, (_all, inner: string) => valueOf(inner, place, environment));
  }
  if (Array.isArray(value)) return value.map((part) => fillIn(part, place, environment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, fillIn(part, place, environment)]),
  );
}

/** No message shows a value or a default: they may be secrets. */
function valueOf(inner: string, place: string, environment: Environment): string {
  const [, name, fallback] = PARTS.exec(inner) ?? [];
  if (name === undefined) {
    const start = JSON.stringify(inner.split(/[:\s]/, 1)[0]?.slice(0, 60));
    throw invalid(
      `${place} has \${…} that begins with ${start} and is not the name of an environment variable. Write \${NAME} or \${NAME:-default}.`,
    );
  }
  const set = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (fallback !== undefined) return set === undefined || set === '' ? fallback : set;
  if (set !== undefined) return set;
  throw invalid(
    `${place} needs the environment variable ${name}, which is not set. Set it, or write \${${name}:-default}.`,
  );
}

function invalid(message: string): PtcError {
  return new PtcError('OPTION_INVALID', message);
}
