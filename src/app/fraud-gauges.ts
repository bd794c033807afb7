/** Gauges of fraud detection: what waits for people, and replays that wait for a worker. */
import { findReplayBacklog } from '../modules/orders/index.ts'
import { countOpenReviews } from '../modules/reviews/index.ts'
import { cached } from '../platform/cached.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import type { Core } from './core.ts'
import { secondsSince } from './part.ts'

const GAUGES_EVERY_MS = 30_000

export function fraudGauges({ db, clock }: Pick<Core, 'db' | 'clock'>): GaugeOptions<string> {
  const read = cached(
    async () => ({ open: await countOpenReviews(db), replays: await findReplayBacklog(db) }),
    GAUGES_EVERY_MS,
  )
  return {
    gauges: {
      vigil_reviews_open: 'Reviews without a decision, counted up to 10,000',
      vigil_replays_waiting: 'Replays of rules that no worker has started',
      vigil_replays_oldest_seconds: 'Age of the oldest of them',
    },
    read: async () => {
      const { open, replays } = await read()
      const values = {
        vigil_reviews_open: open,
        vigil_replays_waiting: replays.waiting,
        vigil_replays_oldest_seconds: secondsSince(replays.oldest_at, clock.now()),
      }
      return [{ values }]
    },
  }
}
