import * as z from 'zod/v4';
import { defineTool } from '../../tools/define-tool.ts';
import type { Tool } from '../../tools/tool.ts';
import { ORDER_COUNT, ORDER_YEAR, ordersAsCsv } from './order-data.ts';

const PATH = '/tmp/orders.csv';

/**
 * A mock shop whose tool gives programs a file.
 * @param onWritten - Gets the number of characters of each file.
 */
export function orderTools(onWritten: (characters: number) => void): readonly Tool[] {
  return [
    defineTool({
      name: 'export_orders',
      description:
        'Writes all orders of a year to a CSV file in the sandbox, and returns its path. Its columns: ' +
        'order_id, date (YYYY-MM-DD), region, category, quantity, price (of one, in US dollars).',
      inputSchema: z.object({ year: z.literal(ORDER_YEAR) }),
      outputSchema: z.object({ path: z.string(), rows: z.number() }),
      inputExamples: [{ year: ORDER_YEAR }],
      run: async (_input, { files, signal }) => {
        if (files === undefined) throw new Error('Only a program can call this: it writes a file.');
        const text = ordersAsCsv();
        await files.write(PATH, text, { signal });
        onWritten(text.length);
        return { path: PATH, rows: ORDER_COUNT };
      },
    }),
  ];
}
