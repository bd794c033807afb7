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
import { gradeDomain, loadDomainLists } from '../src/modules/checks/email/lists.ts'
import { loadIpData } from '../src/modules/checks/ip/ip-data.ts'
import { describeIp } from '../src/modules/checks/ip/ip-facts.ts'
import { loadCarriers } from '../src/modules/phone/carriers.ts'
import { COMPILED_SOURCES, normaliseDomain } from './compile-data/domain-lists.ts'
import { isUpToDate, STAMP_FILE } from './compile-data/stamp.ts'
import { compileData } from './compile-data.ts'

let parent = ''
let outFolder = ''
const printed: string[] = []

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'compile-'))
  outFolder = join(parent, 'data')
  // What a killed run leaves behind is cleared away by a later one, an hour on.
  mkdirSync(join(parent, '.data-killed'))
  utimesSync(join(parent, '.data-killed'), 1e9, 1e9)
  const both = [
    compileData({ outFolder, print: (line) => printed.push(line) }),
    compileData({ outFolder }),
  ]
  expect(await Promise.all(both)).toEqual(['made', 'made'])
})

afterAll(() => rmSync(parent, { recursive: true }))

describe('compiling the reference data', () => {
  test('twice at once leaves one whole set and no working folders', () => {
    expect(readdirSync(parent)).toEqual(['data'])
    expect(readdirSync(outFolder).toSorted()).toEqual([
      'carriers.bin',
      'domains.bin',
      'ip.bin',
      'stamp.json',
    ])
    expect(printed).toHaveLength(3)
  })

  test('stays small', () => {
    expect(megabytes('domains.bin')).toBeLessThan(3)
    expect(megabytes('carriers.bin')).toBeLessThan(1)
    expect(megabytes('ip.bin')).toBeLessThan(20)
  })

  test('does nothing when it is up to date', async () => {
    const before = statSync(join(outFolder, 'ip.bin')).mtimeMs
    expect(await compileData({ outFolder })).toBe('up_to_date')
    expect(statSync(join(outFolder, 'ip.bin')).mtimeMs).toBe(before)
  })

  test('is not up to date with another key, a damaged stamp or a file missing', () => {
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

  test('leaves the held-out list out of the product', () => {
    expect(COMPILED_SOURCES).not.toContain('burner-email-providers')
  })

  test('takes host names only, and no public suffix', () => {
    const given = [
      'Mailinator.COM',
      '*.foo.com',
      'bücher.example',
      'com.ar',
      'github.io',
      'a b',
      '',
    ]
    expect(given.map(normaliseDomain)).toEqual([
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
  test('knows well-known mail domains', () => {
    const lists = loadDomainLists(outFolder)
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

  test('does not take a common mail host for a throw-away service', () => {
    const lists = loadDomainLists(outFolder)
    const hosts = `aspmx.l.google.com example.mail.protection.outlook.com mx.zoho.com mx1.improvmx.com
      mail.protonmail.ch in1-smtp.messagingengine.com mx.yandex.net mx01.ionos.com mx1.forwardemail.net
      mx1.hostinger.com route1.mx.cloudflare.net mxa.mailgun.org smtp.secureserver.net`
    for (const host of hosts.split(/\s+/)) {
      expect(gradeDomain(lists, 'customer.example', [host]).class).toBe('none')
    }
  })

  test('knows networks and countries', () => {
    const data = loadIpData(outFolder)
    expect(describeIp(data, '8.8.8.8')).toMatchObject({ country_code: 'US', asn: 15_169 })
    expect(describeIp(data, '2a01:4f8::1')).toMatchObject({ asn: 24_940, network_class: 'hosting' })
    expect(describeIp(data, '84.128.1.1')).toMatchObject({
      country_code: 'DE',
      network_class: 'isp',
    })
  })

  test('knows allocation carriers', () => {
    const carriers = loadCarriers(outFolder)
    expect(carriers.carrierOf('+33612345678')).toBe('SFR')
    expect(carriers.carrierOf('+12025550100')).toBeNull()
  })
})

function megabytes(file: string): number {
  return statSync(join(outFolder, file)).size / 1e6
}
