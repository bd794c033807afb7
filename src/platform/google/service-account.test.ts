import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isFault, readServiceAccount } from './service-account.ts'

const rsaPem = (modulusLength: number): string =>
  String(
    generateKeyPairSync('rsa', { modulusLength }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
  )
const PEM = rsaPem(2048)
const FILE = {
  type: 'service_account',
  project_id: 'example-project',
  private_key_id: '0f1e2d3c4b5a',
  private_key: PEM,
  client_email: 'vigil@example-project.iam.gserviceaccount.com',
  client_id: '1234567890',
  token_uri: 'https://attacker.example/token',
  universe_domain: 'googleapis.com',
}
const read = (change: object = {}) => readServiceAccount(JSON.stringify({ ...FILE, ...change }))

describe('the key file of a service account', () => {
  it('yields only the members in use, and no URL', () => {
    expect(read()).toEqual({
      project_id: 'example-project',
      private_key_id: '0f1e2d3c4b5a',
      private_key: PEM,
      client_email: 'vigil@example-project.iam.gserviceaccount.com',
    })
  })

  it('may have CRLF line ends and a domain-scoped project', () => {
    const account = read({
      private_key: PEM.replaceAll('\n', '\r\n'),
      project_id: 'example.com:some-project',
    })
    expect(account).toMatchObject({ private_key: PEM, project_id: 'example.com:some-project' })
  })

  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  it.each([
    ['another type', { type: 'authorized_user' }, /type/],
    ['no project', { project_id: undefined }, /project_id/],
    ['a project ID that changes the path', { project_id: '../../v1/x?y' }, /project_id/],
    ['no address', { client_email: 'nobody' }, /client_email/],
    ['no key ID', { private_key_id: '' }, /private_key_id/],
    ['no key', { private_key: 7 }, /private_key/],
    ['a truncated key', { private_key: PEM.slice(0, 400) }, /private_key/],
    ['a short key', { private_key: rsaPem(1024) }, /2048 bits/],
    [
      'a key of another type',
      { private_key: String(elliptic.export({ type: 'pkcs8', format: 'pem' })) },
      /RSA/,
    ],
  ])('is refused with %s, in a sentence without the key', (_, change, about) => {
    const result = read(change)
    if (!isFault(result)) throw new Error('the key was accepted')
    expect(result.fault).toMatch(about)
    expect(result.fault).not.toMatch(/BEGIN|MII/)
  })

  it.each(['', 'null', '[]', '{"type":', `"${'x'.repeat(100_000)}"`])(
    'is refused when it is not a JSON object of a plausible size (%#)',
    (text) => {
      expect(isFault(readServiceAccount(text))).toBe(true)
    },
  )
})
