import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../../test/harness.ts'
import { addEdgeLogs, edgeLog } from '../../../../../test/support/edge-logs.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })

async function createMember() {
  const { org_id } = await harness().createTenant('free')
  return { org_id, token: await harness().signIn(org_id, 'member') }
}

async function get<C>(token: string, path: string, query: Record<string, string>) {
  return await harness().call<C>({
    method: 'GET',
    path: `/console/api/edge${path}?${new URLSearchParams(query).toString()}`,
    token,
  })
}

const PATHS = ['/logs', '/errors', '/overview', '/trends', '/tail'] as const

describe.each(PATHS)('GET /console/api/edge%s', (path) => {
  it('is for members only', async () => {
    const { token } = await createMember()
    const { org_id } = await createMember()
    expect((await get(token, path, { org_id })).status).toBe(404)
    expect((await harness().call({ method: 'GET', path: `/console/api/edge${path}` })).status).toBe(
      401,
    )
  })

  it('names an unknown mode', async () => {
    const { org_id, token } = await createMember()
    const { status, body } = await get<{ field: string }>(token, path, { org_id, mode: 'both' })
    expect([status, body.content.field]).toEqual([400, 'mode'])
  })
})

describe('the console', () => {
  it('reads the logs of both modes with words and filters combined', async () => {
    const { org_id, token } = await createMember()
    const { clickhouse } = harness().stores.analytics
    const at = Date.now() - 1000
    await addEdgeLogs(clickhouse, [
      edgeLog({ org_id, received_at_ms: at, message: 'live one' }),
      edgeLog({ org_id, received_at_ms: at, message: 'test one', mode: 'test' }),
      edgeLog({ org_id, received_at_ms: at, message: 'test one', mode: 'test', level: 'warn' }),
    ])
    type Page = { logs: { message: string }[] }
    const messages = async (query: Record<string, string>) =>
      (await get<Page>(token, '/logs', { org_id, ...query })).body.content.logs.map(
        ({ message }) => message,
      )
    expect(await messages({})).toEqual(['live one'])
    expect(await messages({ mode: 'test', q: 'ONE', level: 'warn' })).toEqual(['test one'])
    type Point = { total: number }
    const trends = await get<Point[]>(token, '/trends', {
      org_id,
      mode: 'test',
      granularity: 'hour',
      q: 'one',
      level: 'warn',
    })
    expect(trends.body.content.reduce((sum, { total }) => sum + total, 0)).toBe(1)
    type Overview = { logs: { total: number } }
    const overview = await get<Overview>(token, '/overview', { org_id, mode: 'test' })
    expect(overview.body.content.logs.total).toBe(2)
  })

  it('names a search without words and an unknown level', async () => {
    const { org_id, token } = await createMember()
    for (const [field, value] of [
      ['q', '…'],
      ['level', 'info,loud'],
    ] as const) {
      for (const path of ['/logs', '/trends', '/tail']) {
        const { status, body } = await get<{ field: string }>(token, path, {
          org_id,
          [field]: value,
        })
        expect([path, status, body.content.field]).toEqual([path, 400, field])
      }
    }
  })
})
