import { seededRandom } from './seeded-random.ts';

/** The year of the orders. */
export const ORDER_YEAR = 2025;

/** How many orders there are. */
export const ORDER_COUNT = 50_000;

const REGIONS = ['East', 'North', 'South', 'West'];
const PRICES: Readonly<Record<string, number>> = { chair: 89, desk: 249, lamp: 39, shelf: 129 };
const CATEGORIES = Object.keys(PRICES);
const DAY_MS = 86_400_000;
const DAYS = 365;

/** The orders of a fictional shop as CSV, by date. They are always the same. */
export function ordersAsCsv(): string {
  const random = seededRandom('orders');
  const firstDay = Date.UTC(ORDER_YEAR, 0, 1);
  const rows = Array.from({ length: ORDER_COUNT }, (_, index) => {
    const share = index / ORDER_COUNT;
    const date = new Date(firstDay + Math.floor(share * DAYS) * DAY_MS).toISOString().slice(0, 10);
    const region = REGIONS[Math.floor(random() * REGIONS.length)];
    const category = CATEGORIES[Math.floor(random() * CATEGORIES.length)] ?? '';
    const discount = discountOf(region, category, share, random());
    const price = ((PRICES[category] ?? 0) * (1 - discount)).toFixed(2);
    const quantity = 1 + Math.floor(random() * 3);
    return `${100_001 + index},${date},${region},${category},${quantity},${price}`;
  });
  return `order_id,date,region,category,quantity,price\n${rows.join('\n')}\n`;
}

/** Everywhere up to a tenth. In the West, desks are sold for less and less from July on. */
function discountOf(
  region: string | undefined,
  category: string,
  share: number,
  random: number,
): number {
  const usual = random / 10;
  if (region !== 'West' || category !== 'desk' || share < 0.5) return usual;
  return usual + (share - 0.5);
}
