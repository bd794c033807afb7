import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Request, useHarness } from '../../../../test/harness.ts'
import type { PolicyFaults, PolicyVersions, PolicyVersionWithJson } from '../browsing/schema.ts'
import type { Policy } from './schema.ts'

const harness = useHarness()
const ROOT = '/console/api/mdm/policies'

async function createShop() {
  const { org_id } = await harness().createTenant()
  const token = await harness().signIn(org_id, 'admin')
  const { body } = await harness().call<Policy>({
    method: 'POST',
    path: `/v1/mdm/policies?org_id=${org_id}`,
    token,
    body: {
      name: 'Tills',
      management_mode: 'fully_managed',
      policy_json: { playStoreMode: 'BLACKLIST' },
    },
  })
  return { org_id, token, policy: body.content }
}

const call = async <Content>(request: Omit<Request, 'path'> & { path?: string }) =>
  await harness().call<Content & { field: string }>({
    ...request,
    path: `${ROOT}/${request.path ?? ''}`,
  })

describe('PATCH /console/api/mdm/policies/:policy_id', () => {
  it('saves a change of the current policy, and refuses one of an older policy', async () => {
    const { org_id, token, policy } = await createShop()
    const save = async (based_on: string, camera: boolean) =>
      await call<Policy>({
        method: 'PATCH',
        path: policy.id,
        token,
        body: { org_id, based_on, policy_json: { cameraDisabled: camera } },
      })
    const saved = await save(policy.updated_at, true)
    expect(saved.body.content).toMatchObject({ version: 2, policy_json: { cameraDisabled: true } })
    expect(saved.body.message).toContain('apps that are not listed are uninstalled')
    const late = await save(policy.updated_at, false)
    expect(late).toMatchObject({ status: 400, body: { content: { field: 'based_on' } } })
    const { body } = await call<Policy>({
      method: 'GET',
      path: `${policy.id}?org_id=${org_id}`,
      token,
    })
    expect(body.content).toEqual(saved.body.content)
  })

  it('is for owners and admins; in other organizations the policy does not exist', async () => {
    const { org_id, policy } = await createShop()
    const member = await harness().signIn(org_id, 'member')
    const body = { org_id, based_on: policy.updated_at, name: 'Kiosks' }
    const patch = async (token: string, changes: object = body) =>
      (await call({ method: 'PATCH', path: policy.id, token, body: changes })).status
    expect(await patch(member)).toBe(403)
    const other = await createShop()
    expect(await patch(other.token)).toBe(404)
    expect(await patch(other.token, { ...body, org_id: other.org_id })).toBe(404)
  })
})

describe('POST /console/api/mdm/policies/check', () => {
  it('returns all faults with their paths, and stores nothing', async () => {
    const { org_id } = await createShop()
    const token = await harness().signIn(org_id, 'member')
    const policy_json = { cameraDisabled: 1, applications: [{ installType: 'ALWAYS' }] }
    const { body } = await call<PolicyFaults>({
      method: 'POST',
      path: 'check',
      token,
      body: { org_id, policy_json },
    })
    expect(body.content.faults).toEqual([
      {
        field: 'policy_json.cameraDisabled',
        message: 'policy_json.cameraDisabled must be boolean',
      },
      {
        field: 'policy_json.applications.0.installType',
        message: expect.stringContaining('must be one of') as string,
      },
    ])
  })
})

describe('the versions of a policy', () => {
  it('are listed newest first, and can be read one by one', async () => {
    const { org_id, token, policy } = await createShop()
    await harness().call({
      method: 'PATCH',
      path: `/v1/mdm/policies/${policy.id}?org_id=${org_id}`,
      token,
      body: { policy_json: { playStoreMode: 'WHITELIST' } },
    })
    const listed = await call<PolicyVersions>({
      method: 'GET',
      path: `${policy.id}/versions?org_id=${org_id}`,
      token,
    })
    const versions = listed.body.content.versions.map(({ version }) => version)
    expect(versions).toEqual([2, 1])
    const first = await call<PolicyVersionWithJson>({
      method: 'GET',
      path: `${policy.id}/versions/1?org_id=${org_id}`,
      token,
    })
    expect(first.body.content.policy_json).toEqual({ playStoreMode: 'BLACKLIST' })
  })

  it.each(['', '/versions', '/versions/1', '/versions/7'])(
    'do not exist in other organizations, nor for unknown policies: %s',
    async (path) => {
      const [mine, other] = [await createShop(), await createShop()]
      const statusOf = async (policyId: string) =>
        (
          await call({
            method: 'GET',
            path: `${policyId}${path}?org_id=${other.org_id}`,
            token: other.token,
          })
        ).status
      expect(await statusOf(mine.policy.id)).toBe(404)
      expect(await statusOf(randomUUID())).toBe(404)
      expect(await statusOf('x')).toBe(404)
    },
  )
})
