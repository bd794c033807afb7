import { describe, expect, it } from 'vitest'
import {
  BATCH_BYTES_MAX,
  BATCH_EVENTS_MAX,
  BATCHES_MAX,
  type Batch,
  byteLength,
  createQueue,
  type Queue,
} from './queue.ts'

const drain = (queue: Queue): Batch[] => {
  const batches: Batch[] = []
  for (let batch = queue.shift(); batch; batch = queue.shift()) batches.push(batch)
  return batches
}
type Body = { session_id: string; events: { n: number }[] }
const bodiesOf = (batches: Batch[]): Body[] => batches.map(({ body }) => JSON.parse(body) as Body)

describe('the queue', () => {
  it('creates bodies in the format of the API, in order, and counts their events', () => {
    const queue = createQueue()
    queue.push('s"1', '{"n":1}')
    queue.push('s"1', '{"n":2}')
    queue.close()
    const batches = drain(queue)
    expect(bodiesOf(batches)).toEqual([{ session_id: 's"1', events: [{ n: 1 }, { n: 2 }] }])
    expect(batches[0]?.count).toBe(2)
  })

  it('closes a batch at 50 events', () => {
    const queue = createQueue()
    for (let n = 0; n < BATCH_EVENTS_MAX * 2 + 1; n += 1) queue.push('s', `{"n":${n}}`)
    expect(drain(queue).map(({ count }) => count)).toEqual([50, 50])
    queue.close()
    expect(drain(queue).map(({ count }) => count)).toEqual([1])
  })

  it('limits a batch to 16 KB, also with multi-byte characters', () => {
    const queue = createQueue()
    for (let n = 0; n < 300; n += 1) queue.push('s', JSON.stringify({ n, text: 'é€😀'.repeat(n) }))
    queue.close()
    const batches = drain(queue)
    expect(Math.max(...batches.map(({ body }) => byteLength(body)))).toBeLessThanOrEqual(
      BATCH_BYTES_MAX,
    )
    const events = bodiesOf(batches).flatMap((body) => body.events.map(({ n }) => n))
    expect(events).toEqual(Array.from({ length: 300 }, (_, n) => n))
  })

  it('accepts an event that just fits and drops one that is a byte too long', () => {
    const queue = createQueue()
    const empty = byteLength('{"session_id":"s","events":[]}')
    const fitting = `"${'x'.repeat(BATCH_BYTES_MAX - empty - 2)}"`
    expect(queue.push('s', fitting)).toBe(true)
    expect(queue.push('s', `${fitting} `)).toBe(false)
    queue.close()
    expect(byteLength(queue.shift()?.body ?? '')).toBe(BATCH_BYTES_MAX)
    expect(queue.takeDropped()).toBe(1)
    expect(queue.takeDropped()).toBe(0)
  })

  it('does not mix sessions', () => {
    const queue = createQueue()
    for (const session of ['a', 'a', 'b', 'a']) queue.push(session, '{"n":1}')
    queue.close()
    expect(
      bodiesOf(drain(queue)).map(({ session_id, events }) => [session_id, events.length]),
    ).toEqual([
      ['a', 2],
      ['b', 1],
      ['a', 1],
    ])
  })

  it('is bounded: the oldest batches are dropped, and their events are counted', () => {
    const queue = createQueue()
    const batches = BATCHES_MAX + 3
    for (let n = 0; n < batches * BATCH_EVENTS_MAX; n += 1) queue.push('s', `{"n":${n}}`)
    expect(queue.takeDropped()).toBe(3 * BATCH_EVENTS_MAX)
    const remaining = bodiesOf(drain(queue))
    expect(remaining).toHaveLength(BATCHES_MAX)
    expect(remaining[0]?.events[0]?.n).toBe(3 * BATCH_EVENTS_MAX)
  })

  it('returns a batch that was put back before later ones', () => {
    const queue = createQueue()
    for (const session of ['a', 'b']) queue.push(session, '{"n":1}')
    queue.close()
    const first = queue.shift()
    if (first) queue.unshift([first])
    expect(bodiesOf(drain(queue)).map(({ session_id }) => session_id)).toEqual(['a', 'b'])
  })
})
