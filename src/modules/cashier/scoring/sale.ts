/** Counts an order as a sale of its cashier: sales are the denominator of every rate. */
import { DAY_MS } from '../../../platform/time-units.ts'
import { round } from '../../behavior/index.ts'
import {
  addHour,
  addToStint,
  emptyCashier,
  locationOfSale,
  roleOf,
  timeOf,
} from './cashier-state.ts'
import { type Addition, addCounts, emptyCounts } from './counts.ts'
import { roundness } from './currencies.ts'
import { addCustomer } from './customers.ts'
import type { SaleFacts } from './facts.ts'
import type { CashierParameters } from './parameters.ts'
import { emptyStore, isPublishingDue, publish } from './publish.ts'
import { NO_RISES } from './rises.ts'
import { shiftAt } from './shifts.ts'
import { shortKey } from './short-key.ts'
import type { CashierState, CashierStates, RisesState, Role } from './states.ts'
import { addToTill, emptyTill, moveTill } from './till.ts'

const MEAN_SALES_MAX = 200
/** A single sale counts at most as this many mean sales. */
const MEAN_TIMES_MAX = 10
const VOTES_MAX = 50

/**
 * Updates the state of the cashier with every sale, those of till and location only every few dozen
 * sales, and never that of the organization.
 */
export function recordSale(
  states: CashierStates,
  sale: SaleFacts,
  now_ms: number,
  parameters: CashierParameters,
): CashierStates {
  const at = timeOf(sale.ordered_at_ms, now_ms)
  const before = states.cashier ?? emptyCashier(at)
  const role = roleOf(sale, states, at, parameters.desk)
  const cashier = withSale(before, sale, { role, at, parameters })
  const moved = movedTill(states, sale, at)
  if (!isPublishingDue(cashier, at, parameters.publish)) {
    return { ...states, cashier, till: moved }
  }
  return published({ ...states, cashier, till: moved }, sale, role, at)
}

function withSale(
  before: CashierState,
  sale: SaleFacts,
  { role, at, parameters }: { role: Role; at: number; parameters: CashierParameters },
): CashierState {
  const location = locationOfSale(sale.location_name)
  const isLatest = at >= before.place.at
  const status = shiftAt(before.shifts, at, parameters.shifts)
  return {
    ...before,
    latest_at: Math.max(before.latest_at, at),
    [role]: addCounts(before[role] ?? emptyCounts(at), at, additionsOf(sale, before)),
    sales_off_shift: status.state === 'closed' ? Math.min(before.sales_off_shift + 1, 1000) : 0,
    hours: addHour(before, sale.local_hour),
    cash_sale_at: sale.is_cash ? Math.max(before.cash_sale_at, at) : before.cash_sale_at,
    place: isLatest ? { location: location ?? before.place.location, role, at } : before.place,
    stint: addToStint(before, sale.edge_device_id, { sales: 1, refunds: 0 }),
    unpublished: { since: before.unpublished.since, sales: before.unpublished.sales + 1 },
    sales: withAmount(before.sales, sale),
    customers: customersOf(before, sale, at, parameters),
    ...(role === 'till' && { rises: withSold(before.rises) }),
  }
}

function withSold(rises = NO_RISES): RisesState {
  return { sold: rises.sold + 1, kinds: rises.kinds, raised: rises.raised }
}

function additionsOf(sale: SaleFacts, { sales }: CashierState): Addition[] {
  const additions: Addition[] = [
    ['sale', 1],
    ['sale_squares', 1],
  ]
  if (sale.discount !== 'none') additions.push(['discounted_sale', 1])
  const roundTo = roundness(sale.amount_cents, sales.currency || sale.currency)
  if (roundTo > 0) additions.push(['half_round_sale', 1])
  if (roundTo === 1) additions.push(['round_sale', 1])
  return additions
}

function customersOf(
  { customers }: CashierState,
  sale: SaleFacts,
  at: number,
  { discounts }: CashierParameters,
): CashierState['customers'] {
  if (sale.discount !== 'override' || sale.customer_id === undefined) return customers
  const halfLifeMs = discounts.customer_half_life_days * DAY_MS
  return addCustomer(customers, shortKey(sale.customer_id), at, halfLifeMs)
}

/** Updates the mean of ordinary sales, and the most frequent recent currency by majority vote. */
function withAmount(sales: CashierState['sales'], sale: SaleFacts): CashierState['sales'] {
  const count = Math.min(sales.count + 1, MEAN_SALES_MAX)
  const most = sales.count === 0 ? sale.amount_cents : sales.mean_cents * MEAN_TIMES_MAX + 1
  const amount = Math.min(sale.amount_cents, most)
  const mean_cents = round(sales.mean_cents + (amount - sales.mean_cents) / count)
  if (sale.currency === sales.currency) {
    return {
      mean_cents,
      count,
      currency: sales.currency,
      votes: Math.min(sales.votes + 1, VOTES_MAX),
    }
  }
  if (sales.votes > 0) return { ...sales, mean_cents, count, votes: sales.votes - 1 }
  return { mean_cents: sale.amount_cents, count: 1, currency: sale.currency, votes: 1 }
}

function movedTill(states: CashierStates, sale: SaleFacts, at: number): CashierStates['till'] {
  const location = locationOfSale(sale.location_name)
  if (sale.edge_device_id === undefined || location === undefined) return states.till
  const till = states.till ?? emptyTill(at)
  const moved = moveTill(till, location, at)
  return moved === till ? states.till : moved
}

function published(
  states: CashierStates & { cashier: CashierState },
  sale: SaleFacts,
  role: Role,
  at: number,
): CashierStates {
  const { cashier } = states
  const cashierKey = shortKey(sale.cashier_id)
  const isNamed = locationOfSale(sale.location_name) !== undefined
  return {
    ...states,
    cashier: {
      ...cashier,
      stint: { ...cashier.stint, sales: 0, refunds: 0 },
      unpublished: { since: at, sales: 0 },
    },
    till:
      sale.edge_device_id === undefined
        ? states.till
        : addToTill(states.till ?? emptyTill(at), cashierKey, at, cashier.stint),
    store: isNamed
      ? publish(states.store ?? emptyStore(at), cashierKey, role, cashier)
      : states.store,
  }
}
