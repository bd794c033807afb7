import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DnsEmulator, type DnsScenario, startDns } from '../../../emulators/dns.ts'
import { type Receiver, startReceiver } from '../../../emulators/receiver.ts'
import { readAllowList } from './allow-list.ts'
import { createGuardedPost, type GuardedPost } from './guarded-post.ts'

const PUBLIC = '93.184.216.34'
const PUBLIC_SIX = '2606:2800:220:1::1'

const words = (text: string): string[] => text.trim().split(/\s+/)

/** Hosts as in `https://HOST/`, none of which may ever be connected to. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'IPv4 addresses': words(`
    127.0.0.1 127.0.0.2 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 172.16.0.1
    172.31.255.254 192.168.0.1 192.168.255.254 169.254.169.254 169.254.170.2 169.254.0.1
    100.64.0.1 100.100.100.200 100.127.255.254 168.63.129.16 192.0.0.1 192.0.0.192 192.0.2.1
    192.88.99.1 198.18.0.1 198.19.255.254 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250
    240.0.0.1 255.255.255.255
  `),
  'IPv4 addresses in other spellings': words(`
    127.1 127.0.1 127. 127.0.0.1. 2130706433 2130706433. 0x7f000001 0X7F000001 0x7f.1
    0x7f.0x0.0x0.0x1 017700000001 0177.0.0.1 0177.1 0177.0x0.0.01 00000177.0.0.1
    0x000000007f.0.0.1 127.0.0.01 0 0x0 00.0.0.0 2852039166 0xa9fea9fe 0251.0376.0251.0376
    0xa9.0xfe.0xa9.0xfe 169.16689662 169.254.43518 0xA9.254.0251.0376 025177524776 167772161
    012.0.0.1 10.1 3232235521 192.168.1 0300.0250.0.1 0xc0a80001 172.1048577 0xac.16.1 １２７.０.０.１
    127。0。0。1 127．0．0．1 ①②⑦.⓪.⓪.① １２７。１ ２１３０７０６４３３ １６９.２５４.１６９.２５４ 𝟏𝟐𝟕.𝟎.𝟎.𝟏 127.0.0.%31
    %31%32%37.0.0.1 0x7f%2e1 1\u00ad27.0.0.1 127.0.0.1%00 256.0.0.1 127.0.0.1.1 0x7f.0.0.256
  `),
  'IPv6 addresses': words(`
    [::] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [fe80::1]
    [febf::1] [fec0::1] [fc00::1] [fd00::1] [fd00:ec2::254] [FD00:EC2:0:0:0:0:0:254] [ff02::1]
    [ff0e::1] [2001:db8::1] [3fff::1] [100::1] [100:0:0:1::1] [2001:2::1] [2001:10::1]
    [2001:20::1] [5f00::1] [4000::1] [8000::1] [e000::1] [fe80::1%25eth0] [fe80::1%eth0]
    [::1%251]
  `),
  'IPv6 addresses with an IPv4 address inside': words(`
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:1] [0:0:0:0:0:ffff:127.0.0.1]
    [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::ffff:10.0.0.1] [::ffff:8.8.8.8] [::127.0.0.1]
    [::7f00:1] [::169.254.169.254] [::a9fe:a9fe] [::10.0.0.1] [::ffff:0:127.0.0.1]
    [::ffff:0:a9fe:a9fe] [::ffff:0:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1]
    [64:ff9b::a9fe:a9fe] [64:ff9b::8.8.8.8] [64:ff9b:1::7f00:1] [64:ff9b:1:ffff::10.0.0.1]
    [64:ff9b:1:0:7f:0:100:0] [2002:7f00:1::] [2002:7f00:0001::1] [2002:a9fe:a9fe::]
    [2002:a00:1::1] [2001::1] [2001:0:7f00:1::] [2001:0:0:0:0:0:80ff:fffe]
    [2001:0:53aa:64c::5601:5601] [::5efe:127.0.0.1] [fe80::5efe:10.0.0.1]
    [fe80::200:5efe:10.0.0.1] [2606:2800::5efe:a00:1] [2606:2800::200:5efe:192.168.0.1]
  `),
  'internal names': words(`
    localhost LOCALHOST localhost. LocalHost. a.localhost ｌｏｃａｌｈｏｓｔ locⓐlhost loc%61lhost
    localhost%2e localhost.localdomain localhost。 metadata metadata.google.internal
    METADATA.GOOGLE.INTERNAL. metadata.goog instance-data.ec2.internal metadata.tencentyun.com
    host.docker.internal rancher kubernetes kubernetes.default.svc db redis intranet
    kubernetes.default.svc.cluster.local printer.local nas.lan router.home router.home.arpa
    git.corp wiki.intranet vault.private a.onion
  `),
  'names that resolve to forbidden addresses': words(`
    loopback.example.com loopback-six.example.com private.example.com metadata.example.com shared.example.com zero.example.com mapped.example.com
    nat64.example.com six-to-four.example.com unique-local.example.com mixed.example.com mixed-last.example.com mixed-families.example.com
    mixed-families-other.example.com alias.example.com alias-of-alias.example.com LOOPBACK.EXAMPLE.COM loopback.example.com.
    any.wild.example.com 127.0.0.1.wild.example.com bücher.example.com xn--bcher-kva.example.com many.example.com
  `),
}

const NAMES: DnsScenario['names'] = {
  'loopback.example.com': { A: ['127.0.0.1'] },
  'loopback-six.example.com': { AAAA: ['::1'] },
  'private.example.com': { A: ['10.0.0.1'] },
  'metadata.example.com': { A: ['169.254.169.254'] },
  'shared.example.com': { A: ['100.64.0.1'] },
  'zero.example.com': { A: ['0.0.0.0'] },
  'mapped.example.com': { AAAA: ['::ffff:127.0.0.1'] },
  'nat64.example.com': { AAAA: ['64:ff9b::7f00:1'] },
  'six-to-four.example.com': { AAAA: ['2002:7f00:1::'] },
  'unique-local.example.com': { AAAA: ['fd00:ec2::254'] },
  'mixed.example.com': { A: ['127.0.0.1', PUBLIC] },
  'mixed-last.example.com': { A: [PUBLIC, '127.0.0.1'] },
  'mixed-families.example.com': { A: [PUBLIC], AAAA: ['::1'] },
  'mixed-families-other.example.com': { A: ['127.0.0.1'], AAAA: [PUBLIC_SIX] },
  'alias.example.com': { CNAME: 'loopback.example.com' },
  'alias-of-alias.example.com': { CNAME: 'alias.example.com' },
  '*.wild.example.com': { A: ['127.0.0.1'] },
  'xn--bcher-kva.example.com': { A: ['192.168.0.1'] },
  'many.example.com': {
    A: [...Array.from({ length: 40 }, (_, last) => `93.184.216.${last}`), '10.0.0.1'],
  },
}

/** Complete URLs, where PORT is the port of the canary. */
const URLS = [
  'http://127.0.0.1:PORT/',
  'HTTP://hooks.example.com/',
  'ftp://hooks.example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/_',
  'unix:/var/run/docker.sock',
  'data:text/plain,a',
  'javascript:1',
  'wss://127.0.0.1:PORT/',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT',
  'blob:https://127.0.0.1/',
  'https://hooks.example.com@127.0.0.1:PORT/',
  'https://hooks.example.com:443@127.0.0.1:PORT/',
  'https://127.0.0.1:PORT@hooks.example.com/',
  'https://a:b@hooks.example.com/',
  'https://@hooks.example.com/',
  'https://hooks.example.com\\@127.0.0.1:PORT/',
  'https://127.0.0.1:PORT\\@hooks.example.com/',
  'https:\\\\127.0.0.1:PORT/',
  'https:/\\127.0.0.1:PORT/',
  'https:127.0.0.1:PORT',
  'https:///127.0.0.1',
  'https://127.0.0.1:PORT#@hooks.example.com/',
  'https://hooks.example.com#',
  'https://127.0.0.1:PORT/#a',
  'https://127.0.0.1:PORT?@hooks.example.com/',
  'https://127.0.0.1:PORT/@hooks.example.com',
  'https://127.0.0.1:PORT;a',
  ' https://127.0.0.1:PORT/',
  'https://127.0.0.1:PORT/\r\nHost: a',
  'https://127.0.0\t.1:PORT/',
  'https://127.0.0\n.1:PORT/',
  '\u0000https://127.0.0.1:PORT/',
  'https://[::1]:PORT/',
  'https://[::1',
  'https://[127.0.0.1]:PORT/',
  'https://[::ffff:127.0.0.1]:PORT/',
  'https://localhost:PORT/',
  'https://hooks.example.com:0/',
  'https://hooks.example.com:22/',
  'https://hooks.example.com:25/',
  'https://hooks.example.com:80/',
  'https://hooks.example.com:3306/',
  'https://hooks.example.com:5432/',
  'https://hooks.example.com:6379/',
  'https://:443/',
  'https://hooks.example.com:11211/',
  'https://hooks.example.com:9200/',
  'https://hooks.example.com:65536/',
  'https://',
  'https://.test/',
  'https://hooks..example.com/',
  'https://hooks.example.com../',
  'https://*.test/',
  '',
]

