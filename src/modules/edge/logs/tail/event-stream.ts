/**
 * A subscription as server-sent events (WHATWG HTML, "Server-sent events"): `log` with the record of
 * an entry, `dropped` with the number of entries that were left out because they came faster than
 * they were taken, `end` before the stream ends by itself, and comments that keep connections open.
 */
import { recordOf } from '../reading/record.ts'
import type { Subscription } from './subscription.ts'

export const EVENT_STREAM = 'text/event-stream; charset=utf-8'

const HEARTBEAT_MS = 15_000
const BEGIN = 'retry: 1000\n: connected\n\n'
const HEARTBEAT = ': here\n\n'
const END = 'event: end\ndata: {}\n\n'

/** Ends when the subscription is closed, from either side. */
export async function* eventStream(
  subscription: Subscription,
  heartbeatMs = HEARTBEAT_MS,
): AsyncGenerator<string, void> {
  try {
    yield BEGIN
    while (!subscription.is_closed) {
      const delivery = await subscription.next(heartbeatMs)
      if (delivery) {
        const { dropped, entries } = delivery
        const told = dropped > 0 ? [eventText('dropped', { count: dropped })] : []
        yield [...told, ...entries.map((entry) => eventText('log', recordOf(entry)))].join('')
      } else if (!subscription.is_closed) yield HEARTBEAT
    }
    yield END
  } finally {
    subscription.close()
  }
}

/** JSON has no line breaks outside of its texts, and writes those inside as `\n`. */
const eventText = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
