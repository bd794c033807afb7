/** What the documents say is what the program does: tables, examples, commands, names and links. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { Agent, fetch, type RequestInit } from 'undici'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { startAndroidManagement } from '../emulators/android-management/index.ts'
import { startApns } from '../emulators/apns/index.ts'
import { createAuthority } from '../emulators/certificate.ts'
import { type DnsEmulator, startDns } from '../emulators/dns.ts'
import { startFcm } from '../emulators/fcm/index.ts'
import { type RdapEmulator, startRdap } from '../emulators/rdap.ts'
import { createHttp, createServices, type Http } from '../src/app.ts'
import type { Io } from '../src/cli/command.ts'
import { createProgram } from '../src/cli/program.ts'
import { environmentName, readConfig, SETTINGS } from '../src/config.ts'
import { setUpFirstOrganization } from '../src/first-run.ts'
import { createLog } from '../src/platform/log.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import type { Database } from '../src/platform/postgres/db.ts'
import { readWaitingBytes } from '../src/platform/spool/index.ts'
import { openStores, type Stores } from '../src/stores.ts'
import { ownDatabase } from '../test/database.ts'
import {
  commandsOf,
  curlRequest,
  type Example,
  examplesOf,
  isAwaited,
  shellWords,
  variablesIn,
  withoutChance,
  withoutRest,
} from './docs/examples.ts'
import { describeOutdated, renderDocuments, replaceBetween } from './docs.ts'

const ROOT = packageRoot()
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].toSorted()
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

describe('generated parts', () => {
  it('are what the code says: settings, .env.example and the tables of checks', () => {
    expect(describeOutdated(renderDocuments(ROOT))).toEqual([])
  })

  it('are told by a sentence when they are not', () => {
    const outdated = { file: 'README.md', before: 'a', after: 'b' }
    expect(describeOutdated([outdated])).toEqual([
      'README.md is not what the code says. Run npm run docs.',
    ])
  })

  it('replace what stands between their markers and nothing else', () => {
    const text = 'above\n<!-- x -->\nold\n<!-- /x -->\nbelow'
    const replaced = 'above\n<!-- x -->\n\nnew\n\n<!-- /x -->\nbelow'
    expect(replaceBetween(text, 'x', 'new')).toBe(replaced)
    expect(replaceBetween(replaced, 'x', 'new')).toBe(replaced)
    expect(() => replaceBetween(text, 'y', 'new')).toThrow('<!-- y -->')
  })
})

describe('names', () => {
  const settings = new Set(Object.keys(SETTINGS).map(environmentName))

  it.each(DOCUMENTS)('%s names only settings that exist', (file) => {
    const named = textOf(file).match(/\bVIGIL_[A-Z_]*[A-Z]\b/g) ?? []
    expect(named.filter((name) => !settings.has(name))).toEqual([])
  })

  it.each(DOCUMENTS)('%s names only files that exist', (file) => {
    const pattern = /`((?:src|scripts|test|emulators|migrations|eval|bench|docs)\/[\w./-]*)`/g
    const paths = [...textOf(file).matchAll(pattern)].map(([, path = '']) => path)
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  it.each(DOCUMENTS)('%s links only to files that exist', (file) => {
    const links = [...textOf(file).matchAll(/\]\(([^)#\s]+)/g)].map(([, link = '']) => link)
    const local = links.filter((link) => !/^[a-z]+:/.test(link))
    expect(local.filter((link) => !existsSync(join(ROOT, dirname(file), link)))).toEqual([])
  })

  it('every open point that the code rests on is in the list', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    const cited = sources
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...textOf(join('src', name)).matchAll(/\bOP-(\d+)/g)])
      .map(([, point = '']) => point)
    const rows = [...textOf('docs/open-points.md').matchAll(/^\| (\d+) \|/gm)]
    const listed = rows.map(([, point = '']) => point)
    expect(cited.filter((point) => !listed.includes(point))).toEqual([])
    expect(listed).toEqual(listed.map((_, index) => String(index + 1)))
  })
})

describe('commands', () => {
  const io: Io = { working_folder: ROOT, environment: {}, stdout: () => {}, stderr: () => {} }

  it.each(DOCUMENTS)('%s shows only commands and options that exist', (file) => {
    const faults = commandsOf(textOf(file)).flatMap((line) => faultOf(line, io))
    expect(faults).toEqual([])
  })

  it('are recognised as wrong when they are', () => {
    expect(faultOf('npx vigil check explode 1', io)).not.toEqual([])
    expect(faultOf('npx vigil credits grant --org 1', io)).not.toEqual([])
    expect(faultOf('npx vigil doctor --fix', io)).not.toEqual([])
    expect(faultOf('npm run nothing', io)).not.toEqual([])
    expect(faultOf('npx vigil credits balance --org "$ORG"', io)).toEqual([])
  })
})

describe('examples', () => {
  const world = useWorld()

  for (const file of DOCUMENTS) {
    for (const example of examplesOf(textOf(file))) {
      it(`${file}:${example.line} prints what it shows`, async () => {
        const attempt = async () => {
          const printed = await world().run(example)
          if (example.expected === undefined) return
          const expected = comparable(example.expected)
          expect(withoutRest(comparable(printed), expected)).toEqual(expected)
        }
        await (isAwaited(example) ? vi.waitFor(attempt, PATIENCE) : attempt())
      })
    }
  }

  it('are there at all', () => {
    const count = DOCUMENTS.reduce((sum, file) => sum + examplesOf(textOf(file)).length, 0)
    expect(count).toBeGreaterThan(5)
  })
})

/** JSON is compared by value, text by its words; both without what is another each time. */
function comparable(text: string): unknown {
  const settled = withoutChance(text.trim())
  try {
    return JSON.parse(settled)
  } catch {
    return settled
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
  }
}

