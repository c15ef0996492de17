import { messageOf } from '../../../shared/errors.ts';
import { hasMethod, isRecord } from '../../../shared/guards.ts';
import { warn } from '../../../shared/process-warning.ts';
import { ToolCallFailure } from '../../../tools/tool-call-failure.ts';
import type { McpHttpServer } from '../mcp-server.ts';
import type { McpOwnLogin } from './auth-options.ts';
import { loginProblem } from './login-problem.ts';
import { assertSendableToken } from './sendable-token.ts';

/**
 * A provider whose errors programs can see: the login of the host may quote a path or a secret. An
 * error that is not about the login itself becomes one without a text, and a warning of the process.
 */
export function guardedProvider(
  provider: McpOwnLogin['provider'],
  server: McpHttpServer,
): McpOwnLogin['provider'] {
  const replaced = (error: unknown): unknown => {
    // The second: the connection was closed.
    if (loginProblem(error, server) !== undefined || error instanceof ToolCallFailure) return error;
    warn(
      `The login to the MCP server ${server.name} failed in its provider: ${messageOf(error)}`,
      'PTC_MCP_LOGIN',
    );
    return new ProviderError();
  };
  const guarded = (work: () => unknown): unknown => {
    try {
      const result = work();
      if (!hasMethod(result, 'then')) return result;
      return Promise.resolve(result).catch((error: unknown) => {
        throw replaced(error);
      });
    } catch (error) {
      throw replaced(error);
    }
  };
  // The target is not the provider itself: a proxy of a frozen object must return its methods as they are.
  return new Proxy(Object.create(provider) as McpOwnLogin['provider'], {
    get: (_target, name) => {
      const value = guarded(() => Reflect.get(provider, name));
      if (typeof value !== 'function') return value;
      const call = (args: readonly unknown[]): unknown => Reflect.apply(value, provider, args);
      if (name !== 'token' && name !== 'tokens') {
        return (...args: unknown[]) => guarded(() => call(args));
      }
      return (...args: unknown[]) => guarded(async () => withSendableToken(await call(args)));
    },
  });
}

/** What `token` or `tokens` of a provider returns. */
function withSendableToken(result: unknown): unknown {
  assertSendableToken(isRecord(result) ? result['access_token'] : result);
  return result;
}

/** A provider could not read, renew or keep a login. */
class ProviderError extends Error {
  override readonly name = 'ProviderError';
}
