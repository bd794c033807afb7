import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevices, managedDevice } from '../../../../test/support/mdm.ts'
import type { GoogleConnection } from '../providers/google.ts'
import { createMdmBrowsing } from './service.ts'

const db = testDatabase()

const browsing = (resolve: () => Promise<GoogleConnection | undefined>) =>
  createMdmBrowsing({ db, connection: { resolve }, listMembers: () => Promise.resolve([]) })

const connectedTo = (api_url: string): GoogleConnection => ({
  account: { project_id: 'p', client_email: 'e', private_key_id: 'i', private_key: 'k' },
  api_url,
  token_url: api_url,
  pubsub_url: api_url,
})

describe('the status', () => {
  it('says what devices are managed through, even if the connection cannot be used', async () => {
    const status = async (resolve: () => Promise<GoogleConnection | undefined>) => {
      const { connected_to, emulator_url } = await browsing(resolve).status(randomUUID())
      return { connected_to, emulator_url }
    }
    const google = connectedTo('https://androidmanagement.googleapis.com')
    expect(await status(() => Promise.resolve(google))).toEqual({
      connected_to: 'google',
      emulator_url: null,
    })
    const url = 'http://127.0.0.1:5490'
    expect(await status(() => Promise.resolve(connectedTo(url)))).toEqual({
      connected_to: 'emulator',
      emulator_url: url,
    })
    expect(await status(() => Promise.reject(new Error('encrypted with another key')))).toEqual({
      connected_to: 'unknown',
      emulator_url: null,
    })
  })
})

describe('the search', () => {
  it('compares a bounded number of devices for a page, and continues after them', async () => {
    const org_id = randomUUID()
    const at = (number: number) => new Date(Date.UTC(2026, 0, 1) + number)
    const many = Array.from({ length: 5002 }, (_, number) =>
      managedDevice({
        org_id,
        created_at: at(number),
        provider_name: `enterprises/LC1/devices/${org_id}-${number}`,
        name: number === 0 ? 'the first till' : null,
      }),
    )
    await addDevices(db, many)
    const { search } = browsing(() => Promise.resolve(undefined))
    const first = await search(org_id, { q: 'TILL' }, { after: undefined, limit: 10 })
    expect(first).toMatchObject({ devices: [], examined: 5000 })
    const after = first.next_cursor ?? undefined
    expect(after).toBe(many[2]?.id)
    const second = await search(org_id, { q: 'TILL' }, { after, limit: 10 })
    expect(second).toMatchObject({ devices: [{ id: many[0]?.id }], next_cursor: null, examined: 2 })
  })

  it('shows an exact match only on the first page', async () => {
    const org_id = randomUUID()
    const at = (number: number) => new Date(Date.UTC(2026, 0, 1) + number)
    const many = Array.from({ length: 6 }, (_, number) =>
      managedDevice({
        org_id,
        created_at: at(number),
        provider_name: `enterprises/LC1/devices/${org_id}-${number}`,
        serial_number: number === 0 ? 'SN-7' : `SN-7-${number}`,
      }),
    )
    await addDevices(db, many)
    const { search } = browsing(() => Promise.resolve(undefined))
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await search(org_id, { q: 'SN-7' }, { after, limit: 2 })
      seen.push(...page.devices.map(({ id }) => id))
      after = page.next_cursor ?? undefined
    } while (after !== undefined)
    const [exact, ...others] = many.map(({ id }) => id)
    expect(seen).toEqual([exact, ...others.toReversed()])
  })
})
