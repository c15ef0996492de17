// The shapes of results of tools: an echoing tool returns what a program chose.

import { KeptResults } from '../../../../dist/execution/kept-results.js';
import { isShapeError } from '../../../../dist/execution/shape-error.js';
import { shapeNote } from '../../../../dist/execution/shape-note.js';
import { defineTool } from '../../../../dist/index.js';
import { python } from '../../../../dist/languages/python/python.js';
import { javascript } from '../../../../dist/languages/typescript/typescript.js';
import { observeResult } from '../../../../dist/tools/shapes/observed-shapes.js';
import { text } from '../shapes.mjs';
import { anyTexts, PLAIN_TEXT } from '../texts.mjs';

const TOOL = defineTool({ name: 'target', description: 'A tool.', run() {} });

const RESULTS = [
  ...['[', '{"a":', '[[],', '{"a":{},"b":', '[{"a":[', '"', '\\', '\\\\', '1', '-', 'e'].flatMap(
    (pump) => ['', '[', '{"k":', '"'].map((before) => text(pump, before)),
  ),
  ...['1,', '[],', '{},', '{"a":1},', '"",', '"\\"",', 'null,'].map((pump) =>
    text(pump, '[', '1]'),
  ),
  ...['"a":1,', '"1@2":1,', '"a":{"b":1},', '"é":[],'].map((pump) => text(pump, '{', '"z":1}')),
  ...anyTexts(),
];

const ERRORS = [
  ...[' ', '|', '+', '-', '\n', '\n ', ' | '].map((pump) => text(pump, '', 'KeyErro')),
  ...['Cannot ', 'is not ', 'undefined or '].map((pump) => text(pump)),
  ...anyTexts(),
];

export const RESULT_TARGETS = [
  {
    name: 'result: shape',
    of: 'tools/shapes, languages/shapes, execution/kept-results, execution/shape-note',
    make: () => ({
      shapes: RESULTS,
      harmless: PLAIN_TEXT,
      isText: true,
      run(input) {
        observeResult(TOOL, input);
        const results = new KeptResults();
        results.add('target', input);
        for (const language of [python, javascript]) {
          shapeNote({ language, tools: [TOOL], results });
        }
      },
    }),
  },
  {
    name: 'result: error of its shape',
    of: 'execution/shape-error',
    make: () => ({
      shapes: ERRORS,
      harmless: PLAIN_TEXT,
      isText: true,
      run(input) {
        for (const type of ['ValueError', 'ExceptionGroup', 'TypeError', input]) {
          const error = { type, message: input, line: null, traceback: input };
          for (const language of ['python', 'typescript', 'bash']) isShapeError(error, language);
        }
      },
    }),
  },
];
