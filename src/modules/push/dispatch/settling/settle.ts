/** Writes the outcomes of many recipients, with all their effects, in one transaction. */
import type { Sent } from '../../../../platform/dispatch/index.ts'
import { retryConflicts } from '../../../../platform/postgres/conflicts.ts'
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import { preferIndexes } from '../../../../platform/postgres/prefer-indexes.ts'
import { storable } from '../../../../platform/postgres/storable.ts'
import {
  lockCredentials,
  pauseCredentials,
  recordAcceptances,
  recordRejections,
} from '../../credentials/store.ts'
import { completeMessages } from '../../messages/store.ts'
import { type Invalidation, invalidate } from '../../subscriptions/store.ts'
import { tokenHashOf } from '../../subscriptions/token.ts'
import { type Effect, effectOf, type Verdict } from '../effects.ts'
import type { Batch, Job, Outcome } from '../job.ts'
import { type CredentialChanges, credentialChangesOf } from './credential-changes.ts'
import {
  type CurrentToken,
  closeBatches,
  type LeasedBatch,
  listTokens,
  type RecipientRow,
  settleRecipients,
} from './store.ts'

export type Settled = { verdicts: Verdict[]; changes: CredentialChanges }

type Result = { job: Job; effect: Effect }

/** Idempotent: an outcome that is settled again does not count twice. */
export async function settle(db: Database, sent: readonly Sent<Job, Outcome>[]): Promise<Settled> {
  const counts = countByBatch(sent)
  const batches = [...counts.keys()]
  const closing = batches.filter((batch) => batch.under_way.size === counts.get(batch))
  const settled = await inTransaction(db, async (tx) => {
    const tokens = await currentTokens(tx, sent)
    const effects = sent.map((one) => ({ job: one.job, effect: effectOfJob(one, tokens) }))
    const refs = effects.map(({ job, effect }) => ({ ref: job.batch.channel, effect }))
    const changes = credentialChangesOf(refs)
    const results = effects.map((result) =>
      isCredentialToBlame(result, changes) ? blameCredential(result) : result,
    )
    await Promise.all([
      preferIndexes(tx),
      invalidate(tx, invalidationsOf(results)),
      writeCredentialChanges(tx, changes),
      settleRecipients(tx, results.flatMap(rowOf).toSorted(byKey), idsOf(batches)),
      closeBatches(tx, closing),
      completeMessages(tx, idsOf(closing)),
    ])
    return { verdicts: results.map(({ effect }) => effect.verdict), changes }
  })
  for (const { job, outcome } of sent) {
    job.batch.under_way.delete(job.subscription_id)
    if (outcome.kind !== 'accepted') continue
    job.batch.channel.is_probing = false
    job.batch.channel.is_untested = false
  }
  // When the last outcomes of a batch are settled by concurrent calls, neither call has closed it.
  const unclosed = batches.filter((batch) => batch.under_way.size === 0 && !closing.includes(batch))
  await releaseBatches(db, unclosed)
  return settled
}

async function writeCredentialChanges(tx: Db, { accepted, pauses, rejected }: CredentialChanges) {
  const isTrouble = pauses.length + rejected.length > 0
  await Promise.all([
    isTrouble ? lockCredentials(tx, [...accepted, ...pauses, ...rejected]) : undefined,
    recordAcceptances(tx, accepted),
    pauseCredentials(tx, pauses),
    recordRejections(tx, rejected),
  ])
}

/** Releases batches without anything under way. */
export async function releaseBatches(db: Database, batches: readonly LeasedBatch[]): Promise<void> {
  if (batches.length === 0) return
  const ids = idsOf(batches)
  await inTransaction(db, async (tx) => {
    await Promise.all([
      preferIndexes(tx),
      settleRecipients(tx, [], ids),
      closeBatches(tx, batches),
      completeMessages(tx, ids),
    ])
  })
}

const inTransaction = async <T>(db: Database, work: (tx: Db) => Promise<T>): Promise<T> =>
  await retryConflicts(async () => await db.transaction().execute(work))

