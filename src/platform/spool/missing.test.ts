import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testClickHouse } from '../../../test/database.ts'
import { createFindMissing } from './missing.ts'

const clickhouse = testClickHouse()

const findMissing = createFindMissing(clickhouse)
const org_id = randomUUID()

const logOf = (day: string) =>
  Buffer.from(
    `${JSON.stringify({
      org_id,
      mode: 'live',
      received_at: `${day} 23:59:59.999`,
      id: randomUUID(),
      timestamp_ms: -1,
      device_id: 'till',
      level: 'info',
      message: '"received_at":"2020-01-01',
    })}\n`,
  )
const eventOf = (day: string) =>
  Buffer.from(
    `${JSON.stringify({
      org_id,
      mode: 'test',
      received_at: `${day}T12:00:00.000Z`,
      timestamp_ms: 8.64e15,
      session_id: 'a',
      type: 'session_start',
      id: randomUUID(),
    })}\n`,
  )

const linesOf = (...rows: Buffer[]) => [{ rows: Buffer.concat(rows), shape: undefined }]

describe.each([
  ['edge_logs', logOf],
  ['rum_events', eventOf],
] as const)('of a block for %s', (target, lineOf) => {
  it('nothing is missing if the block has arrived, and everything if it has not', async () => {
    const lines = [lineOf('2026-03-01'), lineOf('2026-03-01')]
    expect(Buffer.concat(await findMissing(target, linesOf(...lines)))).toEqual(
      Buffer.concat(lines),
    )
    await clickhouse.insert(target, lines, randomUUID(), AbortSignal.timeout(10_000))
    expect(await findMissing(target, linesOf(...lines))).toEqual([])
  })

  it('finds a missing day even if another day has arrived', async () => {
    const [before, after] = [lineOf('2026-03-01'), lineOf('2026-03-02')]
    await clickhouse.insert(target, [before], randomUUID(), AbortSignal.timeout(10_000))
    expect(await findMissing(target, linesOf(before, after))).toEqual([after])
  })
})
