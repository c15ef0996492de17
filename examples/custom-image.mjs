#!/usr/bin/env node
// @ts-check
// Any image with Python 3.9 or newer works as a sandbox. The runner is sent to it at the start.
//
//   node examples/custom-image.mjs [image]
//
// For numpy, pandas and the like, build the image of this package with its data libraries:
//
//   npx sandboxed-ptc build-context sandbox-image
//   docker build --build-arg WITH_DATA_LIBRARIES=1 -t my-sandbox sandbox-image
//   node examples/custom-image.mjs my-sandbox
import assert from 'node:assert/strict';
import { PtcError, SandboxExecutor } from 'sandboxed-ptc';
import { dockerProvider } from 'sandboxed-ptc/docker';

const image = process.argv[2] ?? 'python:3.13-slim';
const provider = dockerProvider({ image, onProgress: console.log });

const availability = await provider.probe();
if (availability.usable) await run();
else {
  console.log(`This example needs Docker or Podman: ${availability.reason}.`);
  console.log(availability.remedy);
}

async function run() {
  const executor = new SandboxExecutor({ provider });
  try {
    const result = await executor.execute(`\
import importlib.util, platform, sys

print("Python", platform.python_version())
for library in ("numpy", "pandas", "matplotlib"):
    print(library, "is here" if importlib.util.find_spec(library) else "is not in this image")`);
    console.log(`${image}:\n${result.stdout}`);
    assert.ok(result.success, result.error?.traceback);
    assert.match(result.stdout, /^Python 3\.\d+/);
  } catch (error) {
    if (!PtcError.isInstance(error)) throw error;
    console.error(`${error.code}: ${error.message}`);
    process.exitCode = 1;
  } finally {
    await executor.close();
  }
}
