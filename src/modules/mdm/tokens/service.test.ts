import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevice } from '../../../../test/support/mdm.ts'
import {
  type AdministrationOptions,
  acceptingProvider,
  addEnterprise,
  answer,
  auditOf,
  dispatchesOf,
  fails,
  NOW,
  openAdministration,
  USER,
} from '../../../../test/support/mdm-administration.ts'
import { createIds } from '../../../platform/ids.ts'
import { requestDispatches } from '../dispatch/store.ts'
import type { NewEnrollmentToken } from '../providers/port.ts'
import type { ManagementMode } from '../tables.ts'

const db = testDatabase()
const refusing = (field: string) =>
  expect.objectContaining({
    body: expect.objectContaining({ content: { field } }) as unknown,
  }) as unknown

type Provider = NonNullable<AdministrationOptions['provider']>

/** Creates an organization with an enterprise and an unpublished policy. */
async function open(options: AdministrationOptions = {}, mode: ManagementMode = 'fully_managed') {
  const org_id = randomUUID()
  const enterprise = await addEnterprise(db, org_id)
  const administration = openAdministration(db, options)
  const request = { name: 'Tills', management_mode: mode, policy_json: { cameraDisabled: true } }
  const policy = await administration.policies.create(USER, org_id, request)
  return { org_id, enterprise, policy_id: policy.id, ...administration }
}

/** A provider that records its requests. */
function recording() {
  const tokens: NewEnrollmentToken[] = []
  const policies: [name: string, policy: object][] = []
  const provider: Provider = {
    patchPolicy: (name, policy) => {
      policies.push([name, policy])
      return Promise.resolve(answer({ version: 7 }))
    },
    createEnrollmentToken: async (enterprise, token) => {
      tokens.push(token)
      return await acceptingProvider().createEnrollmentToken(enterprise, token)
    },
  }
  return { tokens, policies, provider }
}

const storedOf = async (orgId: string) =>
  await db.selectFrom('mdm_enrollment_tokens').selectAll().where('org_id', '=', orgId).execute()
const policyOf = async (id: string) =>
  await db.selectFrom('mdm_policies').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

