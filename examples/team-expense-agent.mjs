#!/usr/bin/env node
// @ts-check
// Who went over the Q3 travel budget? The model writes a program that calls the expense service for
// all people at once. Hundreds of line items stay in the sandbox, and a few lines reach the model.
//
//   node examples/team-expense-agent.mjs              ask once
//   node examples/team-expense-agent.mjs -s           ask two questions in the same session
//   node examples/team-expense-agent.mjs -i           ask your own questions
//   node examples/team-expense-agent.mjs --low-level  run the program without a model
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { ProgrammaticToolOrchestrator, SandboxExecutor, ToolRegistry } from 'sandboxed-ptc';
import {
  expenseScript,
  PROGRAMS,
  QUESTION,
  QUESTION_ON_SESSION,
} from './support/expense-script.mjs';
import { expenseTools, namesOverBudget } from './support/expenses.mjs';
import { modelOrScript } from './support/model.mjs';

const { values: flags } = parseArgs({
  options: {
    interactive: { type: 'boolean', short: 'i' },
    'session-reuse': { type: 'boolean', short: 's' },
    'low-level': { type: 'boolean' },
  },
});

const tools = new ToolRegistry(expenseTools);

if (flags['low-level']) await runWithoutModel();
else await runAgent();

async function runAgent() {
  const agent = new ProgrammaticToolOrchestrator({
    model: modelOrScript(expenseScript),
    tools,
    mode: 'programmatic',
    executor: { onProgress: console.log },
  });
  try {
    if (flags.interactive) await answerQuestions(agent);
    else {
      const result = await ask(agent, QUESTION);
      for (const name of namesOverBudget())
        assert.ok(result.text.includes(name), `${name} is missing`);
      assert.ok(result.savings.directTokens > 10 * result.savings.contextTokens);
      if (flags['session-reuse']) await askOn(agent);
    }
  } finally {
    await agent.close();
  }
}

/**
 * Asks one question and shows what happens on the way.
 * @param {ProgrammaticToolOrchestrator} agent
 * @param {string} input
 */
async function ask(agent, input) {
  console.log(`\n> ${input}\n`);
  const result = await agent.run(input, {
    onEvent: (event) => {
      if (event.type === 'program-started') console.log(`--- code ---\n${event.code}\n---`);
      if (event.type === 'tool-call-ended')
        console.log(`${event.toolName} took ${Math.round(event.durationMs)} ms`);
      if (event.type === 'output-delta') process.stdout.write(event.text);
    },
  });
  console.log(`\n${result.text}\n`);
  const { contextTokens, directTokens } = result.savings;
  console.log(
    `${result.toolCalls} tool calls, about ${contextTokens} tokens instead of ${directTokens}`,
  );
  return result;
}

/**
 * The session keeps its variables, so the second question can use what the first one fetched.
 * @param {ProgrammaticToolOrchestrator} agent
 */
async function askOn(agent) {
  const first = await agent.sessionInfo();
  await ask(agent, QUESTION_ON_SESSION);
  const second = await agent.sessionInfo();
  assert.equal(second?.id, first?.id, 'both questions share one session');
  assert.ok((second?.programs ?? 0) > (first?.programs ?? 0));
  console.log(`Session ${second?.id} ran ${second?.programs} programs`);
}

/** @param {ProgrammaticToolOrchestrator} agent */
async function answerQuestions(agent) {
  console.log('Ask about expenses; an empty line exits. Without a key, only these questions work:');
  for (const known of Object.keys(PROGRAMS)) console.log(`- ${known}`);
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    if (line.trim() === '') break;
    await ask(agent, line.trim());
  }
  lines.close();
}

/** Runs a model's programs as the agent would, but without a model. */
async function runWithoutModel() {
  const executor = new SandboxExecutor({ tools, onProgress: console.log });
  let printed = '';
  try {
    const session = await executor.acquire();
    for (const code of Object.values(PROGRAMS)) {
      const result = await session.execute(code);
      assert.ok(result.success, result.error?.traceback);
      console.log(`${result.stdout}(${result.toolCalls} tool calls)\n`);
      printed += result.stdout;
    }
  } finally {
    await executor.close();
  }
  for (const name of namesOverBudget()) assert.ok(printed.includes(name), `${name} is missing`);
}
