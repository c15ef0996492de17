// What the tests need beside Node: this package's dependencies, Python on the host, and bubblewrap, strace and Chromium
// where they can be had.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs what is missing. Nothing is asked. @throws Error that says what to install by hand. */
export function installPrerequisites() {
  if (!existsSync('node_modules/.package-lock.json')) run('npm', ['ci']);
  const mayInstall = process.getuid?.() === 0 && works('apt-get', ['--version']);
  const missing = [
    ...(pythonWorks() ? [] : ['python3']),
    ...(bubblewrapWorks() ? [] : ['bubblewrap', 'python3']),
    ...(tracerWorks() ? [] : ['strace']),
    ...(browserWorks() ? [] : ['chromium']),
  ];
  if (mayInstall && missing.length > 0) {
    run('scripts/apt-get.sh', ['update']);
    run('scripts/apt-get.sh', ['install', '--yes', '--no-install-recommends', ...missing]);
  }
  if (pythonWorks()) return;
  throw new Error(
    'The tests need python3, 3.9 or newer. Install it, or run them as root on Debian.',
  );
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
  return spawnSync(file, args, { stdio: 'ignore' }).status === 0;
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
