import { isRecord } from '../../../shared/guards.ts';

/**
 * An answer to a request of a login, without texts about errors. An authorization server may quote a
 * secret in them, and the client writes them to errors and to the console.
 */
export async function loginAnswer(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const document = shortened(await response.text(), response.ok);
  const answer = new Response(JSON.stringify(document), { status, statusText, headers });
  return Object.defineProperty(answer, 'url', { value: response.url });
}

function shortened(text: string, isOk: boolean): object {
  const document = parse(text);
  if (isOk && !Object.hasOwn(document, 'error')) return document;
  return { error: oauthCode(document['error']) };
}

/** What is not a JSON object has nothing that the client needs. */
function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** The code of an error of OAuth, or one that says that there is none. */
export function oauthCode(code: unknown): string {
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : 'unknown_error';
}
