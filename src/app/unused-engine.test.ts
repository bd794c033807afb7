/** An installation to which no device or browser ever sent anything does not pay for the analytics engine. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../test/harness.ts'

const harness = useHarness({
  settings: { CLICKHOUSE_URL: '', VIGIL_RATE_LIMIT_CONSOLE: '999999/1' },
})

/** Values of required parameters. */
const PARAMETERS: Readonly<Record<string, string>> = {
  q: 'card',
  field: 'level',
  fingerprints: 'ab',
  name: 'LCP',
  page: '/',
}
const FOUND_NOTHING = [200, 404]

describe('an embedded engine without data', () => {
  it('is not started by any reading of logs and browser events, which find nothing', async () => {
    const { org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id, 'member')
    const routes = harness().app.declaredRoutes.filter(
      ({ method, url, config }) =>
        method === 'GET' &&
        /^\/(v1|console\/api)\/(edge|rum)\//.test(url) &&
        typeof config?.access === 'object' &&
        !url.endsWith('/tail'),
    )
    expect(routes.length).toBeGreaterThan(20)
    const refused: string[] = []
    for (const { url, schema } of routes) {
      const path = url.replace(/:\w+/g, 'unknown')
      const { status } = await readAny(path, schema, { org_id, token })
      if (!FOUND_NOTHING.includes(status)) refused.push(`${path}: ${status}`)
    }
    expect(refused).toEqual([])
    expect(existsSync(join(harness().stores.data_dir, 'clickhouse'))).toBe(false)
  })

  it('is not started by the watch for notifications, and not reported as unavailable', async () => {
    const { parts, stores } = harness()
    const watch = parts.notifications.jobs?.find(({ name }) => name === 'notifications.watch')
    await watch?.run(new Date(), new AbortController().signal)
    expect(await stores.analytics.isAvailable()).toBe(true)
    expect(existsSync(join(stores.data_dir, 'clickhouse'))).toBe(false)
  })
})

async function readAny(
  path: string,
  schema: unknown,
  { org_id, token }: { org_id: string; token: string },
) {
  const { querystring } = schema as { querystring?: { required?: string[]; properties?: object } }
  const required = (querystring?.required ?? []).filter((name) => name !== 'org_id')
  const query = new URLSearchParams({ org_id })
  for (const name of required) query.set(name, PARAMETERS[name] ?? '1')
  return await harness().call({ method: 'GET', path: `${path}?${query.toString()}`, token })
}
