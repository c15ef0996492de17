import * as options from '../../../src/execution/files/file-options.ts';
import { SandboxFiles } from '../../../src/execution/files/sandbox-files.ts';
import { checkFile, fileInputOptions } from '../../../src/orchestrator/files/given-files.ts';
import type { Target } from './target.ts';

const page = 'files.md';
/** Nothing is sent: the options are refused, or the request fails. */
const files = new SandboxFiles(() => {
  throw new Error('no sandbox');
});

/** Calls a method whose request fails, so that only the options decide. */
function decided(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: Error) => {
    if (error.message !== 'no sandbox') throw error;
  });
}

/** Those of the files of a session, and of a file of an input. */
export const FILE_TARGETS: Readonly<Record<string, Target>> = {
  'input[0]': {
    names: fileInputOptions('input[0]').names,
    page: 'input-files.md',
    base: { name: 'a', data: new Uint8Array() },
    accepts: { type: 'all' },
    call: (given) => checkFile(given, 0, 1000),
  },
  SessionFiles: {
    names: options.FILE_OPTIONS.names,
    page,
    call: (given) => decided(files.stat('a', given)),
  },
  read: {
    names: options.READ_OPTIONS.names,
    page,
    accepts: { offsetBytes: ['number'], lengthBytes: ['number'], maxBytes: ['number'] },
    call: (given) => decided(files.read('a', given)),
  },
  readText: {
    names: options.READ_TEXT_OPTIONS.names,
    page,
    accepts: { fromLine: ['number'], toLine: ['number'], maxBytes: ['number'] },
    call: (given) => decided(files.readText('a', given)),
  },
  edit: {
    names: options.FILE_EDIT.names,
    page,
    base: { find: 'a', replace: 'b' },
    call: (given) => decided(files.edit('a', given)),
  },
  remove: {
    names: options.REMOVE_OPTIONS.names,
    page,
    call: (given) => decided(files.remove('a', given)),
  },
  glob: {
    names: options.GLOB_OPTIONS.names,
    page,
    call: (given) => decided(files.glob('a', given)),
  },
  grep: {
    names: options.GREP_OPTIONS.names,
    page,
    accepts: { limit: ['number'] },
    call: (given) => decided(files.grep('a', given)),
  },
};
