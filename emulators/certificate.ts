/**
 * A private certificate authority and server certificates issued by it (RFC 5280), for the emulators
 * that speak TLS. An authority is generated on each machine and never shipped: anyone who trusts a
 * shipped authority also trusts everyone who has read its private key in the repository.
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
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'
import { DAY_MS, HOUR_MS } from '../src/platform/time-units.ts'

/** A certificate and its private key, both in PEM. */
export type Identity = { readonly cert: string; readonly key: string }

const AUTHORITY_DAYS = 825
const SERVER_DAYS = 90
const COMMON_NAME = '2.5.4.3'
const ECDSA_WITH_SHA256 = new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' })

export function createAuthority(now: Date = new Date()): Identity {
  const { publicKey, privateKey } = generateKeys()
  const name = `Emulator authority ${randomBytes(4).toString('hex')}`
  const usage = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign
  const extensions = [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true }), true),
    extension(id_ce_keyUsage, new KeyUsage(usage), true),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdOf(publicKey))),
  ]
  const request = { subject: name, publicKey, extensions, now, days: AUTHORITY_DAYS }
  return { cert: issue(request, name, privateKey), key: pemOf(privateKey) }
}

/**
 * Issues a server certificate for host names and IP addresses.
 * @param now date of issue; one more than 90 days ago yields an expired certificate
 */
export function issueCertificate(
  authority: Identity,
  names: readonly string[],
  now: Date = new Date(),
): Identity {
  const { publicKey, privateKey } = generateKeys()
  const issuer = new X509Certificate(authority.cert)
  const alternatives = names.map(
    (name) => new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name }),
  )
  const keyIdentifier = new KeyIdentifier(keyIdOf(issuer.publicKey))
  const extensions = [
    extension(id_ce_basicConstraints, new BasicConstraints(), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(alternatives)),
    extension(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier })),
  ]
  const subject = names[0] ?? 'emulator'
  const request = { subject, publicKey, extensions, now, days: SERVER_DAYS }
  const issuerName = issuer.subject.replace(/^CN=/, '')
  const cert = issue(request, issuerName, createPrivateKey(authority.key))
  return { cert, key: pemOf(privateKey) }
}

/**
 * Returns the authority stored in a folder and creates one when there is none or it is about to
 * expire. A service reads the authorities it trusts (NODE_EXTRA_CA_CERTS) once at its start, so an
 * authority that outlives the emulator spares a restart of the service.
 */
export function ensureAuthority(
  folder: string,
  now: Date = new Date(),
): Identity & { readonly file: string } {
  const file = join(folder, 'ca.pem')
  const keyFile = join(folder, 'ca-key.pem')
  if (existsSync(file) && existsSync(keyFile)) {
    const stored = { cert: readFileSync(file, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    const expiresAtMs = Date.parse(new X509Certificate(stored.cert).validTo)
    if (expiresAtMs > now.getTime() + SERVER_DAYS * DAY_MS) return { ...stored, file }
  }
  const created = createAuthority(now)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(keyFile, created.key, { mode: 0o600 })
  writeFileSync(file, created.cert)
  return { ...created, file }
}

type CertificateRequest = {
  readonly subject: string
  readonly publicKey: KeyObject
  readonly extensions: readonly Extension[]
  readonly now: Date
  readonly days: number
}

/** The validity starts an hour early, because the clocks of two machines can differ. */
function issue(request: CertificateRequest, issuer: string, issuerKey: KeyObject): string {
  const { subject, publicKey, extensions, now, days } = request
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: newSerialNumber(),
    signature: ECDSA_WITH_SHA256,
    issuer: nameOf(issuer),
    validity: new Validity({
      notBefore: new Date(now.getTime() - HOUR_MS),
      notAfter: new Date(now.getTime() + days * DAY_MS),
    }),
    subject: nameOf(subject),
    subjectPublicKeyInfo: AsnConvert.parse(derOf(publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  })
  const content = Buffer.from(AsnConvert.serialize(tbsCertificate))
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: ECDSA_WITH_SHA256,
    signatureValue: arrayBufferOf(sign('sha256', content, issuerKey)),
  })
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString()
}

/** RFC 5280 section 4.1.2.2 requires a positive integer: the top bit of the first byte is clear. */
function newSerialNumber(): ArrayBuffer {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0)
  return arrayBufferOf(bytes)
}

const nameOf = (commonName: string): Name =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({
        type: COMMON_NAME,
        value: new AttributeValue({ utf8String: commonName }),
      }),
    ]),
  ])

const extension = (extnID: string, value: object, critical = false): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })

const generateKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

const derOf = (key: KeyObject): ArrayBuffer =>
  arrayBufferOf(key.export({ type: 'spki', format: 'der' }))

const keyIdOf = (key: KeyObject): ArrayBuffer =>
  arrayBufferOf(
    createHash('sha1')
      .update(new Uint8Array(derOf(key)))
      .digest(),
  )

const arrayBufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer
