import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../../test/harness.ts'
import { addEdgeLogs, type EdgeLog, edgeLog } from '../../../../../test/support/edge-logs.ts'
import type { Suggestion } from './schema.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const DAY = { start_date: '2026-03-01', end_date: '2026-03-01' }
const AT_MS = Date.parse('2026-03-01T12:00:00Z')

const PRINTER_LOGS: Partial<EdgeLog>[] = [
  ...[1, 2, 3, 4].map((number) => ({
    device_id: `cologne-printer-0${number}`,
    level: 'error' as const,
    message: 'PrintHeadError: too hot',
    error_type: 'PrintHeadError',
    category: 'hardware',
  })),
  { device_id: 'till-3', message: 'paper is low', category: 'hardware' },
]

async function createMember(logs: Partial<EdgeLog>[]) {
  const { org_id, keys } = await harness().createTenant('free')
  const token = await harness().signIn(org_id, 'member')
  const entries = logs.map((log) => edgeLog({ org_id, received_at_ms: AT_MS, ...log }))
  await addEdgeLogs(harness().stores.analytics.clickhouse, entries)
  return { org_id, token, key: keys.live_secret }
}
type Member = Awaited<ReturnType<typeof createMember>>

async function register({ key }: Member, device_id: string, name: string) {
  const body = { device_id, device_type: 'other', name }
  const path = '/v1/edge/devices/register'
  const { status } = await harness().call({ method: 'POST', path, key, body })
  expect(status).toBe(200)
}

type Answer = { suggestions: Suggestion[]; pagination: { total: number } }

async function search({ org_id, token }: Member, q: string, dates: Record<string, string> = DAY) {
  const query = new URLSearchParams({ org_id, q, ...dates }).toString()
  const path = `/v1/edge/logs/search?${query}`
  const { status, body } = await harness().call<Answer>({ method: 'GET', path, token })
  expect(status).toBe(200)
  return body.content
}

describe('a search that finds nothing', () => {
  it('suggests queries that find exactly as much as they say', async () => {
    const member = await createMember(PRINTER_LOGS)
    await register(member, 'till-3', 'Receipt printer')
    await register(member, 'cologne-printer-01', '')
    for (const q of [
      'printer',
      'print',
      'papper',
      'level:error low',
      'device:printer',
      '"low is paper"',
    ]) {
      const { suggestions } = await search(member, q)
      expect(suggestions).not.toEqual([])
      for (const { q: near, total, text } of suggestions) {
        expect(text).toMatch(new RegExp(`^${total} logs? match`))
        expect([near, (await search(member, near)).pagination.total]).toEqual([near, total])
      }
    }
  })

  it.each<[string, string, string]>([
    ['printer', '2 logs match of the devices with “printer” in the name or id: ', 'till-3'],
    ['print', '4 logs match with “print” as a part of a word', '*print*'],
    ['head', '4 logs match with “head” in the type of the error', 'error_type:*head*'],
    ['papper', '1 log matches with “paper”: did you mean that?', 'paper'],
    ['device:cologne', '4 logs match with “cologne” in device_id', 'device_id:*cologne*'],
    ['category:hardwear', '5 logs match with category “hardware”', 'category:"hardware"'],
    ['"low is paper"', '1 log matches with the words of the phrase anywhere', 'low is paper'],
    ['hot level:info', '4 logs match without level:info', 'hot'],
  ])('has a suggestion for %j that says %j', async (q, text, near) => {
    const member = await createMember(PRINTER_LOGS)
    await register(member, 'till-3', 'Receipt printer')
    await register(member, 'cologne-printer-01', '')
    const { suggestions } = await search(member, q)
    const found = suggestions.find((each) => each.text.startsWith(text))
    expect([suggestions.map((each) => each.text), found?.q]).toEqual([
      expect.anything(),
      expect.stringContaining(near),
    ])
  })

  it('says how much there is without the dates and times', async () => {
    const now = Date.now()
    const member = await createMember([{ message: 'card', received_at_ms: now, timestamp_ms: now }])
    const expected = {
      q: 'card',
      total: 1,
      without_dates: true,
      text: expect.stringMatching(/^1 log matches among those received since \d{4}-/) as string,
    }
    expect((await search(member, 'card')).suggestions).toEqual([expected])
    expect((await search(member, 'time:2026-03-01 card', {})).suggestions[0]).toEqual(expected)
  })

  it('suggests nothing from another organization or mode, and nothing if it found something', async () => {
    const member = await createMember([{ message: 'paper', mode: 'test' }, { message: 'card' }])
    await createMember(PRINTER_LOGS)
    expect((await search(member, 'papper printer')).suggestions).toEqual([])
    expect((await search(member, 'card')).suggestions).toEqual([])
  })

  it('has suggestions in both modes in the console', async () => {
    const { org_id, token } = await createMember([{ message: 'paper', mode: 'test' }])
    const query = new URLSearchParams({ org_id, mode: 'test', q: 'papper', ...DAY }).toString()
    const path = `/console/api/edge/suggestions?${query}`
    const { body } = await harness().call<Suggestion[]>({ method: 'GET', path, token })
    expect(body.content.map(({ q }) => q)).toEqual(['paper'])
  })
})