describe('an enrollment token', () => {
  it('is for a week and many devices by default, and its id is passed to devices', async () => {
    const { tokens: requested, provider } = recording()
    const { tokens, org_id, enterprise, policy_id } = await open({ provider })
    const token = await tokens.create(USER, org_id, { policy_id })
    expect(requested).toEqual([
      {
        policyName: `${enterprise}/policies/${policy_id}`,
        duration: '604800s',
        oneTimeOnly: false,
        allowPersonalUsage: 'PERSONAL_USAGE_DISALLOWED',
        additionalData: JSON.stringify({ token_id: token.id }),
      },
    ])
    expect(token).toMatchObject({
      policy_id,
      management_mode: 'fully_managed',
      duration_hours: 168,
      one_time: false,
      expires_at: '2026-03-08T12:00:00.000Z',
    })
    expect(token.qr_content).toBe(JSON.stringify({ token: token.token_value }))
    expect(await tokens.list(org_id, 'admin')).toEqual([token])
    expect(await tokens.list(randomUUID(), 'admin')).toEqual([])
  })

  it('depends on the mode of its policy, and on the request', async () => {
    const { tokens: requested, provider } = recording()
    const { tokens, org_id, policy_id } = await open({ provider }, 'work_profile')
    const request = { policy_id, duration_hours: 1.5, one_time: true }
    const token = await tokens.create(USER, org_id, request)
    expect(token).toMatchObject({ ...request, management_mode: 'work_profile' })
    expect(requested).toMatchObject([
      { duration: '5400s', oneTimeOnly: true, allowPersonalUsage: 'PERSONAL_USAGE_ALLOWED' },
    ])
  })

  it('lasts at least a minute', async () => {
    const { tokens: requested, provider } = recording()
    const { tokens, org_id, policy_id } = await open({ provider })
    const create = async (duration_hours: number) =>
      await tokens.create(USER, org_id, { policy_id, duration_hours })
    await expect(create(59 / 3600)).rejects.toEqual(refusing('duration_hours'))
    await create(1 / 60)
    expect(requested).toMatchObject([{ duration: '60s' }])
  })

  it('is stored sealed, and its value is not in the audit log', async () => {
    const { tokens, org_id, policy_id } = await open()
    const { id, token_value } = await tokens.create(USER, org_id, { policy_id })
    const stored = await storedOf(org_id)
    expect(stored).toMatchObject([{ id, created_by: USER }])
    expect(JSON.stringify(stored)).not.toContain(token_value)
    const log = await auditOf(db, org_id)
    const entry = { action: 'enrollment_token.created', actor_id: USER, target_id: id }
    expect(log.at(-1)).toMatchObject({ ...entry, after: { policy_id, duration_hours: 168 } })
    expect(JSON.stringify(log)).not.toContain(token_value)
  })

  it('is listed newest first until it expires', async () => {
    const { tokens, org_id, policy_id } = await open()
    const first = await tokens.create(USER, org_id, { policy_id })
    const second = await tokens.create(USER, org_id, { policy_id })
    expect(await tokens.list(org_id, 'admin')).toEqual([second, first])
    const later = openAdministration(db, { now: new Date('2026-03-08T12:00:00.000Z') })
    expect(await later.tokens.list(org_id, 'admin')).toEqual([])
  })

  it('expires after the requested duration if the provider returns no valid time', async () => {
    const { org_id, policy_id, tokens } = await open({
      provider: {
        createEnrollmentToken: () =>
          Promise.resolve(
            answer({ name: 't', value: 'v', qrCode: '{}', expirationTimestamp: 'soon' }),
          ),
      },
    })
    const token = await tokens.create(USER, org_id, { policy_id, duration_hours: 2 })
    expect(Date.parse(token.expires_at) - Date.parse(token.created_at)).toBe(7_200_000)
  })

  it('needs an enterprise, and a policy of the same organization', async () => {
    const { tokens, policies, org_id } = await open()
    const elsewhere = await open()
    const create = async (policy_id: string) => await tokens.create(USER, org_id, { policy_id })
    await expect(create(elsewhere.policy_id)).rejects.toEqual(refusing('policy_id'))
    await expect(create('no-uuid')).rejects.toEqual(refusing('policy_id'))
    const bare = randomUUID()
    const request = { name: 'Tills', management_mode: 'fully_managed' } as const
    const { id } = await policies.create(USER, bare, request)
    const attempt = tokens.create(USER, bare, { policy_id: id })
    await expect(attempt).rejects.toEqual(refusing('org_id'))
  })

  it('that the provider refuses is not stored', async () => {
    const refuse = fails('rejected', { message: 'Too long.' })
    const { tokens, org_id, policy_id } = await open({
      provider: { createEnrollmentToken: () => Promise.resolve(refuse) },
    })
    const attempt = tokens.create(USER, org_id, { policy_id })
    await expect(attempt).rejects.toEqual(refusing('policy_id'))
    expect(await storedOf(org_id)).toEqual([])
  })
})

