import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import {
  acceptingProvider,
  addEnterprise,
  answer,
  auditOf,
  dispatchesOf,
  fails,
  NOW,
  openAdministration,
  USER,
  whileHeld,
} from '../../../../test/support/mdm-administration.ts'
import type { AppError } from '../../../platform/http/errors.ts'
import { insertPolicy } from '../policies/store.ts'
import { findEnterpriseForShare, lockEnterprise } from './store.ts'

const db = testDatabase()
const CALLBACK = 'https://console.example.com/devices'
const refusing = (field: string) =>
  expect.objectContaining({
    body: expect.objectContaining({ content: { field } }) as unknown,
  }) as unknown

type Administration = ReturnType<typeof openAdministration>

async function signUp({ enterprises }: Administration, orgId: string) {
  const { signup_url_name } = await enterprises.startSignup(USER, orgId, CALLBACK)
  return { signup_url_name, enterprise_token: 'secret-token' }
}

const signupsOf = async (orgId: string) =>
  await db.selectFrom('mdm_signups').selectAll().where('org_id', '=', orgId).execute()

describe('a sign-up', () => {
  it('returns a page of the provider, and is stored without the callback', async () => {
    const org_id = randomUUID()
    const { enterprises } = openAdministration(db)
    const callback = `${CALLBACK}?state=unguessable`
    const signup = await enterprises.startSignup(USER, org_id, callback)
    expect(signup.signup_url).toBe('https://play.google.com/signup')
    const [entry] = await auditOf(db, org_id)
    expect(entry).toMatchObject({
      action: 'enterprise.signup_started',
      actor_id: USER,
      after: { signup_url_name: signup.signup_url_name },
    })
    expect(JSON.stringify(entry)).not.toContain('unguessable')
  })

  it.each(['', 'console', 'ftp://example.com/', 'javascript:alert(1)', 'https://'])(
    'does not send the administrator to %j',
    async (callback) => {
      const { enterprises } = openAdministration(db)
      const attempt = enterprises.startSignup(USER, randomUUID(), callback)
      await expect(attempt).rejects.toEqual(refusing('callback_url'))
    },
  )

  it('is refused to an organization with an enterprise, and passes on the limit of the provider', async () => {
    const org_id = randomUUID()
    await addEnterprise(db, org_id)
    const { enterprises } = openAdministration(db)
    const attempt = enterprises.startSignup(USER, org_id, CALLBACK)
    await expect(attempt).rejects.toEqual(refusing('org_id'))
    const limited = openAdministration(db, {
      provider: {
        createSignupUrl: () => Promise.resolve(fails('rate_limited', { retry_after_s: 9 })),
      },
    })
    const other = randomUUID()
    await expect(limited.enterprises.startSignup(USER, other, CALLBACK)).rejects.toMatchObject({
      status: 429,
      body: { content: { retry_after: 9 } },
    })
    expect(await signupsOf(other)).toEqual([])
  })
})

