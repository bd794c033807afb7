import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevice, addDevices, managedDevice } from '../../../../test/support/mdm.ts'
import { createPortal } from '../../../../test/support/mdm-portal.ts'
import { overviewRoutes } from './routes.ts'
import { readOverview } from './store.ts'

const db = testDatabase()
const { app, org_id, call } = createPortal((server) => overviewRoutes(server, { db }))
afterAll(async () => await app.close())

const path = '/v1/mdm/overview?org_id={org}'

it('GET /v1/mdm/overview counts the devices of the organization that are not deleted', async () => {
  await addDevice(db, { org_id: randomUUID() })
  await addDevices(
    db,
    [
      {},
      { management_mode: 'work_profile' as const },
      { state: 'provisioning' as const, compliance_state: 'unknown' as const },
      { state: 'lost' as const, compliance_state: 'non_compliant' as const },
      { state: 'active' as const, compliance_state: 'grace_period' as const },
      { state: 'deleted' as const, compliance_state: 'non_compliant' as const },
    ].map((values) => managedDevice({ org_id, ...values })),
  )
  const { status, body } = await call({ as: 'member', path })
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    message: 'Overview',
    content: {
      total_devices: 5,
      active_devices: 3,
      provisioning_devices: 1,
      non_compliant_devices: 1,
      by_mode: { fully_managed: 4, work_profile: 1 },
    },
  })
})

it('the numbers are those of a recount after concurrent changes', async () => {
  const own = randomUUID()
  const devices = Array.from({ length: 60 }, () => managedDevice({ org_id: own }))
  await addDevices(db, devices)
  await Promise.all(
    devices.map(async ({ id }, index) => {
      const one = sql`where org_id = ${own} and id = ${id}`
      if (index % 3 === 0) {
        await sql`update mdm_devices set compliance_state = 'non_compliant' ${one}`.execute(db)
        await sql`update mdm_devices set state = 'disabled' ${one}`.execute(db)
      }
      if (index % 4 === 0) await sql`delete from mdm_devices ${one}`.execute(db)
    }),
  )
  expect(await readOverview(db, own)).toEqual({
    total_devices: 45,
    active_devices: 30,
    provisioning_devices: 0,
    non_compliant_devices: 15,
    by_mode: { fully_managed: 45, work_profile: 0 },
  })
})

it('an organization without devices has only zeros', async () => {
  expect(await readOverview(db, randomUUID())).toEqual({
    total_devices: 0,
    active_devices: 0,
    provisioning_devices: 0,
    non_compliant_devices: 0,
    by_mode: { fully_managed: 0, work_profile: 0 },
  })
})

it('strangers are refused', async () => {
  expect((await call({ as: 'stranger', path })).status).toBe(403)
})
