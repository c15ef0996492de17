// What the tests need beside Node: this package's dependencies, Python on the host, and bubblewrap, libraries for data,
// strace and Chromium where they can be had.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { nodeReleaseIsKept, NEWER_NODE } from './node-release.mjs';

/** What each missing program is for, and how to have it. */
const ABSENCES = {
  bubblewrap: 'tests of the bubblewrap sandbox: install bubblewrap, and Python as /usr/bin/python3',
  libraries:
    'tests that analyse data in the bubblewrap sandbox: install pandas, matplotlib and openpyxl for /usr/bin/python3',
  strace: 'a test of the system calls that a sandbox makes: install strace',
  chromium: 'tests of the web page of an example: install chromium',
  engine:
    'tests of the Docker sandbox: start Docker or Podman, or set DOCKER_HOST; as root on Debian, this command starts an engine',
};

/** What scripts/test-cluster.sh fetches. */
const CLUSTER_PLAN =
  'a Kubernetes cluster that ends with the tests: its servers are built from the Debian source package kubernetes, once, which takes 6 minutes of processor time; with the Debian packages dpkg-dev, docker.io, curl, iproute2 and openssl, where they are missing';

/** They are in the image of the Docker sandbox, which such tests build. */
const IMPORT_LIBRARIES = 'import matplotlib, openpyxl, pandas';

/** Installs this package's dependencies, without which it is not known what the tests need. */
export function installPackages() {
  if (existsSync('node_modules/.package-lock.json')) return;
  console.log('Installs the npm packages of package-lock.json into node_modules.');
  run('npm', ['ci']);
}

/**
 * Says what will be installed or downloaded, and which tests cannot run here. Then it installs what is missing. Nothing
 * is asked.
 * @param time - How long all of it takes, in words.
 * @param needs - Whether the tests need sandboxes, a container engine, another release of Node, and a cluster, and which
 * packages of `test/support/pinned-packages.mjs` they need.
 * @throws Error that says what to install by hand.
 */
export function installPrerequisites(time, needs) {
  const mayInstall = process.getuid?.() === 0 && works('apt-get', ['--version']);
  const missing = missingPrograms(needs);
  const hasEngine = needs.engine && works('docker', ['version']);
  const debian = [...new Set(missing.flatMap(({ packages }) => packages))];
  const absent = needs.packages.filter(({ directory }) => !existsSync(directory));
  const installs = [
    ...(mayInstall && debian.length > 0
      ? [`Debian packages, on this machine, by apt-get: ${debian.join(', ')}`]
      : []),
    ...(needs.engine && (hasEngine || mayInstall) ? enginePlan(hasEngine) : []),
    ...(nodeReleaseIsKept(NEWER_NODE) || !needs.newerNode
      ? []
      : [`Node ${NEWER_NODE} from npm, 189 MB`]),
    ...(needs.cluster ? [CLUSTER_PLAN] : []),
    ...(absent.length > 0
      ? [`npm packages, into node_modules/.cache: ${absent.map(({ what }) => what).join(', ')}`]
      : []),
  ];
  const cannot = mayInstall ? [] : missing.flatMap(({ name }) => ABSENCES[name] ?? []);
  if (needs.engine && !hasEngine && !mayInstall) cannot.push(ABSENCES.engine);
  console.log([time, ...section('It installs or uses:', installs)].join('\n'));
  if (cannot.length > 0) console.log(section('These cannot run here:', cannot).join('\n'));

  if (mayInstall && debian.length > 0) {
    run('scripts/apt-get.sh', ['update']);
    run('scripts/apt-get.sh', ['install', '--yes', '--no-install-recommends', ...debian]);
  }
  if (pythonWorks()) return;
  throw new Error(
    'The tests need python3, 3.9 or newer. Install it, or run them as root on Debian.',
  );
}

function section(title, lines) {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function missingPrograms({ sandboxes }) {
  const python = pythonWorks() ? [] : [{ name: 'python3', packages: ['python3'] }];
  if (!sandboxes) return python;
  return [
    ...python,
    // Its sandboxes use the system's own Python.
    ...(works('bwrap', ['--version']) && works('/usr/bin/python3', ['--version'])
      ? []
      : [{ name: 'bubblewrap', packages: ['bubblewrap', 'python3'] }]),
    ...(works('bwrap', ['--version']) && works('/usr/bin/python3', ['-c', IMPORT_LIBRARIES])
      ? []
      : [
          {
            name: 'libraries',
            packages: ['python3-matplotlib', 'python3-openpyxl', 'python3-pandas'],
          },
        ]),
    ...(works('strace', ['-V']) ? [] : [{ name: 'strace', packages: ['strace'] }]),
    ...(browserWorks() ? [] : [{ name: 'chromium', packages: ['chromium'] }]),
  ];
}

/** What scripts/test-engine.sh and the tests that it serves fetch, as far as the engine lacks it. */
function enginePlan(hasEngine) {
  const packages = [
    ...(works('dockerd', ['--version']) ? [] : ['docker.io']),
    ...(works('mmdebstrap', ['--version']) ? [] : ['mmdebstrap']),
  ];
  const installed = packages.length > 0 ? `, with the Debian packages ${packages.join(', ')}` : '';
  const started = `a container engine that ends with the tests: dockerd${installed}`;
  return [
    hasEngine ? 'the container engine that answers' : started,
    'container images: Debian trixie, Debian bullseye with Python 3.9, and the sandbox image, with Python and Node from Debian',
  ];
}

function browserWorks() {
  return ['chromium', 'chromium-browser', 'google-chrome'].some((name) =>
    works(name, ['--version']),
  );
}

function pythonWorks() {
  return works('python3', ['-c', 'import sys, asyncio; sys.exit(sys.version_info < (3, 9))']);
}

function works(file, args) {
  return spawnSync(file, args, { stdio: 'ignore', timeout: 120_000 }).status === 0;
}

function run(file, args) {
  const line = `${file} ${args.join(' ')}`;
  console.log(line);
  const { status, stdout } = spawnSync(file, args, {
    encoding: 'utf8',
    // What it says on standard error is for a person who waits.
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${line} failed:\n${stdout ?? ''}`);
}
