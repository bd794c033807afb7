import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevice } from '../../../../test/support/mdm.ts'
import {
  addEnterprise,
  auditOf,
  dispatchesOf,
  NOW,
  openAdministration,
  USER,
  whileHeld,
} from '../../../../test/support/mdm-administration.ts'
import { baselinePolicy } from './baseline.ts'
import { markPublished, markRejected } from './store.ts'

const db = testDatabase()
const TILLS = { name: 'Tills', management_mode: 'fully_managed' } as const
const refusing = (field: string) => expect.objectContaining({ body: bodyNaming(field) }) as unknown
const bodyNaming = (field: string) => expect.objectContaining({ content: { field } }) as unknown

const versionsOf = async (policyId: string) =>
  await db
    .selectFrom('mdm_policy_versions')
    .select(['version', 'policy_json', 'created_by'])
    .where('policy_id', '=', policyId)
    .orderBy('version')
    .execute()

describe('a policy', () => {
  it('has the baseline of its mode when the request has no document', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db)
    const created = await policies.create(USER, org_id, TILLS)
    expect(created).toEqual({
      id: created.id,
      ...TILLS,
      description: '',
      policy_json: baselinePolicy('fully_managed'),
      version: 1,
      publish_state: 'waiting',
      publish_error: null,
      created_at: NOW.toISOString(),
      updated_at: NOW.toISOString(),
    })
    const request = { ...TILLS, management_mode: 'work_profile' as const, policy_json: { a: 1 } }
    await expect(policies.create(USER, org_id, request)).rejects.toEqual(refusing('policy_json.a'))
    const phone = await policies.create(USER, org_id, { ...request, policy_json: {} })
    expect(phone.policy_json).toEqual({})
    expect(await policies.list(org_id)).toEqual([phone, created])
    expect(await policies.list(randomUUID())).toEqual([])
  })

  it('is audited with its author, and dispatched once there is an enterprise', async () => {
    const org_id = randomUUID()
    const { policies, hints } = openAdministration(db)
    const before = await policies.create(USER, org_id, TILLS)
    expect(await dispatchesOf(db, org_id)).toEqual([])
    await addEnterprise(db, org_id)
    const after = await policies.create(USER, org_id, { ...TILLS, description: 'Bern' })
    expect(await dispatchesOf(db, org_id)).toEqual([`publish_policy ${after.id}`])
    expect(hints.length).toBeGreaterThan(0)
    const entry = { action: 'policy.created', actor_type: 'user', actor_id: USER }
    expect(await auditOf(db, org_id)).toMatchObject([
      { ...entry, target_id: before.id, after: { ...TILLS, description: '', version: 1 } },
      { ...entry, target_id: after.id, after: { ...TILLS, description: 'Bern', version: 1 } },
    ])
    expect(await versionsOf(after.id)).toEqual([
      { version: 1, policy_json: after.policy_json, created_by: USER },
    ])
  })

  it('is refused when the limit of policies is reached', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db, { limits: { policies: 1 } })
    await policies.create(USER, org_id, TILLS)
    await expect(policies.create(USER, org_id, TILLS)).rejects.toEqual(refusing('org_id'))
    expect(await policies.list(org_id)).toHaveLength(1)
    expect(await auditOf(db, org_id)).toHaveLength(1)
  })
})

/** Returns the number of refused attempts, each of which names this field. */
async function refusedOf(attempts: readonly Promise<unknown>[], field: string): Promise<number> {
  const settled = await Promise.allSettled(attempts)
  const reasons = settled.flatMap((each) =>
    each.status === 'rejected' ? [each.reason as unknown] : [],
  )
  expect(reasons).toEqual(reasons.map(() => refusing(field)))
  return reasons.length
}

