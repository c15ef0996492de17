import assert from 'node:assert/strict';
import type { ToolDefinition } from '../../../../src/tools/define-tool.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';
import { SourceOfTest } from '../../../support/source-of-test.ts';

function answering(name: string): ToolDefinition {
  return {
    name,
    description: `Answers ${name}.`,
    inputSchema: {
      type: 'object',
      properties: { 'first name': { type: 'string' }, filter: { type: 'object' } },
      required: ['first name'],
    },
    run: (input) => [name, input],
  };
}

/** How programs in Python find the tools of sources, and notice their changes. */
export function pythonSources(): TestGroup {
  return {
    name: 'tools of sources in Python',
    options: { tools: [{ name: 'plain', description: 'Answers.', run: () => 'plain' }] },
    tests: [
      test('a tool of a source is an attribute of its name space, and has its whole name', async (bench) => {
        bench.tools.addSource(
          new SourceOfTest('shop', [answering('list-all'), answering('import')]),
        );
        const code = `print(await shop.list_all(first_name="a"), await shop_list_all("b", {}), await shop.import_({"first name": "c"}))
print(dir(shop), shop, shop.list_all is shop_list_all, getattr(shop, "no", None))
try:
    print(eval("shop_" + "list_all") is shop.list_all)
    shop.launch()
except AttributeError as error:
    print(error)`;
        assert.equal(
          await bench.print(code),
          `['list-all', {'first name': 'a'}] ['list-all', {'first name': 'b', 'filter': {}}] ['import', {'first name': 'c'}]
['import_', 'list_all'] <tools of shop> True None
True
there is no tool shop.launch; dir(shop) lists the tools of shop
`,
        );
      }),
      test('a tool whose name has a meaning in Python has an underscore behind it', async (bench) => {
        const names = ['__class__', '__init__', '__doc__', '__buy'];
        bench.tools.addSource(new SourceOfTest('special', names.map(answering)));
        const code = `class Shop:
    async def use(self):
        for call in special.__class___, special.__init___, special.__doc___, special___buy:
            print((await call("x"))[0])
await Shop().use()
print(dir(special), special.__doc__)`;
        assert.equal(
          await bench.print(code),
          `${names.join('\n')}\n['__class___', '__doc___', '__init___'] None\n`,
        );
      }),
      test('a program that asks for documentation gets it, in the same session as one that did not', async (bench) => {
        bench.tools.addSource(new SourceOfTest('documented', [answering('buy')]));
        assert.equal(await bench.print('tool = documented.buy\nprint(1)'), '1\n');
        assert.match(
          await bench.print('help(documented.buy)'),
          /documented\.buy\(first_name: str.*\n.*\n.*Answers buy\./,
        );
        assert.match(await bench.print('print(documented.buy.__doc__)'), /Answers buy\./);
        const signature =
          'import inspect as looking\nprint(looking.signature(plain), looking.signature(documented_buy))';
        assert.equal(await bench.print(signature), '() (first_name, filter=Ellipsis)\n');
      }),
      test('a function that was defined before its tools changed calls the new ones, and those that are gone fail', async (bench) => {
        const source = new SourceOfTest('store', [answering('old'), answering('kept')]);
        bench.tools.addSource(source);
        const define = `kept = 5
old = store.old
async def use():
    for call in (old, lambda **a: store.old(**a), lambda **a: store_old(**a), lambda **a: store.kept(**a)):
        try:
            print(await call(first_name="x"))
        except ToolError as error:
            print(error)
await use()`;
        await bench.print(define);
        source.change([answering('kept'), answering('new')]);
        const failed = 'store_old failed (UnknownTool): no tool has this name, or it was removed\n';
        assert.equal(
          await bench.print('await use()\nprint(dir(store), kept, (await store.new("y"))[0])'),
          `${failed.repeat(3)}['kept', {'first name': 'x'}]\n['kept', 'new'] 5 new\n`,
        );
        bench.tools.removeSource('store');
        assert.equal(
          await bench.print('await use()\nprint(dir(store))'),
          `${failed.repeat(3)}${failed.replaceAll('old', 'kept')}[]\n`,
        );
      }),
    ],
  };
}
