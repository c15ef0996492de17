import type { TestGroup } from '../../../src/testing/test-definition.ts';
import { javascriptImages } from './images.ts';
import { javascriptHeld } from './held.ts';
import { javascriptLanguage } from './language.ts';
import { nodePrograms } from './node-programs.ts';
import { pendingWork } from './pending-work.ts';
import { processEvents } from './process-events.ts';
import { javascriptSlips } from './slips.ts';
import { javascriptSources } from './sources.ts';
import { javascriptValues } from './values.ts';

/** Makes the tests of the guests for JavaScript. Each call makes new ones, because groups have a state. */
export function javascriptGroups(): readonly TestGroup[] {
  return [
    javascriptLanguage(),
    nodePrograms(),
    processEvents(),
    pendingWork(),
    javascriptHeld(),
    javascriptValues(),
    javascriptImages(),
    javascriptSources(),
    javascriptSlips(),
  ];
}
