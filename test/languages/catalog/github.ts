import { readFileSync } from 'node:fs';
import { toTool } from '../../../src/tools/define-tool.ts';
import type { Tool } from '../../../src/tools/tool.ts';

/** A question, and the operations that answer it. */
export interface Question {
  readonly question: string;
  readonly wanted: readonly string[];
  /** The ranking was tuned with the first two sets only. */
  readonly set: 'common' | 'drawn' | 'held-out' | 'blind';
}

/** The operations of GitHub as tools, by their ids. */
export function githubTools(): ReadonlyMap<string, Tool> {
  const operations = read('operations') as readonly { id: string; summary: string }[];
  return new Map(
    operations.map(({ id, summary }) => {
      const name = `github:${id.replaceAll(/[^a-z\d]/gi, '_')}`;
      const definition = { name, description: summary, run: () => null };
      return [id, toTool(definition, 'first call')];
    }),
  );
}

export function githubQuestions(): readonly Question[] {
  return read('questions') as readonly Question[];
}

function read(name: string): readonly unknown[] {
  const file = new URL(`../../fixtures/github/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line): unknown => JSON.parse(line));
}
