/** What tests of the log explorer have in common. */
import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import type { LogPage } from '../../src/modules/edge/logs/schema.ts'
import type { Harness } from '../harness.ts'
import { addEdgeLogs, type EdgeLog, edgeLog } from '../support/edge-logs.ts'

/** As a device does. */
export async function sendLogs(desk: Harness, key: string, logs: Record<string, unknown>[]) {
  const request = { method: 'POST', path: '/v1/edge/logs', key, body: { logs } } as const
  expect((await desk.call(request)).status).toBe(200)
}

/** Where they are read, without the way in. */
export async function addLogs({ stores }: Harness, orgId: string, logs: Partial<EdgeLog>[]) {
  const received_at_ms = Date.now() - 2000
  const all = logs.map((log) => edgeLog({ org_id: orgId, received_at_ms, ...log }))
  await addEdgeLogs(stores.analytics.clickhouse, all)
}

/** What was sent in shows about a second later. */
export async function untilReadable(desk: Harness, token: string, orgId: string, count: number) {
  const path = `/console/api/edge/logs?org_id=${orgId}`
  await vi.waitFor(
    async () => {
      const answer = await desk.call<LogPage>({ method: 'GET', path, token })
      expect(answer.body.content.pagination.total).toBe(count)
    },
    { timeout: 20_000, interval: 100 },
  )
}

export const grid = (page: Page) => page.getByRole('grid')
export const row = (page: Page, text: string) =>
  grid(page).getByRole('row').filter({ hasText: text })

/** What the page says it has found. */
export const found = async (page: Page, text: string) =>
  await page.getByRole('status').filter({ hasText: text }).waitFor()
