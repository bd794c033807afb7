import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readUpload, type Upload } from './upload.ts'

const pkcs8 = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): unknown }) =>
  String(key.export({ type: 'pkcs8', format: 'pem' }))
const RSA = pkcs8(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
const P256 = pkcs8(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
const P384 = pkcs8(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey)

const FILE = {
  type: 'service_account',
  project_id: 'example-project',
  private_key_id: '0f1e2d3c4b5a',
  private_key: RSA,
  client_email: 'vigil@example-project.iam.gserviceaccount.com',
}
const APPLE: Upload = { key: P256, key_id: 'ABCDE12345', team_id: 'VIGILTEAM1' }

describe('an upload for FCM', () => {
  it('accepts the key file as object or as text', () => {
    const { type: _, ...account } = FILE
    const expected = { ok: true, value: { provider: 'fcm', account } }
    expect(readUpload('fcm', { service_account: FILE }, 'live')).toEqual(expected)
    const text = JSON.stringify(FILE, null, 2)
    expect(readUpload('fcm', { service_account: text }, 'test')).toEqual(expected)
  })

  it.each<[string, Upload, RegExp]>([
    ['is missing', {}, /^service_account is required$/],
    ['has another type', { service_account: [FILE] }, /must be the JSON of a key file/],
    ['is null', { service_account: null }, /must be the JSON of a key file/],
    ['is not JSON', { service_account: RSA }, /is not a JSON object/],
    ['has another kind of key', { service_account: { ...FILE, private_key: P256 } }, /RSA key/],
    ['is cut off', { service_account: { ...FILE, private_key: RSA.slice(0, 900) } }, /be read/],
    ['is too long', { service_account: { ...FILE, more: RSA.repeat(50) } }, /far too large/],
  ])('that %s is rejected without revealing the key', (_, upload, about) => {
    expectRefusal(readUpload('fcm', upload, 'live'), 'service_account', about)
  })
})

describe('an upload for APNs', () => {
  it.each([
    ['live', 'production'],
    ['test', 'sandbox'],
  ] as const)('of a %s application is for %s', (mode, environment) => {
    const key = { team_id: 'VIGILTEAM1', key_id: 'ABCDE12345', private_key: P256, environment }
    expect(readUpload('apns', APPLE, mode)).toEqual({ ok: true, value: { provider: 'apns', key } })
  })

  it('accepts other line breaks and text around the key, and does not store them', () => {
    const key = `\r\nBag Attributes\r\n${P256.replaceAll('\n', '\r\n')}\r\nremarks\r\n`
    const read = readUpload('apns', { ...APPLE, key }, 'live')
    expect(read).toMatchObject({ ok: true, value: { key: { private_key: P256 } } })
  })

  it.each<[string, string, Upload, RegExp]>([
    ['has no key', 'key', { key: undefined }, /^key is required$/],
    ['has no Key ID', 'key_id', { key_id: undefined }, /^key_id is required$/],
    ['has no Team ID', 'team_id', { team_id: undefined }, /^team_id is required$/],
    ['has a malformed Key ID', 'key_id', { key_id: P256 }, /ten capital letters/],
    ['has a malformed Team ID', 'team_id', { team_id: 'vigilteam1' }, /ten capital letters/],
    ['is not a key', 'key', { key: P256.slice(0, 100) }, /\.p8 file from Apple/],
    ['is on another curve', 'key', { key: P384 }, /P-256/],
    ['has another type', 'key', { key: RSA }, /P-256/],
    ['is too long', 'key', { key: P256 + ' '.repeat(9000) }, /too long for a/],
  ])('that %s is rejected without revealing the key', (_, field, change, about) => {
    expectRefusal(readUpload('apns', { ...APPLE, ...change }, 'live'), field, about)
  })
})

function expectRefusal(read: ReturnType<typeof readUpload>, field: string, about: RegExp): void {
  if (read.ok) throw new Error('it was accepted')
  expect(read.fault.field).toBe(field)
  expect(read.fault.message).toMatch(about)
  expect(read.fault.message).not.toMatch(/BEGIN|MI[GIH]/)
}