describe('the enrollment tokens of an organization', () => {
  const tooMany = (retry_after: number) => ({ status: 429, body: { content: { retry_after } } })

  /** Adds tokens that were created at these times. */
  async function addTokens(orgId: string, policy_id: string, created: readonly Date[]) {
    const newId = createIds()
    const rows = created.map((created_at) => ({
      org_id: orgId,
      id: newId(created_at),
      policy_id,
      management_mode: 'fully_managed' as const,
      provider_name: 'enterprises/LC1/enrollmentTokens/1',
      duration_hours: 1,
      one_time: false,
      token_value: 'sealed',
      qr_content: 'sealed',
      expires_at: new Date(NOW.getTime() - 1),
      created_by: null,
      created_at,
    }))
    await db.insertInto('mdm_enrollment_tokens').values(rows).execute()
  }
  const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)
  const repeated = (count: number, time: Date) => Array.from({ length: count }, () => time)

  it('are limited to sixty per hour, expired ones included', async () => {
    const { tokens: requested, provider } = recording()
    const { tokens, org_id, policy_id } = await open({ provider })
    await addTokens(org_id, policy_id, [
      ...repeated(100, minutesAgo(61)),
      ...repeated(1, minutesAgo(50)),
      ...repeated(58, minutesAgo(1)),
    ])
    await tokens.create(USER, org_id, { policy_id })
    const attempt = tokens.create(USER, org_id, { policy_id })
    await expect(attempt).rejects.toMatchObject(tooMany(600))
    expect(requested).toHaveLength(1)
    const other = await open()
    await other.tokens.create(USER, other.org_id, { policy_id: other.policy_id })
    const later = openAdministration(db, { now: new Date(NOW.getTime() + 601_000) }).tokens
    await later.create(USER, org_id, { policy_id })
  })

  it('do not exceed the limit when many are created concurrently', async () => {
    const { tokens: requested, provider } = recording()
    const { tokens, org_id, policy_id } = await open({ provider })
    await tokens.create(USER, org_id, { policy_id })
    await addTokens(org_id, policy_id, repeated(56, minutesAgo(1)))
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, async () => await tokens.create(USER, org_id, { policy_id })),
    )
    const refused = settled.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThanOrEqual(17)
    expect(requested.length).toBeLessThanOrEqual(4)
    for (const each of refused) expect(each).toMatchObject({ reason: { status: 429 } })
    while ((await storedOf(org_id)).length < 60) await tokens.create(USER, org_id, { policy_id })
    await expect(tokens.create(USER, org_id, { policy_id })).rejects.toMatchObject({ status: 429 })
  })

  it('are listed without a value that cannot be decrypted, which is logged', async () => {
    const lines: unknown[][] = []
    const log = { error: (...line: unknown[]) => void lines.push(line) }
    const { tokens, org_id, policy_id } = await open({ log })
    const first = await tokens.create(USER, org_id, { policy_id })
    const broken = await tokens.create(USER, org_id, { policy_id })
    const last = await tokens.create(USER, org_id, { policy_id })
    await db
      .updateTable('mdm_enrollment_tokens')
      .set({ qr_content: 'sealed with a key that is lost' })
      .where('id', '=', broken.id)
      .execute()
    const unreadable = { ...broken, token_value: null, qr_content: null }
    expect(await tokens.list(org_id, 'admin')).toEqual([last, unreadable, first])
    expect(lines).toEqual([
      [
        { err: expect.any(Error) as unknown, token_ids: [broken.id] },
        'cannot decrypt enrollment tokens',
      ],
    ])
  })
})

