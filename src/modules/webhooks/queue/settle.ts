/**
 * Writes what became of attempts: first that endpoints fail, then the deliveries. The other way round
 * the place that becomes free would be taken as if the endpoint were well.
 */
import type { Database } from '../../../platform/postgres/db.ts'
import type { Settlement } from '../settlement.ts'
import {
  type ClaimedDelivery,
  type DeliveryRef,
  type EndpointFailure,
  noteFailures,
  noteRecovered,
  type PausedEndpoint,
  releaseDeliveries,
  settleDeliveries,
} from './store.ts'

export type SettledAttempt = Settlement & { delivery: ClaimedDelivery }

/** @returns endpoints that were paused for it */
export async function settleAttempts(
  db: Database,
  attempts: readonly SettledAttempt[],
  pauseAfterMs: number | null,
): Promise<PausedEndpoint[]> {
  const stopped = attempts.filter(({ verdict }) => verdict === 'stopped')
  const done = attempts.filter(({ verdict }) => verdict !== 'stopped')
  const { recovered, failures } = healthOf(done)
  const paused = await noteFailures(db, failures, pauseAfterMs)
  await settleDeliveries(
    db,
    done.map(({ delivery, row }) => ({ ...refOf(delivery), ...row })),
  )
  await releaseDeliveries(
    db,
    stopped.map(({ delivery }) => refOf(delivery)),
  )
  await noteRecovered(db, recovered)
  return paused
}

const refOf = ({ endpoint_id, id, lease_id }: ClaimedDelivery): DeliveryRef => ({
  endpoint_id,
  id,
  lease_id,
})

/** One that took anything at the same time as it failed is not failing. */
function healthOf(done: readonly SettledAttempt[]): {
  recovered: string[]
  failures: EndpointFailure[]
} {
  const well = new Map<string, boolean>()
  const failures = new Map<string, EndpointFailure>()
  for (const { verdict, delivery } of done) {
    const { endpoint_id, url, was_failing } = delivery
    if (verdict === 'delivered') {
      well.set(endpoint_id, was_failing || well.get(endpoint_id) === true)
    } else if (verdict === 'failed' || verdict === 'gone') {
      const is_gone = verdict === 'gone' || failures.get(endpoint_id)?.is_gone === true
      failures.set(endpoint_id, { endpoint_id, url, is_gone })
    }
  }
  return {
    recovered: [...well].filter(([, wasFailing]) => wasFailing).map(([id]) => id),
    failures: [...failures.values()].filter(
      ({ endpoint_id, is_gone }) => is_gone || !well.has(endpoint_id),
    ),
  }
}
