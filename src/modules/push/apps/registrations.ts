/**
 * Registers and refreshes subscriptions for apps, and imports them. The requests of many phones are combined
 * into transactions (OP-158); what waits is limited, and refused beyond that.
 */
import { createBatcher } from '../../../platform/batch.ts'
import type { Clock } from '../../../platform/clock.ts'
import { tooManyRequests } from '../../../platform/http/errors.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import { type Database, type Db, isStatementFault } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { readToken, tokenHashOf } from '../subscriptions/token.ts'
import { PUSH_PROVIDERS } from '../tables.ts'
import { addCounts, countCreatedToday, type RegistrationCount } from './counts.store.ts'
import {
  type ApplicationId,
  listEnvironments,
  lockSubscriptions,
  lockTokens,
  type TokenKey,
  writeSubscriptions,
} from './registration.store.ts'
import {
  type AppOutcome,
  type AppRequest,
  applicationKeyOf,
  applyRequests,
} from './registration.ts'

export type Registrations = {
  /** @throws AppError 429 when too many requests are waiting */
  submit(request: AppRequest): Promise<AppOutcome>
  /** Applies requests of one caller in one transaction. */
  apply(requests: readonly AppRequest[]): Promise<AppOutcome[]>
  /** Number of outcomes since the start of the process. */
  counts(): [outcome: CountedOutcome, count: number][]
}

const COUNTED_OUTCOMES = [
  'created',
  'taken',
  'repeated',
  'refreshed',
  'too_many',
  'refused',
] as const
export type CountedOutcome = (typeof COUNTED_OUTCOMES)[number]

/** With two transactions, one waits for the disk while the other computes. */
const BATCHES_IN_FLIGHT_MAX = 2
const REQUESTS_PER_BATCH_MAX = 500
/** Two batches of fewer requests cost more than one. */
const SECOND_BATCH_MIN = 64
/** About five seconds of work on two cores. */
const WAITING_MAX = 5000
const RETRY_SECONDS = 5

export type RegistrationOptions = {
  db: Database
  clock: Clock
  /** New subscriptions of an application in a day. */
  push_registrations_per_day: number
}

export function createRegistrations(options: RegistrationOptions): Registrations {
  const counted = new Map(COUNTED_OUTCOMES.map((outcome) => [outcome, 0]))
  const apply = async (requests: readonly AppRequest[]): Promise<AppOutcome[]> => {
    const outcomes = await retryConflicts(async () => await applyInTransaction(options, requests))
    requests.forEach(({ kind }, index) => {
      if (kind === 'import') return
      const outcome = countedAs(outcomes[index]?.kind)
      counted.set(outcome, (counted.get(outcome) ?? 0) + 1)
    })
    return outcomes
  }
  const batcher = createBatcher<AppRequest, AppOutcome>({
    run: apply,
    items_max: REQUESTS_PER_BATCH_MAX,
    batches_in_flight_max: BATCHES_IN_FLIGHT_MAX,
    second_batch_min: SECOND_BATCH_MIN,
    may_be_one_item: isStatementFault,
    refusal: { waiting_max: WAITING_MAX, error: () => tooManyRequests(RETRY_SECONDS) },
  })
  return { submit: batcher.submit, apply, counts: () => [...counted] }
}

/** Seconds until the limit of a day counts from zero again. */
export const secondsUntilTomorrow = (now: Date): number =>
  Math.max(1, Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000))

const countedAs = (kind: string | undefined): CountedOutcome =>
  COUNTED_OUTCOMES.find((outcome) => outcome === kind) ?? 'refused'

async function applyInTransaction(
  { db, push_registrations_per_day }: RegistrationOptions,
  requests: readonly AppRequest[],
): Promise<AppOutcome[]> {
  const applications = [
    ...new Map(
      requests.map(({ org_id, application_id }) => [
        applicationKeyOf({ org_id, application_id }),
        { org_id, application_id },
      ]),
    ).values(),
  ]
  return await db.transaction().execute(async (tx) => {
    const environments = new Map(
      (await listEnvironments(tx, applications)).map((row) => [
        applicationKeyOf(row),
        row.environment,
      ]),
    )
    const tokens = requests.flatMap(tokensOf)
    if (tokens.length > 0) await lockTokens(tx, tokens)
    const rows = await lockSubscriptions(tx, requests.flatMap(idsOf), tokens)
    const remaining = await remainingOf(tx, applications, push_registrations_per_day)
    // An import is the decision of an owner or admin, so it has no such limit.
    const result = applyRequests(requests, { environments, rows, remaining })
    await writeSubscriptions(tx, result.written)
    await addCounts(tx, sumOf(requests, result.outcomes))
    return result.outcomes
  })
}

async function remainingOf(
  tx: Db,
  applications: readonly ApplicationId[],
  perDay: number,
): Promise<Map<string, number>> {
  const created = await countCreatedToday(tx, applications)
  return new Map([
    ...applications.map((each) => [applicationKeyOf(each), perDay] as const),
    ...created.map((row) => [applicationKeyOf(row), perDay - row.created] as const),
  ])
}

function sumOf(
  requests: readonly AppRequest[],
  outcomes: readonly AppOutcome[],
): RegistrationCount[] {
  const sums = new Map<string, RegistrationCount>()
  requests.forEach((request, index) => {
    const outcome = outcomes[index]?.kind
    if (request.kind === 'import' || (outcome !== 'created' && outcome !== 'too_many')) return
    const { org_id, application_id, key_id } = request
    const name = `${applicationKeyOf(request)}:${key_id}`
    const sum = sums.get(name) ?? { org_id, application_id, key_id, created: 0, refused: 0 }
    sum[outcome === 'created' ? 'created' : 'refused'] += 1
    sums.set(name, sum)
  })
  return [...sums.values()]
}

function tokensOf(request: AppRequest): TokenKey[] {
  const { org_id, application_id, token: text } = request
  if (text === undefined) return []
  const providers = request.kind === 'refresh' ? PUSH_PROVIDERS : [request.provider]
  return providers.flatMap((provider) => {
    const token = readToken(provider, text)
    return token === undefined
      ? []
      : [{ org_id, application_id, provider, token_hash: tokenHashOf(token) }]
  })
}

const idsOf = (request: AppRequest) =>
  request.kind === 'refresh'
    ? [
        {
          org_id: request.org_id,
          application_id: request.application_id,
          id: request.subscription_id,
        },
      ]
    : []
