import type { ApiService } from '../shared/api-errors.ts';

export function openaiApi(model: string): ApiService {
  return {
    title: `The service of ${model}`,
    variable: 'OPENAI_API_KEY',
    withoutKey: 'If the service needs no key, use any text.',
    signsOf: ({ status, type, code }) => {
      if (code === 'context_length_exceeded') return [status, code];
      // An account without credit is also refused with 429, and waiting does not help it.
      if (code === 'insufficient_quota') return [];
      // Services do not use the names of errors in the same way, so a status comes first.
      return status === undefined ? [code, type] : [status];
    },
  };
}
