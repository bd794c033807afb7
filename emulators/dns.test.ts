import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type DnsEmulator, type DnsScenario, example, readDnsScenario, startDns } from './dns.ts'

const running: DnsEmulator[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((dns) => dns.close()))
})

async function start(scenario: DnsScenario) {
  const dns = await startDns({ port: 0, scenario })
  running.push(dns)
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  resolver.setServers([dns.address])
  return { dns, resolver }
}

const soa = {
  nsname: 'ns1.shop.example',
  hostmaster: 'hostmaster.shop.example',
  serial: 2_026_010_100,
  refresh: 7_200,
  retry: 900,
  expire: 1_209_600,
  minttl: 300,
}
const naptr = {
  order: 100,
  preference: 10,
  flags: 'u',
  service: 'E2U+pstn:tel',
  regexp: '!^.*$!tel:+12025550100;npdi!',
  replacement: '.',
}
const shop = {
  A: ['192.0.2.1', '192.0.2.2'],
  AAAA: ['2001:db8::1', '::ffff:192.0.2.1'],
  MX: [{ priority: 10, exchange: 'mx.shop.example' }],
  TXT: ['v=spf1 -all'],
  NS: ['ns1.shop.example'],
  SOA: soa,
  NAPTR: [naptr],
}

describe('records', () => {
  test('every record type is answered with the data of the scenario', async () => {
    const { resolver } = await start({ names: { 'shop.example': shop } })
    expect(await resolver.resolve4('shop.example')).toEqual(['192.0.2.1', '192.0.2.2'])
    expect(await resolver.resolve6('shop.example')).toEqual(['2001:db8::1', '::ffff:192.0.2.1'])
    // Newer versions of Node.js add members of their own.
    expect(await resolver.resolveMx('shop.example')).toMatchObject([
      { priority: 10, exchange: 'mx.shop.example' },
    ])
    expect(await resolver.resolveTxt('shop.example')).toEqual([['v=spf1 -all']])
    expect(await resolver.resolveNs('shop.example')).toEqual(['ns1.shop.example'])
    expect(await resolver.resolveSoa('shop.example')).toEqual(soa)
    expect(await resolver.resolveNaptr('shop.example')).toEqual([{ ...naptr, replacement: '' }])
  })

  test('a null MX is one record with an empty exchange', async () => {
    const { resolver } = await start({
      names: { 'none.example': { MX: [{ priority: 0, exchange: '.' }] } },
    })
    expect(await resolver.resolveMx('none.example')).toMatchObject([{ priority: 0, exchange: '' }])
  })

  test('a text over 255 bytes arrives as several strings of one record', async () => {
    const text = 'a'.repeat(300)
    const { resolver } = await start({ names: { 'long.example': { TXT: [text] } } })
    expect(await resolver.resolveTxt('long.example')).toEqual([['a'.repeat(255), 'a'.repeat(45)]])
  })

  test('an alias is followed to the records of its target', async () => {
    const { resolver } = await start({
      names: { 'www.example': { CNAME: 'host.example' }, 'host.example': { A: ['192.0.2.7'] } },
    })
    expect(await resolver.resolve4('www.example')).toEqual(['192.0.2.7'])
    expect(await resolver.resolveCname('www.example')).toEqual(['host.example'])
  })

  test('a loop of aliases is a server failure', async () => {
    const { resolver } = await start({
      names: { 'a.example': { CNAME: 'b.example' }, 'b.example': { CNAME: 'a.example' } },
    })
    await expect(resolver.resolve4('a.example')).rejects.toMatchObject({ code: 'ESERVFAIL' })
  })

  test('names are compared without regard to case', async () => {
    const { resolver } = await start({ names: { 'shop.example': shop } })
    expect(await resolver.resolveNs('SHOP.Example')).toEqual(['ns1.shop.example'])
  })

  test('a wildcard answers for the names below it that are not listed', async () => {
    const { resolver } = await start({
      names: { '*.example': { A: ['192.0.2.8'] }, 'own.example': { A: ['192.0.2.9'] } },
    })
    expect(await resolver.resolve4('any.thing.example')).toEqual(['192.0.2.8'])
    expect(await resolver.resolve4('own.example')).toEqual(['192.0.2.9'])
  })

  test('a sequence answers with one set after another and then repeats the last, per type', async () => {
    const { resolver } = await start({
      names: {
        'turning.example': {
          sequence: [{ A: ['192.0.2.1'], AAAA: ['2001:db8::1'] }, { A: ['127.0.0.1'] }],
        },
      },
    })
    expect(await resolver.resolve4('turning.example')).toEqual(['192.0.2.1'])
    expect(await resolver.resolve6('turning.example')).toEqual(['2001:db8::1'])
    expect(await resolver.resolve4('turning.example')).toEqual(['127.0.0.1'])
    expect(await resolver.resolve4('turning.example')).toEqual(['127.0.0.1'])
  })
})

