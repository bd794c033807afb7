import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { EngineAway, EngineRefusal } from '../../../../../platform/clickhouse/errors.ts'
import { createLogExplorer } from './service.ts'

const scope = { org_id: 'org', mode: 'live' } as const
const explorerOf = (fail: () => Promise<never>, timeout_ms: number) =>
  createLogExplorer({
    clickhouse: { query: fail },
    clock: { now: () => new Date('2026-03-01T12:00:00Z') },
    edge_window_days: 30,
    timeout_ms,
  })

describe('an engine that does not answer the explorer', () => {
  it('in time is told apart from one that is away', async () => {
    const slow = explorerOf(async () => {
      await sleep(20)
      throw new EngineAway('Code 159')
    }, 10)
    await expect(slow.histogram(scope, {})).rejects.toMatchObject({
      status: 500,
      body: { message: 'Counting took longer than 0.01 seconds; ask for a shorter time' },
    })
    const away = explorerOf(() => Promise.reject(new EngineAway('refused')), 60_000)
    await expect(away.histogram(scope, {})).rejects.toMatchObject({
      body: { message: 'Logs cannot be read at the moment; try again shortly' },
    })
  })

  it('because the question is wrong is an error of ours', async () => {
    const wrong = new EngineRefusal(62, 'Syntax error')
    const explorer = explorerOf(() => Promise.reject(wrong), 0)
    await expect(explorer.histogram(scope, {})).rejects.toBe(wrong)
  })
})
