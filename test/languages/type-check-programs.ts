/** The tools that the programs are written for. */
export const TOOLS = `declare class ToolError extends Error { type: string; tool: string }
interface Order { id: string; customer: { name: string; email?: string } | null; total: number; status: 'open' | 'shipped' | 'cancelled'; created: string; tags: string[] }
declare function find_orders(input: { customer: string; limit?: number | null }): Promise<Order[]>;
declare function get_report(input?: { year?: number }): Promise<any>;
declare function get_team(input: { department: 'sales' | 'support' }): Promise<{ id: number; name: string }[]>;
declare function lookup(input: { id: string }): Promise<{ ok: true; value: number } | { ok: false; reason: string }>;
declare function anything(input: { query: string; options?: Record<string, unknown> }): Promise<unknown>;
declare namespace mail { function send(input: { to: string; text: string }): Promise<{ sent: boolean }>; }`;

/** Programs that run well, as models write them. */
export const CORRECT: readonly string[] = [
  "const orders = await find_orders({ customer: 'a' });\nconsole.log(orders.length);",
  'const report = await get_report();\nconst rows = report.rows.map((r) => ({ ...r, total: r.a + r.b }));\nconsole.log(JSON.stringify(rows, null, 2));',
  "const totals = {};\nfor (const o of await find_orders({ customer: 'a' })) {\n  totals[o.status] = (totals[o.status] || 0) + o.total;\n}\nconsole.log(totals);",
  "const totals: Record<string, number> = {};\nfor (const o of await find_orders({ customer: 'a' })) totals[o.status] = (totals[o.status] ?? 0) + o.total;\nconst [top] = Object.entries(totals).sort((a, b) => b[1] - a[1]);\nconsole.log(top[0], top[1].toFixed(2));",
  "const result = [];\nfor (const id of ['a', 'b']) {\n  const r = await lookup({ id });\n  if (r.ok) result.push({ id, value: r.value });\n}\nconsole.log(result.map((r) => r.value));",
  "try {\n  await mail.send({ to: 'a', text: 'b' });\n} catch (e) {\n  if (e instanceof ToolError) console.log(e.type, e.tool, e.message);\n  else console.log(e.message, e.code);\n}",
  "const team = await get_team({ department: 'sales' });\nconst reports = await Promise.all(team.map((p) => get_report({ year: p.id })));\nconst best = team.map((p, i) => ({ name: p.name, n: reports[i].length })).sort((a, b) => b.n - a.n)[0];\nconsole.log(best.name);",
  "const orders = await find_orders({ customer: 'a' });\nconst byDate = orders.sort((a, b) => new Date(b.created) - new Date(a.created));\nconsole.log(byDate[0].created);",
  "const days = (new Date() - new Date('2024-01-01')) / 86400000;\nconsole.log(Math.floor(days));",
  "const orders = await find_orders({ customer: 'a' });\nfor (const o of orders) console.log(o.customer.name);",
  "const found = (await find_orders({ customer: 'a' })).find((o) => o.total > 5);\nconsole.log(found.id);",
  "const groups = new Map();\nfor (const o of await find_orders({ customer: 'a' })) {\n  if (!groups.has(o.status)) groups.set(o.status, []);\n  groups.get(o.status).push(o);\n}\nfor (const [k, v] of groups) console.log(k, v.length);",
  "const groups = new Map<string, number[]>();\ngroups.set('a', []);\ngroups.get('a').push(1);\nconsole.log([...groups.entries()]);",
  "const seen = new Set();\nconst ids: string[] = [];\nfor (const o of await find_orders({ customer: 'a' })) { if (!seen.has(o.id)) { seen.add(o.id); ids.push(o.id); } }\nconsole.log([...seen].join());",
  "const settled = await Promise.allSettled(['a', 'b'].map((customer) => find_orders({ customer })));\nconst values = settled.filter((s) => s.status === 'fulfilled').map((s) => s.value);\nconst errors = settled.filter((s) => s.status === 'rejected').map((s) => s.reason.message);\nconsole.log(values.flat().length, errors);",
  "let best = null;\nfor (const o of await find_orders({ customer: 'a' })) if (!best || o.total > best.total) best = o;\nconsole.log(best.id, best.total);",
  "let best: { id: string } | null = null;\n(await find_orders({ customer: 'a' })).forEach((o) => { best = o; });\nconsole.log(best.id);",
  'const stats = { count: 0 };\nstats.total = 5;\nstats.count += 1;\nconsole.log(stats.total);',
  "const summary = (await find_orders({ customer: 'a' })).reduce((acc, o) => {\n  acc[o.status] = acc[o.status] || { n: 0, sum: 0 };\n  acc[o.status].n++;\n  acc[o.status].sum += o.total;\n  return acc;\n}, {});\nconsole.log(Object.entries(summary).map(([k, v]) => `${k}: ${v.n}`));",
  "const fs = require('fs');\nfs.writeFileSync('/tmp/x.json', JSON.stringify({ a: 1 }));\nconsole.log(fs.readFileSync('/tmp/x.json', 'utf8'));",
  "import { readFile } from 'node:fs/promises';\nimport path from 'path';\nconst text = await readFile(path.join('/etc', 'hostname'), 'utf8');\nconsole.log(text.trim());",
  "import type { Stats } from 'node:fs';\nimport * as fs from 'node:fs';\nconst s: Stats = fs.statSync('/');\nfunction show(stats: fs.Stats) { return stats.size; }\nconsole.log(show(s));",
  'const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));\nawait sleep(1);\nconst timer: NodeJS.Timeout = setTimeout(() => {}, 5);\nclearTimeout(timer);',
  'function mean(numbers) { return numbers.reduce((a, b) => a + b, 0) / numbers.length; }\nconsole.log(mean([1, 2, 3]).toFixed(1));',
  "async function main() {\n  const orders = await find_orders({ customer: 'a', limit: null });\n  return orders.length;\n}\nmain().then(console.log);",
  "const data = await anything({ query: 'x' });\nconsole.log(data.items.map((i) => i.name));",
  "const data = await anything({ query: 'x', options: { deep: true } }) as { items: { name: string }[] };\nconsole.log(data.items[0].name);",
  "const r = await lookup({ id: 'a' });\nconsole.log(r.ok ? r.value : r.reason, r.value);",
  "const m = 'a-15'.match(/(\\d+)/);\nconsole.log(parseInt(m[1]) + 1, m?.index);",
  "const grouped = Object.groupBy(await find_orders({ customer: 'a' }), (o) => o.status);\nconsole.log(grouped.open.length);",
  "const url = new URL('http://a/b?c=1');\nconsole.log(url.searchParams.get('c'), Buffer.from('a').toString('base64'), process.env.HOME);",
  "const orders = await find_orders({ customer: 'a' });\nif (orders.length === 0) return 'none';\nreturn orders[0].total;",
  "enum Level { Low, High }\ninterface Row { level: Level; name: string }\nconst rows: Row[] = [{ level: Level.Low, name: 'a' }];\nclass Table { rows: Row[]; constructor(rows: Row[]) { this.rows = rows; } get size() { return this.rows.length; } }\nnew Table(rows).size",
  "type Status = 'open' | 'shipped' | 'cancelled';\nconst counts: Record<Status, number> = { open: 0, shipped: 0, cancelled: 0 };\nfor (const o of await find_orders({ customer: 'a' })) counts[o.status]++;\nconsole.table(counts);",
  'const chunks = Array.from({ length: 3 }, (_, i) => i * 2);\nconst pairs = chunks.flatMap((a, i) => chunks.slice(i + 1).map((b) => [a, b]));\nconsole.log(pairs.at(-1), new Array(3).fill().map((_, i) => i));',
  "const obj: any = JSON.parse('{}');\nfor (const key in obj) console.log(obj[key]);\nconst { a, b = 2, ...rest } = obj;\nconsole.log(a, b, rest);",
  'globalThis.cache = { a: 1 };\nconsole.log(cache.a, globalThis.cache);',
  "const emails = (await find_orders({ customer: 'a' })).map((o) => o.customer?.email).filter(Boolean);\nfor (const e of new Set(emails)) await mail.send({ to: e!, text: 'x' });",
  "let total: number;\nconst list = await find_orders({ customer: 'a' });\nif (list.length) total = list.length;\nconsole.log(total);",
  "const fmt = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });\nconsole.log(fmt.format(5), (1234.5).toLocaleString(), new Date().toISOString().slice(0, 10));",
  "const retry = async <T>(f: () => Promise<T>, n = 3): Promise<T> => {\n  for (let i = 0; ; i++) { try { return await f(); } catch (e) { if (i >= n) throw e; } }\n};\nconst orders = await retry(() => find_orders({ customer: 'a' }));\nconsole.log(orders.map((o) => o.id));",
  'function* ids(n: number) { for (let i = 0; i < n; i++) yield i; }\nasync function* pages() { yield await get_report(); }\nfor await (const p of pages()) console.log(p.x);\nconsole.log([...ids(3)]);',
  "const crypto = require('node:crypto');\nconsole.log(crypto.createHash('sha256').update('a').digest('hex'));",
  "const customers = ['a', 'b'];\nconst lists = await Promise.all(customers.map(async (customer) => ({ customer, orders: await find_orders({ customer }) })));\nconst summary = Object.fromEntries(lists.map(({ customer, orders }) => [customer, orders.length]));\nconsole.log(summary.a, summary['b']);",
  "const config = { retries: 3, name: 'x' } as const;\nconst values = Object.keys(config).map((k) => config[k]);\nconsole.log(values, typeof fetch === 'undefined');",
  "const args = { customer: 'a' };\nconst orders = await find_orders(args);\nconst open = orders.filter(({ status }) => ['open', 'shipped'].includes(status));\nconsole.log(open.length, isNaN('5'), Math.max(...orders.map((o) => o.total)));",
  "const words = 'a b a'.split(' ');\nconst counts = words.reduce<Record<string, number>>((c, w) => ({ ...c, [w]: (c[w] ?? 0) + 1 }), {});\nconsole.log(Object.entries(counts).map(([w, n]) => `${w}=${n}`).join(', '));",
  "const orders = await find_orders({ customer: 'a' });\nconst max = orders.reduce((a, b) => (a.total > b.total ? a : b));\nconst rows = orders.map((o) => [o.id, o.total]);\nconst sum = rows.reduce((s, r) => s + Number(r[1]), 0);\nconsole.log(max.id, sum);",
];

