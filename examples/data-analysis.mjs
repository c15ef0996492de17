#!/usr/bin/env node
// @ts-check
// A program reads a CSV file and a workbook, prints a table and shows a chart, which this process saves.
//
//   node examples/data-analysis.mjs [.venv/bin/python]
//
// With Docker or Podman, the libraries are in an image that is built the first time. Otherwise, or if it is named, a
// Python of this machine has them.
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { PtcError, SandboxExecutor } from 'sandboxed-ptc';
import { bubblewrapProvider } from 'sandboxed-ptc/bubblewrap';
import { dockerProvider } from 'sandboxed-ptc/docker';

const LIBRARIES = ['pandas', 'matplotlib', 'openpyxl'];
const PACKAGES = LIBRARIES.map((name) => `python3-${name}`);

/** As a model would write it. */
const ANALYSIS = `\
import matplotlib.pyplot as plt
import pandas as pd

sales = pd.read_csv("/tmp/sales.csv", parse_dates=["month"])
targets = pd.read_excel("/tmp/targets.xlsx", index_col="region")["target"]

months = sales.pivot_table(index="month", columns="region", values="revenue", aggfunc="sum")
table = pd.DataFrame({"revenue": months.sum(), "target": targets})
table["reached"] = (table["revenue"] / table["target"]).map("{:.0%}".format)
print(table.to_string())

months.plot(title="Revenue of 2025 by region", ylabel="dollars")
plt.show()`;

const provider = await chooseProvider(process.argv[2]);
const executor = new SandboxExecutor({ provider });
try {
  await executor.warmUp();
  // Undefined if no sandbox can be started: `acquire` says why.
  const installed = executor.software?.python?.libraries;
  const missing = LIBRARIES.filter((name) => installed?.every((one) => one.name !== name));
  if (missing.length === 0) await analyse();
  else {
    console.log(`This example needs ${missing.join(', ')}, which the sandbox does not have.`);
    console.log(`Start Docker or Podman, or: apt-get install ${PACKAGES.join(' ')}`);
  }
} catch (error) {
  if (!PtcError.isInstance(error)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await executor.close();
  await provider.close();
}

/** @param {string} [python] */
async function chooseProvider(python) {
  if (python !== undefined) return bubblewrapProvider({ python });
  const docker = dockerProvider({ packages: { apt: PACKAGES }, onProgress: console.log });
  return (await docker.probe()).usable ? docker : bubblewrapProvider();
}

async function analyse() {
  const session = await executor.acquire();
  for (const name of ['sales.csv', 'targets.xlsx']) {
    const file = createReadStream(new URL(`data/${name}`, import.meta.url));
    await session.files.write(name, file);
  }
  const { stdout, images, error } = await session.execute(ANALYSIS);
  assert.equal(error?.traceback, undefined);
  console.log(stdout);

  const [chart] = images;
  assert.equal(chart?.mediaType, 'image/png');
  await writeFile('chart.png', Buffer.from(chart.data, 'base64'));
  console.log(`chart.png: ${chart.widthPixels} x ${chart.heightPixels} pixels`);
}
