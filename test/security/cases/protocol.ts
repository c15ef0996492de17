import { contractTests, programs, tests, type SecurityCase } from './security-case.ts';

export const PROTOCOL: readonly SecurityCase[] = [
  {
    case: 55,
    title: 'what a program reports about its end counts for its own run only',
    proofs: [
      ...programs(
        'protocol/55-foreign-report',
        'protocol/55-forged-report',
        'protocol/55-no-frame',
        'protocol/55-printed-call',
        'protocol/55-printed-outcome',
        'protocol/55-report-and-go-on',
        'protocol/55-two-reports',
        'protocol/55-wrong-report',
      ),
      ...tests(
        'providers/embedded/isolation.test.ts',
        'cannot have its supervisor take a line of its own for a fact',
      ),
    ],
  },
  {
    case: 56,
    title: 'a program that finds ids gains nothing by them',
    proofs: [
      ...programs('protocol/56-found-ids', 'protocol/56-other-execution'),
      ...tests(
        'guests/python/tools/tools.ts',
        'a forged call of a tool that only the model may call is refused by the host',
      ),
    ],
  },
  {
    case: 57,
    title: 'patched libraries change no fact',
    proofs: [...programs('protocol/57-patched-json', 'protocol/57-patched-runner')],
  },
  { case: 58, title: 'markers are plain text', proofs: [...programs('protocol/58-markers')] },
  {
    case: 59,
    title: 'code runs unchanged',
    proofs: [
      ...programs('protocol/59-source'),
      ...tests('guests/python/programs/programs.ts', 'a line ${line} in the code cuts nothing off'),
      ...contractTests('any-language/programs.ts', 'a text of several lines gets no indentation'),
    ],
  },
  {
    case: 60,
    title: 'frames can be split anywhere',
    proofs: [
      ...programs('protocol/60-split-characters'),
      ...tests(
        'protocol/line-splitter.test.ts',
        'give the same lines wherever they are split, inside characters too',
      ),
      ...tests(
        'fuzz/frames.test.ts',
        'are the same wherever the bytes are cut, and so is the refusal of one that is too long',
      ),
    ],
  },
  {
    case: 61,
    title: 'stream headers inside a payload are part of the payload',
    proofs: [
      ...programs('protocol/61-multiplex-headers'),
      ...tests(
        'providers/docker/attach.test.ts',
        'both outputs are complete wherever the attach stream is split',
      ),
    ],
  },
  {
    case: 62,
    title: 'stream headers can be split',
    proofs: [
      ...tests(
        'providers/docker/attach.test.ts',
        'both outputs are complete if every byte arrives alone',
      ),
    ],
  },
  {
    case: 63,
    title: 'no memory is allocated for a length that is only claimed',
    proofs: [
      ...tests(
        'providers/docker/attach.test.ts',
        'bytes that are not an attach stream end the sandbox with an error',
      ),
      ...tests('fuzz/transport.test.ts', 'that claims the largest of lengths holds nothing for it'),
    ],
  },
  {
    case: 64,
    title: 'an endless frame is counted and ends the session',
    proofs: [
      ...programs('protocol/64-endless-line'),
      ...tests(
        'protocol/line-splitter.test.ts',
        'are refused as soon as a line is too long, complete or not',
      ),
      ...tests(
        'fuzz/frames.test.ts',
        'take time in proportion to their bytes, cut into small pieces and without a newline',
      ),
    ],
  },
  {
    case: 65,
    title: 'invalid UTF-8 is a protocol violation',
    proofs: [
      ...programs('protocol/65-invalid-text'),
      ...tests('protocol/frames.test.ts', 'a line that is no UTF-8 is a violation'),
    ],
  },
  {
    case: 66,
    title: 'half surrogate pairs break nothing',
    proofs: [...programs('protocol/66-surrogates')],
  },
  {
    case: 67,
    title: 'the depth is limited before parsing',
    proofs: [
      ...programs(
        'protocol/67-deep-arguments',
        'protocol/67-deep-frame',
        'protocol/67-deep-report',
        'protocol/67-endless-report',
      ),
      ...tests('protocol/frame-shape.test.ts', 'may be as deep as the limit, and no deeper'),
      ...tests('shared/json.test.ts', 'nesting beyond 500 levels is refused, however deep it goes'),
    ],
  },
  {
    case: 68,
    title: 'no prototype is changed',
    proofs: [
      ...programs('protocol/68-prototype'),
      ...tests(
        'protocol/frame-shape.test.ts',
        'inherit nothing, at any depth',
        'with a key __proto__, however it is written, are refused, and the way to it is told',
      ),
      ...tests(
        'fuzz/tool-arguments.test.ts',
        'gives no tool an object that has what was not sent, nor a key that names a prototype',
      ),
    ],
  },
  {
    case: 69,
    title: 'names of JavaScript’s own properties are unknown tools',
    proofs: [
      ...programs('protocol/69-tool-names'),
      ...tests('calls/invoke-tool.test.ts', 'of the unknown tool %j is refused'),
      ...tests(
        'tools/registry.test.ts',
        'names that JavaScript objects have of themselves are unknown tools',
      ),
    ],
  },
  {
    case: 70,
    title: 'numbers that JSON does not have are refused',
    proofs: [...programs('protocol/70-not-numbers')],
  },
  {
    case: 71,
    title: 'no number is rounded silently',
    proofs: [
      ...programs('protocol/71-large-numbers'),
      ...tests(
        'protocol/frame-shape.test.ts',
        'with the number %s are refused and not rounded',
        'with the number %s are refused, because it would be infinite',
      ),
    ],
  },
  {
    case: 72,
    title: 'the number of keys is limited',
    proofs: [
      ...programs('protocol/72-many-keys'),
      ...tests('protocol/frame-shape.test.ts', 'may have as many values as the limit, and no more'),
    ],
  },
  {
    case: 73,
    title: 'if a key occurs twice, the last one is checked',
    proofs: [...programs('protocol/73-duplicate-keys')],
  },
  {
    case: 74,
    title: 'a call id can be used once',
    proofs: [
      ...programs('protocol/74-repeated-call'),
      ...tests(
        'execution/hostile-runner.test.ts',
        'that uses the id of a call twice loses the sandbox',
      ),
      ...tests(
        'security/hostile-runner.test.ts',
        'I3: get at most one answer to each call, and none to a call that they did not make',
      ),
    ],
  },
  {
    case: 75,
    title: 'a call outside a run is not made',
    proofs: [
      ...programs('protocol/75-call-after-report'),
      ...tests(
        'execution/hostile-runner.test.ts',
        'whose messages are about a program that has ended is ignored',
      ),
      ...tests(
        'security/hostile-runner.test.ts',
        'I2: cannot call a tool that code may not call, with wrong arguments, outside a run or beyond the budget',
      ),
    ],
  },
  {
    case: 76,
    title: 'late output is not part of a later result',
    proofs: [
      ...programs('protocol/76-late-bytes', 'protocol/76-late-call'),
      ...tests(
        'execution/hostile-runner.test.ts',
        'is not affected by calls, output and outcomes of earlier programs',
      ),
      ...tests(
        'security/hostile-runner.test.ts',
        'I9: add nothing to a result in the name of another run',
      ),
      {
        gap: 'programs of one session are not isolated, so what a thread of an earlier program prints during a later one is part of the later output',
      },
    ],
  },
  {
    case: 77,
    title: 'frames of several threads are not mixed up',
    proofs: [
      ...programs('protocol/77-two-writers'),
      ...contractTests('python.ts', 'a tool is called from threads with loops of their own'),
    ],
  },
  {
    case: 78,
    title: 'a program cannot steal results from standard input',
    proofs: [
      ...programs('protocol/78-standard-input'),
      ...contractTests('any-language/output.ts', 'a program has no input to wait for'),
    ],
  },
  {
    case: 79,
    title: 'bursts of calls are limited',
    proofs: [
      ...programs(
        'protocol/79-argument-flood',
        'protocol/79-call-flood',
        'protocol/79-call-loop',
        'protocol/79-result-flood',
      ),
      ...tests(
        'execution/execution-budgets.test.ts',
        'of tool calls is interrupted, and the limit and its value are named',
        'are no more than their budget, and the others wait in order',
      ),
    ],
  },
  {
    case: 80,
    title: 'control characters do not harm logs',
    proofs: [
      ...programs('protocol/80-control-characters'),
      ...tests('shared/control-characters.test.ts', 'has spelled out what could deceive them: %j'),
      ...tests(
        'audit/audit-chain.test.ts',
        'has nothing in its lines that could deceive who reads them on a terminal',
      ),
      ...tests('cli/audit.test.ts', 'escapes what a file could do to a terminal'),
    ],
  },
];
