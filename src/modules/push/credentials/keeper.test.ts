import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { testSealer } from '../../../../test/support/push-applications.ts'
import {
  type CredentialRef,
  credentialContext,
  credentialText,
  type ProviderCredential,
} from './credential.ts'
import { createCredentialKeeper } from './keeper.ts'

const db = testDatabase()
const sealer = testSealer(db)
const MINUTE_MS = 60_000
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

/** A keeper, how often it opened something, and its clock. */
function setUp() {
  const seen = { opened: 0, ms: 0 }
  const counting = {
    open: async (sealed: string, context: string) => {
      seen.opened += 1
      return await sealer.open(sealed, context)
    },
  }
  const clock = { now: () => new Date(seen.ms) }
  return { keeper: createCredentialKeeper({ sealer: counting, clock }), seen }
}

describe('the keeper of credentials', () => {
  it('opens one, and keeps it for five minutes', async () => {
    const { keeper, seen } = setUp()
    const ref = newRef()
    const given = { ...ref, sealed: await sealFor(ref) }
    const first = await keeper.open(given)
    expect(first).toEqual(CREDENTIAL)
    seen.ms = 4 * MINUTE_MS
    expect(await keeper.open(given)).toBe(first)
    expect(seen.opened).toBe(1)
    seen.ms = 5 * MINUTE_MS
    expect(await keeper.open(given)).toEqual(CREDENTIAL)
    expect(seen.opened).toBe(2)
  })

  it('opens none that was sealed for another application, provider or version', async () => {
    const { keeper } = setUp()
    const ref = newRef()
    const sealed = await sealFor(ref)
    const elsewhere: Partial<CredentialRef>[] = [
      { application_id: randomUUID() },
      { provider: 'fcm' },
      { version: randomUUID() },
    ]
    for (const change of elsewhere) {
      expect(await keeper.open({ ...ref, ...change, sealed })).toBeUndefined()
    }
    expect(await keeper.open({ ...ref, sealed: 'nothing' })).toBeUndefined()
    expect(await keeper.open({ ...ref, sealed })).toEqual(CREDENTIAL)
  })

  it('keeps no more than a thousand, those that were opened last', async () => {
    const { keeper, seen } = setUp()
    const ref = newRef()
    const first = { ...ref, sealed: await sealFor(ref) }
    await keeper.open(first)
    for (let index = 0; index < 999; index += 1) {
      const other = newRef()
      await keeper.open({ ...other, sealed: await sealFor(other) })
    }
    await keeper.open(first)
    expect(seen.opened).toBe(1000)
    const last = newRef()
    await keeper.open({ ...last, sealed: await sealFor(last) })
    await keeper.open(first)
    expect(seen.opened).toBe(1002)
  })

  it('does not take a failure of the database for a credential that cannot be opened', async () => {
    const clock = { now: () => new Date() }
    const away = { open: () => Promise.reject(new Error('the database is away')) }
    const keeper = createCredentialKeeper({ sealer: away, clock })
    await expect(keeper.open({ ...newRef(), sealed: '' })).rejects.toThrow('is away')
  })
})
