import { randomUUID } from 'node:crypto';

/** A part of a body in `multipart/form-data`. */
export interface FormPart {
  readonly name: string;
  readonly text: string;
  readonly isJson: boolean;
}

/**
 * Writes `multipart/form-data`. `FormData` cannot give a part a media type without the name of a file,
 * and services take a part with one for a file.
 */
export function toMultipart(parts: readonly FormPart[]): {
  readonly text: string;
  readonly mediaType: string;
} {
  const boundary = `form-${randomUUID()}`;
  const written = parts.map(({ name, text, isJson }) => {
    const type = isJson ? 'content-type: application/json\r\n' : '';
    return `--${boundary}\r\ncontent-disposition: form-data; name="${quotable(name)}"\r\n${type}\r\n${withLineEnds(text)}\r\n`;
  });
  return {
    text: `${written.join('')}--${boundary}--\r\n`,
    mediaType: `multipart/form-data; boundary=${boundary}`,
  };
}

function quotable(name: string): string {
  return withLineEnds(name).replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

/** As browsers write them. */
function withLineEnds(text: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, '\r\n');
}
