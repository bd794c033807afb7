import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gradeDomain, loadDomainLists } from '../../src/modules/checks/email/lists.ts'
import { loadIpData } from '../../src/modules/checks/ip/ip-data.ts'
import { describeIp } from '../../src/modules/checks/ip/ip-facts.ts'
import { loadCarriers } from '../../src/modules/phone/carriers.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { compileData, type Product } from './compile.ts'
import { COMPILED_SOURCES, normalizeDomain } from './domain-lists.ts'
import { isUpToDate, STAMP_FILE } from './stamp.ts'

let parent = ''
let outFolder = ''

/** Small products, because compiling the real ones takes seconds. */
const SMALL: Product[] = ['one.bin', 'two.bin'].map((file) => ({
  file,
  compile: () => Promise.resolve({ name: Buffer.from(file) }),
}))

/** The data of the build, which is compiled again only when its sources have changed. */
const DATA = join(packageRoot(), 'build', 'data')

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'compile-'))
  outFolder = join(parent, 'data')
  await compileData({ outFolder: DATA })
})

afterAll(() => rmSync(parent, { recursive: true }))

describe('compiling the reference data', () => {
  test('in two runs at the same time leaves one complete set and no working folders', async () => {
    // The working folder of a run that was killed is removed an hour later.
    mkdirSync(join(parent, '.data-killed'))
    utimesSync(join(parent, '.data-killed'), 1e9, 1e9)
    const printed: string[] = []
    const both = [
      compileData({ outFolder, products: SMALL, print: (line) => printed.push(line) }),
      compileData({ outFolder, products: SMALL }),
    ]
    expect(await Promise.all(both)).toEqual(['compiled', 'compiled'])
    expect(readdirSync(parent)).toEqual(['data'])
    expect(readdirSync(outFolder).toSorted()).toEqual(['one.bin', 'stamp.json', 'two.bin'])
    expect(printed).toHaveLength(2)
  })

  test('creates one file per kind', () => {
    expect(readdirSync(DATA).toSorted()).toEqual([
      'carriers.bin',
      'domains.bin',
      'ip.bin',
      'stamp.json',
    ])
  })

  test('keeps the files small', () => {
    expect(megabytes('domains.bin')).toBeLessThan(3)
    expect(megabytes('carriers.bin')).toBeLessThan(1)
    expect(megabytes('ip.bin')).toBeLessThan(20)
  })

  test('does nothing when it is up to date', async () => {
    const before = statSync(join(DATA, 'ip.bin')).mtimeMs
    expect(await compileData({ outFolder: DATA })).toBe('up_to_date')
    expect(statSync(join(DATA, 'ip.bin')).mtimeMs).toBe(before)
  })

  test('is not up to date with another key, a damaged stamp or a missing file', () => {
    const files = ['one.bin']
    const folder = mkdtempSync(join(parent, 'stamped-'))
    const isDone = () => isUpToDate(folder, { key: 'k', files })
    writeFileSync(join(folder, STAMP_FILE), '{"key":"k"}')
    expect(isDone()).toBe(false)
    writeFileSync(join(folder, 'one.bin'), '')
    expect(isDone()).toBe(true)
    for (const stamp of ['{"key":"other"}', '{"key":"k', '{}', '[]', 'null']) {
      writeFileSync(join(folder, STAMP_FILE), stamp)
      expect(isDone()).toBe(false)
    }
    rmSync(folder, { recursive: true })
  })

  test('excludes the list that is reserved for the evaluation', () => {
    expect(COMPILED_SOURCES).not.toContain('burner-email-providers')
  })

  test('accepts only host names that are not a public suffix', () => {
    const entries = [
      'Mailinator.COM',
      '*.foo.com',
      'bücher.example',
      'com.ar',
      'github.io',
      'a b',
      '',
    ]
    expect(entries.map(normalizeDomain)).toEqual([
      'mailinator.com',
      'foo.com',
      'xn--bcher-kva.example',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('the compiled data', () => {
  test('contains well-known mail domains', () => {
    const lists = loadDomainLists(DATA)
    const classes = [
      'mailinator.com',
      'a.b.mailinator.com',
      'gmail.com',
      'x.duck.com',
      'siemens.com',
    ]
    expect(classes.map((domain) => gradeDomain(lists, domain).class)).toEqual([
      'curated',
      'curated',
      'free_mail',
      'relay',
      'none',
    ])
  })

  test.each(['consultant.com', 'dr.com', 'mindless.com', 'eml.cc', 'hotmail.be', 'yahoo.com.ph'])(
    'takes %s for a name of its provider, even if a list has it',
    (domain) => expect(gradeDomain(loadDomainLists(DATA), domain).class).toBe('free_mail'),
  )

  test('does not classify a common mail host as disposable', () => {
    const lists = loadDomainLists(DATA)
    const hosts = `aspmx.l.google.com example.mail.protection.outlook.com mx.zoho.com mx1.improvmx.com
      mail.protonmail.ch in1-smtp.messagingengine.com mx.yandex.net mx01.ionos.com mx1.forwardemail.net
      mx1.hostinger.com route1.mx.cloudflare.net mxa.mailgun.org smtp.secureserver.net`
    for (const host of hosts.split(/\s+/)) {
      expect(gradeDomain(lists, 'customer.example', [host]).class).toBe('none')
    }
  })

  test('contains networks and countries', () => {
    const data = loadIpData(DATA)
    expect(describeIp(data, '8.8.8.8')).toMatchObject({ country_code: 'US', asn: 15_169 })
    expect(describeIp(data, '2a01:4f8::1')).toMatchObject({ asn: 24_940, network_class: 'hosting' })
    expect(describeIp(data, '84.128.1.1')).toMatchObject({
      country_code: 'DE',
      network_class: 'isp',
    })
  })

  test('contains the carriers of number blocks', () => {
    const carriers = loadCarriers(DATA)
    expect(carriers.carrierOf('+33612345678')).toBe('SFR')
    expect(carriers.carrierOf('+12025550100')).toBeNull()
  })
})

function megabytes(file: string): number {
  return statSync(join(DATA, file)).size / 1e6
}
