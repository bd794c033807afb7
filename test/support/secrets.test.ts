import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSearch, secretPartOf } from './secrets.ts'

const pemOf = (key: { privateKey: { export(options: object): string | Buffer } }): string =>
  key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const newRsa = () => pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }))
const newEc = () => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))
const newEd25519 = () => pemOf(generateKeyPairSync('ed25519'))

describe.each([
  ['RSA', newRsa],
  ['P-256', newEc],
  ['Ed25519', newEd25519],
])('a key of %s', (_, newKey) => {
  const pem = newKey()
  const part = secretPartOf(pem)
  const find = createSearch([{ name: 'key', text: part }])
  const der = Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64')

  it.each<[string, string]>([
    ['unchanged', pem],
    ['in JSON', JSON.stringify({ private_key: pem })],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ private_key: pem }))],
    ['in base64', Buffer.from(`x${JSON.stringify({ pem })}`).toString('base64')],
    ['in base64url', Buffer.from(`xy${pem}`).toString('base64url')],
    ['its bytes in hexadecimal', `\\x${der.toString('hex')}`],
    ['its text in hexadecimal', Buffer.from(pem).toString('hex').toUpperCase()],
    ['its bytes in base64url', der.toString('base64url')],
    ['percent-encoded', encodeURIComponent(pem)],
    ['ten characters of it', `: "…${part.slice(20, 30)}" is`],
    ['as a JWK', JSON.stringify(createPrivateKey(pem).export({ format: 'jwk' }))],
  ])('is found %s', (_how, text) => {
    expect(find(`some text before ${text} and some after`)).toHaveLength(1)
  })

  it('is not found in another key', () => {
    const other = newKey()
    for (const text of [other, Buffer.from(other).toString('hex'), btoa(other)]) {
      expect(find(text)).toEqual([])
    }
  })
})