describe('names without an answer', () => {
  test('an unlisted name does not exist', async () => {
    const { resolver } = await start({ names: { 'shop.example': shop } })
    await expect(resolver.resolve4('other.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })

  test('a listed name without the type, and a name above a listed one, exist without data', async () => {
    const { resolver } = await start({ names: { 'a.b.example': { A: ['192.0.2.1'] } } })
    await expect(resolver.resolveMx('a.b.example')).rejects.toMatchObject({ code: 'ENODATA' })
    await expect(resolver.resolveMx('b.example')).rejects.toMatchObject({ code: 'ENODATA' })
  })

  test('a negative answer carries the SOA of the zone in the authority section', async () => {
    const { dns } = await start({ names: { 'shop.example': shop } })
    const answer = await askRaw(dns.port, query('nothing.shop.example'))
    expect(answer.readUInt16BE(2) & 0xf).toBe(3)
    expect(answer.readUInt16BE(8)).toBe(1)
    expect(answer.includes('hostmaster')).toBe(true)
  })
})

describe('faults', () => {
  test.each([
    ['servfail', 'ESERVFAIL'],
    ['refused', 'EREFUSED'],
  ] as const)('%s is the response code of the answer', async (fault, code) => {
    const { resolver } = await start({ names: { 'bad.example': { ...shop, fault } } })
    await expect(resolver.resolve4('bad.example')).rejects.toMatchObject({ code })
  })

  test('timeout sends no answer, and the query is recorded', async () => {
    const { dns } = await start({ fault: 'timeout', names: {} })
    const resolver = new Resolver({ timeout: 50, tries: 1 })
    resolver.setServers([dns.address])
    await expect(resolver.resolve4('any.example')).rejects.toMatchObject({ code: 'ETIMEOUT' })
    expect(dns.requests[0]).toEqual({ transport: 'udp', name: 'any.example', type: 'A' })
  })

  test('truncated makes the client repeat the query over TCP', async () => {
    const { dns, resolver } = await start({
      names: { 'shop.example': { ...shop, fault: 'truncated' } },
    })
    expect(await resolver.resolveNs('shop.example')).toEqual(['ns1.shop.example'])
    expect(dns.requests.map((request) => request.transport)).toEqual(['udp', 'tcp'])
  })

  test('a truncated answer does not use up a turn of a sequence', async () => {
    const sequence = [{ A: ['192.0.2.1'] }, { A: ['192.0.2.2'] }]
    const { resolver } = await start({
      names: { 'turning.example': { fault: 'truncated', sequence } },
    })
    expect(await resolver.resolve4('turning.example')).toEqual(['192.0.2.1'])
    expect(await resolver.resolve4('turning.example')).toEqual(['192.0.2.2'])
  })

  test('an answer over 512 bytes is truncated without a fault', async () => {
    const addresses = Array.from({ length: 60 }, (_, index) => `192.0.2.${index}`)
    const { dns, resolver } = await start({ names: { 'many.example': { A: addresses } } })
    expect(await resolver.resolve4('many.example')).toHaveLength(60)
    expect(dns.requests.map((request) => request.transport)).toEqual(['udp', 'tcp'])
  })

  test('latency of a name delays only that name', async () => {
    const { resolver } = await start({
      names: { 'slow.example': { ...shop, latency_ms: 200 }, 'fast.example': shop },
    })
    const order: string[] = []
    await Promise.all(
      ['slow.example', 'fast.example'].map(async (name) => {
        await resolver.resolve4(name)
        order.push(name)
      }),
    )
    expect(order).toEqual(['fast.example', 'slow.example'])
  })

  test('a new scenario takes effect immediately', async () => {
    const { dns, resolver } = await start({ fault: 'refused', names: {} })
    await expect(resolver.resolve4('shop.example')).rejects.toMatchObject({ code: 'EREFUSED' })
    dns.setScenario({ names: { 'shop.example': shop } })
    expect(await resolver.resolveNs('shop.example')).toEqual(['ns1.shop.example'])
  })
})

describe('malformed messages', () => {
  test('a header without a readable question is a format error', async () => {
    const { dns } = await start(example)
    const answer = await askRaw(dns.port, Buffer.concat([query('a.example').subarray(0, 12)]))
    expect(answer.readUInt16BE(2) & 0xf).toBe(1)
  })

  test('a compression pointer in the question is a format error', async () => {
    const { dns } = await start(example)
    const message = Buffer.concat([query('a.example').subarray(0, 12), Buffer.from([0xc0, 12, 0])])
    expect((await askRaw(dns.port, message)).readUInt16BE(2) & 0xf).toBe(1)
  })

  test('another operation than a query is not implemented', async () => {
    const { dns } = await start(example)
    const message = query('a.example')
    message.writeUInt16BE(5 << 11, 2)
    expect((await askRaw(dns.port, message)).readUInt16BE(2) & 0xf).toBe(4)
  })

  test('a message that is no query is ignored, and the server goes on', async () => {
    const { dns, resolver } = await start(example)
    const response = query('a.example')
    response.writeUInt16BE(0x80_00, 2)
    const answer = await askRaw(dns.port, Buffer.from('hi'), response, query('example.com', 99))
    expect(answer.readUInt16BE(0)).toBe(99)
    expect(await resolver.resolve4('example.com')).toEqual(['192.0.2.10'])
  })

  test('a TCP client that sends its message byte by byte is served', async () => {
    const { dns } = await start(example)
    const message = query('example.com', 7)
    const socket = connect(dns.port, '127.0.0.1')
    socket.setNoDelay(true)
    for (const byte of [0, message.length, ...message]) socket.write(Buffer.from([byte]))
    const [data] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    expect(data.readUInt16BE(2)).toBe(7)
  })
})

describe('the length of a name', () => {
  const LABEL = 'x'.repeat(63)
  /** With its length octets and the root, this name has 255 octets: the limit of RFC 1035. */
  const LONGEST = [LABEL, LABEL, LABEL, 'x'.repeat(61)].join('.')

  test('a name of 255 octets is answered', async () => {
    const { dns, resolver } = await start({ names: { [LONGEST]: { A: ['192.0.2.1'] } } })
    expect(await resolver.resolve4(LONGEST)).toEqual(['192.0.2.1'])
    expect((await askRaw(dns.port, query(LONGEST))).readUInt16BE(2) & 0xf).toBe(0)
  })

  test.each([256, 280, 300])('a name of %i octets is a format error', async (octets) => {
    const { dns } = await start(example)
    const name = `${LONGEST}.${'y'.repeat(octets - 255 - 1)}`.replace(/\.$/, 'x')
    const message = query(name)
    expect(message).toHaveLength(12 + octets + 4)
    expect((await askRaw(dns.port, message)).readUInt16BE(2) & 0xf).toBe(1)
    expect(dns.requests).toEqual([])
  })

  test.each([LONGEST, `${LONGEST}.`])('a scenario can refer to the longest name', (CNAME) => {
    expect(() => readDnsScenario({ names: { 'a.example': { CNAME } } })).not.toThrow()
  })

  test.each([`${LONGEST}x`, `${'x'.repeat(64)}.example`, `${'é'.repeat(32)}.example`])(
    'a scenario cannot refer to the longer name %s',
    (CNAME) => {
      expect(() => readDnsScenario({ names: { 'a.example': { CNAME } } })).toThrow(
        'names["a.example"].CNAME must match format "domain-name"',
      )
    },
  )
})

describe('readDnsScenario', () => {
  test('the example is valid', () => {
    expect(readDnsScenario(structuredClone(example))).toEqual(example)
  })

  test.each([
    [{}, 'dns scenario: names is missing'],
    [{ names: {}, nmaes: {} }, 'dns scenario: nmaes is not a known member'],
    [
      { names: { 'a.example': { latency_ms: 'slow' } } },
      'dns scenario: names["a.example"].latency_ms must be integer',
    ],
    [
      { names: { 'a.example': { A: ['192.0.2.1', '192.0.2.256'] } } },
      'dns scenario: names["a.example"].A[1] must match format "ipv4"',
    ],
    [
      { names: { shop: { CNAME: 'a..example' } } },
      'dns scenario: names.shop.CNAME must match format "domain-name"',
    ],
    [
      { names: { shop: { MX: [{ priority: 1 }] } } },
      'dns scenario: names.shop.MX[0].exchange is missing',
    ],
  ])('%j is refused with a sentence that names the member', (value, sentence) => {
    expect(() => readDnsScenario(value)).toThrow(sentence)
  })
})

/** Encodes a query for A records. */
function query(name: string, id = 1): Buffer {
  const labels = name.split('.').map((label) => `${String.fromCharCode(label.length)}${label}`)
  const header = Buffer.from([id >> 8, id & 0xff, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([header, Buffer.from(`${labels.join('')}\0\0\u0001\0\u0001`, 'latin1')])
}

/** Sends datagrams and returns the first one that comes back. */
async function askRaw(port: number, ...messages: Buffer[]): Promise<Buffer> {
  const socket = createSocket('udp4')
  const answer = once(socket, 'message') as Promise<[Buffer]>
  for (const message of messages) socket.send(message, port, '127.0.0.1')
  const [bytes] = await answer
  socket.close()
  return bytes
}
