import type { Expected, Revision } from './suite.ts';

/** What does not pass of the client: the check and the reason. */
export const CLIENT_RESULTS: Readonly<Record<Revision, Expected>> = {
  '2025-11-25': {
    'auth/basic-cimd': {},
    'auth/metadata-default': {},
    'auth/metadata-var1': {},
    'auth/metadata-var2': {},
    'auth/metadata-var3': {},
    'auth/pre-registration': {},
    'auth/scope-from-scopes-supported': {},
    'auth/scope-from-www-authenticate': {},
    'auth/scope-omitted-when-undefined': {},
    'auth/scope-retry-limit': {},
    'auth/scope-step-up': {},
    'auth/token-endpoint-auth-basic': {},
    'auth/token-endpoint-auth-none': {},
    'auth/token-endpoint-auth-post': {},
    'elicitation-sep1034-client-defaults': {},
    initialize: {},
    'json-schema-2020-12-preservation': {},
    'sse-retry': {},
    tools_call: {},
  },
  '2026-07-28': {
    'auth/authorization-server-migration': {},
    'auth/basic-cimd': {
      'cimd-client-id-used':
        'The command line has no document of its own on the web, so it registers.',
    },
    'auth/iss-normalized': {},
    'auth/iss-not-advertised': {},
    'auth/iss-supported': {},
    'auth/iss-supported-missing': {},
    'auth/iss-unexpected': {},
    'auth/iss-wrong-issuer': {},
    'auth/metadata-default': {},
    'auth/metadata-issuer-mismatch': {},
    'auth/metadata-var1': {},
    'auth/metadata-var2': {},
    'auth/metadata-var3': {},
    'auth/offline-access-not-supported': {},
    'auth/offline-access-scope': {},
    'auth/pre-registration': {
      'pre-registration-auth':
        'The command line has no option for a client that was registered by hand.',
    },
    'auth/resource-mismatch': {},
    'auth/scope-from-scopes-supported': {},
    'auth/scope-from-www-authenticate': {},
    'auth/scope-omitted-when-undefined': {},
    'auth/scope-retry-limit': {},
    'auth/scope-step-up': {
      'scope-step-up-escalation':
        'The command line logs in with the scopes of the first refusal, and not again with more.',
    },
    'auth/token-endpoint-auth-basic': {},
    'auth/token-endpoint-auth-none': {},
    'auth/token-endpoint-auth-post': {},
    'http-custom-headers': {
      'sep-2243-client-omit-null':
        'The client does not send arguments that do not match the schema of the tool, such as null for a boolean.',
    },
    'http-invalid-tool-headers': {},
    'http-standard-headers': {},
    'json-schema-2020-12-preservation': {},
    'json-schema-ref-no-deref': {},
    'request-metadata': {},
    'sep-2322-client-request-state': {},
    tools_call: {},
  },
};
