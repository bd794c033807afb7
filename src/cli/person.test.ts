import { expect, it } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { useCommands } from '../../test/support/commands.ts'
import { newOrder } from '../../test/support/orders.ts'
import type { PersonReport } from '../modules/person-data/index.ts'

const harness = useHarness()
const { vigil, vigilJson } = useCommands()

it('vigil person delete reports, deletes, and finds nothing afterwards', async () => {
  const { org_id, keys } = await harness().createTenant()
  const body = newOrder({ external_id: 'customer-4711' })
  await harness().post('/v1/orders', body, { key: keys.live_secret })
  const args = ['person', 'delete', '--org', org_id, '--profile', 'customer-4711']
  const planned = await vigilJson<PersonReport>(...args, '--dry-run')
  expect(planned.deleted).toMatchObject({ orders: 1, profiles: 1 })
  const unasked = await vigil(...args)
  expect(unasked.status).toBe(1)
  expect(unasked.stderr).toContain('orders: 1')
  expect(unasked.stderr).toContain('Confirm with --yes')
  const { deleted, next_step } = await vigilJson<PersonReport>(...args, '--yes')
  expect({ deleted, next_step }).toEqual({ deleted: planned.deleted, next_step: null })
  expect((await vigilJson<PersonReport>(...args, '--dry-run')).deleted).toEqual({})
  expect((await vigil('person', 'delete', '--org', org_id)).stderr).toContain('At least one of')
})
