/**
 * Writes the outcomes of attempts: first the failures of endpoints, then the deliveries. In the other
 * order, another process could claim for a failing endpoint as if it were healthy.
 */
import type { Database } from '../../platform/postgres/db.ts'
import {
  type ClaimedDelivery,
  type DeliveryRef,
  type EndpointFailure,
  type PausedEndpoint,
  recordFailures,
  recordRecoveries,
  releaseDeliveries,
  settleDeliveries,
} from './queue.store.ts'
import type { Settlement } from './settlement.ts'

export type SettledAttempt = Settlement & { delivery: ClaimedDelivery }

/** @returns endpoints that were paused because of these attempts */
export async function settleAttempts(
  db: Database,
  attempts: readonly SettledAttempt[],
  pauseAfterMs: number | null,
): Promise<PausedEndpoint[]> {
  const stopped = attempts.filter(({ verdict }) => verdict === 'stopped')
  const done = attempts.filter(({ verdict }) => verdict !== 'stopped')
  const { recovered, failures } = healthOf(done)
  const paused = await recordFailures(db, failures, pauseAfterMs)
  const settled = done.map(({ delivery, row }) => ({ ...refOf(delivery), ...row }))
  const released = stopped.map(({ delivery }) => refOf(delivery))
  await settleDeliveries(db, settled)
  await releaseDeliveries(db, released)
  await recordRecoveries(db, recovered)
  return paused
}

const refOf = ({ org_id, endpoint_id, id, lease_id }: ClaimedDelivery): DeliveryRef => ({
  org_id,
  endpoint_id,
  id,
  lease_id,
})

/** An endpoint that accepted anything in this batch does not count as failing. */
function healthOf(done: readonly SettledAttempt[]) {
  const healthy = new Map<string, boolean>()
  const failures = new Map<string, EndpointFailure>()
  for (const { verdict, delivery } of done) {
    const { endpoint_id, url, was_failing } = delivery
    if (verdict === 'delivered') {
      healthy.set(endpoint_id, was_failing || healthy.get(endpoint_id) === true)
    } else if (verdict === 'failed' || verdict === 'gone') {
      const is_gone = verdict === 'gone' || failures.get(endpoint_id)?.is_gone === true
      failures.set(endpoint_id, { endpoint_id, url, is_gone })
    }
  }
  return {
    recovered: [...healthy].filter(([, wasFailing]) => wasFailing).map(([id]) => id),
    failures: [...failures.values()].filter(
      ({ endpoint_id, is_gone }) => is_gone || !healthy.has(endpoint_id),
    ),
  }
}
