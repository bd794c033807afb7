/**
 * Grants and debits credits. Requests only record their usage; every few minutes a job posts it to a
 * double-entry ledger, so the hot path takes no locks and the books stay exact.
 */
import { type Batcher, createBatcher } from '../../platform/batch.ts'
import type { Clock } from '../../platform/clock.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Price } from './credit-price.ts'
import { readLedger } from './ledger.ts'
import { ledgerAsCsv } from './ledger-csv.ts'
import type { FundsInCredits, LedgerPage } from './schema.ts'
import {
  auditOrganization,
  type Funds,
  findTransferByKey,
  insertTransfer,
  liftStatementTimeout,
  listFunds,
  listOrganizationsToPost,
  lockWallet,
  markUsagePosted,
} from './store.ts'
import { isGrantable, toCredits, toUnits } from './units.ts'

/** Both differences, in credits, are zero unless the books were tampered with. */
export type Balance = FundsInCredits & {
  granted_credits: number
  posted_usage_credits: number
  ledger_difference: number
  usage_difference: number
}

/** `granted` is false when an earlier call with the same key made the grant. */
export type Granted = { transfer_id: string; granted: boolean }
export type GrantRefused = { refused: 'not_found' | 'credits_invalid' | 'key_reused' }
export type Posted = { organizations: number; rows: number; units: number }

export type Billing = {
  /** Idempotent by key: the same key with other credits or another reason is refused. */
  grantCredits(
    orgId: string,
    credits: number,
    reason: string,
    idempotencyKey: string,
  ): Promise<Granted | GrantRefused>
  /** Does not read the history. @returns undefined when the organization does not exist */
  funds(orgId: string): Promise<FundsInCredits | undefined>
  /** @returns undefined when the cursor does not come from an earlier page */
  ledger(
    orgId: string,
    page: { cursor?: string | undefined; limit: number },
  ): Promise<LedgerPage | undefined>
  /** The transfers of a period as CSV. @returns undefined when there are too many */
  ledgerCsv(
    orgId: string,
    period: { from: Date; to: Date; price: Price | null },
  ): Promise<string | undefined>
  /** Recomputes everything from all rows, so the time grows with the history. */
  balance(orgId: string): Promise<Balance | undefined>
  /** Whether any credits are left (setting `credits_required`). Concurrent calls share a query. */
  usageAvailable(orgId: string): Promise<boolean>
  /**
   * Debits all unposted usage. Safe to run on several nodes and to interrupt at any point.
   * @throws AggregateError of the organizations that failed, after the others were posted
   */
  postUsage(now: Date, signal?: AbortSignal): Promise<Posted>
}

export type BillingOptions = {
  db: Database
  newId: NewId
  clock: Clock
  /** Maximum number of usage rows per transaction. */
  rows_per_posting?: number
}

const ROWS_PER_POSTING = 50_000
const FUNDS_PER_READ_MAX = 500

export function createBilling(options: BillingOptions): Billing {
  const { db } = options
  const spendable = createSpendableBatcher(db)
  return {
    grantCredits: async (orgId, credits, reason, idempotencyKey) =>
      await grantCredits(options, orgId, { credits, reason, idempotency_key: idempotencyKey }),
    funds: async (orgId) => {
      const [funds] = isUuid(orgId) ? await listFunds(db, [orgId]) : []
      return funds && inCredits(funds)
    },
    ledger: async (orgId, page) =>
      isUuid(orgId) ? await readLedger(db, orgId, page) : { entries: [], next_cursor: null },
    ledgerCsv: async (orgId, period) => await ledgerAsCsv(db, orgId, period),
    balance: async (orgId) => {
      const audit = isUuid(orgId) ? await auditUnlimited(db, orgId) : undefined
      if (audit === undefined) return undefined
      return {
        ...inCredits(audit),
        granted_credits: toCredits(audit.granted_units),
        posted_usage_credits: toCredits(audit.posted_units),
        ledger_difference: toCredits(audit.ledger_difference),
        usage_difference: toCredits(audit.usage_difference),
      }
    },
    usageAvailable: async (orgId) => isUuid(orgId) && (await spendable.submit(orgId)),
    postUsage: async (now, signal) => await postUsage(options, now, signal),
  }
}

