import { seededRandom, type Random } from './seeded-random.ts';

/** The expenses of a fictional company. They are always the same. Amounts are US dollars. */

export interface TeamMember {
  readonly id: string;
  readonly name: string;
  readonly department: string;
  readonly title: string;
  readonly email: string;
}

export interface ExpenseItem {
  readonly id: string;
  readonly employee_id: string;
  readonly date: string;
  readonly category: string;
  readonly merchant: string;
  readonly description: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'approved' | 'pending' | 'rejected';
  readonly payment_method: string;
  readonly cost_center: string;
  readonly receipt_url: string;
  readonly approved_by: string | null;
  readonly notes: string;
}

export interface CustomBudget {
  readonly employee_id: string;
  readonly travel_budget: number;
  readonly reason: string;
  readonly approved_by: string;
}

interface Profile extends TeamMember {
  /** How many trips they make per quarter. */
  readonly trips: number;
}

const PROFILES: readonly Profile[] = [
  person('E101', 'Aiko Tanaka', 'engineering', 'Staff Engineer', 3),
  person('E102', 'Benoît Laurent', 'engineering', 'Engineering Manager', 6),
  person('E103', 'Chidi Okafor', 'engineering', 'Senior Engineer', 2),
  person('E104', 'Dana Weiss', 'engineering', 'Developer Advocate', 7),
  person('E105', 'Elif Demir', 'engineering', 'Site Reliability Engineer', 1),
  person('E106', 'Farid Haddad', 'engineering', 'Solutions Engineer', 5),
  person('E107', 'Greta Lindqvist', 'engineering', 'Senior Engineer', 2),
  person('E108', 'Hugo Santos', 'engineering', 'Engineer', 4),
  person('S201', 'Ines Moreau', 'sales', 'Account Executive', 6),
  person('S202', 'Jonas Berg', 'sales', 'Account Executive', 5),
  person('S203', 'Kavya Rao', 'sales', 'Sales Director', 8),
  person('M301', 'Luca Bianchi', 'marketing', 'Events Manager', 5),
  person('M302', 'Mei Chen', 'marketing', 'Content Lead', 2),
];

const CUSTOM_BUDGETS: readonly CustomBudget[] = [
  budget('E102', 12_000, 'Leads teams in three countries'),
  budget('E104', 9_000, 'Speaks at conferences'),
  budget('S203', 15_000, 'Covers two regions'),
];

const DEPARTMENTS = [...new Set(PROFILES.map(({ department }) => department))];

export const QUARTERS = ['Q1', 'Q2', 'Q3', 'Q4'] as const;

export type Quarter = (typeof QUARTERS)[number];

const YEAR = 2026;

/** @throws Error for an unknown department. */
export function teamMembers(department: string): TeamMember[] {
  const team = PROFILES.filter((profile) => profile.department === department.toLowerCase());
  if (team.length === 0) {
    throw new Error(`There is no department ${department}. Use one of: ${DEPARTMENTS.join(', ')}.`);
  }
  return team.map(({ trips: _trips, ...member }) => member);
}

/** All line items of a quarter, by date. @throws Error for an unknown id. */
export function expenseItems(employeeId: string, quarter: Quarter): ExpenseItem[] {
  const { trips } = profileOf(employeeId);
  const random = seededRandom(`${employeeId} ${quarter}`);
  const drafts = [
    ...Array.from({ length: trips }, () => tripDrafts(random)).flat(),
    ...Array.from({ length: 30 + Math.floor(random() * 15) }, () => everydayDraft(random)),
  ];
  const firstDay = Date.UTC(YEAR, QUARTERS.indexOf(quarter) * 3, 1);
  return drafts
    .map((draft) => ({ ...draft, day: Math.floor(draft.when * 90) }))
    .sort((left, right) => left.day - right.day)
    .map(({ category, merchant, description, amount, day }, index) => {
      const status = statusFor(random());
      const number = String(index + 1).padStart(3, '0');
      return {
        id: `EXP-${employeeId}-${quarter}-${number}`,
        employee_id: employeeId,
        date: new Date(firstDay + day * 86_400_000).toISOString().slice(0, 10),
        category,
        merchant,
        description,
        amount: Math.round(amount * 100) / 100,
        currency: 'USD',
        status,
        payment_method: random() < 0.7 ? 'corporate card' : 'reimbursement',
        cost_center: `CC-${employeeId.slice(0, 2)}00`,
        receipt_url: `https://receipts.example.com/${YEAR}/${quarter}/${employeeId}/${number}.pdf`,
        approved_by: status === 'approved' ? 'finance@example.com' : null,
        notes: status === 'rejected' ? 'Receipt does not match the amount' : '',
      };
    });
}

