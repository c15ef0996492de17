// Texts that a model wrote or a program printed: programs, their output, errors, terminal output.

import { bash } from '../../../../dist/languages/bash/bash.js';
import { python } from '../../../../dist/languages/python/python.js';
import { javascript } from '../../../../dist/languages/typescript/typescript.js';
import { colorsFor, outputFor } from '../../../../dist/cli/terminal/terminal.js';
import { RunView } from '../../../../dist/cli/view/run-view.js';
import { wrap } from '../../../../dist/cli/view/format.js';
import { CapturedOutput } from '../../../../dist/execution/captured-output.js';
import { describeExecution } from '../../../../dist/execution/describe-execution.js';
import { AnthropicAnswer } from '../../../../dist/models/anthropic/answer.js';
import { StreamedAnswer } from '../../../../dist/models/bedrock/answer.js';
import { OpenAIAnswer } from '../../../../dist/models/openai/answer.js';
import { parseToolInput } from '../../../../dist/models/shared/tool-input.js';
import { CallRecord } from '../../../../dist/orchestrator/call-record.js';
import { describeResult } from '../../../../dist/orchestrator/code/describe-result.js';
import { fitText } from '../../../../dist/orchestrator/long-text/long-text.js';
import { text } from '../shapes.mjs';
import { anyTexts, PLAIN_TEXT } from '../texts.mjs';

const TTY = { isTTY: true };

/**
 * The longest answer of a model in characters: 128,000 tokens, the largest limit of the services,
 * with four characters each.
 */
const LONGEST_ANSWER = 512_000;

/** The most output of a program that our runner sends at once. Each frame of it is one event. */
const LONGEST_OUTPUT = 262_144;

/**
 * As a whole, and in about a thousand parts. Each part is one event, so more parts would not block
 * the host for longer.
 */
const PARTS = [16, 65_536];

/** Reads an answer whose tool call comes in parts, by service. */
const ANSWERS = {
  Anthropic: (parts) => {
    const answer = new AnthropicAnswer('model');
    const use = { type: 'tool_use', id: '1', name: 'execute_code', input: {} };
    Array.from(answer.take({ type: 'content_block_start', index: 0, content_block: use }));
    for (const part of parts) {
      const delta = { type: 'input_json_delta', partial_json: part };
      Array.from(answer.take({ type: 'content_block_delta', index: 0, delta }));
    }
    answer.end();
  },
  Bedrock: (parts) => {
    const answer = new StreamedAnswer();
    const start = { toolUse: { toolUseId: '1', name: 'execute_code' } };
    Array.from(answer.take({ contentBlockStart: { contentBlockIndex: 0, start } }));
    for (const part of parts) {
      const delta = { toolUse: { input: part } };
      Array.from(answer.take({ contentBlockDelta: { contentBlockIndex: 0, delta } }));
    }
    answer.end();
  },
  OpenAI: (parts) => {
    const answer = new OpenAIAnswer('model', () => 'host');
    for (const part of parts) {
      const call = { index: 0, id: '1', function: { name: 'execute_code', arguments: part } };
      Array.from(answer.take({ choices: [{ delta: { content: part, tool_calls: [call] } }] }));
    }
    answer.end();
  },
};

const PROGRAMS = [
  ...[' ', '\t', '`', '~', '\n', 'a', '\r', '\v'].flatMap((pump) =>
    ['```', '~~~', '```py', '```\n', '\ufeff```'].flatMap((before) =>
      ['', '!\n', '!\n```', '\n```', '\nprint(1)\n```', ' x\n'].map((after) =>
        text(pump, before, after),
      ),
    ),
  ),
  ...anyTexts(),
];

/** The JSON in which a model writes its program. */
const INPUTS = [
  ...['a', '\\n', '\\"', '\\\\', '\\u0041', '\\ud800', ' ', 'é', '\\'].map((pump) =>
    text(pump, '{"code":"', '"}'),
  ),
  ...['"code"', '"code" ', '"code":', '"code"  :', '"other":"a",', ' ', '{"code":"'].map((pump) =>
    text(pump, '{', '"code":"print(1)"}'),
  ),
  text(' ', '{"code"', '!'),
  text('x', '{"language":"', '","code":"print(1)"}'),
  ...anyTexts(),
];

function target(name, of, run, shapes = anyTexts(), harmless = PLAIN_TEXT) {
  return { name, of, make: () => ({ shapes, harmless, run, isText: true }) };
}

