import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createPortal, type Person } from '../../../test/support/mdm-portal.ts'
import { createPushModules } from '../../../test/support/push-applications.ts'
import { applicationConsoleRoutes } from './console.ts'

const { applications } = createPushModules(testDatabase())
const portal = createPortal((app) => applicationConsoleRoutes(app, { applications }))
const { org_id } = portal
const PATH = '/console/api/push/applications'

const get = async (path = '', as: Person = 'member') =>
  await portal.call({ as, path: `${PATH}${path}?org_id={org}` })
const post = async (body: object, as: Person = 'owner') =>
  await portal.call({ as, method: 'POST', path: PATH, body: { org_id, ...body } })
const patch = async (id: string, body: object, as: Person = 'owner') =>
  await portal.call({ as, method: 'PATCH', path: `${PATH}/${id}`, body: { org_id, ...body } })
const remove = async (id: string, as: Person = 'owner') =>
  await portal.call({ as, method: 'DELETE', path: `${PATH}/${id}?org_id={org}` })

const create = async (name: string) => {
  const { status, body } = await post({ name, environment: 'test' })
  expect(status).toBe(200)
  return body?.content as { id: string }
}

describe('applications in the console API', () => {
  it('are created, listed, read, renamed and deleted', async () => {
    const { id } = await create('First')
    const shown = {
      org_id,
      id,
      type: 'flutter',
      environment: 'test',
      name: 'First',
      created_at: expect.stringMatching(/Z$/) as string,
      updated_at: expect.stringMatching(/Z$/) as string,
    }
    expect((await get()).body?.content).toEqual([shown])
    expect((await get(`/${id}`)).body?.content).toEqual(shown)
    expect((await patch(id, { name: 'Second' })).body?.content).toMatchObject({ name: 'Second' })
    expect((await remove(id)).status).toBe(200)
    expect((await get()).body?.content).toEqual([])
    expect((await get(`/${id}`)).status).toBe(404)
  })

  it.each([
    ['environment', { name: 'One' }],
    ['environment', { name: 'One', environment: 'sandbox' }],
    ['name', { environment: 'live' }],
    ['name', { environment: 'live', name: '' }],
    ['name', { environment: 'live', name: 'x'.repeat(201) }],
    ['name', { environment: 'live', name: 'One\nTwo' }],
    ['name', { environment: 'live', name: '\ud83d' }],
    ['type', { environment: 'live', name: 'One', type: 'web' }],
  ])('are rejected with an invalid %s', async (field, body) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.body?.content['field']).toBe(field)
  })

  it('never change their environment', async () => {
    const { id } = await create('Fixed')
    await patch(id, { name: 'Fixed', environment: 'live' })
    expect((await get(`/${id}`)).body?.content).toMatchObject({ environment: 'test' })
  })

  it('are changed by owners and admins, and read by members', async () => {
    const { id } = await create('Guarded')
    for (const answer of [
      await post({ name: 'Mine', environment: 'live' }, 'member'),
      await patch(id, { name: 'Mine' }, 'member'),
      await remove(id, 'member'),
    ]) {
      expect(answer.status).toBe(403)
    }
    for (const answer of [
      await get('', 'stranger'),
      await get(`/${id}`, 'stranger'),
      await post({ name: 'Mine', environment: 'live' }, 'stranger'),
      await patch(id, { name: 'Mine' }, 'stranger'),
      await remove(id, 'stranger'),
    ]) {
      expect(answer.status).toBe(404)
    }
    expect((await get(`/${id}`)).body?.content).toMatchObject({ name: 'Guarded' })
  })

  it('that are unknown or belong to another organization are not found', async () => {
    const name = 'Foreign'
    const foreign = { org_id: randomUUID(), type: 'flutter', environment: 'live', name } as const
    const { id } = await applications.create(foreign)
    for (const unknown of [id, randomUUID(), 'x']) {
      expect((await get(`/${unknown}`)).status).toBe(404)
      expect((await patch(unknown, { name: 'Mine' })).status).toBe(404)
      expect((await remove(unknown)).status).toBe(404)
    }
  })
})