/** What is wrong with a documented command; nothing for those of other programs. */
function faultOf(line: string, io: Io): string[] {
  const [, script] = /\bnpm (?:run )?(?:--silent )?([a-z:]+)/.exec(line) ?? []
  if (script !== undefined && !['ci', 'install'].includes(script)) {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    if (!Object.hasOwn(scripts, script)) return [`${line}: there is no script ${script}`]
  }
  const [, own] = /(?:\bnpx |^|\bvigil )vigil (.+)$/.exec(line) ?? []
  if (own === undefined) return []
  const words = own.split(/\s+/)
  let command = createProgram(io)
  for (;;) {
    const next = command.commands.find((candidate) => candidate.name() === words[0])
    if (!next) break
    command = next
    words.shift()
  }
  if (command.commands.length > 0) return [`${line}: there is no such command`]
  const given = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0])
  const unknown = given.filter((flag) => !command.options.some(({ long }) => long === flag))
  const missing = command.options.filter(({ mandatory, long, defaultValue }) => {
    const isGiven = given.some((flag) => flag === long)
    return mandatory && !isGiven && defaultValue === undefined
  })
  return [
    ...unknown.map((flag) => `${line}: there is no option ${flag}`),
    ...missing.map(({ long }) => `${line}: ${long} is missing`),
  ]
}

/** Of a phone, until it has done what it was asked to, and of the engine. */
const PATIENCE = { timeout: 15_000, interval: 100 }

type Answer = { status: number; text: string }
type World = { run(example: Example): Promise<string> }

/** A fresh installation on a database of its own, with a mail domain and phones that there are. */
function useWorld(): () => World {
  const db = ownDatabase()
  let world: World | undefined
  const closers: (() => Promise<void>)[] = []

  beforeAll(async () => {
    const dns = await startDns({ scenario: DNS })
    const rdap = await startRdap({ scenario: RDAP })
    const providers = await startProviders()
    closers.push(dns.close, rdap.close, ...providers.closers)
    const environment = {
      ...lookups(dns, rdap),
      DATABASE_URL: await urlOf(db),
      CLICKHOUSE_URL: analyticsUrl(),
      ...providers.settings,
    }
    const config = readConfig(environment)
    const log = createLog('silent')
    const stores = await openStores({ config, log, working_folder: ROOT, progress: () => {} })
    const services = await createServices(stores, config, { push_ca: providers.push_ca })
    const http = await createHttp(stores, services, config)
    const running = [
      ...services.telemetry.flushers,
      ...services.device_management.running,
      ...services.push.running,
    ]
    for (const each of running) each.start()
    const stop = running.map((each) => async () => await each.stop(5000))
    closers.unshift(http.close, ...stop, stores.close)
    const folder = mkdtempSync(join(tmpdir(), 'vigil-docs-'))
    closers.push(() => Promise.resolve(rmSync(folder, { recursive: true })))
    world = await createWorld(stores, http, providers, { environment, folder })
  })
  afterAll(async () => {
    for (const close of closers) await close()
  })
  return () => {
    if (!world) throw new Error('the world is only there inside of tests')
    return world
  }
}

const DNS = {
  names: {
    'mailinator.com': { MX: [{ priority: 1, exchange: 'mail.mailinator.com' }] },
    'mail.mailinator.com': { A: ['198.51.100.7'] },
  },
}
const RDAP = {
  suffixes: ['com'],
  domains: { 'mailinator.com': { registered_at: '2003-06-27T00:00:00Z' } },
}

