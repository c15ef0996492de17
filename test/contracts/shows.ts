/**
 * What contract tests show, by their titles: cases and promises of `test/security/shown`. Their titles are published, so the
 * tags are here and not in the titles.
 */
export const CONTRACT_TESTS_SHOW: Readonly<Record<string, readonly string[]>> = {
  'a text of several lines gets no indentation': ['case 59'],
  'a tool is called from threads with loops of their own': ['case 77'],
  'a program has no input to wait for': ['case 78'],
  'a session that somebody closed is an error that says so, and its key gets a new one': [
    'case 81',
  ],
  'programs of one session run in their order': ['case 82'],
  'a sandbox that is killed while a program runs is lost, and the signal of its tool fires': [
    'case 95',
  ],
  'a sandbox that is killed between programs is a lost session, not a hanging one': ['case 95'],
  'what a program prints is its output': ['every/print'],
  'a tool gets its arguments by their names, and nothing for what is left out': [
    'every/call-tools',
  ],
  'arguments of a wrong type reach no tool, and the program is told': ['every/call-tools'],
  'a tool that only the model may call is none of the program’s': ['every/call-tools'],
  'two sessions know nothing of one another': ['every/other-sandboxes'],
  'an abort ends the program, keeps what it printed, and fires the tool’s signal': [
    'host/statuses',
  ],
  'a program that computes past its time ends; what it printed and its state stay': [
    'compared/time-limit',
  ],
  'arguments inherit nothing, at any depth': ['every/plain-objects'],
  'of a flood of output the head and the tail stay, and the rest does not stay in the host’s memory':
    ['every/long-output'],
};
