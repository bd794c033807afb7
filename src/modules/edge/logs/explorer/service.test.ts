import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { EngineRefusal, EngineUnavailable } from '../../../../platform/clickhouse/errors.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { createLogExplorer } from './service.ts'

/** Only queries of an error group read the merged ones. */
const UNUSED = {} as Db
const owner = { org_id: 'org', mode: 'live' } as const
const explorerOf = (fail: () => Promise<never>, timeout_ms: number) =>
  createLogExplorer({
    db: UNUSED,
    clickhouse: { query: fail },
    clock: { now: () => new Date('2026-03-01T12:00:00Z') },
    edge_window_days: 30,
    timeout_ms,
  })

describe('a query of the explorer that fails', () => {
  it('by timeout is reported differently from an unavailable engine', async () => {
    const slow = explorerOf(async () => {
      await sleep(20)
      throw new EngineUnavailable('Code 159')
    }, 10)
    await expect(slow.histogram(owner, {})).rejects.toMatchObject({
      status: 500,
      body: { message: 'The query took longer than 0.01 seconds; choose a shorter time range' },
    })
    const unavailable = explorerOf(() => Promise.reject(new EngineUnavailable('refused')), 60_000)
    await expect(unavailable.histogram(owner, {})).rejects.toMatchObject({
      body: { message: 'Logs cannot be read at the moment; try again shortly' },
    })
  })

  it('because its SQL is wrong is passed on as an internal error', async () => {
    const wrong = new EngineRefusal(62, 'Syntax error')
    const explorer = explorerOf(() => Promise.reject(wrong), 0)
    await expect(explorer.histogram(owner, {})).rejects.toBe(wrong)
  })
})