describe('a token that is ended', () => {
  it('is deleted at the provider first, once, and audited', async () => {
    const deleted: string[] = []
    const { tokens, org_id, policy_id, enterprise } = await open({
      provider: {
        deleteEnrollmentToken: (name) => {
          deleted.push(name)
          return Promise.resolve(answer({}))
        },
      },
    })
    const { id } = await tokens.create(USER, org_id, { policy_id })
    const ended = { id, state: 'ended', token_value: null, qr_content: null }
    expect(await tokens.end(USER, org_id, id)).toMatchObject(ended)
    expect(await tokens.end(USER, org_id, id)).toMatchObject(ended)
    expect(deleted).toEqual([expect.stringContaining(`${enterprise}/enrollmentTokens/`)])
    expect(await tokens.list(org_id, 'admin')).toEqual([])
    const { tokens: all } = await tokens.listAll(org_id, 'admin', { after: undefined, limit: 10 })
    expect(all).toMatchObject([{ id, state: 'ended' }])
    const entries = (await auditOf(db, org_id)).filter(({ target_id }) => target_id === id)
    expect(entries.map(({ action }) => action)).toEqual([
      'enrollment_token.created',
      'enrollment_token.ended',
    ])
  })

  it('stays active while the provider may still accept it', async () => {
    const faults = [
      fails('unavailable', { is_ambiguous: true }),
      fails('rate_limited', { retry_after_s: 30 }),
      fails('refused'),
    ]
    const { tokens, org_id, policy_id } = await open({
      provider: {
        deleteEnrollmentToken: () => Promise.resolve(faults.shift() ?? fails('not_found')),
      },
    })
    const { id } = await tokens.create(USER, org_id, { policy_id })
    const end = async () => await tokens.end(USER, org_id, id)
    await expect(end()).rejects.toMatchObject({
      status: 500,
      body: { message: expect.stringContaining('may have been made') as unknown },
    })
    await expect(end()).rejects.toMatchObject({ status: 429 })
    await expect(end()).rejects.toMatchObject({ status: 500 })
    expect(await tokens.list(org_id, 'admin')).toMatchObject([{ id, state: 'active' }])
    // The provider deleted it although its answer was lost.
    expect(await end()).toMatchObject({ id, state: 'ended' })
  })

  it('has to be one of the organization', async () => {
    const { tokens, org_id, policy_id } = await open()
    const { id } = await tokens.create(USER, org_id, { policy_id })
    expect(await tokens.end(USER, randomUUID(), id)).toBeUndefined()
    expect(await tokens.end(USER, org_id, 'no-uuid')).toBeUndefined()
    expect(await tokens.list(org_id, 'admin')).toMatchObject([{ state: 'active' }])
  })

  it('is not sent to the provider when it has expired or was used up', async () => {
    const deleteEnrollmentToken = () => Promise.reject(new Error('unexpected request'))
    const { tokens, org_id, policy_id } = await open({ provider: { deleteEnrollmentToken } })
    const used = await tokens.create(USER, org_id, { policy_id, one_time: true })
    const expired = await tokens.create(USER, org_id, { policy_id })
    const set = async (id: string, columns: object) =>
      await db.updateTable('mdm_enrollment_tokens').set(columns).where('id', '=', id).execute()
    await set(used.id, { used_at: NOW })
    await set(expired.id, { expires_at: NOW })
    expect(await tokens.end(USER, org_id, used.id)).toMatchObject({ state: 'used' })
    expect(await tokens.end(USER, org_id, expired.id)).toMatchObject({ state: 'expired' })
  })
})

