import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import type { CredentialRef } from './credential.ts'
import {
  findCredential,
  listCredentials,
  noteAccepted,
  noteRejected,
  type Pause,
  pause,
  upsertCredential,
} from './store.ts'

const db = testDatabase()
let org_id = ''
let application_id = ''
let ref: CredentialRef

beforeEach(async () => {
  org_id = randomUUID()
  application_id = randomUUID()
  ref = await store()
})

/** The next version. */
async function store(): Promise<CredentialRef> {
  const next = { application_id, provider: 'fcm' as const, version: randomUUID() }
  const row = { ...next, org_id, sealed: 'sealed', shown: {}, stored_at: new Date() }
  await upsertCredential(db, row)
  return next
}

const found = async () => await findCredential(db, org_id, application_id, 'fcm')

/** How long it is paused for, in seconds, to the nearest. */
async function pausedFor(): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select round(extract(epoch from paused_until - now()))::integer as seconds
    from push_credentials where application_id = ${application_id}`.execute(db)
  return rows[0]?.seconds ?? null
}
const endPause = async () => {
  await sql`update push_credentials set paused_until = now() - interval '1 second'
    where application_id = ${application_id}`.execute(db)
}
const pauseBy = async (change: Partial<Pause>) =>
  await pause(db, [{ ...ref, pause_ms: 0, is_outage: false, ...change }])

describe('storing a credential', () => {
  it('takes the place of the one before, with nothing of its past', async () => {
    await noteAccepted(db, [ref])
    await pauseBy({ is_outage: true })
    await noteRejected(db, [{ ...ref, error: 'No.' }])
    const next = await store()
    expect(await found()).toMatchObject({
      version: next.version,
      status: 'test_required',
      error: null,
      accepted_at: null,
      rejected_at: null,
      paused_until: null,
      pauses: 0,
    })
    expect(await listCredentials(db, org_id, application_id)).toHaveLength(1)
  })

  it('does not touch that of another organisation', async () => {
    const foreign = { ...ref, version: randomUUID(), org_id: randomUUID(), shown: {} }
    const row = { ...foreign, sealed: 'other', stored_at: new Date() }
    expect(await upsertCredential(db, row)).toBeUndefined()
    expect(await found()).toMatchObject({ version: ref.version, sealed: 'sealed' })
    expect(await listCredentials(db, foreign.org_id, application_id)).toEqual([])
  })
})

describe('an acceptance', () => {
  it('makes it active, told once or often', async () => {
    await noteAccepted(db, [ref, ref])
    const first = await found()
    expect(first).toMatchObject({ status: 'active', error: null })
    await noteAccepted(db, [ref])
    expect(await found()).toEqual(first)
  })

  it('writes a row that is active only now and then', async () => {
    await noteAccepted(db, [ref])
    const writes = async () => {
      const { rows } = await sql<{ xmin: string }>`select xmin::text from push_credentials
        where application_id = ${application_id}`.execute(db)
      return rows[0]?.xmin
    }
    const before = await writes()
    await noteAccepted(db, [ref])
    expect(await writes()).toBe(before)
    await sql`update push_credentials set accepted_at = now() - interval '2 minutes'
      where application_id = ${application_id}`.execute(db)
    const old = (await found())?.accepted_at
    await noteAccepted(db, [ref])
    expect((await found())?.accepted_at).not.toEqual(old)
  })

  it('ends no pause that lasts, and forgets one that is over', async () => {
    await pauseBy({ pause_ms: 60_000, is_outage: true })
    await noteAccepted(db, [ref])
    expect(await found()).toMatchObject({ status: 'active', pauses: 1 })
    expect(await pausedFor()).toBe(60)
    await endPause()
    await noteAccepted(db, [ref])
    expect(await found()).toMatchObject({ pauses: 0, paused_until: null })
  })
})

describe('a rejection', () => {
  it('makes it need attention, with the newest text', async () => {
    await noteAccepted(db, [ref])
    await noteRejected(db, [{ ...ref, error: 'One.' }])
    expect(await found()).toMatchObject({ status: 'needs_attention', error: 'One.' })
    await noteRejected(db, [{ ...ref, error: 'Two.' }])
    expect(await found()).toMatchObject({ status: 'needs_attention', error: 'Two.' })
    await noteAccepted(db, [ref])
    expect(await found()).toMatchObject({ status: 'active', error: null })
  })
})

describe('a pause', () => {
  it('is as long as the provider wants, within an hour', async () => {
    await pauseBy({ pause_ms: 42_000 })
    expect(await pausedFor()).toBe(42)
    await pauseBy({ pause_ms: 10_000 })
    expect(await pausedFor()).toBe(42)
    await pauseBy({ pause_ms: 1e15 })
    expect(await pausedFor()).toBe(3600)
    expect((await found())?.pauses).toBe(0)
  })

  it('of an outage is twice as long each time, up to five minutes', async () => {
    const pauses: (number | null)[] = []
    for (let times = 0; times < 12; times += 1) {
      await pauseBy({ is_outage: true })
      pauses.push(await pausedFor())
      await endPause()
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  it('of an outage counts once, however many were under way', async () => {
    const one = { ...ref, pause_ms: 0, is_outage: true }
    await pause(db, [one, one, { ...one, pause_ms: 30_000 }])
    await pause(db, [one])
    expect(await found()).toMatchObject({ pauses: 1 })
    expect(await pausedFor()).toBe(30)
  })
})

describe('an older version', () => {
  it('has no say any more', async () => {
    await store()
    const before = await found()
    await noteAccepted(db, [ref])
    await noteRejected(db, [{ ...ref, error: 'No.' }])
    await pauseBy({ pause_ms: 60_000, is_outage: true })
    expect(await found()).toEqual(before)
  })
})
