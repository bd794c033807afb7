/** Shared helpers of the log tests. */
import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import type { LogPage } from '../../src/modules/edge/logs/schema.ts'
import type { Harness } from '../harness.ts'
import { addEdgeLogs, type EdgeLog, edgeLog } from '../support/edge-logs.ts'

/** Sends logs through the API, as a device does. */
export async function sendLogs(harness: Harness, key: string, logs: Record<string, unknown>[]) {
  expect((await harness.post('/v1/edge/logs', { logs }, { key })).status).toBe(200)
}

/** Inserts logs directly into the analytics engine. */
export async function addLogs({ stores }: Harness, orgId: string, logs: Partial<EdgeLog>[]) {
  const received_at_ms = Date.now() - 2000
  const all = logs.map((log) => edgeLog({ org_id: orgId, received_at_ms, ...log }))
  await addEdgeLogs(stores.analytics.clickhouse, all)
}

/** Waits until the logs can be queried, about one second after ingestion. */
export async function untilReadable(harness: Harness, token: string, orgId: string, count: number) {
  const path = `/console/api/edge/logs?org_id=${orgId}`
  await vi.waitFor(
    async () => {
      const answer = await harness.call<LogPage>({ method: 'GET', path, token })
      expect(answer.body.content.pagination.total).toBe(count)
    },
    { timeout: 20_000, interval: 100 },
  )
}

export const grid = (page: Page) => page.getByRole('grid')
export const row = (page: Page, text: string) =>
  grid(page).getByRole('row').filter({ hasText: text })

/** Waits for the number of results on the page. */
export const found = async (page: Page, text: string) =>
  await page.getByRole('status').filter({ hasText: text }).waitFor()
