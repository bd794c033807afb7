import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { testSealer } from '../../../../test/support/push-applications.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import {
  type CredentialRef,
  credentialContext,
  credentialText,
  type ProviderCredential,
} from './credential.ts'
import { createCredentialCache } from './credential-cache.ts'

const db = testDatabase()
const sealer = testSealer(db)
const CREDENTIAL: ProviderCredential = {
  provider: 'apns',
  key: {
    team_id: 'VIGILTEAM1',
    key_id: 'ABCDE12345',
    private_key: 'a key',
    environment: 'sandbox',
  },
}

const newRef = (): CredentialRef => ({
  application_id: randomUUID(),
  provider: 'apns',
  version: randomUUID(),
})
const sealFor = async (ref: CredentialRef) =>
  await sealer.seal(credentialText(CREDENTIAL), credentialContext(ref))

/** A cache, the number of times it opened a credential, and its clock. */
function setUp() {
  const seen = { opened: 0, ms: 0 }
  const counting = {
    open: async (sealed: string, context: string) => {
      seen.opened += 1
      return await sealer.open(sealed, context)
    },
  }
  const clock = { now: () => new Date(seen.ms) }
  return { credentialCache: createCredentialCache({ sealer: counting, clock }), seen }
}

describe('the credential cache', () => {
  it('opens a credential once and caches it for five minutes', async () => {
    const { credentialCache, seen } = setUp()
    const ref = newRef()
    const given = { ...ref, sealed: await sealFor(ref) }
    const first = await credentialCache.open(given)
    expect(first).toEqual(CREDENTIAL)
    seen.ms = 4 * MINUTE_MS
    expect(await credentialCache.open(given)).toBe(first)
    expect(seen.opened).toBe(1)
    seen.ms = 5 * MINUTE_MS
    expect(await credentialCache.open(given)).toEqual(CREDENTIAL)
    expect(seen.opened).toBe(2)
  })

  it('opens no credential sealed for another application, provider or version', async () => {
    const { credentialCache } = setUp()
    const ref = newRef()
    const sealed = await sealFor(ref)
    const elsewhere: Partial<CredentialRef>[] = [
      { application_id: randomUUID() },
      { provider: 'fcm' },
      { version: randomUUID() },
    ]
    for (const change of elsewhere) {
      expect(await credentialCache.open({ ...ref, ...change, sealed })).toBeUndefined()
    }
    expect(await credentialCache.open({ ...ref, sealed: 'nothing' })).toBeUndefined()
    expect(await credentialCache.open({ ...ref, sealed })).toEqual(CREDENTIAL)
  })

  it('caches at most a thousand, the most recently opened', async () => {
    const { credentialCache, seen } = setUp()
    const ref = newRef()
    const first = { ...ref, sealed: await sealFor(ref) }
    await credentialCache.open(first)
    for (let index = 0; index < 999; index += 1) {
      const other = newRef()
      await credentialCache.open({ ...other, sealed: await sealFor(other) })
    }
    await credentialCache.open(first)
    expect(seen.opened).toBe(1000)
    const last = newRef()
    await credentialCache.open({ ...last, sealed: await sealFor(last) })
    await credentialCache.open(first)
    expect(seen.opened).toBe(1002)
  })

  it('does not mistake a database error for a credential that cannot be opened', async () => {
    const clock = { now: () => new Date() }
    const unavailable = { open: () => Promise.reject(new Error('the database is unavailable')) }
    const credentialCache = createCredentialCache({ sealer: unavailable, clock })
    await expect(credentialCache.open({ ...newRef(), sealed: '' })).rejects.toThrow(
      'is unavailable',
    )
  })
})
