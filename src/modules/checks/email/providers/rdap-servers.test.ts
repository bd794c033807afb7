import { afterEach, describe, expect, test } from 'vitest'
import {
  example,
  type RdapEmulator,
  type RdapScenario,
  startRdap,
} from '../../../../../emulators/rdap.ts'
import { known, unknown } from '../../../../platform/lookup.ts'
import { rdapBootstrap, rdapBootstrapPublication } from './rdap-bootstrap.ts'
import { createRdapServers, readBootstrap } from './rdap-servers.ts'

const running: RdapEmulator[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((rdap) => rdap.close()))
})

async function start(scenario: RdapScenario = example) {
  const rdap = await startRdap({ port: 0, scenario })
  running.push(rdap)
  return rdap
}

describe('the shipped table', () => {
  test('names one server per suffix, by valid URLs', () => {
    const suffixes = Object.values(rdapBootstrap).flatMap((list) => list.split(' '))
    expect(new Set(suffixes).size).toBe(suffixes.length)
    expect(suffixes.length).toBeGreaterThan(1_100)
    expect(suffixes.filter((suffix) => !/^[a-z0-9-]+$/.test(suffix))).toEqual([])
    for (const pattern of Object.keys(rdapBootstrap)) {
      expect(pattern).toMatch(/^https?:\/\/[^/]+\/.*$/)
      expect(pattern.endsWith('/')).toBe(true)
    }
    expect(Date.parse(rdapBootstrapPublication)).not.toBeNaN()
  })

  test.each([
    ['example.com', 'https://rdap.verisign.com/com/v1/'],
    ['shop.co.uk', 'https://rdap.nominet.uk/uk/'],
    ['a.b.c.org', 'https://rdap.publicinterestregistry.org/rdap/'],
    ['SHOP.FR', 'https://rdap.nic.fr/'],
    ['shop.xn--kpry57d', 'https://ccrdap.twnic.tw/taiwan/'],
    ['shop.io', null],
    ['shop.nonsense', null],
    ['', null],
  ])('%s is looked up at %s', async (domain, url) => {
    expect(await createRdapServers(undefined).find(domain)).toEqual(known(url))
  })
})

describe('refresh', () => {
  test('replaces the table with the published one', async () => {
    const rdap = await start()
    const servers = createRdapServers(rdap.bootstrap_url)
    expect(await servers.refresh()).toBe(true)
    expect(await servers.find('old.example')).toEqual(known(rdap.url))
    expect(await servers.find('example.com')).toEqual(known(null))
  })

  test("with the operator's file, servers outside of it are never queried", async () => {
    const rdap = await start()
    const servers = createRdapServers(rdap.bootstrap_url)
    const found = await Promise.all(
      ['example.com', 'old.example'].map((name) => servers.find(name)),
    )
    expect(found).toEqual([known(null), known(rdap.url)])
    await servers.find('old.example')
    expect(rdap.requests).toHaveLength(1)
  })

  test('accepts a file without servers', async () => {
    const rdap = await start({ suffixes: [], domains: {} })
    expect(await createRdapServers(rdap.bootstrap_url).find('example.com')).toEqual(known(null))
  })

  test('without any table, a look-up is unknown and the next one fetches again', async () => {
    const rdap = await start({ ...example, bootstrap_fault: '500' })
    const servers = createRdapServers(rdap.bootstrap_url)
    expect(await servers.find('old.example')).toEqual(unknown('unreachable'))
    rdap.setScenario(example)
    expect(await servers.find('old.example')).toEqual(known(rdap.url))
  })

  test.each<Partial<RdapScenario>>([
    { bootstrap_fault: '500' },
    { bootstrap_fault: 'reset' },
    { bootstrap_fault: 'invalid_json' },
    { suffixes: [] },
  ])('keeps the table when it fails or lists no server: %j', async (trouble) => {
    const rdap = await start()
    const servers = createRdapServers(rdap.bootstrap_url)
    await servers.refresh()
    rdap.setScenario({ ...example, ...trouble })
    expect(await servers.refresh()).toBe(false)
    expect(await servers.find('old.example')).toEqual(known(rdap.url))
  })

  test('without a URL nothing is fetched', async () => {
    expect(await createRdapServers(undefined).refresh()).toBe(false)
  })
})

describe('readBootstrap', () => {
  test('prefers https, adds the trailing slash, and finds the longest suffix', () => {
    const table = readBootstrap({
      services: [
        [
          ['test', 'CO.Test.'],
          ['http://a.example/', 'https://b.example/rdap'],
        ],
        [['plain'], ['http://c.example/']],
      ],
    })
    expect(Object.fromEntries(table ?? [])).toEqual({
      test: 'https://b.example/rdap/',
      'co.test': 'https://b.example/rdap/',
      plain: 'http://c.example/',
    })
  })

  test('skips entries of another shape', () => {
    const services = [
      null,
      5,
      [],
      [['a']],
      [['b'], []],
      [['c'], ['ftp://c/']],
      [['d'], ['https://d/']],
    ]
    expect([...(readBootstrap({ services })?.keys() ?? [])]).toEqual(['d'])
    expect(readBootstrap({ services: [] })?.size).toBe(0)
  })

  test.each([undefined, null, [], {}, { services: {} }, 'text'])(
    '%j is not a bootstrap file',
    (body) => {
      expect(readBootstrap(body)).toBeUndefined()
    },
  )
})