/**
 * An employee's own travel budget; null for those with the standard budget. @throws Error for an
 * unknown id.
 */
export function customBudget(employeeId: string): CustomBudget | null {
  const { id } = profileOf(employeeId);
  return CUSTOM_BUDGETS.find(({ employee_id: owner }) => owner === id) ?? null;
}

interface Draft {
  readonly category: string;
  readonly merchant: string;
  readonly description: string;
  readonly amount: number;
  /** The time in the quarter, from 0 to 1. */
  readonly when: number;
}

const DESTINATIONS = ['Lisbon', 'Berlin', 'Austin', 'Singapore', 'Toronto', 'Nairobi'];

function tripDrafts(random: Random): Draft[] {
  const when = random();
  const city = pick(random, DESTINATIONS);
  const nights = 2 + Math.floor(random() * 3);
  const travel = (merchant: string, description: string, amount: number): Draft => ({
    category: 'travel',
    merchant,
    description,
    amount,
    when,
  });
  return [
    travel(
      pick(random, ['Lufthansa', 'United Airlines', 'TAP Air Portugal']),
      `Return flight to ${city}`,
      420 + random() * 780,
    ),
    travel(
      pick(random, ['Marriott', 'Ibis', 'Hilton']),
      `${nights} nights in ${city}`,
      nights * (140 + random() * 110),
    ),
    travel(pick(random, ['Uber', 'Bolt']), `Airport transfer in ${city}`, 25 + random() * 60),
    travel('City Transit', `Day tickets in ${city}`, 12 + random() * 20),
  ];
}

const EVERYDAY: readonly (readonly [string, string, string, number, number])[] = [
  ['meals', 'Corner Deli', 'Working lunch', 11, 30],
  ['meals', 'Trattoria Roma', 'Team dinner', 45, 160],
  ['software', 'JetBrains', 'IDE licence', 15, 30],
  ['software', 'GitHub', 'Seat of the month', 21, 21],
  ['equipment', 'Dell', 'Monitor or dock', 120, 480],
  ['training', "O'Reilly Media", 'Online course', 49, 199],
  ['office', 'Staples', 'Office supplies', 8, 60],
  ['travel', 'Metro', 'Ride to a customer', 3, 12],
];

function everydayDraft(random: Random): Draft {
  const [category, merchant, description, least, most] = pick(random, EVERYDAY);
  return {
    category,
    merchant,
    description,
    amount: least + random() * (most - least),
    when: random(),
  };
}

function statusFor(chance: number): ExpenseItem['status'] {
  if (chance < 0.9) return 'approved';
  return chance < 0.96 ? 'pending' : 'rejected';
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

function profileOf(employeeId: string): Profile {
  const profile = PROFILES.find(({ id }) => id === employeeId);
  if (profile === undefined) throw new Error(`There is no employee ${employeeId}.`);
  return profile;
}

function person(
  id: string,
  name: string,
  department: string,
  title: string,
  trips: number,
): Profile {
  const email = `${id.toLowerCase()}@example.com`;
  return { id, name, department, title, email, trips };
}

function budget(employeeId: string, amount: number, reason: string): CustomBudget {
  return { employee_id: employeeId, travel_budget: amount, reason, approved_by: 'CFO' };
}