describe('the policies of an organization', () => {
  const times = (count: number) => Array.from({ length: count }, (_, index) => index)

  it('do not exceed the limit when many are created concurrently', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db, { limits: { policies: 3 } })
    const attempts = times(12).map(async () => await policies.create(USER, org_id, TILLS))
    expect(await refusedOf(attempts, 'org_id')).toBe(9)
    expect(await policies.list(org_id)).toHaveLength(3)
  })

  /** `{"deviceOwnerLockScreenInfo": {"defaultMessage": "…"}}` */
  const ofBytes = (bytes: number) => {
    const policy_json = { deviceOwnerLockScreenInfo: { defaultMessage: '' } }
    const rest = 'x'.repeat(bytes - JSON.stringify(policy_json).length - 2)
    return { policy_json: { deviceOwnerLockScreenInfo: { defaultMessage: rest } } }
  }

  it('do not exceed the limit of bytes together, even when many are created concurrently', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db, { limits: { policies_bytes: 1000 } })
    const request = { ...TILLS, ...ofBytes(400) }
    const attempts = times(8).map(async () => await policies.create(USER, org_id, request))
    expect(await refusedOf(attempts, 'policy_json')).toBe(6)
    const [first, second] = await policies.list(org_id)
    // The baseline, which is the default document, is larger than the rest of the limit.
    await expect(policies.create(USER, org_id, TILLS)).rejects.toEqual(refusing('policy_json'))
    const grown = [first, second].map(
      async (each) => await policies.update(USER, org_id, { id: each?.id ?? '' }, ofBytes(600)),
    )
    expect(await refusedOf(grown, 'policy_json')).toBe(1)
    await policies.create(USER, randomUUID(), { ...TILLS, ...ofBytes(1000) })
  })

  it('can shrink after the limit was lowered below their size', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db)
    const { id } = await policies.create(USER, org_id, { ...TILLS, ...ofBytes(900) })
    const lowered = openAdministration(db, { limits: { policies_bytes: 500 } }).policies
    await expect(lowered.update(USER, org_id, { id }, ofBytes(901))).rejects.toEqual(
      refusing('policy_json'),
    )
    expect(await lowered.update(USER, org_id, { id }, { name: 'N' })).toMatchObject({ name: 'N' })
    expect(await lowered.update(USER, org_id, { id }, ofBytes(800))).toMatchObject({ version: 2 })
  })
})

describe('changing a policy', () => {
  it('retains the last hundred versions of each policy', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db)
    const other = await policies.create(USER, org_id, TILLS)
    const { id } = await policies.create(USER, org_id, { ...TILLS, policy_json: {} })
    for (let version = 2; version <= 103; version += 1) {
      const policy_json = { cameraDisabled: version % 2 === 0 }
      await policies.update(USER, org_id, { id }, { policy_json })
    }
    const versions = (await versionsOf(id)).map(({ version }) => version)
    expect(versions).toEqual(Array.from({ length: 100 }, (_, index) => index + 4))
    expect(await versionsOf(other.id)).toHaveLength(1)
  })

  it('stores the version, publishes it, and makes the compliance of its devices due', async () => {
    const org_id = randomUUID()
    const { policies, due } = openAdministration(db)
    const { id } = await policies.create(USER, org_id, { ...TILLS, policy_json: {} })
    await addEnterprise(db, org_id)
    const policy_json = { cameraDisabled: true }
    const changed = await policies.update(USER, org_id, { id }, { policy_json })
    expect(changed).toMatchObject({ version: 2, policy_json, publish_state: 'waiting' })
    expect(await policies.list(org_id)).toEqual([changed])
    expect(await dispatchesOf(db, org_id)).toEqual([`publish_policy ${id}`])
    expect(due).toEqual([id])
    expect(await versionsOf(id)).toMatchObject([
      { version: 1, policy_json: {} },
      { version: 2, policy_json },
    ])
  })

  it('creates no version and dispatches nothing when only the name changes', async () => {
    const org_id = randomUUID()
    await addEnterprise(db, org_id)
    const { policies, due } = openAdministration(db)
    const created = await policies.create(USER, org_id, TILLS)
    await db.deleteFrom('mdm_dispatches').where('org_id', '=', org_id).execute()
    const changes = { name: 'Registers', policy_json: created.policy_json }
    const changed = await policies.update(USER, org_id, { id: created.id }, changes)
    expect(changed).toEqual({ ...created, name: 'Registers', updated_at: changed?.updated_at })
    expect(changed?.updated_at).not.toBe(created.updated_at)
    expect(await dispatchesOf(db, org_id)).toEqual([])
    expect(due).toEqual([])
    expect((await auditOf(db, org_id)).at(-1)).toMatchObject({
      action: 'policy.updated',
      before: { name: 'Tills' },
      after: { name: 'Registers' },
    })
  })

  it('records nothing when nothing changes', async () => {
    const org_id = randomUUID()
    const created = await openAdministration(db).policies.create(USER, org_id, TILLS)
    const later = openAdministration(db, { now: new Date('2026-03-02T12:00:00.000Z') })
    expect(await later.policies.update(USER, org_id, { id: created.id }, TILLS)).toEqual(created)
    expect(await auditOf(db, org_id)).toHaveLength(1)
  })

  it('is limited to existing policies of the organization', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db)
    const { id } = await policies.create(USER, org_id, TILLS)
    const other = { name: 'Mine' }
    expect(await policies.update(USER, randomUUID(), { id }, other)).toBeUndefined()
    expect(await policies.update(USER, org_id, { id: randomUUID() }, other)).toBeUndefined()
    expect(await policies.update(USER, org_id, { id: 'no-uuid' }, other)).toBeUndefined()
    expect(await policies.list(org_id)).toMatchObject([TILLS])
  })

  it('changes nothing when the document is invalid', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db)
    const created = await policies.create(USER, org_id, TILLS)
    const faulty = { name: 'New', policy_json: { systemUpdate: { type: 'NEVER' } } }
    const attempt = policies.update(USER, org_id, { id: created.id }, faulty)
    await expect(attempt).rejects.toEqual(refusing('policy_json.systemUpdate.type'))
    expect(await policies.list(org_id)).toEqual([created])
  })
})

