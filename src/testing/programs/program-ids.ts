/** What each program of a table must do, by its id. */
export const PROGRAMS = {
  // Programs
  hello: 'prints the line `hello`',
  unicode: 'prints the line `äöü € 🙂 日本`',
  empty: 'is empty',
  onlyComment: 'is a comment and blank lines',
  syntaxError: 'prints `before` in its first line and breaks the syntax in its second',
  runtimeError: 'prints `before`, and fails in its third line with the message `no luck`',
  errorInFunction: 'calls a function whose second line fails; the call is in its fourth line',
  earlierFunctionFails: 'calls a failing function of an earlier program, in its second line',
  blankLines: 'has three blank lines, then one that fails',
  caughtError: 'catches an error of its own and prints `caught no luck`',
  stateBeforeError: 'sets a variable to 7 and fails',
  showStateBeforeError: 'prints the variable of `stateBeforeError`, or fails if there is none',
  exitZero: 'prints `before`, ends with status 0, and would then print `after`',
  exitThree: 'prints `before`, ends with status 3, and would then print `after`',
  exitInFunction: 'ends with status 4 from inside a function, and would then print `after`',
  lastValue: 'ends with an expression whose value is shown, and prints nothing',
  lastStructure: 'ends with an expression whose value is a structure of its language',
  lastValueAfterPrint: 'prints `said` and ends with an expression',
  lastNothing: 'ends with a statement or an expression that has no value',
  keepVariables: 'sets a variable to 41; then adds 1 and prints it',
  keepFunctions: 'defines a function that doubles; then prints the double of 21 with it',
  keepImports: 'loads something of the library; then uses it and prints `42`',
  keepTypes: 'defines a class with a method; then prints `3` by it',
  functionSeesChange:
    'defines a function that reads a variable; then changes it and prints `5` by it',
  redefine: 'defines a constant, a function and a class; then again, and prints `2 2 2`',
  multiLineText: 'prints a text of the three lines `a`, `  b`, tab `c`',
  fenced: 'prints `fenced` inside a Markdown fence of its language',
  fenceInside: 'prints the lines ```` ``` ````, `x` and ```` ``` ```` as part of a text',
  markerInCode: 'prints the line `__PTC_EXIT__{}__PTC_END_EXIT__` as part of a text',
  awaitTopLevel: 'waits a moment at its top level and prints `awaited`',
  endlessRecursion: 'calls a function that calls itself without end',
  longProgram: 'has 200,000 characters in one text, and prints how many',
  manyLines: 'has 3,000 lines and prints `3000` in the last',

  // Values
  submitValue: 'passes `SUBMITTED` to `submit`, and then prints `on`',
  submitTwice: 'submits 1, and then 2',
  submitNull: 'submits null',
  submitThenFail: 'submits 5 and fails',
  submitNoJson: 'submits what is not JSON, and prints `refused` if that failed',
  submitTooLarge: 'submits a text of 2,000,000 characters, and prints `refused` if that failed',
  submitOwn: 'gives a variable or function of the name `submit` the value 42, and prints it',
  submitBeforeLast: 'submits 1 and ends with an expression whose value is 2',
  lastNoJson: 'ends with an expression whose value is not JSON',

  // Output
  bothStreams: 'prints `out` and `again` to standard output, `err` to standard error between them',
  noNewline: 'prints `no newline` without one',
  lineEndings: 'prints `a`, two blank lines, then `b` and a carriage return before its newline',
  manyPrints: 'prints the numbers from 0 to 999, a line each',
  controlCharacters: 'prints NUL, escape, `[31m` and a tab, then `.`, without a newline',
  binaryOutput: 'writes the bytes a FF FE b and a newline',
  splitCharacters: 'writes `€🙂` byte by byte, pushing out each',
  thousandBytes: 'prints 1,000 times `x` without a newline',
  fiveThousandCharacters: 'prints 5,000 times `€` without a newline',
  longValue: 'ends with an expression whose value is shown in more than 5,000 characters',
  longErrors: 'prints `short` and, to standard error, 5,000 times `e`',
  flood: 'prints `first line`, then 10,000 lines of 9,999 times `x`, then `last line`',
  outcomeMarker: 'prints an outcome frame and then `real end`',
  callMarker: 'prints a frame that calls `note` to standard error',
  childOutput: 'has a child process print `child`, and `complaint` to standard error',
  childInput: 'has a child process read its input, and prints that it was empty: `[]`',
  emptyInput: 'reads its own standard input and prints that it was empty: `[]`',
  printsBeforeCall: 'prints `first`, calls `note`, prints `second`',
  replacedOutput: 'spoils its own output if its language lets it; then prints `visible`',
  leaveWork: 'leaves work behind that would print `late` while `printLater` waits, or has it done',
  printLater: 'lets that work go on, waits, and prints `mine`',

  // Tools
  namedArguments: 'calls `find-orders` with the customer `a` and the limit 2',
  noArguments: 'calls `no_arguments` and prints what it gave: `none`',
  useResult: 'prints the id and the total of the first order that `find-orders` finds: `7 12.5`',
  textBothWays: 'calls `keep` with the text of `TEXT`, and again with what it gave',
  valuesBothWays: 'calls `keep` with the values of `VALUES`, and again with what it gave',
  largeNumbers:
    'calls `keep` with `[9007199254740991, -9876543210123456, 1e300]`, and again with what it gave',
  keepKeys:
    'calls `keep` with `{"": {"": []}, "constructor": {"x": 1}}`, and again with what it gave',
  tenMegabytes: 'calls `keep` with 10,000,000 times `x` and prints the length of what it gave',
  failureCaught:
    'catches the failure of `fail` and prints its type, tool and message, spaces between',
  failureUncaught: 'calls `fail` in its second line and catches nothing',
  secretFailure: 'calls `fail_secretly` and catches nothing',
  wrongArguments: 'calls `find-orders` with the number 5 for the customer, in its second line',
  missingArgument: 'calls `find-orders` without a customer',
  unknownArgument: 'calls `find-orders` with the customer `a` and `colour` as `red`',
  notJson: 'calls `keep`, in its second line, with a value that is not a JSON value',
  tooDeep: 'calls `keep` with 70 lists in each other, and prints the type of the failure',
  tooMany: 'calls `keep` with a list of 100,001 zeros, and prints the type of the failure',
  notJsonResult: 'calls `give_bigint` and prints the type of the failure',
  unknownTool: 'calls `launch_rocket`, which does not exist, in its second line',
  directOnly: 'calls `direct_only` in its second line',
  toolTimeout: 'calls `hang`, catches its failure, and prints its message',
  parallel:
    'calls `meet` with `of` 20 and each `index` from 0 to 19, all at once, and prints the results in that order, a line each',
  parallelFailure:
    'calls `no_arguments`, `fail` and `no_arguments` at once, and prints `none`, `Failed`, `none`, a line each',
  loop: 'calls `keep` with 1, 2 and so on until it gives more than 2, and prints that: `3`',
  callInFunction: 'defines a function that calls `no_arguments`; then prints what it gives',
  laterTool: 'calls `registered_later` and prints what it gives: `here now`',
  forgottenCall:
    'begins a call of `wait_for_signal`, does not wait for it, calls `until_called`, and ends',

  // Policy and budgets
  denied: 'calls `remove_all`, and prints the message of the failure',
  approved: 'calls `pay` with the amount 2 and prints what it gave',
  rejected: 'calls `pay` with the amount 20, and prints the message of the failure',
  together:
    'calls `charge` with the amounts 1 to 4 at once, in its second line, and prints in this order what each gave or the message of its failure, a line each',
  deferred:
    'calls `refund` with the amounts 1 to 4, one after another, and prints the `number` that each gave, a line each; then calls `note`',
  deferredFailure:
    'calls `refund` with the amount 1, prints the `number` that it gave, and fails; catches nothing',
  manyCalls:
    'calls `note` without end, one after another, and counts in a variable that it set to 0',
  showCount: 'prints the variable of `manyCalls`',
  crowd: 'calls `look` 12 times at once and waits for all',
  largeCall: 'calls `store` with 100,000 times `x` for `text`, and prints the type of the failure',
  manyBytes: 'calls `store` with 50,000 times `x` for `text`, without end',
  manyResultBytes: 'calls `page` without end',

  // Limits
  busy: 'sets a variable to 5, prints `so far`, and computes without end',
  sleep: 'sets a variable to 5, prints `so far`, and sleeps for a minute',
  waitForTool: 'sets a variable to 5, prints `so far`, and waits for `wait_for_signal`',
  waitForChild: 'sets a variable to 5, prints `so far`, and waits for a child process that sleeps',
  reports:
    'prints `so far` without a newline, passes `half done` to `report`, and waits for `wait_for_signal`',
  reportOnly: 'passes `half done` to `report`, and then prints `on`',
  showKept: 'prints the variable of `busy`, `sleep` and the like',
  cleanup: 'waits without end, and prints `cleaned up` when that is interrupted',
  stubborn: 'prints `so far` and ignores every interrupt',
  memoryBomb: 'prints `so far` and takes 500 MB of memory or more, which it fills',
  manyProcesses:
    'starts 100 processes that sleep, ends them again, and prints `bounded` if some did not start',

  // Ends
  interpreterEnds:
    'prints `so far` and ends its interpreter at once, by no error and no exit of a program',
  interpreterKilled: 'prints `so far` and kills its interpreter with signal 9',

  // Files
  readGivenFile: 'prints what is in /tmp/contract.given, and removes it',
  writeTakenFile: 'writes `taken` to /tmp/contract.taken',
  leaveFile:
    'prints how many entries the directory has that the variable OUTPUT_DIR of its environment names; then writes `left` to `a/left.csv` there',

  // Isolation
  hostPort:
    'connects to each place that `host_ports` gives, such as `127.0.0.1/4000 ::1/4001`, and to each default gateway of /proc/net/route at the port of the first place; prints `refused` if all failed within two seconds',
  hostFile:
    'looks for the file that `host_file` names, at its path and, with all ends of the path, below each mount point of /proc/self/mountinfo and each directory of /; prints `absent` or what is in it',
  hostEnvironment: 'prints the variable SANDBOXED_PTC_CONTRACT of its environment, or `absent`',
  hostProcess:
    'looks for the text that `host_process` gives in /proc/*/cmdline, and prints `absent` or `seen`',
  temporaryFile: 'writes `kept` to a file in /tmp; then prints what is in it',
  fullStorage:
    'writes up to 40 MB to a file in /tmp, removes it, and prints `bounded` if that failed',
  readOnly:
    'makes a file `contract` in /, /usr, /etc, /opt, /home, /run, /var/tmp and at each mount point of /proc/self/mountinfo, and opens each mount point for writing, but none in /tmp, /proc, /sys and /dev; prints `refused` if all failed, and removes what it made',
} as const;

/** The id of a program. */
export type ProgramId = keyof typeof PROGRAMS;

/** The text of `textBothWays`: markers, quotes, control characters, an unfinished line. */
export const TEXT =
  '__PTC_END_CALL__\n__PTC_OUTPUT__{}__PTC_END_OUTPUT__ " \\ \' ` $HOME </script> \u001b \r\n \u2028 é 🙂';

/** The value of `submitValue`. */
export const SUBMITTED = { rows: [{ id: 1, name: 'é 🙂 "\n' }], total: -2.5, none: null } as const;

/** The value of `valuesBothWays`. */
export const VALUES = { a: [1, -2.5, true, false, null, '', 'x'], b: { c: { d: [[]] } } } as const;
