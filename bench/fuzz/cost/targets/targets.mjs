// All that the cost fuzzer tries. Each target has a name, the parts of `src` that it is of, and `make`,
// which gives:
//   shapes      where the search begins
//   harmless    the shape of a plain input, which a costly one is compared with
//   run         does what the host does with an input; may only throw what is a finding
//   isText      whether inputs are texts; else they are arguments of a tool
//   pieces      what mutations may put into texts
//   canArrive   whether the host would let such an input get so far
//   clock       'main-thread' if the work is done elsewhere, and only the host's thread counts; 'turn' if it is done in
//               turns of the event loop, of which the longest counts
//   deadlineMs  the processor time after which its process is ended
// Tools, their results, refinements of schemas, hooks of the audit log and `when` of rules are code of
// the tool's author, who bounds them.

import { CALL_TARGETS } from './calls.mjs';
import { FRAME_TARGETS } from './frames.mjs';
import { RUN_TARGETS } from './runs.mjs';
import { TEXT_TARGETS } from './texts.mjs';
import { TYPE_CHECK_TARGETS } from './type-check.mjs';
import { VALIDATOR_TARGETS } from './validators.mjs';

export const TARGETS = [
  ...FRAME_TARGETS,
  ...TEXT_TARGETS,
  ...CALL_TARGETS,
  ...RUN_TARGETS,
  ...TYPE_CHECK_TARGETS,
  ...VALIDATOR_TARGETS,
];
