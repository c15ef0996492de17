// Adds to package-lock.json the digests that it lacks, as the registry of this machine has them: npm leaves out those of
// other platforms' packages if it writes the lockfile where the registry does not serve them.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = 'package-lock.json';
const lockfile = JSON.parse(readFileSync(FILE, 'utf8'));
let lacking = 0;
for (const [path, locked] of Object.entries(lockfile.packages)) {
  if (path === '' || locked.link || locked.integrity) continue;
  const name =
    locked.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const integrity = digestOf(`${name}@${locked.version}`);
  if (integrity === '') {
    console.log(`${name}@${locked.version}: the registry does not serve it`);
    lacking += 1;
  } else {
    const { version, ...others } = locked;
    lockfile.packages[path] = { version, integrity, ...others };
  }
}
writeFileSync(FILE, `${JSON.stringify(lockfile, undefined, 2)}\n`);
console.log(lacking === 0 ? 'Each package has its digest.' : `${lacking} packages have none.`);
process.exitCode = lacking === 0 ? 0 : 1;

/** Empty if the registry does not have the package. */
function digestOf(wanted) {
  try {
    const printed = execFileSync('npm', ['view', wanted, 'dist.integrity'], { stdio: 'pipe' });
    return String(printed).trim();
  } catch (error) {
    if (String(error.stderr).includes('E404')) return '';
    throw error;
  }
}
