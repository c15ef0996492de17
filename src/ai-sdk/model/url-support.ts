import type { ModelRequest } from '../../models/language-model.ts';
import { unsupportedBlock } from '../../models/unsupported-block.ts';
import type { SupportedUrls } from './sdk-model.ts';

/**
 * Refuses URLs that the service does not fetch. The AI SDK itself would fetch them, but this process
 * must never request an address that is in a conversation.
 * @throws PtcError `MODEL_INPUT_UNSUPPORTED`.
 */
export function checkUrls(supported: SupportedUrls, { messages }: ModelRequest): void {
  for (const [message, { content }] of messages.entries()) {
    for (const [block, one] of content.entries()) {
      if (!('url' in one)) continue;
      const { mediaType = 'image/*', url } = one;
      if (isSupported(supported, mediaType, url.toLowerCase())) continue;
      const why =
        'Its provider of the AI SDK accepts no such URL. Fetch the contents, and pass their data.';
      throw unsupportedBlock(one, { message, block }, why);
    }
  }
}

function isSupported(supported: SupportedUrls, mediaType: string, url: string): boolean {
  const [type = ''] = mediaType.split('/');
  const patterns = ['*', '*/*', `${type}/*`, mediaType].flatMap((name) => supported[name] ?? []);
  return patterns.some((pattern) => new RegExp(pattern.source, pattern.flags).test(url));
}
