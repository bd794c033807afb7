import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { createPanels } from '../index.ts'
import { PANELS_MAX, type Panel } from './schema.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const PATH = '/console/api/edge/panels'
const VIEW = { q: 'level:error time:yesterday', show: 'table', group: 'device_id' }

const call = async <Content = Panel & { field: string }>(
  method: 'POST' | 'PATCH' | 'DELETE' | 'GET',
  path: string,
  token: string,
  body?: Record<string, unknown>,
) => await harness().call<Content>({ method, path, token, ...(body && { body }) })

const list = async (token: string, org_id: string) =>
  (await call<{ panels: Panel[] }>('GET', `${PATH}?org_id=${org_id}`, token)).body.content.panels

async function createMember() {
  const { org_id } = await harness().createTenant()
  return { org_id, token: await harness().signIn(org_id, 'member') }
}

describe('panels', () => {
  it('are those of the organization, in the order that members choose', async () => {
    const { org_id, token } = await createMember()
    const ids: string[] = []
    for (const name of ['Errors by device', 'Duration', 'Timeouts']) {
      const { status, body } = await call('POST', PATH, token, { org_id, name, view: VIEW })
      expect([status, body.content.view]).toEqual([200, VIEW])
      ids.push(body.content.id)
    }
    expect((await list(token, org_id)).map(({ id }) => id)).toEqual(ids)
    const order = async (wanted: readonly string[]) =>
      await call('POST', `${PATH}/order`, token, { org_id, ids: wanted })
    const reversed = ids.toReversed()
    expect((await order(reversed)).status).toBe(200)
    expect((await list(token, org_id)).map(({ id }) => id)).toEqual(reversed)
    for (const wrong of [ids.slice(1), [...ids.slice(1), org_id]]) {
      const { status, body } = await order(wrong)
      expect([status, body.content.field]).toEqual([400, 'ids'])
    }
    const path = `${PATH}/${ids[0]}`
    const renamed = await call('PATCH', path, token, { org_id, name: 'Errors' })
    expect(renamed.body.content).toMatchObject({ name: 'Errors', view: VIEW })
    expect((await call('DELETE', `${path}?org_id=${org_id}`, token)).status).toBe(200)
    expect((await list(token, org_id)).map(({ id }) => id)).toEqual(reversed.slice(0, 2))

    const stranger = await createMember()
    expect(await list(stranger.token, stranger.org_id)).toEqual([])
    const theirs = `${PATH}/${ids[1]}`
    const foreign = { org_id: stranger.org_id, name: 'x' }
    expect((await call('PATCH', theirs, stranger.token, foreign)).status).toBe(404)
    expect((await call('GET', `${PATH}?org_id=${org_id}`, stranger.token)).status).toBe(404)
  })

  it('are changed and deleted by their author, owners and admins', async () => {
    const { org_id, token } = await createMember()
    const { body } = await call('POST', PATH, token, { org_id, name: 'Mine', view: VIEW })
    const path = `${PATH}/${body.content.id}`
    const other = await harness().signIn(org_id, 'member')
    const admin = await harness().signIn(org_id, 'admin')
    expect((await call('PATCH', path, other, { org_id, name: 'x' })).status).toBe(403)
    expect((await call('DELETE', `${path}?org_id=${org_id}`, other)).status).toBe(403)
    expect((await call('PATCH', path, admin, { org_id, name: 'Ours' })).status).toBe(200)
    expect((await call('DELETE', `${path}?org_id=${org_id}`, admin)).status).toBe(200)
    expect((await call('DELETE', `${path}?org_id=${org_id}`, admin)).status).toBe(404)
  })

  it('are limited in number, also when they are created at the same time', async () => {
    const { org_id, token } = await createMember()
    const panels = createPanels(harness().stores)
    const user = { org_id, user_id: org_id, role: 'member' } as const
    const created = await Promise.allSettled(
      Array.from({ length: PANELS_MAX + 3 }, async () => {
        await panels.create(user, { name: 'x', view: VIEW })
      }),
    )
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(PANELS_MAX)
    const { status, body } = await call('POST', PATH, token, { org_id, name: 'x', view: VIEW })
    expect([status, body.content.field]).toEqual([400, 'org_id'])
  })

  it('have a view of the explorer', async () => {
    const { org_id, token } = await createMember()
    const wrong = await call('POST', PATH, token, { org_id, name: 'x', view: { colour: 'red' } })
    expect([wrong.status, wrong.body.content.field]).toEqual([400, 'view.colour'])
  })
})
