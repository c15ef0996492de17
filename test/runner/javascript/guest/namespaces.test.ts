import { describe, expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';

const { print, run } = useBench({
  languages: ['javascript', 'typescript'],
  toolList: [
    { name: 'orders:list', description: 'Lists orders.', run: () => ['a', 'b'] },
    { name: 'orders:find', description: 'Finds an order.', run: () => 'a' },
  ],
});

describe('the namespace of tools', () => {
  it.each([
    ['const orders = await orders.list()', 1],
    ['let n = 1;\nfunction orders() {}', 2],
    ['class orders {}', 1],
    ['if (true) {\n  var [orders] = [1];\n}', 2],
    ['import * as orders from "node:path"', 1],
  ])(
    'keeps its name: %j is refused with what to do, and nothing of it runs',
    async (code, line) => {
      const { error, toolCalls } = await run(`${code}\nconsole.log("ran")`);
      expect(error).toMatchObject({
        type: 'SyntaxError',
        message:
          "Identifier 'orders' has already been declared: it is the namespace of orders.list, orders.find; choose another name",
        line,
      });
      expect(toolCalls).toBe(0);
      expect(await print('await orders.list()')).toBe("[ 'a', 'b' ]\n");
    },
  );

  it('is not assigned to', async () => {
    expect((await run('orders = 5')).error).toMatchObject({ type: 'TypeError', line: 1 });
    expect(await print('await orders.find()')).toBe('a\n');
  });

  it('may be hidden in a block or in a function', async () => {
    expect(
      await print(
        '{ const orders = [1]; console.log(orders) }\n((orders) => console.log(orders))(2)',
      ),
    ).toBe('[ 1 ]\n2\n');
  });
});
