/** How a body is written. */
export type Encoding = 'json' | 'form' | 'multipart' | 'text' | 'binary';

/** What media types mean, without their parameters. */
const ENCODINGS: readonly (readonly [RegExp, Encoding])[] = [
  [/^[\w.+-]+\/([\w.+-]+\+)?json$/, 'json'],
  [/^application\/x-www-form-urlencoded$/, 'form'],
  [/^multipart\/form-data$/, 'multipart'],
  [/^text\/[\w.+-]+$/, 'text'],
  [/^application\/([\w.-]+\+)?(xml|yaml)$/, 'text'],
  [/^application\/(javascript|x-ndjson|jsonl|graphql|x-yaml|sql)$/, 'text'],
];

/** The media type without parameters, in small letters. */
export function baseType(type: string): string {
  return type.slice(0, 200).split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** How a body of a media type is written. What is unknown may be anything. */
export function encodingOf(type: string): Encoding {
  const base = baseType(type);
  return ENCODINGS.find(([pattern]) => pattern.test(base))?.[1] ?? 'binary';
}

/** What a header can have: names of parameters with values, which may be quoted. */
const WITH_PARAMETERS = /^[^;]+(\s*;\s*[\w.+-]+=([\w.+-]+|"[\w .,:/+=-]*"))+$/;

/** A media type as it is sent: with its parameters if they can be, except for another charset. */
export function sentType(type: string): string {
  const base = baseType(type);
  const [, ...parameters] = type.length <= 200 && WITH_PARAMETERS.test(type) ? type.split(';') : [];
  const kept = parameters.map((one) => one.trim()).filter((one) => !OTHER_CHARSET.test(one));
  return [base, ...kept].join('; ');
}

/** Bodies are written in UTF-8. */
const OTHER_CHARSET = /^charset=(?!"?utf-8"?$)/i;
