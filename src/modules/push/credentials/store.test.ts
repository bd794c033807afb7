import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import type { CredentialRef } from './credential.ts'
import {
  findCredential,
  listCredentials,
  type Pause,
  pauseCredentials,
  recordAcceptances,
  recordRejections,
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

/** Stores a new version. */
async function store(): Promise<CredentialRef> {
  const next = { application_id, provider: 'fcm' as const, version: randomUUID() }
  const row = { ...next, org_id, sealed: 'sealed', shown: {}, stored_at: new Date() }
  await upsertCredential(db, row)
  return next
}

const found = async () => await findCredential(db, org_id, application_id, 'fcm')

/** Remaining pause, rounded to seconds. */
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
  await pauseCredentials(db, [{ ...ref, pause_ms: 0, is_outage: false, ...change }])

describe('storing a credential', () => {
  it('replaces the previous one and resets its history', async () => {
    await recordAcceptances(db, [ref])
    await pauseBy({ is_outage: true })
    await recordRejections(db, [{ ...ref, error: 'No.' }])
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

  it('does not change a credential of another organization', async () => {
    const foreign = { ...ref, version: randomUUID(), org_id: randomUUID(), shown: {} }
    const row = { ...foreign, sealed: 'other', stored_at: new Date() }
    expect(await upsertCredential(db, row)).toBeUndefined()
    expect(await found()).toMatchObject({ version: ref.version, sealed: 'sealed' })
    expect(await listCredentials(db, foreign.org_id, application_id)).toEqual([])
  })
})

describe('an acceptance', () => {
  it('activates the credential, however often it is recorded', async () => {
    await recordAcceptances(db, [ref, ref])
    const first = await found()
    expect(first).toMatchObject({ status: 'active', error: null })
    await recordAcceptances(db, [ref])
    expect(await found()).toEqual(first)
  })

  it('writes the row of an active credential at most once a minute', async () => {
    await recordAcceptances(db, [ref])
    const writes = async () => {
      const { rows } = await sql<{ xmin: string }>`select xmin::text from push_credentials
        where application_id = ${application_id}`.execute(db)
      return rows[0]?.xmin
    }
    const before = await writes()
    await recordAcceptances(db, [ref])
    expect(await writes()).toBe(before)
    await sql`update push_credentials set accepted_at = now() - interval '2 minutes'
      where application_id = ${application_id}`.execute(db)
    const old = (await found())?.accepted_at
    await recordAcceptances(db, [ref])
    expect((await found())?.accepted_at).not.toEqual(old)
  })

  it('does not end a current pause, and clears one that is over', async () => {
    await pauseBy({ pause_ms: 60_000, is_outage: true })
    await recordAcceptances(db, [ref])
    expect(await found()).toMatchObject({ status: 'active', pauses: 1 })
    expect(await pausedFor()).toBe(60)
    await endPause()
    await recordAcceptances(db, [ref])
    expect(await found()).toMatchObject({ pauses: 0, paused_until: null })
  })
})

describe('a rejection', () => {
  it('marks the credential as needing attention, with the latest text', async () => {
    await recordAcceptances(db, [ref])
    await recordRejections(db, [{ ...ref, error: 'One.' }])
    expect(await found()).toMatchObject({ status: 'needs_attention', error: 'One.' })
    await recordRejections(db, [{ ...ref, error: 'Two.' }])
    expect(await found()).toMatchObject({ status: 'needs_attention', error: 'Two.' })
    await recordAcceptances(db, [ref])
    expect(await found()).toMatchObject({ status: 'active', error: null })
  })
})

describe('a pause', () => {
  it('is as long as the provider asks for, up to an hour', async () => {
    await pauseBy({ pause_ms: 42_000 })
    expect(await pausedFor()).toBe(42)
    await pauseBy({ pause_ms: 10_000 })
    expect(await pausedFor()).toBe(42)
    await pauseBy({ pause_ms: 1e15 })
    expect(await pausedFor()).toBe(3600)
    expect((await found())?.pauses).toBe(0)
  })

  it('doubles with each outage, up to five minutes', async () => {
    const pauses: (number | null)[] = []
    for (let times = 0; times < 12; times += 1) {
      await pauseBy({ is_outage: true })
      pauses.push(await pausedFor())
      await endPause()
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  it('counts an outage once, however many notifications were under way', async () => {
    const one = { ...ref, pause_ms: 0, is_outage: true }
    await pauseCredentials(db, [one, one, { ...one, pause_ms: 30_000 }])
    await pauseCredentials(db, [one])
    expect(await found()).toMatchObject({ pauses: 1 })
    expect(await pausedFor()).toBe(30)
  })
})

describe('an older version', () => {
  it('does not affect the current version', async () => {
    await store()
    const before = await found()
    await recordAcceptances(db, [ref])
    await recordRejections(db, [{ ...ref, error: 'No.' }])
    await pauseBy({ pause_ms: 60_000, is_outage: true })
    expect(await found()).toEqual(before)
  })
})
