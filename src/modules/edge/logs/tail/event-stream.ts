/**
 * A subscription as server-sent events (WHATWG HTML, "Server-sent events"): `log` with the record of
 * an entry, `dropped` with the number of entries skipped because the client was too slow, `end`
 * before the server ends the stream, and comments that keep the connection open.
 */
import { stringifyExact } from '../../../../platform/exact-json.ts'
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
        const gap = dropped > 0 ? [eventText('dropped', { count: dropped })] : []
        yield [...gap, ...entries.map((entry) => eventText('log', recordOf(entry)))].join('')
      } else if (!subscription.is_closed) yield HEARTBEAT
    }
    yield END
  } finally {
    subscription.close()
  }
}

/** JSON is written without line breaks, so the data is always a single line. */
const eventText = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${stringifyExact(data)}\n\n`