describe('the policy of a token', () => {
  it('is published once before the first token, and its dispatch is deleted', async () => {
    const { policies: sent, provider } = recording()
    const { tokens, policies, org_id, enterprise, policy_id } = await open({ provider })
    expect(await dispatchesOf(db, org_id)).toEqual([`publish_policy ${policy_id}`])
    await tokens.create(USER, org_id, { policy_id })
    await tokens.create(USER, org_id, { policy_id })
    expect(sent).toEqual([[`${enterprise}/policies/${policy_id}`, { cameraDisabled: true }]])
    expect(await policyOf(policy_id)).toMatchObject({ published_version: 1, provider_version: 7 })
    expect(await policies.list(org_id)).toMatchObject([{ publish_state: 'published' }])
    expect(await dispatchesOf(db, org_id)).toEqual([])
    const published = (await auditOf(db, org_id)).filter(
      ({ action }) => action === 'policy.published',
    )
    const change = { before: { published_version: null }, after: { published_version: 1 } }
    expect(published).toMatchObject([{ actor_type: 'system', ...change }])
  })

  it('is assigned soon to devices that waited for its publication', async () => {
    const { tokens, org_id, policy_id } = await open()
    const device = await addDevice(db, { org_id, policy_id })
    await requestDispatches(db, 'assign_policy', [{ org_id, subject_id: device.id }])
    const dueOf = async () =>
      await db
        .selectFrom('mdm_dispatches')
        .select('due_at')
        .where('subject_id', '=', device.id)
        .executeTakeFirstOrThrow()
    const due_at = new Date('2100-01-01T00:00:00.000Z')
    await db.updateTable('mdm_dispatches').set({ due_at }).where('org_id', '=', org_id).execute()
    await tokens.create(USER, org_id, { policy_id })
    expect((await dueOf()).due_at.getTime()).toBeLessThan(due_at.getTime())
  })

  it('keeps its dispatch when a dispatcher is already publishing it', async () => {
    const { tokens, org_id, policy_id } = await open()
    const lease = { lease_id: randomUUID(), leased_until: new Date(Date.now() + 60_000) }
    await db.updateTable('mdm_dispatches').set(lease).where('org_id', '=', org_id).execute()
    await tokens.create(USER, org_id, { policy_id })
    expect(await dispatchesOf(db, org_id)).toEqual([`publish_policy ${policy_id}`])
  })

  it('that the provider rejects is shown as rejected, and no token is created', async () => {
    const refuse = fails('rejected', { message: 'No such app.' })
    const { tokens: requested, provider } = recording()
    const { tokens, policies, org_id, policy_id } = await open({
      provider: { ...provider, patchPolicy: () => Promise.resolve(refuse) },
    })
    const attempt = tokens.create(USER, org_id, { policy_id })
    await expect(attempt).rejects.toEqual(refusing('policy_id'))
    expect(requested).toEqual([])
    const shown = { publish_state: 'rejected', publish_error: 'No such app.' }
    expect(await policies.list(org_id)).toMatchObject([shown])
    expect(await dispatchesOf(db, org_id)).toEqual([])
    expect((await auditOf(db, org_id)).at(-1)).toMatchObject({
      action: 'policy.rejected',
      after: { version: 1, publish_error: 'No such app.' },
    })
  })

  it('is published again when it is unknown whether the provider received it', async () => {
    const lost = fails('unavailable', { is_ambiguous: true })
    const { tokens, org_id, policy_id } = await open({
      provider: { patchPolicy: () => Promise.resolve(lost) },
    })
    const attempt = tokens.create(USER, org_id, { policy_id })
    await expect(attempt).rejects.toMatchObject({ status: 500 })
    const row = await db
      .selectFrom('mdm_dispatches')
      .select('revision')
      .where('org_id', '=', org_id)
      .executeTakeFirst()
    expect(row).toEqual({ revision: 2 })
    expect(await policyOf(policy_id)).toMatchObject({ published_version: null })
  })
})

describe('a policy that is changed while a token is created for it', () => {
  it('is published again, because the older version may have replaced the new one', async () => {
    const changing: Provider = {
      patchPolicy: async () => {
        const policy_json = { cameraDisabled: false }
        await setting.policies.update(
          USER,
          setting.org_id,
          { id: setting.policy_id },
          { policy_json },
        )
        await db.deleteFrom('mdm_dispatches').where('org_id', '=', setting.org_id).execute()
        return answer({ version: 7 })
      },
    }
    const setting = await open({ provider: changing })
    const { org_id, policy_id } = setting
    await setting.tokens.create(USER, org_id, { policy_id })
    expect(await policyOf(policy_id)).toMatchObject({ version: 2, published_version: 1 })
    expect(await dispatchesOf(db, org_id)).toEqual([`publish_policy ${policy_id}`])
  })

  it('to another mode gets no token that would enroll devices in the old one', async () => {
    const changing: Provider = {
      createEnrollmentToken: async (enterprise, token) => {
        const change = { management_mode: 'work_profile' } as const
        await setting.policies.update(USER, setting.org_id, { id: setting.policy_id }, change)
        return await acceptingProvider().createEnrollmentToken(enterprise, token)
      },
    }
    const setting = await open({ provider: changing })
    const attempt = setting.tokens.create(USER, setting.org_id, { policy_id: setting.policy_id })
    await expect(attempt).rejects.toEqual(refusing('policy_id'))
    expect(await storedOf(setting.org_id)).toEqual([])
  })
})