describe('the mode of a policy', () => {
  const work = { management_mode: 'work_profile' } as const

  it('can be changed while nothing uses the policy', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db)
    const { id } = await policies.create(USER, org_id, TILLS)
    await addDevice(db, { org_id, policy_id: randomUUID() })
    expect(await policies.update(USER, org_id, { id }, work)).toMatchObject(work)
  })

  it.each(['token', 'group', 'device', 'deleted device', 'enrolled device'])(
    'cannot be changed once a %s uses the policy',
    async (user) => {
      const org_id = randomUUID()
      await addEnterprise(db, org_id)
      const { policies, tokens, groups } = openAdministration(db)
      const { id } = await policies.create(USER, org_id, TILLS)
      if (user === 'token') await tokens.create(USER, org_id, { policy_id: id })
      else if (user === 'group') await groups.create(USER, org_id, { name: 'G', policy_id: id })
      else if (user === 'device') await addDevice(db, { org_id, policy_id: id })
      else if (user === 'enrolled device') await addDevice(db, { org_id, enrolled_policy_id: id })
      else await addDevice(db, { org_id, policy_id: id, state: 'deleted' })
      const attempt = policies.update(USER, org_id, { id }, work)
      await expect(attempt).rejects.toEqual(refusing('management_mode'))
      // Everything else can change.
      const renamed = await policies.update(USER, org_id, { id }, { name: 'Other' })
      expect(renamed).toMatchObject({ name: 'Other', management_mode: 'fully_managed' })
    },
  )

  it('cannot be changed while another transaction adds a reference to the policy', async () => {
    const org_id = randomUUID()
    const { policies, groups } = openAdministration(db)
    const { id } = await policies.create(USER, org_id, TILLS)
    const group = { org_id, id: randomUUID(), name: 'G', policy_id: id }
    const result = await whileHeld(
      db,
      async (tx) => {
        const now = { created_at: NOW, updated_at: NOW }
        await tx.selectFrom('mdm_policies').selectAll().where('id', '=', id).forShare().execute()
        await tx
          .insertInto('mdm_groups')
          .values({ ...group, ...now })
          .execute()
      },
      async () => await policies.update(USER, org_id, { id }, work),
    )
    expect(result).toEqual({ status: 'rejected', reason: refusing('management_mode') })
    expect(await groups.list(org_id)).toMatchObject([{ policy_id: id }])
  })
})

describe('the publication of a policy', () => {
  const publication = { version: 1, provider_version: 5 }

  it('is shown as waiting, published, or rejected with the reason', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db)
    const { id } = await policies.create(USER, org_id, { ...TILLS, policy_json: {} })
    expect(await markPublished(db, { org_id, policy_id: id, ...publication })).toBe(true)
    expect(await policies.list(org_id)).toMatchObject([{ publish_state: 'published' }])
    await policies.update(USER, org_id, { id }, { policy_json: { cameraDisabled: true } })
    expect(await policies.list(org_id)).toMatchObject([{ publish_state: 'waiting' }])
    await markRejected(db, org_id, id, 'The camera is needed')
    const rejected = { publish_state: 'rejected', publish_error: 'The camera is needed' }
    expect(await policies.list(org_id)).toMatchObject([rejected])
    // The same document again, which the provider may accept by now.
    await db.deleteFrom('mdm_dispatches').where('org_id', '=', org_id).execute()
    const policy_json = { cameraDisabled: true }
    expect(await policies.update(USER, org_id, { id }, { policy_json })).toMatchObject({
      version: 2,
      publish_state: 'waiting',
    })
    expect(await dispatchesOf(db, org_id)).toHaveLength(1)
    const next = await policies.update(USER, org_id, { id }, { policy_json: {} })
    expect(next).toMatchObject({ version: 3, publish_state: 'waiting', publish_error: null })
  })

  it('does not go back to an older version that is reported later', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db)
    const { id } = await policies.create(USER, org_id, { ...TILLS, policy_json: {} })
    await policies.update(USER, org_id, { id }, { policy_json: { cameraDisabled: true } })
    const of = (version: number) => ({ org_id, policy_id: id, version, provider_version: version })
    expect(await markPublished(db, of(2))).toBe(true)
    expect(await markPublished(db, of(1))).toBe(false)
    expect(await policies.list(org_id)).toMatchObject([{ publish_state: 'published' }])
  })
})
