// The targets of the cost fuzzer. Each has a name, the parts of `src` that it tests, and `make`, which returns:
//   shapes      the first inputs of the search
//   harmless    the shape of a plain input, for comparison
//   run         handles an input as the host does; anything that it throws is a finding
//   isText      whether inputs are texts; otherwise they are arguments of a tool
//   pieces      the parts that mutations may insert into texts
//   canArrive   whether the host would let such an input reach the target
//   clock       'main-thread' if other threads do the work, and only the host's thread counts; 'turn' if it is done in
//               turns of the event loop, of which the longest counts
//   deadlineMs  the processor time after which its process is ended
// Tools, their results, refinements of schemas, hooks of the audit log and `when` of rules are code of
// the tool's author, who must limit them.

import { CALL_TARGETS } from './calls.mjs';
import { CATALOG_TARGETS } from './catalog.mjs';
import { FRAME_TARGETS } from './frames.mjs';
import { OPENAPI_TARGETS } from './openapi.mjs';
import { RESULT_TARGETS } from './results.mjs';
import { RUN_TARGETS } from './runs.mjs';
import { TEXT_TARGETS } from './texts.mjs';
import { TYPE_CHECK_TARGETS } from './type-check.mjs';
import { VALIDATOR_TARGETS } from './validators.mjs';

export const TARGETS = [
  ...FRAME_TARGETS,
  ...TEXT_TARGETS,
  ...CALL_TARGETS,
  ...RESULT_TARGETS,
  ...RUN_TARGETS,
  ...TYPE_CHECK_TARGETS,
  ...VALIDATOR_TARGETS,
  ...CATALOG_TARGETS,
  ...OPENAPI_TARGETS,
];