/** A target for texts up to a length, in UTF-16 units. */
function upTo(longest, one) {
  const canArrive = ({ length }) => length <= longest;
  return { ...one, make: () => ({ ...one.make(), canArrive }) };
}

export const TEXT_TARGETS = [
  target(
    'text: program out of its fence',
    'languages/fence',
    (input) => {
      for (const language of [python, javascript, bash]) language.program(input);
    },
    PROGRAMS,
  ),
  target('text: controls for a terminal', 'cli/terminal', (input) => outputFor(TTY, input)),
  target('text: wrapped', 'cli/view/format', (input) => wrap(input, 80, 2)),
  ...PARTS.flatMap((step) => [
    upTo(
      LONGEST_ANSWER,
      target(`text: answer shown in parts of ${step}`, 'cli/view', (input) =>
        showAll(input, step, (part) => ({ type: 'text-delta', text: part })),
      ),
    ),
    upTo(
      LONGEST_OUTPUT,
      target(`text: output shown in parts of ${step}`, 'cli/view', (input) =>
        showAll(input, step, (part) => ({ type: 'output-delta', stream: 'stdout', text: part })),
      ),
    ),
    upTo(
      LONGEST_ANSWER,
      target(
        `text: program shown in parts of ${step}`,
        'cli/view/code-input, cli/view/run-view',
        (input) =>
          showAll(input, step, (json) => ({
            type: 'tool-input-delta',
            toolUseId: '1',
            toolName: 'execute_code',
            json,
          })),
        INPUTS,
        text('plain words ', '{"code":"', '"}'),
      ),
    ),
    target(`text: output kept in parts of ${step}`, 'execution/captured-output', (input) => {
      // More than the search ever sends, because exceeding the limit is refused at no cost.
      const output = new CapturedOutput(16 * 1024 * 1024);
      for (const part of pieces(input, step)) output.add(part, 0);
      return output.text;
    }),
    ...Object.entries(ANSWERS).map(([service, answer]) =>
      upTo(
        LONGEST_ANSWER,
        target(
          `text: answer of ${service} in parts of ${step}`,
          'models/*/answer, models/shared/tool-input',
          (input) => answer(pieces(input, step)),
          INPUTS,
        ),
      ),
    ),
  ]),
  upTo(
    LONGEST_ANSWER,
    target('text: program shown at once', 'cli/view', (code) => {
      newView().show({ type: 'program-started', toolUseId: '1', language: 'python', code });
    }),
  ),
  target(
    'text: end of a run, for its caller and the model',
    'execution/describe-execution, orchestrator',
    ends,
  ),
  target("text: a direct call's result", 'orchestrator/long-text', async (input) =>
    fitText({ ...RESULT, text: input }, 50_000),
  ),
  upTo(
    LONGEST_ANSWER,
    target("text: a direct call's input", 'models/shared/tool-input', parseToolInput, INPUTS),
  ),
];

const RESULT = {
  what: 'result',
  isIncomplete: false,
  besideBytes: 0,
  advice: 'less',
  keep: async () => ({ problem: 'it is not kept' }),
};

function newView() {
  return new RunView({ write() {}, colors: colorsFor(TTY, {}), columns: () => 80 });
}

function showAll(input, step, toEvent) {
  const view = newView();
  view.show({ type: 'run-started', input });
  for (const part of pieces(input, step)) view.show(toEvent(part));
  view.progress(input.slice(0, 100));
  view.end();
}

async function ends(input) {
  const error = { type: input, message: input, line: 1, traceback: input };
  const outcome = {
    success: false,
    value: input,
    error,
    exit_code: 1,
    interpreter_end: null,
    outputs: null,
  };
  for (const stopCause of [undefined, { status: 'timeout', type: 'Timeout', message: 'late' }]) {
    const described = describeExecution({ outcome, stopCause, lost: undefined });
    const output = {
      stdout: input,
      stderr: input,
      images: [],
      imageProblems: [input],
      files: [],
      fileProblems: [input],
    };
    const result = { ...described, ...output, sessionOpen: false };
    await describeResult(
      { result, stateWasLost: true, inputProblems: [input] },
      new CallRecord(),
      50_000,
      RESULT.keep,
    );
  }
  describeExecution({ outcome: undefined, stopCause: undefined, lost: new Error(input) });
}

function* pieces(input, step) {
  for (let place = 0; place < input.length; place += step) yield input.slice(place, place + step);
}
