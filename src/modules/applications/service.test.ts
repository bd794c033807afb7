import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createPushModules } from '../../../test/support/push-applications.ts'
import { addApplication, PACKAGE_NAME } from '../../../test/support/push-fixtures.ts'
import { findApplication } from './store.ts'

const db = testDatabase()
const { applications, ...rest } = createPushModules(db, { push_applications_max: 3 })
let org_id = ''
beforeEach(() => {
  org_id = randomUUID()
})

const create = async (name: string) =>
  await applications.create({ org_id, type: 'flutter', environment: 'test', name })

describe('applications', () => {
  it('are listed newest first, for one organization', async () => {
    const [one, two] = [await create(' One '), await create('Two')]
    expect(one).toMatchObject({ org_id, type: 'flutter', environment: 'test', name: 'One' })
    expect(await applications.list(org_id)).toEqual([two, one])
    expect(await applications.find(org_id, one.id)).toEqual(one)
    expect(await findApplication(db, org_id, one.id.toUpperCase())).toEqual(one)
    expect(await applications.list(randomUUID())).toEqual([])
  })

  it('are limited in number, not counting deleted ones', async () => {
    const first = await create('1')
    await create('2')
    await create('3')
    await expect(create('4')).rejects.toThrow('org_id already has the maximum of 3 applications')
    await applications.remove(org_id, first.id)
    expect(await create('4')).toMatchObject({ name: '4' })
  })

  it('can be renamed, but not to a blank name', async () => {
    const { id } = await create('Old')
    expect(await applications.rename(org_id, id, 'New')).toMatchObject({ id, name: 'New' })
    await expect(applications.rename(org_id, id, ' ')).rejects.toThrow('name must not be blank')
    await expect(create('  ')).rejects.toThrow('name must not be blank')
    for (const work of [
      create('x'.repeat(201)),
      applications.rename(org_id, id, 'x'.repeat(201)),
    ]) {
      await expect(work).rejects.toThrow('name must not be longer than 200 characters')
    }
    expect(await applications.find(org_id, id)).toMatchObject({ name: 'New' })
  })

  it.each(['a\0b', 'a\nb', 'a\u001bb', 'a\u007fb', 'a\u009fb', 'a\ud800', '\udc00a'])(
    'reject a name that cannot be displayed or stored (%#)',
    async (name) => {
      const { id } = await create('Old')
      const refusal = { status: 400, body: { content: { field: 'name' } } }
      await expect(create(name)).rejects.toMatchObject(refusal)
      await expect(applications.rename(org_id, id, name)).rejects.toMatchObject(refusal)
      expect(await applications.list(org_id)).toMatchObject([{ id, name: 'Old' }])
    },
  )

  it('accept names in any alphabet', async () => {
    expect(await create('\tKäufe 👩‍💻 متجر\n')).toMatchObject({ name: 'Käufe 👩‍💻 متجر' })
  })

  it('are not found for other organizations, unknown ids and malformed ids', async () => {
    const { id } = await create('One')
    for (const [org, other] of [
      [randomUUID(), id],
      [org_id, randomUUID()],
      [org_id, 'x'],
      ['x', id],
    ] as const) {
      expect(await applications.find(org, other)).toBeUndefined()
      expect(await applications.rename(org, other, 'Mine')).toBeUndefined()
      expect(await applications.remove(org, other)).toBe(false)
    }
    expect(await applications.list('x')).toEqual([])
    expect(await applications.find(org_id, id)).toMatchObject({ name: 'One' })
  })

  it('disappear when deleted, together with their credentials', async () => {
    const app = await addApplication(db, { org_id })
    expect(await applications.remove(org_id, app.application_id)).toBe(true)
    expect(await applications.remove(org_id, app.application_id)).toBe(false)
    expect(await applications.list(org_id)).toEqual([])
    expect(await applications.find(org_id, app.application_id)).toBeUndefined()
    const left = await db
      .selectFrom('push_credentials')
      .select('provider')
      .where('application_id', '=', app.application_id)
      .execute()
    expect(left).toEqual([])
    const names = { android_package_name: PACKAGE_NAME }
    expect(await rest.configurations.set({ ...app, ...names })).toBeUndefined()
  })
})
