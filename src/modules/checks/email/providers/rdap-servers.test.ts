import { afterEach, describe, expect, test } from 'vitest'
import { example, type RdapEmulator, startRdap } from '../../../../../emulators/rdap.ts'
import { rdapBootstrap, rdapBootstrapPublication } from './rdap-bootstrap.ts'
import { createRdapServers, readBootstrap } from './rdap-servers.ts'

const running: RdapEmulator[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((rdap) => rdap.close()))
})

async function start(scenario = example) {
  const rdap = await startRdap({ port: 0, scenario })
  running.push(rdap)
  return rdap
}

describe('the shipped table', () => {
  test('names one server per suffix, by URLs that can be called', () => {
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
    ['shop.io', undefined],
    ['shop.nonsense', undefined],
    ['', undefined],
  ])('%s is looked up at %s', (domain, url) => {
    expect(createRdapServers(undefined).find(domain)).toBe(url)
  })
})

describe('refresh', () => {
  test('replaces the table with the published one', async () => {
    const rdap = await start()
    const servers = createRdapServers(rdap.bootstrap_url)
    expect(await servers.refresh()).toBe(true)
    expect(servers.find('old.example')).toBe(rdap.url)
    expect(servers.find('example.com')).toBeUndefined()
  })

  test('the first look-up starts it, and later ones of the day do not', async () => {
    const rdap = await start()
    const servers = createRdapServers(rdap.bootstrap_url)
    expect(servers.find('example.com')).toBe('https://rdap.verisign.com/com/v1/')
    await expect.poll(() => servers.find('old.example')).toBe(rdap.url)
    servers.find('old.example')
    expect(rdap.requests).toHaveLength(1)
  })

  test.each(['500', 'reset', 'invalid_json'] as const)(
    'one that fails (%s) keeps the table that there was',
    async (bootstrap_fault) => {
      const rdap = await start()
      const servers = createRdapServers(rdap.bootstrap_url)
      await servers.refresh()
      rdap.setScenario({ ...example, bootstrap_fault })
      expect(await servers.refresh()).toBe(false)
      expect(servers.find('old.example')).toBe(rdap.url)
    },
  )

  test('without a URL nothing is fetched', async () => {
    expect(await createRdapServers(undefined).refresh()).toBe(false)
  })
})

describe('readBootstrap', () => {
  test('prefers https, adds the slash at the end, and finds the longest suffix', () => {
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

  test('passes over entries of another shape', () => {
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
  })

  test.each([undefined, null, [], {}, { services: {} }, { services: [] }])(
    '%j is no bootstrap file',
    (body) => {
      expect(readBootstrap(body)).toBeUndefined()
    },
  )
})