/** Programs that are wrong, and the code and line of the first thing that is. */
export const WRONG: readonly (readonly [code: string, problem: number, line: number])[] = [
  ['await find_orders({ customer: 5 });', 2322, 1],
  ['await find_orders({});', 2345, 1],
  ['await find_orders();', 2554, 1],
  ["await find_orders('a');", 2345, 1],
  ["await find_orders({ customer: 'a', limt: 5 });", 2561, 1],
  ["await find_orders({ customer: 'a', page: 5 });", 2353, 1],
  ["await get_team({ department: 'sale' });", 2820, 1],
  ["await get_team({ department: 'finance' });", 2322, 1],
  ["const orders = find_orders({ customer: 'a' });\nconsole.log(orders.length);", 2339, 2],
  ["for (const o of find_orders({ customer: 'a' })) console.log(o);", 2488, 1],
  ["const orders = await find_orders({ customer: 'a' });\nconsole.log(orders[0].price);", 2339, 2],
  ["const orders = await find_orders({ customer: 'a' });\nconsole.log(orders[0].totl);", 2551, 2],
  ["const { nme } = (await get_team({ department: 'sales' }))[0];", 2339, 1],
  ['console.log(undefined_name);', 2304, 1],
  ["console.log(await find_order({ customer: 'a' }));", 2552, 1],
  ["await mail.sent({ to: 'a', text: 'b' });", 2339, 1],
  ["await fetch('http://example.com');", 2304, 1],
  [
    "const orders = await find_orders({ customer: 'a' });\nif (orders[0].status === 'done') console.log(1);",
    2367,
    2,
  ],
  ["const n: number = (await find_orders({ customer: 'a' }))[0].id;", 2322, 1],
  ["const orders = await find_orders({ customer: 'a' });\norders.push(5);", 2345, 2],
  ['const rows: { a: number }[] = [{ a: 1 }];\nrows.filtr((r) => r.a);', 2551, 2],
  ['if (true) return await find_orders({ customer: 5 });', 2322, 1],
  ["console.lgo('x');", 2339, 1],
  ['const total = 5;\ntotal = 6;', 2588, 2],
];
