import type { Expected, Revision } from './suite.ts';

/** What does not pass of the server: the check and the reason. */
export const SERVER_RESULTS: Readonly<Record<Revision, Expected>> = {
  '2025-11-25': {
    'completion-complete': {
      'completion-complete': 'The server has no arguments that could be completed.',
    },
    'dns-rebinding-protection': {},
    'elicitation-sep1034-defaults': {
      'elicitation-sep1034-general':
        'A tool of this package cannot ask the user: the server asks only whether a call may run.',
    },
    'elicitation-sep1330-enums': {
      'elicitation-sep1330-general':
        'A tool of this package cannot ask the user: the server asks only whether a call may run.',
    },
    'json-schema-2020-12': {},
    'logging-set-level': {
      'logging-set-level': 'The server sends no log messages to clients.',
    },
    ping: {},
    'prompts-get-embedded-resource': {
      'prompts-get-embedded-resource': 'The server has no prompts.',
    },
    'prompts-get-simple': {
      'prompts-get-simple': 'The server has no prompts.',
    },
    'prompts-get-with-args': {
      'prompts-get-with-args': 'The server has no prompts.',
    },
    'prompts-get-with-image': {
      'prompts-get-with-image': 'The server has no prompts.',
    },
    'prompts-list': {
      'prompts-list': 'The server has no prompts.',
    },
    'resources-list': {
      'resources-list': 'The server has no resources.',
    },
    'resources-read-binary': {
      'resources-read-binary': 'The server has no resources.',
    },
    'resources-read-text': {
      'resources-read-text': 'The server has no resources.',
    },
    'resources-subscribe': {
      'resources-subscribe': 'The server has no resources.',
    },
    'resources-templates-read': {
      'resources-templates-read': 'The server has no resources.',
    },
    'resources-unsubscribe': {
      'resources-unsubscribe': 'The server has no resources.',
    },
    'server-initialize': {},
    'server-session-lifecycle': {},
    'server-sse-multiple-streams': {},
    'server-sse-polling': {
      'server-sse-priming-event': 'An answer cannot be continued over another connection.',
      'server-sse-retry-field': 'An answer cannot be continued over another connection.',
    },
    'tools-call-audio': {
      'tools-call-audio':
        'A tool of this package returns a JSON value, and no images, sounds or resources.',
    },
    'tools-call-elicitation': {
      'tools-call-elicitation':
        'A tool of this package cannot ask the user: the server asks only whether a call may run.',
    },
    'tools-call-embedded-resource': {
      'tools-call-embedded-resource':
        'A tool of this package returns a JSON value, and no images, sounds or resources.',
    },
    'tools-call-error': {},
    'tools-call-image': {
      'tools-call-image':
        'A tool of this package returns a JSON value, and no images, sounds or resources.',
    },
    'tools-call-mixed-content': {
      'tools-call-mixed-content':
        'A tool of this package returns a JSON value, and no images, sounds or resources.',
    },
    'tools-call-sampling': {
      'tools-call-sampling': 'A tool of this package cannot ask the model of the client.',
    },
    'tools-call-simple-text': {},
    'tools-call-with-logging': {
      'tools-call-with-logging': 'The server sends no log messages to clients.',
    },
    'tools-call-with-progress': {},
    'tools-list': {},
  },
  '2026-07-28': {
    caching: {
      'sep-2549-prompts-list-caching-hints': 'The server has no prompts.',
      'sep-2549-resources-list-caching-hints': 'The server has no resources.',
      'sep-2549-resources-templates-list-caching-hints': 'The server has no resources.',
    },
    'completion-complete': {
      'completion-complete': 'The server has no arguments that could be completed.',
    },
    'dns-rebinding-protection': {},
    'http-custom-header-server-validation': {
      'sep-2243-server-decode-base64':
        'No tool of the test server names headers for its arguments.',
      'sep-2243-server-no-xmcp-tool': 'No tool of the test server names headers for its arguments.',
      'sep-2243-server-reject-invalid-param-chars':
        'No tool of the test server names headers for its arguments.',
      'sep-2243-server-reject-param-mismatch':
        'No tool of the test server names headers for its arguments.',
      'sep-2243-server-validate-param-match':
        'No tool of the test server names headers for its arguments.',
    },
    'http-header-validation': {},
    'input-required-result-basic-elicitation': {
      'sep-2322-elicitation-incomplete':
        'A tool of this package cannot ask the user: the server asks only whether a call may run.',
    },
    'input-required-result-basic-list-roots': {
      'sep-2322-list-roots-incomplete':
        'A tool of this package cannot ask for the roots of the client.',
    },
    'input-required-result-basic-sampling': {
      'sep-2322-sampling-incomplete': 'A tool of this package cannot ask the model of the client.',
    },
    'input-required-result-capability-check': {
      'sep-2322-respect-client-capabilities':
        'A tool of this package cannot ask the model of the client.',
    },
    'input-required-result-ignore-extra-params': {
      'sep-2322-ignore-unexpected-params':
        'Answers count only with the requestState of the questions, which this scenario does not send.',
    },
    'input-required-result-missing-input-response': {},
    'input-required-result-multi-round': {
      'sep-2322-multi-round-r2': 'The server asks about a call once.',
    },
    'input-required-result-multiple-input-requests': {
      'sep-2322-multiple-inputs-incomplete':
        'A tool of this package cannot ask for the roots of the client.',
    },
    'input-required-result-non-tool-request': {
      'sep-2322-non-tool-incomplete': 'The server has no prompts.',
    },
    'input-required-result-request-state': {},
    'input-required-result-result-type': {},
    'input-required-result-tampered-state': {},
    'input-required-result-unsupported-methods': {},
    'input-required-result-validate-input': {},
    'json-schema-2020-12': {},
    'prompts-get-embedded-resource': {
      'prompts-get-embedded-resource': 'The server has no prompts.',
    },
    'prompts-get-simple': {
      'prompts-get-simple': 'The server has no prompts.',
    },
    'prompts-get-with-args': {
      'prompts-get-with-args': 'The server has no prompts.',
    },
    'prompts-get-with-image': {
      'prompts-get-with-image': 'The server has no prompts.',
    },
    'prompts-list': {
      'prompts-list': 'The server has no prompts.',
    },
    'resources-list': {
      'resources-list': 'The server has no resources.',
    },
    'resources-read-binary': {
      'resources-read-binary': 'The server has no resources.',
    },
    'resources-read-text': {
      'resources-read-text': 'The server has no resources.',
    },
    'resources-templates-read': {
      'resources-templates-read': 'The server has no resources.',
    },
    'sep-2164-resource-not-found': {
      'sep-2164-data-uri': 'The server has no resources.',
      'sep-2164-error-code': 'The server has no resources.',
    },
    'server-sse-multiple-streams': {},
    'server-stateless': {
      'sep-2575-missing-capability-http-400':
        'No tool needs a capability of the client: a call about which nobody can be asked is rejected.',
      'sep-2575-server-rejects-undeclared-capability':
        'No tool needs a capability of the client: a call about which nobody can be asked is rejected.',
    },
    'tools-call-audio': {
      'tools-call-audio':
        'A tool of this package returns a JSON value, and no images, sounds or resources.',
    },
    'tools-call-embedded-resource': {
      'tools-call-embedded-resource':
        'A tool of this package returns a JSON value, and no images, sounds or resources.',
    },
    'tools-call-error': {},
    'tools-call-image': {
      'tools-call-image':
        'A tool of this package returns a JSON value, and no images, sounds or resources.',
    },
    'tools-call-mixed-content': {
      'tools-call-mixed-content':
        'A tool of this package returns a JSON value, and no images, sounds or resources.',
    },
    'tools-call-simple-text': {},
    'tools-call-with-progress': {},
    'tools-list': {},
  },
};
