// Run with the options of the compiler's process: prints what it is refused.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function refused(what) {
  try {
    what();
    return 'nothing';
  } catch (error) {
    return error.code;
  }
}

const found = {
  write: refused(() => writeFileSync(join(tmpdir(), 'sandboxed-ptc-type-check'), '')),
  spawn: refused(() => spawnSync(process.execPath, ['--version'])),
  read: refused(() => readFileSync(process.execPath)),
  environment: Object.keys(process.env),
};
console.log(JSON.stringify(found));
