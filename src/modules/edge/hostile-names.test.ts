import { expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import { addEdgeLogs, edgeLog } from '../../../test/support/edge-logs.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })

const IN_FLIGHT_MAX = 4
const TEXTS = [
  '\0',
  'a\0b',
  "' or 1=1 --",
  '{org_id:UUID}',
  '\\',
  "\\'",
  '%',
  '__proto__',
  '\u202e<img src=x onerror=alert(1)>',
]
const DATES = [
  { start_date: '0000-01-01', end_date: '9999-12-31' },
  { end_date: '0000-01-01' },
  { start_date: '9999-12-31' },
  { start_date: '2026-03-02', end_date: '2026-03-01' },
  { start_date: '-000001-01-01', end_date: '+275760-09-13' },
  { start_date: '1e99', end_date: '' },
  { start_date: '\0' },
]
const TEXT_FILTERS = ['device_id', 'category', 'environment', 'error_fingerprint', 'q', 'level']

const REQUESTS: readonly (readonly [string, Record<string, string>])[] = [
  ...['/logs', '/histogram'].flatMap((path) => [
    ...TEXT_FILTERS.flatMap((name) => TEXTS.map((text) => [path, { [name]: text }] as const)),
    ...DATES.map((dates) => [path, dates] as const),
  ]),
  ...TEXTS.flatMap((text) => [
    ['/errors/trends', { fingerprints: text }] as const,
    [`/errors/${encodeURIComponent(text)}`, {}] as const,
    ['/device', { device_id: text }] as const,
    ['/device/errors', { device_id: text }] as const,
    ['/devices', { text }] as const,
    ['/devices', { cursor: text }] as const,
    ['/alerts/preview', { threshold: '1', window_minutes: '5', q: text }] as const,
    ['/alerts/preview', { threshold: '1', window_minutes: '5', device_id: text }] as const,
  ]),
  ...['/errors/trends', '/device/errors', '/errors/x'].flatMap((path) =>
    DATES.map((dates) => [path, { fingerprints: 'a', device_id: 'a', ...dates }] as const),
  ),
]

it('hostile parameters are answered or named and reveal nothing of other organizations', async () => {
  const { org_id } = await harness().createTenant()
  const other = await harness().createTenant()
  const logs = [
    { org_id: other.org_id, message: 'a secret of another organization', device_id: 'a' },
  ]
  await addEdgeLogs(harness().stores.analytics.clickhouse, logs.map(edgeLog))
  const token = await harness().signIn(org_id, 'member')
  const failed: unknown[] = []
  const request = async ([path, query]: (typeof REQUESTS)[number]) => {
    const { status, body } = await harness().call<{ field?: string }>({
      method: 'GET',
      path: `/console/api/edge${path}?${new URLSearchParams({ org_id, ...query }).toString()}`,
      token,
    })
    const isNamed = status === 200 || status === 404 || body.content?.field !== undefined
    if (status >= 500 || !isNamed || JSON.stringify(body).includes('a secret')) {
      failed.push([path, query, status])
    }
  }
  for (let at = 0; at < REQUESTS.length; at += IN_FLIGHT_MAX) {
    await Promise.all(REQUESTS.slice(at, at + IN_FLIGHT_MAX).map(request))
  }
  expect(failed).toEqual([])
})