type Canary = { port: number; reached: string[]; servers: Server[] }
let canary: Canary
let dns: DnsEmulator
let guarded: GuardedPost

beforeAll(async () => {
  canary = await startCanary()
  dns = await startDns({ port: 0, scenario: { names: NAMES } })
  guarded = createGuardedPost({
    allow: readAllowList(''),
    dns_servers: [dns.address],
    resolve_timeout_ms: 1_000,
    connect_timeout_ms: 200,
  })
})

afterAll(async () => {
  await Promise.all([guarded.close(), dns.close()])
  for (const server of canary.servers) server.close()
})

/** Listens on one port of several loopback addresses and records every connection. */
async function startCanary(hosts = ['127.0.0.1', '::1'], at = 0): Promise<Canary> {
  const reached: string[] = []
  const servers: Server[] = []
  let port = at
  for (const host of hosts) {
    const server = createServer((socket) => {
      reached.push(host)
      socket.destroy()
    }).listen(port, host)
    try {
      await once(server, 'listening')
    } catch (error) {
      // A machine without IPv6 has one canary fewer.
      if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') continue
      throw error
    }
    servers.push(server)
    const address = server.address()
    port = typeof address === 'object' && address !== null ? address.port : port
  }
  return { port, reached, servers }
}

const post = (url: string, by: GuardedPost = guarded) =>
  by.post({ url, headers: {}, body: '{}', deadline_ms: 2_000, response_bytes_max: 100 })

