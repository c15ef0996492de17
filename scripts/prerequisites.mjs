// What the tests need beside Node: this package's dependencies, Python on the host, and bubblewrap, strace and Chromium
// where they can be had.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Says what will be installed or downloaded, then installs what is missing. Nothing is asked.
 * @throws Error that says what to install by hand.
 */
export function installPrerequisites() {
  const packagesMissing = !existsSync('node_modules/.package-lock.json');
  const isRoot = process.getuid?.() === 0;
  const mayInstall = isRoot && works('apt-get', ['--version']);
  const missing = [
    ...(pythonWorks() ? [] : ['python3']),
    ...(bubblewrapWorks() ? [] : ['bubblewrap', 'python3']),
    ...(tracerWorks() ? [] : ['strace']),
    ...(browserWorks() ? [] : ['chromium']),
  ];
  const debianPackages = [...new Set(missing)];
  const plan = [
    ...(packagesMissing ? ['npm packages: those of package-lock.json, into node_modules'] : []),
    ...debianPlan(debianPackages, mayInstall),
    ...enginePlan(isRoot),
    'Node 24.21.0 from npm, 189 MB, kept in ~/.cache/sandboxed-ptc',
  ];
  console.log(['Before the tests:', ...plan].join('\n  '));

  if (packagesMissing) run('npm', ['ci']);
  if (mayInstall && debianPackages.length > 0) {
    run('scripts/apt-get.sh', ['update']);
    run('scripts/apt-get.sh', ['install', '--yes', '--no-install-recommends', ...debianPackages]);
  }
  if (pythonWorks()) return;
  throw new Error(
    'The tests need python3, 3.9 or newer. Install it, or run them as root on Debian.',
  );
}

function debianPlan(packages, mayInstall) {
  if (packages.length === 0) return [];
  const names = packages.join(', ');
  if (mayInstall) return [`Debian packages, installed on this machine by apt-get: ${names}`];
  return [`not installed, because that takes root and apt-get: ${names}`];
}

/** What scripts/test-engine.sh and the tests that it serves will fetch. */
function enginePlan(isRoot) {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sandboxed-ptc');
  const images = [
    'images, as far as the engine lacks them: Debian trixie and bullseye with Python 3.9, from a registry or made',
    `  from the sources of apt and kept in ${cache}; the sandbox image, with Debian's python3 and nodejs`,
  ];
  if (works('docker', ['version'])) {
    return ['container engine: the one that answers', ...images];
  }
  if (!isRoot) return ['no container engine answers, and starting one takes root'];
  const packages = [
    ...(works('dockerd', ['--version']) ? [] : ['docker.io']),
    ...(works('mmdebstrap', ['--version']) ? [] : ['mmdebstrap']),
  ];
  const installed = packages.length > 0 ? `, with the Debian packages ${packages.join(', ')}` : '';
  return [`container engine: a dockerd that ends with the tests${installed}`, ...images];
}

/** Its sandboxes use the system's own Python. Without it, its tests say that they are skipped, and why. */
function bubblewrapWorks() {
  return works('bwrap', ['--version']) && works('/usr/bin/python3', ['--version']);
}

/** Without it, one test says that it is skipped, and why. */
function tracerWorks() {
  return works('strace', ['-V']);
}

/** Without it, the tests of the example's page say that they are skipped, and why. */
function browserWorks() {
  return ['chromium', 'chromium-browser', 'google-chrome'].some((name) =>
    works(name, ['--version']),
  );
}

function pythonWorks() {
  return works('python3', ['-c', 'import sys, asyncio; sys.exit(sys.version_info < (3, 9))']);
}

function works(file, args) {
  return spawnSync(file, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
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
