import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import { useCommands } from '../../../test/support/commands.ts'
import type { Credits } from './schema.ts'

const harness = useHarness()
const { vigil, vigilJson } = useCommands()

it('admins and the operator set the level of a low balance, for their organization only', async () => {
  const [{ org_id }, other] = [await harness().createTenant(), await harness().createTenant()]
  const token = await harness().signIn(org_id, 'admin')
  const level = async (of = org_id, as = token) => {
    const answer = await harness().get<Credits>(`/console/api/credits?org_id=${of}`, { token: as })
    return answer.body.content.low_balance_credits
  }
  const put = async (low_balance_credits: unknown) =>
    await harness().call<{ field: string }>({
      method: 'PUT',
      path: '/console/api/credits/low-balance',
      token,
      body: { org_id, low_balance_credits },
    })
  expect(await level()).toBeNull()
  for (const credits of [2500.5, 2500.5, 0]) expect((await put(credits)).status).toBe(200)
  expect(await level()).toBe(0)
  for (const wrong of [-1, '5', undefined]) {
    const { status, body } = await put(wrong)
    expect([wrong, status, body.content.field]).toEqual([wrong, 400, 'low_balance_credits'])
  }
  const args = ['credits', 'low-balance', '--org', org_id]
  expect(await vigilJson(...args, '--level', '100')).toEqual({ org_id, low_balance_credits: 100 })
  expect(await level()).toBe(100)
  expect((await vigil(...args)).stderr).toContain('Name either --level or --automatic')
  await vigilJson(...args, '--automatic')
  expect(await level()).toBeNull()
  expect(await level(other.org_id, await harness().signIn(other.org_id))).toBeNull()
  await harness().applyChanges()
  const { rows } = await sql<{ details: object }>`
    select details from audit_log where org_id = ${org_id}
      and action = 'credits.low_balance_changed' order by id`.execute(harness().stores.directory)
  expect(rows.map(({ details }) => details)).toEqual([
    { from: null, to: 2500.5 },
    { from: 2500.5, to: 0 },
    { from: 0, to: 100 },
    { from: 100, to: null },
  ])
})