async function expectRefused(url: string) {
  expect(await guarded.check(url)).toMatchObject({ kind: 'refused' })
  expect(await post(url)).toMatchObject({ kind: 'refused' })
  expect(canary.reached).toEqual([])
}

describe('refused when it is configured and when it is called', () => {
  for (const [what, hosts] of Object.entries(HOSTS)) {
    test.each(hosts)(`${what}: %s`, async (host) => {
      await expectRefused(`https://${host}/`)
      await expectRefused(`https://${host}:${canary.port}/hook?a=b`)
    })
  }

  test.each(URLS)('URLs: %j', async (url) => {
    await expectRefused(url.replaceAll('PORT', String(canary.port)))
  })

  test('are more than two hundred and fifty', () => {
    const all = [...Object.values(HOSTS).flat(), ...URLS]
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(250)
  })

  test('the same names and ports are allowed when they lead to the internet', async () => {
    dns.setScenario({
      names: { ...NAMES, 'hooks.example.com': { A: [PUBLIC], AAAA: [PUBLIC_SIX] } },
    })
    const good = [
      'https://hooks.example.com/',
      `https://hooks.example.com.:${canary.port}/a`,
      `https://${PUBLIC}/`,
    ]
    for (const url of [...good, `https://[${PUBLIC_SIX}]/`]) {
      expect(await guarded.check(url)).toEqual({ kind: 'allowed' })
    }
  })
})