describe('sign-ups of an organization', () => {
  const tooMany = (retry_after: number) => ({ status: 429, body: { content: { retry_after } } })

  /** Counts the requests to the provider. */
  function counting(createSignupUrl = acceptingProvider().createSignupUrl, now = NOW) {
    const requests: string[] = []
    const provider = {
      createSignupUrl: async (url: string) => {
        requests.push(url)
        return await createSignupUrl(url)
      },
    }
    return { requests, ...openAdministration(db, { provider, now }).enterprises }
  }

  it('are limited to twenty in an hour, also when many start together', async () => {
    const org_id = randomUUID()
    const { requests, startSignup } = counting()
    const attempts = Array.from({ length: 30 }, async () => {
      return await startSignup(USER, org_id, CALLBACK)
    })
    const settled = await Promise.allSettled(attempts)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(requests).toHaveLength(20)
    await startSignup(USER, randomUUID(), CALLBACK)
    const halfAnHourLater = new Date(NOW.getTime() + 1_800_000)
    const later = counting(undefined, halfAnHourLater)
    const error: unknown = await later.startSignup(USER, org_id, CALLBACK).catch((e: unknown) => e)
    const { status, body } = error as AppError
    expect(status).toBe(429)
    // The first of them started within milliseconds of the full minute.
    expect([1800, 1801]).toContain(body.content?.['retry_after'])
    const afterAnHour = counting(undefined, new Date(NOW.getTime() + 3_700_000))
    await afterAnHour.startSignup(USER, org_id, CALLBACK)
  })

  it('count when the provider rejects them, and not when it was rate limited', async () => {
    const org_id = randomUUID()
    const limited = counting(() => Promise.resolve(fails('rate_limited', { retry_after_s: 9 })))
    for (let attempt = 0; attempt < 25; attempt += 1) {
      await expect(limited.startSignup(USER, org_id, CALLBACK)).rejects.toMatchObject(tooMany(9))
    }
    const rejecting = counting(() => Promise.resolve(fails('rejected')))
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await expect(rejecting.startSignup(USER, org_id, CALLBACK)).rejects.toEqual(
        refusing('callback_url'),
      )
    }
    await expect(rejecting.startSignup(USER, org_id, CALLBACK)).rejects.toMatchObject({
      status: 429,
    })
    expect(rejecting.requests).toHaveLength(20)
  })
})

describe('an enterprise', () => {
  it('is created from a sign-up of the organization, and queues all policies for publication', async () => {
    const org_id = randomUUID()
    const administration = openAdministration(db)
    const { enterprises, policies } = administration
    expect(await enterprises.find(org_id)).toBeNull()
    const policy = { name: 'Tills', management_mode: 'fully_managed' } as const
    const { id } = await policies.create(USER, org_id, policy)
    const request = await signUp(administration, org_id)
    const created = await enterprises.create(USER, org_id, request)
    expect(created).toMatchObject({
      display_name: 'Stores',
      created_at: expect.any(String) as unknown,
    })
    expect(await enterprises.find(org_id)).toEqual(created)
    expect(await enterprises.find(randomUUID())).toBeNull()
    expect(await dispatchesOf(db, org_id)).toEqual([`publish_policy ${id}`])
    expect(await signupsOf(org_id)).toEqual([])
    const entry = (await auditOf(db, org_id)).at(-1)
    expect(entry).toMatchObject({ action: 'enterprise.created', after: { name: created.name } })
    expect(JSON.stringify(entry)).not.toContain('secret-token')
  })

  it('is not created from a sign-up of another organization', async () => {
    const administration = openAdministration(db)
    const request = await signUp(administration, randomUUID())
    const attempt = administration.enterprises.create(USER, randomUUID(), request)
    await expect(attempt).rejects.toEqual(refusing('signup_url_name'))
  })

  it('is not created twice for an organization, or for two organizations', async () => {
    const org_id = randomUUID()
    const administration = openAdministration(db)
    const request = await signUp(administration, org_id)
    const name = await addEnterprise(db, org_id)
    await expect(administration.enterprises.create(USER, org_id, request)).rejects.toEqual(
      refusing('org_id'),
    )
    const same = openAdministration(db, {
      provider: { createEnterprise: () => Promise.resolve(answer({ name })) },
    })
    const other = randomUUID()
    const attempt = same.enterprises.create(USER, other, await signUp(same, other))
    await expect(attempt).rejects.toEqual(refusing('enterprise_token'))
    expect(await same.enterprises.find(other)).toBeNull()
  })

  it('can be tried again with the same sign-up after the provider failed', async () => {
    const org_id = randomUUID()
    const failing = (fault: ReturnType<typeof fails>) =>
      openAdministration(db, { provider: { createEnterprise: () => Promise.resolve(fault) } })
    const working = openAdministration(db)
    const request = await signUp(working, org_id)
    const rejected = failing(fails('rejected', { message: 'The token has expired.' }))
    await expect(rejected.enterprises.create(USER, org_id, request)).rejects.toMatchObject({
      status: 400,
      body: { message: 'The token has expired.', content: { field: 'enterprise_token' } },
    })
    const lost = failing(fails('unavailable', { is_ambiguous: true }))
    await expect(lost.enterprises.create(USER, org_id, request)).rejects.toMatchObject({
      status: 500,
      body: { message: expect.stringContaining('may have been created nevertheless') as unknown },
    })
    expect(await working.enterprises.find(org_id)).toBeNull()
    await working.enterprises.create(USER, org_id, request)
    expect(await working.enterprises.find(org_id)).not.toBeNull()
  })
})