function createSpendableBatcher(db: Database): Batcher<string, boolean> {
  return createBatcher({
    run: async (orgIds) => {
      const funds = await listFunds(db, [...new Set(orgIds)])
      const available = new Map(funds.map((row) => [row.org_id, availableUnits(row) > 0]))
      return orgIds.map((orgId) => available.get(orgId) ?? false)
    },
    items_max: FUNDS_PER_READ_MAX,
    batches_in_flight_max: 1,
  })
}

async function grantCredits(
  { db, newId, clock }: BillingOptions,
  orgId: string,
  grant: { credits: number; reason: string; idempotency_key: string },
): Promise<Granted | GrantRefused> {
  if (!isGrantable(grant.credits)) return { refused: 'credits_invalid' }
  if (!isUuid(orgId)) return { refused: 'not_found' }
  const now = clock.now()
  const transfer = {
    id: newId(now),
    debit_account: 'grants' as const,
    credit_account: 'wallet' as const,
    amount_units: toUnits(grant.credits),
    reason: grant.reason,
    idempotency_key: `grant:${grant.idempotency_key}`,
    created_at: now,
  }
  return await db.transaction().execute(async (tx) => {
    if (!(await lockWallet(tx, orgId))) return { refused: 'not_found' }
    if (await insertTransfer(tx, orgId, transfer)) {
      return { transfer_id: transfer.id, granted: true }
    }
    const earlier = await findTransferByKey(tx, orgId, transfer.idempotency_key)
    const isSame =
      earlier?.amount_units === transfer.amount_units && earlier.reason === transfer.reason
    return isSame ? { transfer_id: earlier.id, granted: false } : { refused: 'key_reused' }
  })
}

/** Reads the whole history, so it may exceed the statement timeout of requests. */
const auditUnlimited = async (db: Database, orgId: string) =>
  await db.transaction().execute(async (tx) => {
    await liftStatementTimeout(tx)
    return await auditOrganization(tx, orgId)
  })

async function postUsage(
  options: BillingOptions,
  now: Date,
  signal?: AbortSignal,
): Promise<Posted> {
  const total: Posted = { organizations: 0, rows: 0, units: 0 }
  const failures: unknown[] = []
  for (const orgId of await listOrganizationsToPost(options.db)) {
    // The next run, here or on another node, posts the rest.
    if (signal?.aborted) break
    try {
      const { rows, units } = await postOrganization(options, orgId, now)
      total.organizations += rows > 0 ? 1 : 0
      total.rows += rows
      total.units += units
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Usage was not posted completely')
  return total
}

type Portion = { rows: number; units: number }

async function postOrganization(
  options: BillingOptions,
  orgId: string,
  now: Date,
): Promise<Portion> {
  const rowsMax = options.rows_per_posting ?? ROWS_PER_POSTING
  const total: Portion = { rows: 0, units: 0 }
  let rows = rowsMax
  // A portion that is not full was the last one.
  while (rows === rowsMax) {
    const portion = await postPortion(options, orgId, { now, rows_max: rowsMax })
    rows = portion.rows
    total.rows += portion.rows
    total.units += portion.units
  }
  return total
}

/** Marks the usage and books the transfer in one transaction, so that both happen or neither. */
async function postPortion(
  { db, newId }: BillingOptions,
  orgId: string,
  { now, rows_max }: { now: Date; rows_max: number },
): Promise<Portion> {
  return await db.transaction().execute(async (tx) => {
    if (!(await lockWallet(tx, orgId))) throw new Error(`Organization ${orgId} does not exist`)
    const id = newId(now)
    const marked = await markUsagePosted(tx, orgId, { transfer_id: id, rows_max })
    if (marked.rows === 0) return marked
    const isBooked = await insertTransfer(tx, orgId, {
      id,
      debit_account: 'wallet',
      credit_account: 'revenue',
      amount_units: marked.units,
      reason: 'usage',
      idempotency_key: `usage:${id}`,
      created_at: now,
    })
    if (!isBooked) throw new Error(`Usage of organization ${orgId} could not be booked`)
    return marked
  })
}

const availableUnits = ({ balance_units, unposted_units }: Funds): number =>
  balance_units - unposted_units

function inCredits(funds: Funds): FundsInCredits {
  return {
    balance_credits: toCredits(funds.balance_units),
    unposted_usage_credits: toCredits(funds.unposted_units),
    available_credits: toCredits(availableUnits(funds)),
  }
}
