import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthority, ensureAuthority, issueCertificate } from './certificate.ts'

const now = new Date('2026-05-01T00:00:00Z')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'authority-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

describe('a certificate', () => {
  const authority = createAuthority(now)
  const ca = new X509Certificate(authority.cert)
  const { cert, key } = issueCertificate(authority, ['shop.test', '*.shop.test', '::1'], now)
  const issued = new X509Certificate(cert)

  test('is signed by its authority, which is signed by itself', () => {
    expect(issued.verify(ca.publicKey)).toBe(true)
    expect(issued.checkIssued(ca)).toBe(true)
    expect(ca.verify(ca.publicKey)).toBe(true)
    expect([ca.ca, issued.ca]).toEqual([true, false])
  })

  test('is valid for its names and addresses and for no others', () => {
    expect(issued.checkHost('shop.test')).toBe('shop.test')
    expect(issued.checkHost('a.shop.test')).toBe('*.shop.test')
    expect(issued.checkHost('other.test')).toBeUndefined()
    expect(issued.checkIP('::1')).toBe('::1')
    expect(issued.checkIP('127.0.0.1')).toBeUndefined()
  })

  test('belongs to its key and expires', () => {
    expect(issued.checkPrivateKey(createPrivateKey(key))).toBe(true)
    expect(new Date(issued.validFrom)).toEqual(new Date('2026-04-30T23:00:00Z'))
    expect(new Date(issued.validTo)).toEqual(new Date('2026-07-30T00:00:00Z'))
  })

  test('has a unique serial number, and each authority a unique name', () => {
    const other = createAuthority(now)
    expect(new X509Certificate(other.cert).subject).not.toBe(ca.subject)
    const again = new X509Certificate(issueCertificate(authority, ['shop.test'], now).cert)
    expect(again.serialNumber).not.toBe(issued.serialNumber)
  })
})

describe('ensureAuthority', () => {
  test('creates one authority per folder, with a key that only its owner can read', () => {
    const created = ensureAuthority(join(folder, 'a'), now)
    expect(ensureAuthority(join(folder, 'a'), now)).toEqual(created)
    expect(readFileSync(created.file, 'utf8')).toBe(created.cert)
    expect(statSync(join(folder, 'a', 'ca-key.pem')).mode & 0o777).toBe(0o600)
  })

  test('replaces an authority that would expire before the certificates it issues', () => {
    const created = ensureAuthority(join(folder, 'b'), now)
    const later = ensureAuthority(join(folder, 'b'), new Date('2028-06-01T00:00:00Z'))
    expect(later.cert).not.toBe(created.cert)
  })
})