describe('concurrent requests to create the enterprise', () => {
  it('reach the provider once, whether they use one sign-up or two', async () => {
    const org_id = randomUUID()
    const requested: string[] = []
    let goOn = () => undefined as void
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const administration = openAdministration(db, {
      provider: {
        createEnterprise: async (request) => {
          requested.push(request.signup_url_name)
          await gate
          return await acceptingProvider().createEnterprise(request)
        },
      },
    })
    const { enterprises } = administration
    const requests = [await signUp(administration, org_id), await signUp(administration, org_id)]
    const reasons: unknown[] = []
    const attempts = [...requests, ...requests].map(async (request) => {
      try {
        await enterprises.create(USER, org_id, request)
      } catch (error) {
        reasons.push(error)
        // The provider answers when all others have been refused.
        if (reasons.length === 3) goOn()
      }
    })
    await Promise.all(attempts)
    expect(reasons).toEqual([refusing('org_id'), refusing('org_id'), refusing('org_id')])
    expect(requested).toHaveLength(1)
    expect(await enterprises.find(org_id)).not.toBeNull()
  })

  it('are possible again when the lease of a dead process has expired', async () => {
    const org_id = randomUUID()
    const administration = openAdministration(db)
    const request = await signUp(administration, org_id)
    const leasedUntil = async (leased_until: Date) =>
      await db
        .updateTable('mdm_signups')
        .set({ leased_until })
        .where('org_id', '=', org_id)
        .execute()
    await leasedUntil(new Date(Date.now() + 60_000))
    await expect(administration.enterprises.create(USER, org_id, request)).rejects.toEqual(
      refusing('org_id'),
    )
    await leasedUntil(new Date(Date.now() - 1))
    expect(await administration.enterprises.create(USER, org_id, request)).toBeDefined()
  })
})

describe('a policy that is created together with the enterprise', () => {
  const policy = { name: 'Tills', management_mode: 'fully_managed' } as const

  it('is queued for publication when the enterprise came first', async () => {
    const org_id = randomUUID()
    const { policies } = openAdministration(db)
    const created = await whileHeld(
      db,
      async (tx) => {
        await lockEnterprise(tx, org_id)
        await addEnterprise(tx, org_id)
      },
      async () => await policies.create(USER, org_id, policy),
    )
    expect(created.status).toBe('fulfilled')
    expect(await dispatchesOf(db, org_id)).toHaveLength(1)
  })

  it('is queued for publication when the policy came first', async () => {
    const org_id = randomUUID()
    const administration = openAdministration(db)
    const request = await signUp(administration, org_id)
    const id = randomUUID()
    const created = await whileHeld(
      db,
      async (tx) => {
        expect(await findEnterpriseForShare(tx, org_id)).toBeUndefined()
        const unpublished = { published_version: null, provider_version: null, publish_error: null }
        const row = { org_id, id, ...policy, description: '', policy_json: {}, version: 1 }
        const times = { created_at: NOW, updated_at: NOW }
        await insertPolicy(tx, { ...row, ...unpublished, ...times }, 10)
      },
      async () => await administration.enterprises.create(USER, org_id, request),
    )
    expect(created.status).toBe('fulfilled')
    expect(await dispatchesOf(db, org_id)).toEqual([`publish_policy ${id}`])
  })
})
