/**
 * Copies counts from a cashier to the location every few dozen sales and with every action, and from
 * the location to the organization twice a day. So most sales change only one state.
 */
import { HOUR_MS } from '../../../platform/time-units.ts'
import { INDEX, leftOf } from './counts.ts'
import type { CashierParameters, RateRules } from './parameters.ts'
import { type Peers, spreadsOf } from './peers.ts'
import type {
  CashierState,
  Member,
  OrganizationCashiersState,
  Role,
  StoreCashiersState,
  StoreReport,
} from './states.ts'
import { withMember } from './till.ts'

const MEMBERS_MAX = 20
const REPORTS_MAX = 48

export function emptyStore(since: number): StoreCashiersState {
  return { v: 1, currency: '', since, members: [] }
}
export const EMPTY_ORGANIZATION: OrganizationCashiersState = { v: 1, stores: [] }

export function isPublishingDue(
  { unpublished }: CashierState,
  now_ms: number,
  rules: CashierParameters['publish'],
): boolean {
  return unpublished.sales >= rules.sales || now_ms - unpublished.since >= rules.hours * HOUR_MS
}

/** Replaces the earlier counts of the cashier, so that nothing is counted twice. */
export function publish(
  store: StoreCashiersState,
  cashier: string,
  role: Role,
  state: CashierState,
): StoreCashiersState {
  const counts = state[role]
  if (counts === null) return store
  const member: Member = {
    id: cashier,
    role,
    at: counts.at,
    week: counts.week.map(coarse),
    month: counts.month.map(coarse),
  }
  const isSame = (a: Member, b: Member) => a.id === b.id && a.role === b.role
  const members = withMember(store.members, member, MEMBERS_MAX, isSame)
  return { ...store, currency: state.sales.currency || store.currency, members }
}

/** Location and role that a report covers, and its time. */
type ReportScope = Pick<Peers, 'location' | 'role' | 'now_ms'>

export function isReportDue(
  organization: OrganizationCashiersState | undefined,
  { location, role, now_ms }: ReportScope,
  rules: CashierParameters['publish'],
): boolean {
  const last = organization?.stores.find((each) => each.id === location && each.role === role)
  return last === undefined || now_ms - last.at >= rules.report_hours * HOUR_MS
}

export function report(
  organization: OrganizationCashiersState,
  store: StoreCashiersState,
  { location, role, now_ms }: ReportScope,
  rates: RateRules,
): OrganizationCashiersState {
  const members = store.members.filter((member) => member.role === role)
  const month = totalOf(members, now_ms)
  const entry: StoreReport = {
    id: location,
    role,
    at: now_ms,
    month: month.map(coarse),
    spread: spreadsOf(members, month, now_ms, rates).map(coarse),
  }
  const isSame = (a: StoreReport, b: StoreReport) => a.id === b.id && a.role === b.role
  return { v: 1, stores: withMember(organization.stores, entry, REPORTS_MAX, isSame) }
}

/** Returns the sum of the month windows of the members, decayed to the present. */
export function totalOf(members: readonly Member[], now_ms: number): number[] {
  const total: number[] = []
  for (const { at, month } of members) {
    const { one, square } = leftOf(at, now_ms, 'month')
    month.forEach((value, index) => {
      total[index] = (total[index] ?? 0) + value * (index === INDEX.sale_squares ? square : one)
    })
  }
  return total
}

const coarse = (value: number): number => Math.round(value * 100) / 100 + 0
