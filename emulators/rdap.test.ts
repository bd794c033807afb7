import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  example,
  type RdapEmulator,
  type RdapScenario,
  readRdapScenario,
  startRdap,
} from './rdap.ts'

let rdap: RdapEmulator

beforeAll(async () => {
  rdap = await startRdap({ port: 0, scenario: example })
})

beforeEach(() => rdap.setScenario(example))

afterAll(() => rdap.close())

const get = (path: string) => fetch(`${rdap.url}${path}`, { redirect: 'manual' })

async function whois(line: string): Promise<string> {
  const socket = connect(rdap.whois.port, '127.0.0.1')
  socket.end(`${line}\r\n`)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

describe('rdap', () => {
  test('a domain is an RDAP object with its events', async () => {
    const response = await get('domain/OLD.example')
    expect(response.headers.get('content-type')).toBe('application/rdap+json')
    expect(await response.json()).toMatchObject({
      rdapConformance: ['rdap_level_0'],
      objectClassName: 'domain',
      ldhName: 'old.example',
      events: [
        { eventAction: 'registration', eventDate: '2001-03-14T09:26:53Z' },
        { eventAction: 'expiration', eventDate: '2031-03-14T09:26:53Z' },
        { eventAction: 'last changed', eventDate: '2024-03-01T00:00:00Z' },
      ],
    })
  })

  test.each([
    ['domain/none.example', 404],
    ['domain/localhost', 400],
    ['domain/%7E.example', 400],
    ['entity/1', 400],
    ['domain/busy.example', 429],
  ])('%s is an error body with status %i', async (path, status) => {
    const response = await get(path)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ errorCode: status })
  })

  test('a 429 has a Retry-After header if the scenario has one', async () => {
    rdap.setScenario({ ...example, fault: '429', retry_after_s: 120 })
    expect((await get('domain/old.example')).headers.get('retry-after')).toBe('120')
  })

  test('a redirect is a Location on this server', async () => {
    const response = await get('domain/moved.example')
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(`${rdap.url}domain/old.example`)
  })

  test('the bootstrap file assigns the suffixes to this server', async () => {
    const response = await fetch(rdap.bootstrap_url)
    expect(await response.json()).toMatchObject({
      version: '1.0',
      services: [[['example', 'test'], [rdap.url]]],
    })
  })

  test('the default suffixes include those of the domains', async () => {
    rdap.setScenario({ domains: { 'shop.io': {}, 'shop.co.uk': {}, 'shop.com': {} } })
    const defaults = ['com', 'net', 'org', 'example', 'test', 'invalid']
    expect(await (await fetch(rdap.bootstrap_url)).json()).toMatchObject({
      services: [[[...defaults, 'io', 'uk'], [rdap.url]]],
    })
  })

  test.each(['hang', 'drip'] as const)('%s never ends', async (fault) => {
    rdap.setScenario({ ...example, fault })
    const signal = AbortSignal.timeout(100)
    const answer = fetch(`${rdap.url}domain/old.example`, { signal }).then((body) => body.text())
    await expect(answer).rejects.toThrow()
  })

  test('reset resets the connection', async () => {
    rdap.setScenario({ ...example, fault: 'reset' })
    await expect(get('domain/old.example')).rejects.toThrow()
  })

  test('invalid_json is a success that cannot be parsed', async () => {
    rdap.setScenario({ ...example, fault: 'invalid_json' })
    const response = await get('domain/old.example')
    expect(response.status).toBe(200)
    await expect(response.json()).rejects.toThrow()
  })

  test('requests are recorded', async () => {
    await get('domain/old.example')
    expect(rdap.requests.at(-1)).toMatchObject({ method: 'GET', path: '/domain/old.example' })
  })
})

describe('whois', () => {
  test('answers the query line with its text and closes', async () => {
    expect(await whois('OLD.invalid')).toContain('Creation Date: 2003-05-06T07:08:09Z')
    expect(rdap.whois.requests.at(-1)).toBe('old.invalid')
  })

  test('replaces {self} in the text by its address', async () => {
    expect(await whois('invalid')).toContain(`refer:        ${rdap.whois.address}`)
  })

  test('answers queries that are not scripted with no match', async () => {
    expect(await whois('none.invalid')).toBe('No match.\r\n')
  })
})

describe('readRdapScenario', () => {
  test('the example is valid', () => {
    expect(readRdapScenario(structuredClone(example))).toEqual(example)
  })

  test.each<[unknown, string]>([
    [{ suffixes: [] }, 'rdap scenario: domains is missing'],
    [
      { suffixes: [], domains: { 'a.example': { registered_at: 'once' } } },
      'rdap scenario: domains["a.example"].registered_at must match format "date-time"',
    ],
    [
      { suffixes: [], domains: {}, whois: { queries: { a: { txt: '' } } } },
      'rdap scenario: whois.queries.a',
    ],
  ])('%j is refused with a sentence that names the member', (value, sentence) => {
    expect(() => readRdapScenario(value)).toThrow(sentence)
  })

  test('an invalid scenario does not replace the current one', async () => {
    expect(() => rdap.setScenario({} as RdapScenario)).toThrow('domains is missing')
    expect((await get('domain/old.example')).status).toBe(200)
  })
})
