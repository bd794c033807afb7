import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { type Providers, startProviders } from '../../../../test/support/push-applications.ts'
import { BUNDLE_ID, PACKAGE_NAME } from '../../../../test/support/push-fixtures.ts'
import { readUpload } from '../credentials/upload.ts'
import { closeSenders, sendBy } from './senders.ts'

const db = testDatabase()
let providers: Providers
beforeAll(async () => {
  providers = await startProviders(db)
})
afterAll(async () => await providers.close())

const content = (token: string) => ({
  recipient_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  message_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c08',
  token,
  title: 'Hello',
  data: {},
  priority: 'high' as const,
})
const { signal } = new AbortController()

function credentialOf(provider: 'fcm' | 'apns') {
  const read = readUpload(provider, providers.uploads[provider], 'live')
  if (!read.ok) throw new Error(read.fault.message)
  return read.value
}

describe('both senders', () => {
  it('send through the provider of the credential, and trust the authority for token requests, too', async () => {
    const { senders, fcm, apns } = providers
    const phone = fcm.makePhone()
    const android = { ...content(phone.token), package_name: PACKAGE_NAME }
    expect(await sendBy(senders, credentialOf('fcm'), android, { signal })).toMatchObject({
      kind: 'accepted',
    })
    const iphone = apns.production.makePhone()
    const apple = { ...content(iphone.token), bundle_id: BUNDLE_ID }
    expect(await sendBy(senders, credentialOf('apns'), apple, { signal })).toMatchObject({
      kind: 'accepted',
    })
  })

  it('reject messages for the other provider', async () => {
    const { senders, fcm } = providers
    const { token } = fcm.makePhone()
    const apple = { ...content(token), bundle_id: BUNDLE_ID }
    const result = await sendBy(senders, credentialOf('fcm'), apple, { signal })
    expect(result.kind).toBe('message_rejected')
    expect(fcm.getPhone(token).received).toBe(0)
  })

  it('send nothing once they are closed', async () => {
    const own = await startProviders(db)
    const { token } = own.fcm.makePhone()
    await closeSenders(own.senders, 0)
    const android = { ...content(token), package_name: PACKAGE_NAME }
    const result = await sendBy(own.senders, credentialOf('fcm'), android, { signal })
    await own.close()
    expect(result).toMatchObject({ kind: 'retry', is_ambiguous: false })
    expect(own.fcm.requests()).toEqual([])
  })
})
