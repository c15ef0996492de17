// Lets a child process of a test run TypeScript: node --import ./test/support/typescript-loader.mjs
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Loaders live in a thread of their own.
if (isMainThread) register(import.meta.url);

/** A file for each module that some process has loaded, since most of them load the same two hundred. */
const CACHE = new URL('../../node_modules/.cache/sandboxed-ptc/typescript/', import.meta.url);

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const typescript = readFileSync(fileURLToPath(url), 'utf8');
  const file = new URL(digest(url), CACHE);
  const head = `// ${digest(typescript)}\n`;
  const source = readKept(file, head) ?? (await removeTypes(url, typescript, file, head));
  return { format: 'module', shortCircuit: true, source };
}

function digest(text) {
  return createHash('sha256').update(text).digest('hex');
}

/** @returns what was made of the same source, if anything. */
function readKept(file, head) {
  try {
    const kept = readFileSync(file, 'utf8');
    return kept.startsWith(head) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Unlike the compiler, esbuild only removes the types: a tenth of the time. */
async function removeTypes(url, typescript, file, head) {
  const { transform } = await import('esbuild');
  const options = { loader: 'ts', target: 'es2023', sourcefile: fileURLToPath(url) };
  const { code } = await transform(typescript, options);
  const source = `${head}${code}`;
  try {
    mkdirSync(CACHE, { recursive: true });
    const incomplete = new URL(randomUUID(), CACHE);
    writeFileSync(incomplete, source);
    renameSync(incomplete, file);
  } catch {
    // A process of another user may not write there.
  }
  return source;
}
