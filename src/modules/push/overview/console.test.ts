import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addPushApplication } from '../../../../test/support/push-examples.ts'

const harness = useHarness()

async function setUp() {
  const { org_id } = await harness().createTenant()
  const token = await harness().signIn(org_id, 'member')
  const get = async (org = org_id) =>
    await harness().call<object[]>({
      method: 'GET',
      path: `/console/api/push/overview?org_id=${org}`,
      token,
    })
  return { org_id, get }
}

describe('GET /console/api/push/overview', () => {
  it('returns the setup of each application, newest first', async () => {
    const { org_id, get } = await setUp()
    const { application_id } = await addPushApplication(harness(), org_id)
    const bare = { org_id, type: 'flutter' as const, environment: 'test' as const, name: 'Bare' }
    const { id } = await harness().services.push.applications.create(bare)
    const gone = await harness().services.push.applications.create({ ...bare, name: 'Gone' })
    await harness().services.push.applications.remove(org_id, gone.id)
    const { status, body } = await get()
    expect(status).toBe(200)
    const nothing = { android_package_name: null, ios_bundle_id: null, credentials: [] }
    const names = { android_package_name: 'com.example.app', ios_bundle_id: 'com.example.app' }
    expect(body.content).toEqual([
      { application_id: id, ...nothing },
      { application_id, ...names, credentials: [] },
    ])
  })

  it('is not found for an organization without membership', async () => {
    const { get } = await setUp()
    const { org_id } = await harness().createTenant()
    expect((await get(org_id)).status).toBe(404)
    expect((await get('x')).status).toBe(404)
  })
})