/** Number of recipients per batch that are still under way; repeated outcomes do not count. */
function countByBatch(sent: readonly Sent<Job, Outcome>[]): Map<Batch, number> {
  const counts = new Map<Batch, number>()
  for (const { job } of sent) {
    const { batch, subscription_id } = job
    const isNew = batch.under_way.has(subscription_id)
    counts.set(batch, (counts.get(batch) ?? 0) + Number(isNew))
  }
  return counts
}

const idsOf = (batches: readonly LeasedBatch[]): string[] => [
  ...new Set(batches.map(({ message_id }) => message_id)),
]

/** Current tokens by subscription, read only for recipients whose token was reported as invalid. */
async function currentTokens(tx: Db, sent: readonly Sent<Job, Outcome>[]): Promise<Tokens> {
  const refused = sent.filter(({ outcome }) => outcome.kind === 'token_invalid')
  if (refused.length === 0) return new Map()
  const keys = refused.map(({ job: { batch, subscription_id } }) => ({
    org_id: batch.org_id,
    application_id: batch.channel.application_id,
    id: subscription_id,
  }))
  const tokens = await listTokens(tx, keys)
  return new Map(tokens.map((current) => [current.id, current]))
}

type Tokens = ReadonlyMap<string, CurrentToken>

function effectOfJob({ job, outcome }: Sent<Job, Outcome>, tokens: Tokens): Effect {
  const { attempts, is_unsure, subscription_id } = job
  const is_token_outdated = isOutdated(job, outcome, tokens.get(subscription_id))
  return effectOf({ outcome, attempts, is_unsure, is_token_outdated, random: Math.random() })
}

/** If the credential turns out to be the wrong one, devices keep their subscriptions and wait. */
const isCredentialToBlame = ({ job, effect }: Result, { rejected }: CredentialChanges): boolean =>
  effect.if_foreign !== undefined &&
  rejected.some(({ version }) => version === job.batch.channel.version)

const blameCredential = ({ job }: Result): Result => ({
  job,
  effect: { verdict: 'credential_rejected' },
})

function isOutdated(job: Job, outcome: Outcome, current: CurrentToken | undefined): boolean {
  if (outcome.kind !== 'token_invalid' || !current || current.token === null) return false
  const { invalid_since } = outcome
  const isRegisteredSince =
    invalid_since !== undefined && current.token_registered_at >= invalid_since
  return current.token !== job.token || isRegisteredSince
}

function invalidationsOf(results: readonly Result[]): Invalidation[] {
  return results.flatMap(({ job: { batch, subscription_id, token }, effect: { invalidation } }) => {
    if (!invalidation || token === null) return []
    const { org_id, channel } = batch
    const key = { org_id, application_id: channel.application_id, id: subscription_id }
    return [{ ...key, token_hash: tokenHashOf(token), ...invalidation }]
  })
}

function rowOf({ job, effect: { change } }: Result): RecipientRow[] {
  if (!change) return []
  const { org_id, message_id, provider, first_id, lease_id } = job.batch
  const isAttempt = change.status !== 'failed' || change.is_attempt
  const reason = change.status === 'accepted' ? null : storable(change.reason)
  return [
    {
      org_id,
      message_id,
      provider,
      first_id,
      lease_id,
      subscription_id: job.subscription_id,
      status: change.status,
      attempts: job.attempts + Number(isAttempt),
      is_unsure: change.status === 'pending' ? change.is_unsure : job.is_unsure,
      delay_ms: change.status === 'pending' ? change.delay_ms : null,
      reason,
      provider_id: change.status === 'accepted' ? storable(change.provider_id ?? '') : null,
    },
  ]
}

/**
 * Order of the index, so that concurrent writers of the same recipients do not deadlock. If a recipient
 * was sent to twice because a lease was lost, an acceptance comes first and wins.
 */
function byKey(a: RecipientRow, b: RecipientRow): number {
  if (a.message_id !== b.message_id) return a.message_id < b.message_id ? -1 : 1
  if (a.provider !== b.provider) return a.provider < b.provider ? -1 : 1
  if (a.subscription_id !== b.subscription_id) {
    return a.subscription_id < b.subscription_id ? -1 : 1
  }
  return Number(b.status === 'accepted') - Number(a.status === 'accepted')
}