const lookups = (dns: DnsEmulator, rdap: RdapEmulator) => ({
  VIGIL_DNS_SERVERS: dns.address,
  VIGIL_RDAP_BOOTSTRAP_URL: rdap.bootstrap_url,
  VIGIL_WHOIS_SERVER: rdap.whois.address,
  VIGIL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  VIGIL_CHECK_DEADLINE_MS: '10000',
})

/** For the commands, which are told their database by its URL. */
async function urlOf(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const { host, port, user } = inject('postgres')
  return `postgres://${user}@localhost:${port}/${rows[0]?.name}?host=${encodeURIComponent(host)}`
}

/** A database of its own in the engine that all tests share. */
function analyticsUrl(): string {
  const { url, username, password } = inject('clickhouse')
  const address = new URL('/vigil_docs', url)
  return Object.assign(address, { username, password }).href
}

/** What was sent is readable a moment later; the next example may ask for it. */
const untilReadable = async (db: Database): Promise<void> =>
  await vi.waitFor(async () => expect(await readWaitingBytes(db)).toBe(0), PATIENCE)

const SERVICE = 'http://127.0.0.1:8080'

/** What the documents call by the usual ports of `vigil emulate`. */
async function startProviders() {
  const authority = createAuthority()
  const devices = await startAndroidManagement({ port: 0 })
  const fcm = await startFcm({ port: 0, authority })
  const apns = await startApns({ port: 0, authority, environment: 'sandbox' })
  const trusting = new Agent({ connect: { ca: authority.cert } })
  return {
    urls: new Map([
      ['http://127.0.0.1:5490', devices.url],
      ['https://127.0.0.1:5500', fcm.url],
      ['https://127.0.0.1:5511', apns.url],
    ]),
    settings: {
      VIGIL_ANDROID_MANAGEMENT_URL: devices.url,
      VIGIL_FCM_URL: fcm.url,
      VIGIL_FCM_TOKEN_URL: fcm.token_url,
      VIGIL_APNS_SANDBOX_URL: apns.url,
    },
    push_ca: authority.cert,
    trusting,
    closers: [async () => await trusting.destroy(), devices.close, fcm.close, apns.close],
  }
}

type Providers = Awaited<ReturnType<typeof startProviders>>

const DAY_MS = 86_400_000

async function createWorld(
  stores: Stores,
  { app }: Http,
  { urls, trusting }: Providers,
  { environment, folder }: { environment: Record<string, string>; folder: string },
): Promise<World> {
  const first = await setUpFirstOrganization(stores)
  if (!first) throw new Error('the database of the examples is not empty')
  const variables: Record<string, string> = {
    TEST_KEY: first.keys.test_secret,
    LIVE_KEY: first.keys.live_secret,
    PUBLIC_KEY: first.keys.live_public,
    ORG: first.org_id,
    PASSWORD: first.password,
    TOMORROW: new Date(Date.now() + DAY_MS).toISOString(),
  }
  const files = new Set<string>()
  const askService = async (options: InjectOptions): Promise<Answer> => {
    const { statusCode, body } = await app.inject(options)
    return { status: statusCode, text: body }
  }
  const askProvider = async (url: string, options: RequestInit): Promise<Answer> => {
    const answer = await fetch(url, { ...options, dispatcher: trusting })
    return { status: answer.status, text: await answer.text() }
  }
  const request = async (words: string[], isAnswerShown: boolean): Promise<string> => {
    const { method, url, headers, body, file } = curlRequest(words)
    const { pathname, search, origin } = new URL(url)
    expect([SERVICE, ...urls.keys()]).toContain(origin)
    const path = pathname + search
    const answer =
      origin === SERVICE
        ? await askService({ method, url: path, headers, payload: body ?? '' })
        : await askProvider(`${urls.get(origin)}${path}`, { method, headers, body: body ?? null })
    if (!isAnswerShown) expect(answer.status, answer.text).toBe(200)
    const text = [...urls].reduce((so, [usual, real]) => so.replaceAll(real, usual), answer.text)
    if (file !== undefined) {
      writeFileSync(join(folder, file), answer.text)
      files.add(file)
    }
    Object.assign(variables, variablesIn(text))
    await untilReadable(stores.db)
    return text
  }
  const command = async (words: string[]): Promise<string> => {
    const lines: string[] = []
    const print = (text: string) => void lines.push(text)
    const working_folder = words.some((word) => files.has(word)) ? folder : ROOT
    const io: Io = { working_folder, environment, stdout: print, stderr: () => {} }
    await createProgram(io).parseAsync(words.slice(2), { from: 'user' })
    const text = lines.join('\n')
    Object.assign(variables, variablesIn(text))
    return text
  }
  return {
    run: async ({ kind, command: text, expected }) => {
      const words = shellWords(text, variables)
      return await (kind === 'request' ? request(words, expected !== undefined) : command(words))
    },
  }
}
