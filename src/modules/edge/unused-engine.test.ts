/** Pages about logs and RUM on an installation that has never received any. */
import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'

const harness = useHarness({ settings: { CLICKHOUSE_URL: '', VIGIL_CLICKHOUSE_CLUSTER: '' } })

const GROUP = 'ab'.repeat(16)
const FOUND = [
  '/v1/edge/logs',
  '/v1/edge/logs/search?q=printer',
  '/v1/edge/devices',
  '/v1/edge/errors',
  '/v1/edge/overview',
  '/v1/edge/trends',
  '/console/api/edge/logs',
  '/console/api/edge/logs?q=level:error%20print*',
  '/console/api/edge/suggestions?q=printer',
  '/console/api/edge/values?field=level',
  '/console/api/edge/series?field=level',
  '/console/api/edge/members',
  '/console/api/edge/histogram',
  '/console/api/edge/errors',
  `/console/api/edge/errors/trends?fingerprints=${GROUP}`,
  '/console/api/edge/overview',
  '/console/api/edge/trends',
  '/console/api/edge/devices',
  '/console/api/rum/vitals',
  '/console/api/rum/pages',
  '/console/api/rum/errors',
  '/console/api/rum/trends/vital',
  '/console/api/rum/trends/activity',
  '/console/api/rum/sessions',
]
const MISSING = [
  `/console/api/edge/errors/${GROUP}`,
  `/console/api/rum/errors/${GROUP}`,
  '/console/api/rum/sessions/none',
]

it('are empty and do not start the analytics engine', async () => {
  const { org_id } = await harness().createTenant()
  const token = await harness().signIn(org_id, 'member')
  const read = async (path: string) => {
    const separator = path.includes('?') ? '&' : '?'
    const { status } = await harness().get(`${path}${separator}org_id=${org_id}`, { token })
    return [path, status]
  }
  for (const path of FOUND) expect(await read(path)).toEqual([path, 200])
  for (const path of MISSING) expect(await read(path)).toEqual([path, 404])
  const { data_dir } = harness().stores
  expect(existsSync(data_dir) ? readdirSync(data_dir) : []).not.toContain('clickhouse')
})