describe('a name whose addresses change', () => {
  test('is refused at the attempt although it was allowed when it was configured', async () => {
    const sequence = [{ A: [PUBLIC] }, { A: ['127.0.0.1'] }]
    dns.setScenario({ names: { 'rebind.example.com': { ttl: 0, sequence } } })
    const url = `https://rebind.example.com:${canary.port}/`
    expect(await guarded.check(url)).toEqual({ kind: 'allowed' })
    expect(await post(url)).toMatchObject({ kind: 'refused', reason: 'not_public' })
    expect(canary.reached).toEqual([])
  })

  test('is refused when only its IPv6 address changes', async () => {
    const sequence = [
      { A: [PUBLIC], AAAA: [PUBLIC_SIX] },
      { A: [PUBLIC], AAAA: ['::1'] },
    ]
    dns.setScenario({ names: { 'rebind-six.example.com': { ttl: 0, sequence } } })
    const url = `https://rebind-six.example.com:${canary.port}/`
    expect(await guarded.check(url)).toEqual({ kind: 'allowed' })
    expect(await post(url)).toMatchObject({ kind: 'refused', reason: 'not_public' })
    expect(canary.reached).toEqual([])
  })
})

describe('a name that is connected to', () => {
  /** 127.0.0.1 stands for the public internet, ::1 with a canary for the internal network. */
  const OUTSIDE = '127.0.0.1'
  let receiver: Receiver
  let inside: Canary
  let reaching: GuardedPost

  beforeAll(async () => {
    receiver = await startReceiver({ host: OUTSIDE, names: ['*.receiver.example.com'] })
    inside = await startCanary(['::1'], receiver.port)
    reaching = createGuardedPost({
      allow: readAllowList(`${OUTSIDE}/32`),
      dns_servers: [dns.address],
      resolve_timeout_ms: 1_000,
      connect_timeout_ms: 200,
      ca: receiver.ca,
    })
  })

  afterAll(async () => {
    await Promise.all([reaching.close(), receiver.close()])
    for (const server of inside.servers) server.close()
  })

  test('is resolved once, and connected to at the checked address', async () => {
    const sequence = [{ A: [OUTSIDE] }, { AAAA: ['::1'] }]
    dns.setScenario({ names: { 'a.receiver.example.com': { ttl: 0, sequence } } })
    const url = `https://a.receiver.example.com:${receiver.port}/`
    expect(await post(url, reaching)).toMatchObject({ kind: 'answered', status: 401 })
    const queries = dns.requests.filter(({ name }) => name === 'a.receiver.example.com')
    expect(queries.map(({ type }) => type).toSorted()).toEqual(['A', 'AAAA'])
    // The connection is still open, but the name has another address now.
    expect(receiver.connections()).toBe(1)
    expect(await post(url, reaching)).toMatchObject({ kind: 'refused', reason: 'not_public' })
    expect(receiver.received).toHaveLength(1)
    expect(inside.reached).toEqual([])
  })

  test.each([301, 302, 303, 307, 308])(
    'may redirect with %i, which is not followed',
    async (status) => {
      dns.setScenario({ names: { 'b.receiver.example.com': { A: [OUTSIDE] } } })
      const headers = { 'x-service-signature': `t=1,v1=${'0'.repeat(64)}` }
      const location = `https://127.0.0.1:${canary.port}/`
      receiver.setScenario({ paths: { '/': { status, headers: { location } } } })
      receiver.clear()
      const outcome = await reaching.post({
        url: `https://b.receiver.example.com:${receiver.port}/`,
        headers,
        body: '{}',
        deadline_ms: 2_000,
        response_bytes_max: 100,
      })
      expect(outcome).toMatchObject({ kind: 'answered', status })
      expect(receiver.received).toHaveLength(1)
      expect(canary.reached).toEqual([])
    },
  )

  test('while the canary records a direct connection', async () => {
    const careless = createGuardedPost({
      allow: readAllowList('127.0.0.1, ::1'),
      resolve_timeout_ms: 1_000,
      connect_timeout_ms: 200,
    })
    await post(`https://127.0.0.1:${canary.port}/`, careless)
    await post(`https://[::1]:${canary.port}/`, careless)
    await careless.close()
    expect(canary.reached.splice(0)).toHaveLength(canary.servers.length)
  })
})
