/** The types besides `text/…` whose files are text. */
const TEXTS = /^application\/(?:sql|toml|x-sh)$|[/+](?:json|xml|yaml|x-ndjson)$/;

/** Whether files of a media type are text that a model can read. */
export function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || TEXTS.test(mediaType);
}
