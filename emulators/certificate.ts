/**
 * A certificate authority of one's own and certificates from it (RFC 5280), for servers of tests
 * and trials. Made afresh rather than shipped: whoever trusts a shipped authority also trusts
 * everybody who has read its private key in the repository.
 */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import {
  bits,
  context,
  integer,
  objectId,
  octets,
  sequence,
  set,
  text,
  truth,
  utcTime,
} from './der.ts'
import { encodeAddress } from './dns-message.ts'

/** Both in PEM. */
export type Identity = { readonly cert: string; readonly key: string }

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 825
const SERVER_DAYS = 90

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
const COMMON_NAME = '2.5.4.3'
const SUBJECT_KEY_ID = '2.5.29.14'
const KEY_USAGE = '2.5.29.15'
const SUBJECT_ALT_NAME = '2.5.29.17'
const BASIC_CONSTRAINTS = '2.5.29.19'
const AUTHORITY_KEY_ID = '2.5.29.35'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'

export function createAuthority(now: Date = new Date()): Identity {
  const { publicKey, privateKey } = newKeys()
  const name = `Emulator authority ${randomBytes(4).toString('hex')}`
  const extensions = [
    extension(BASIC_CONSTRAINTS, sequence(truth), true),
    // keyCertSign and cRLSign.
    extension(KEY_USAGE, bits(Buffer.from([0x06]), 1), true),
    extension(SUBJECT_KEY_ID, octets(keyId(publicKey))),
  ]
  const days = { now, days: AUTHORITY_DAYS }
  const cert = certificate(
    { subject: name, issuer: name, publicKey, extensions, ...days },
    privateKey,
  )
  return { cert, key: pemOf(privateKey) }
}

/** A server's certificate for host names and IP addresses; `now` lets one be made that has expired. */
export function issueCertificate(
  authority: Identity,
  names: readonly string[],
  now: Date = new Date(),
): Identity {
  const { publicKey, privateKey } = newKeys()
  const issued = new X509Certificate(authority.cert)
  const alternatives = names.map((name) =>
    isIP(name) === 0
      ? context(2, false, Buffer.from(name, 'latin1'))
      : context(7, false, encodeAddress(name)),
  )
  const extensions = [
    extension(BASIC_CONSTRAINTS, sequence(), true),
    extension(KEY_USAGE, bits(Buffer.from([0x80]), 7), true),
    extension(EXTENDED_KEY_USAGE, sequence(objectId(SERVER_AUTH))),
    extension(SUBJECT_ALT_NAME, sequence(...alternatives)),
    extension(AUTHORITY_KEY_ID, sequence(context(0, false, keyId(issued.publicKey)))),
  ]
  const issuer = issued.subject.replace(/^CN=/, '')
  const subject = names[0] ?? 'emulator'
  const cert = certificate(
    { subject, issuer, publicKey, extensions, now, days: SERVER_DAYS },
    createPrivateKey(authority.key),
  )
  return { cert, key: pemOf(privateKey) }
}

/**
 * The authority in a folder, made when there is none or it has expired, so that a service that
 * trusts it (by NODE_EXTRA_CA_CERTS, read once at its start) need not be restarted with the emulator.
 */
export function keepAuthority(folder: string, now: Date = new Date()): Identity & { file: string } {
  const file = join(folder, 'ca.pem')
  const keyFile = join(folder, 'ca-key.pem')
  if (existsSync(file) && existsSync(keyFile)) {
    const kept = { cert: readFileSync(file, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    const endsAt = Date.parse(new X509Certificate(kept.cert).validTo)
    if (endsAt > now.getTime() + SERVER_DAYS * DAY_MS) return { ...kept, file }
  }
  const made = createAuthority(now)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(keyFile, made.key, { mode: 0o600 })
  writeFileSync(file, made.cert)
  return { ...made, file }
}

type Content = {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly extensions: readonly Buffer[]
  readonly now: Date
  readonly days: number
}

/** Valid from an hour ago, for clocks that differ a little. */
function certificate(content: Content, signer: KeyObject): string {
  const { subject, issuer, publicKey, extensions, now, days } = content
  const serial = randomBytes(16)
  const body = sequence(
    context(0, true, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer),
    sequence(
      utcTime(new Date(now.getTime() - DAY_MS / 24)),
      utcTime(new Date(now.getTime() + days * DAY_MS)),
    ),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    context(3, true, sequence(...extensions)),
  )
  const whole = sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, signer)))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

const distinguishedName = (name: string): Buffer =>
  sequence(set(sequence(objectId(COMMON_NAME), text(name))))

const extension = (id: string, value: Buffer, isCritical = false): Buffer =>
  sequence(objectId(id), ...(isCritical ? [truth] : []), octets(value))

const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
