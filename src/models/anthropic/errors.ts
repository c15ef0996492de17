import type { ApiService } from '../shared/api-errors.ts';

export const ANTHROPIC_API: ApiService = {
  title: 'The Anthropic API',
  variable: 'ANTHROPIC_API_KEY',
  // Its overload is 529.
  signsOf: ({ status, type }) => [status === 503 ? undefined : status, type],
};
