import { tests, type SecurityCase } from './security-case.ts';

export const TOOLS_AND_MODEL: readonly SecurityCase[] = [
  {
    case: 99,
    title: 'whatever a tool throws is an error with a message',
    proofs: [
      ...tests(
        'guests/python/tools/tool-results.ts',
        'a tool that throws ${name} raises a ToolError that the code can catch',
      ),
      ...tests(
        'calls/invoke-tool.test.ts',
        'whose tool throws or rejects with anything fails with a message',
      ),
    ],
  },
  {
    case: 100,
    title: 'a tool that never answers is ended',
    proofs: [
      ...tests(
        'calls/invoke-tool.test.ts',
        'fails when its time is up, aborts the tool, and drops a later result',
      ),
      ...tests(
        'guests/python/tools/tool-results.ts',
        'a tool that overruns its time, its signal ignored, raises; its late result is dropped',
      ),
    ],
  },
  {
    case: 101,
    title: 'a result that is not JSON is an error that says where',
    proofs: [
      ...tests(
        'guests/python/tools/tool-results.ts',
        'a result with a ${name} is a failure that says where',
      ),
      ...tests('calls/invoke-tool.test.ts', 'whose result cannot be JSON fails and says where'),
      ...tests(
        'shared/json.test.ts',
        'a getter, a toJSON and a proxy that throw are refused with their place and their cause',
      ),
    ],
  },
  {
    case: 102,
    title: 'a huge result is limited',
    proofs: [
      ...tests(
        'shared/json.test.ts',
        'what would not fit into a text is refused, and without unfolding it first',
      ),
      ...tests(
        'execution/execution-budgets.test.ts',
        'of bytes of results is interrupted, and the result that exceeds it is not sent',
      ),
    ],
  },
  {
    case: 103,
    title: 'the host decides who may call',
    proofs: [
      ...tests(
        'calls/invoke-tool.test.ts',
        'is refused to a caller that may not make it, with what to do instead',
      ),
      ...tests(
        'guests/python/tools/tools.ts',
        'a forged call of a tool that only the model may call is refused by the host',
      ),
      ...tests(
        'tools/registry.test.ts',
        'a snapshot and a list stay as they were when tools are added',
      ),
    ],
  },
  {
    case: 104,
    title: 'arguments are checked and not changed',
    proofs: [
      ...tests(
        'calls/invoke-tool.test.ts',
        'with arguments that do not match the schema is refused before the tool runs',
      ),
      ...tests(
        'tools/define-tool.test.ts',
        'a zod schema gives the tool its defaults and transforms; a JSON Schema changes nothing',
      ),
      ...tests(
        'tools/validation.test.ts',
        'an argument called __proto__ is an unknown argument like any other',
      ),
    ],
  },
  {
    case: 105,
    title: 'no stack of the host reaches the guest',
    proofs: [
      ...tests(
        'guests/python/tools/tool-results.ts',
        'a tool that throws ${name} raises a ToolError that the code can catch',
      ),
      ...tests(
        'calls/invoke-tool.test.ts',
        'passes on only the message of what a tool throws',
        'shows the message only to the host if the tool says so, even that of a wrong result',
      ),
    ],
  },
  {
    case: 106,
    title: 'a tool can recognize a repeated call',
    proofs: [
      ...tests(
        'guests/python/tools/tool-results.ts',
        'a call that is made again, in its program or a later one, has an id of its own',
      ),
      {
        gap: 'a repeated call is a new call, so the tool must take a key as an argument (docs/tools.md)',
      },
    ],
  },
  {
    case: 107,
    title: 'a call that needs approval waits or is denied',
    proofs: [
      ...tests(
        'execution/approvals.system.test.ts',
        'gets a ToolError at once if a rule denies it',
        'gets a ToolError with the reason if it is rejected',
        'gets a ToolError if nobody decides in time',
      ),
    ],
  },
  {
    case: 108,
    title: 'an overloaded model is asked again a limited number of times',
    proofs: [
      ...tests(
        'security/model-faults.test.ts',
        'with %i every time is an error, %s, and the session keeps its state',
        'that passes is waited for as long as it says, and what ran is not run again',
        'that outlasts the session is not a silent loss: the model is told that its state is gone',
        'that delays the request for a month does not delay the run',
      ),
      ...tests(
        'models/anthropic-failures.test.ts',
        'with 429 is sent again after the time that the service asks for',
        'is sent again as often as maxRetries says',
      ),
      ...tests(
        'models/openai-failures.test.ts',
        'with 429 is sent again after the time that the service asks for',
      ),
      ...tests(
        'orchestrator/conversation.test.ts',
        'tells the model that its session expired between two runs',
      ),
    ],
  },
  {
    case: 109,
    title: 'an answer that breaks off runs nothing',
    proofs: [
      ...tests(
        'security/model-faults.test.ts',
        'that cuts an answer off at any byte runs nothing of it',
      ),
      ...tests('models/anthropic-failures.test.ts', '%s gives nothing to run'),
      ...tests(
        'models/openai-failures.test.ts',
        'in a tool call, with its connection in state %s, gives nothing to run',
      ),
      ...tests(
        'models/bedrock-failures.test.ts',
        'in a tool call, with its connection in state %s, gives nothing to run',
      ),
    ],
  },
  {
    case: 110,
    title: 'a program that is cut off is not run',
    proofs: [
      ...tests(
        'security/model-faults.test.ts',
        'that stops for its token limit %s runs nothing, and tells the model',
      ),
      ...tests(
        'orchestrator/ends.test.ts',
        'not where a program is cut off: none of it runs, and the model is told',
      ),
    ],
  },
  {
    case: 111,
    title: 'what a model gets wrong ends in a bounded way',
    proofs: [
      ...tests(
        'security/model-faults-answers.test.ts',
        'with one id for two calls makes the first call, and reports each under an id of its own',
        'with an id of an earlier answer is a call of its own',
        'that refuses runs none of the calls in it',
        'without end ends with TURN_LIMIT, and the next run has the session',
      ),
      ...tests(
        'orchestrator/conversation.test.ts',
        'answers invalid calls of the model, and continues',
      ),
      ...tests(
        'orchestrator/ends.test.ts',
        'at a stop for %s with %s and the transcript',
        'with a typed error and the transcript where the model does not finish',
      ),
    ],
  },
  {
    case: 112,
    title: 'output is data for the model, and limited',
    proofs: [
      ...tests(
        'security/model-faults-answers.test.ts',
        'stays the text of its result: %s',
        'is valid JSON and valid Unicode, whatever is in it',
        'is bounded and valid if it is what %s',
      ),
      ...tests(
        'orchestrator/conversation.test.ts',
        'cuts what is too long for the context and says how to see the rest',
        'lets only what the code prints into the context, however large the tools’ results',
      ),
      {
        gap: 'the library does not promise what a model does with text in a tool’s result (SECURITY.md)',
      },
    ],
  },
  {
    case: 114,
    title: 'a call that its program no longer waits for frees its place',
    proofs: tests(
      'guests/python/tools/budgets.ts',
      'calls that their program gives up end, and give their places free',
    ),
  },
];
