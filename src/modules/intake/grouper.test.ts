/** Runs on the real database, with the grouping of the log lines. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import type { Dispatcher } from '../../platform/dispatch/index.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { claimUngrouped, encodeRows, insertSpoolRows } from '../../platform/spool/index.ts'
import { decodePayload } from '../../platform/spool/payload.ts'
import { createGrouper, type GroupRow, withFingerprint } from './grouper.ts'

// A separate database, because the grouper takes the rows of all organizations.
const db = ownDatabase()
const newId = createIds()
const running: Dispatcher[] = []

beforeEach(async () => {
  await db.deleteFrom('analytics_spool').execute()
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(running.splice(0).map(async (grouper) => await grouper.stop(0)))
})

const FINGERPRINT = 'f'.repeat(32)
const groupRow: GroupRow = (row) => withFingerprint(String(row), FINGERPRINT)

function start(given: GroupRow = groupRow): Dispatcher {
  const groupRowOf = { edge_logs: given }
  const grouper = createGrouper({ db, log: createLog('silent'), groupRowOf })
  running.push(grouper)
  grouper.start()
  return grouper
}

async function spool(org_id: string, ...payloads: string[]): Promise<string[]> {
  const rows = payloads.map((payload) => ({
    org_id,
    id: newId(new Date()),
    mode: 'live' as const,
    target: 'edge_logs_ungrouped',
    entries: 1,
    payload: Buffer.from(payload),
  }))
  await insertSpoolRows(await encodeRows(rows)).execute(db)
  return rows.map(({ id }) => id)
}

const rowsOf = async (target: string) =>
  await db
    .selectFrom('analytics_spool')
    .selectAll()
    .where('target', '=', target)
    .orderBy('id')
    .execute()
const linesOf = async (row: { payload: Buffer; bytes: number } | undefined) =>
  row && (await decodePayload(row)).rows.toString()
const untilGrouped = async (count: number) =>
  await vi.waitFor(async () => expect(await rowsOf('edge_logs')).toHaveLength(count), 20_000)

const claim = async (after: string, lease_ms = 60_000) =>
  await claimUngrouped(db, { after, lease_id: randomUUID(), lease_ms })

describe('rows with errors that are not grouped', () => {
  it('become rows of their table, with the same id and every line once', async () => {
    const org_id = randomUUID()
    const lines = Array.from({ length: 500 }, (_, n) => `{"n":${n},"text":"é ${n}"}\n`)
    const [id] = await spool(org_id, lines.join(''))
    start()
    await untilGrouped(1)
    const [row] = await rowsOf('edge_logs')
    const expected = lines.map((line) => String(groupRow(Buffer.from(line), false))).join('')
    expect(row).toMatchObject({ id, org_id, entries: 1, attempts: 0, flush_id: null })
    expect(await linesOf(row)).toBe(expected)
    expect(row?.bytes).toBe(Buffer.byteLength(expected))
    expect([row?.lease_id, row?.leased_until]).toEqual([null, null])
    expect(await rowsOf('edge_logs_ungrouped')).toEqual([])
  })

  it('are taken from one organization after the other, however much one has', async () => {
    const order: string[] = []
    const orgs = ['a', 'b', 'c'].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`)
    const [flooding = '', small = '', other = ''] = orgs
    await spool(flooding, ...Array.from({ length: 40 }, () => '{"org":"flooding"}\n'))
    await spool(small, '{"org":"small"}\n')
    await spool(other, '{"org":"other"}\n', '{"org":"other"}\n')
    start((line) => {
      order.push((JSON.parse(String(line)) as { org: string }).org)
      return line
    })
    await untilGrouped(43)
    expect(order.slice(0, 6)).toEqual([
      'flooding',
      'small',
      'other',
      'flooding',
      'other',
      'flooding',
    ])
  })

  it('are grouped again after the worker that had them was killed, and written once', async () => {
    const [id] = await spool(randomUUID(), '{"n":1}\n')
    const killed = await claim(randomUUID(), 300)
    expect(killed).toMatchObject({ id, target: 'edge_logs' })
    expect(String(killed?.payload.rows)).toBe('{"n":1}\n')
    expect(await claim(randomUUID())).toBeUndefined()
    start()
    await untilGrouped(1)
    expect(await linesOf((await rowsOf('edge_logs'))[0])).toBe(
      `{"n":1,"error_fingerprint":"${FINGERPRINT}"}\n`,
    )
  })

  it('return to the queue when the process stops, with nothing written', async () => {
    const lines = Array.from({ length: 2000 }, (_, n) => `{"n":${n}}\n`).join('')
    const [id] = await spool(randomUUID(), lines)
    let begun = 0
    const grouper = start((line) => {
      begun += 1
      // A millisecond and more, so that every line is followed by a pause.
      for (const until = performance.now() + 1.1; performance.now() < until; );
      return line
    })
    await vi.waitFor(() => expect(begun).toBeGreaterThan(2))
    await grouper.stop(0)
    expect(begun).toBeLessThan(2000)
    const [row] = await rowsOf('edge_logs_ungrouped')
    expect(row).toMatchObject({ id, lease_id: null, leased_until: null })
    expect(await linesOf(row)).toBe(lines)
  })

  it('do not stop the others when one cannot be grouped', async () => {
    const [bad] = await spool('a0000000-0000-4000-8000-000000000000', 'not JSON\n')
    await spool('b0000000-0000-4000-8000-000000000000', '{"n":1}\n', '{"n":2}\n')
    start((line) => {
      JSON.parse(String(line))
      return groupRow(line, false)
    })
    await untilGrouped(2)
    expect(await rowsOf('edge_logs_ungrouped')).toMatchObject([{ id: bad }])
  })
})
