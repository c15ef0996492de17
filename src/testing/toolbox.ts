import { createDeferred, type Deferred } from '../shared/async/deferred.ts';
import type { ToolDefinition } from '../tools/define-tool.ts';
import type { ToolContext } from '../tools/tool.ts';

/** A tool that doubles the number `x`. */
export const double: ToolDefinition = {
  name: 'double',
  description: 'Doubles a number.',
  inputSchema: { type: 'object', properties: { x: { type: 'number' } } },
  run: (input) => (input as { x: number }).x * 2,
};

/** A call that a tool of the toolbox received. */
export interface SeenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly context: ToolContext;
}

/** Tools that record their calls. */
export interface Toolbox {
  readonly tools: readonly ToolDefinition[];
  /** The calls, in their order. A test can empty the list. */
  readonly calls: SeenCall[];
  /** @returns the next call of `wait_for_signal`, when it is made. */
  nextWait(): Promise<SeenCall>;
}

const anything = { type: 'object', properties: { value: {} }, required: ['value'] } as const;

/** The result of `find-orders`, for each customer. */
const ORDERS = [
  { id: 7, customer: 'a', total: 12.5 },
  { id: 8, customer: 'a', total: 3 },
] as const;

/** Makes the tools that several groups use. */
export function createToolbox(): Toolbox {
  const calls: SeenCall[] = [];
  let waiting: Deferred<SeenCall> | undefined;
  const noting =
    (tool: string, answer: (input: unknown, context: ToolContext) => unknown) =>
    (input: unknown, context: ToolContext): unknown => {
      calls.push({ tool, input, context });
      return answer(input, context);
    };
  return {
    calls,
    nextWait: async () => {
      waiting = createDeferred();
      return waiting.promise;
    },
    tools: [
      {
        name: 'keep',
        description: 'Gives its value back.',
        inputSchema: anything,
        run: noting('keep', (input) => (input as { value: unknown }).value),
      },
      {
        name: 'find-orders',
        description: 'Finds the orders of a customer.',
        inputSchema: {
          type: 'object',
          properties: {
            customer: { type: 'string' },
            limit: { type: 'integer', default: 10 },
            open: { type: 'boolean', default: false },
          },
          required: ['customer'],
          additionalProperties: false,
        },
        run: noting('find-orders', () => ORDERS),
      },
      {
        name: 'no_arguments',
        description: 'Takes none.',
        run: noting('no_arguments', () => 'none'),
      },
      {
        name: 'fail',
        description: 'Fails.',
        run: () => {
          throw new Error('the database is down');
        },
      },
      {
        name: 'wait_for_signal',
        description: 'Answers only when it is told to stop.',
        run: noting('wait_for_signal', async (input, context) => {
          waiting?.resolve({ tool: 'wait_for_signal', input, context });
          await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        }),
      },
    ],
  };
}
