/** Checks the documents against the program: generated parts, examples, commands, names and links. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { Agent, fetch, type RequestInit } from 'undici'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { startAndroidManagement } from '../../emulators/android-management/index.ts'
import { startApns } from '../../emulators/apns/index.ts'
import { createAuthority } from '../../emulators/certificate.ts'
import { type DnsEmulator, startDns } from '../../emulators/dns.ts'
import { startFcm } from '../../emulators/fcm/index.ts'
import { type RdapEmulator, startRdap } from '../../emulators/rdap.ts'
import { setUpFirstOrganization } from '../../src/app/first-run.ts'
import { createHttp, createParts, type Http, openCore, servicesOf } from '../../src/app/index.ts'
import { openStores, type Stores } from '../../src/app/stores.ts'
import type { Io } from '../../src/cli/io.ts'
import { createProgram } from '../../src/cli/program.ts'
import { environmentName, readConfig, SETTINGS } from '../../src/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { readWaitingBytes } from '../../src/platform/spool/index.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'
import { ownDatabase } from '../../test/database.ts'
import { missingPython, pythonClient } from './by-python.ts'
import { typescriptClient } from './by-typescript.ts'
import { type Client, clientCallOf, documentedOf, observedOf } from './client-call.ts'
import {
  type CurlRequest,
  commandsOf,
  curlRequest,
  type Example,
  examplesOf,
  isPolled,
  shellWords,
  variablesIn,
  withoutRest,
  withPlaceholders,
} from './examples.ts'
import { describeOutdated, renderDocuments, replaceBetween } from './generate.ts'

const ROOT = packageRoot()
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].toSorted()
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

describe('generated parts', () => {
  it('are up to date', async () => {
    expect(describeOutdated(await renderDocuments(ROOT))).toEqual([])
  })

  it('are reported when they are out of date', () => {
    const outdated = { file: 'README.md', before: 'a', after: 'b' }
    expect(describeOutdated([outdated])).toEqual(['README.md is out of date. Run `npm run docs`.'])
  })

  it('replace the text between their markers and nothing else', () => {
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

  it('every open point that the code cites is in the list', () => {
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

  it('are reported when they do not exist', () => {
    expect(faultOf('npx vigil check explode 1', io)).not.toEqual([])
    expect(faultOf('npx vigil credits grant --org 1', io)).not.toEqual([])
    expect(faultOf('npx vigil doctor --fix', io)).not.toEqual([])
    expect(faultOf('npm run nothing', io)).not.toEqual([])
    expect(faultOf('npx vigil credits balance --org "$ORG"', io)).toEqual([])
  })
})

/** `npm run test:sdk-examples` sends the requests of `/v1` with one client after the other. */
const CLIENTS: Readonly<Record<string, (base_url: string) => Client>> = {
  typescript: typescriptClient,
  python: pythonClient,
}
const SENT_BY = process.env['DOCUMENTS_BY']
const missingClient = SENT_BY === 'python' ? missingPython() : undefined
if (missingClient !== undefined) console.warn(`The examples are skipped: ${missingClient}.`)

describe.skipIf(missingClient !== undefined)('examples', () => {
  const world = useWorld()

  for (const file of DOCUMENTS) {
    for (const example of examplesOf(textOf(file))) {
      it(`${file}:${example.line} prints the output that it shows`, async () => {
        const attempt = async () => {
          const printed = await world().run(example)
          if (example.expected === undefined) return
          const expected = comparable(example.expected)
          expect(withoutRest(comparable(printed), expected)).toEqual(expected)
        }
        await (isPolled(example) ? vi.waitFor(attempt, PATIENCE) : attempt())
      })
    }
  }

  it('exist', () => {
    const count = DOCUMENTS.reduce((sum, file) => sum + examplesOf(textOf(file)).length, 0)
    expect(count).toBeGreaterThan(5)
  })
})

/** JSON is compared by value, other text by line, both with placeholders for varying values. */
function comparable(text: string): unknown {
  const settled = withPlaceholders(text.trim())
  try {
    return JSON.parse(settled)
  } catch {
    return settled
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
  }
}

/** The command that runs when only options follow, as with `vigil export --org ID`. */
function defaultOf(command: Command): Command {
  const { _defaultCommandName: name } = command as Command & { _defaultCommandName?: string }
  return command.commands.find((candidate) => candidate.name() === name) ?? command
}

/** Faults of a documented command. Commands of other programs are not checked. */
function faultOf(line: string, io: Io): string[] {
  const [, script] = /\bnpm (?:run )?(?:--silent )?([a-z:]+)/.exec(line) ?? []
  if (script !== undefined && !['ci', 'install', 'pack'].includes(script)) {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    if (!Object.hasOwn(scripts, script)) return [`${line}: script ${script} does not exist`]
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
  if (words[0]?.startsWith('--')) command = defaultOf(command)
  if (command.commands.length > 0) return [`${line}: the command does not exist`]
  const given = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0])
  const unknown = given.filter((flag) => !command.options.some(({ long }) => long === flag))
  const missing = command.options.filter(({ mandatory, long, defaultValue }) => {
    const isGiven = given.some((flag) => flag === long)
    return mandatory && !isGiven && defaultValue === undefined
  })
  return [
    ...unknown.map((flag) => `${line}: option ${flag} does not exist`),
    ...missing.map(({ long }) => `${line}: option ${long} is missing`),
  ]
}

/** Time for phones and the analytics engine to catch up. */
const PATIENCE = { timeout: 15_000, interval: 100 }

type Answer = { status: number; text: string }
type World = { run(example: Example): Promise<string> }

/** A fresh installation on its own database, with emulated look-ups and phones. */
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
    const stores = await openStores({
      config,
      log,
      data_dir: join(ROOT, 'data'),
      progress: () => {},
    })
    const core = await openCore(stores, config, { push_ca: providers.push_ca })
    const parts = await createParts(core)
    const services = servicesOf(parts)
    const http = await createHttp(core, parts)
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
    const client = await startClient(http)
    if (client) closers.unshift(client.close)
    world = await createWorld(stores, http, providers, { environment, folder, client })
  })
  afterAll(async () => {
    for (const close of closers) await close()
  })
  return () => {
    if (!world) throw new Error('the world exists only inside tests')
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
  // The examples of all documents sign in within a minute; readers run those of one document.
  VIGIL_RATE_LIMIT_SIGN_IN: '100/60',
})

/** Connection URL for the commands. */
async function urlOf(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const { host, port, user } = inject('postgres')
  return `postgres://${user}@localhost:${port}/${rows[0]?.name}?host=${encodeURIComponent(host)}`
}

/** Separate database in the engine that all tests share. */
function analyticsUrl(): string {
  const { url, username, password } = inject('clickhouse')
  const address = new URL('/vigil_docs', url)
  return Object.assign(address, { username, password }).href
}

/** Waits for the spool, because the next example may query the data. */
const untilReadable = async (db: Database): Promise<void> =>
  await vi.waitFor(async () => expect((await readWaitingBytes(db)).total).toBe(0), PATIENCE)

const SERVICE = 'http://127.0.0.1:8080'

/** The client that `DOCUMENTS_BY` names, if any. */
async function startClient({ app }: Http): Promise<Client | undefined> {
  if (SENT_BY === undefined) return undefined
  const connect = CLIENTS[SENT_BY]
  if (!connect) throw new Error(`DOCUMENTS_BY must be one of ${Object.keys(CLIENTS).join(', ')}`)
  return connect(`${await app.listen({ host: '127.0.0.1', port: 0 })}/v1`)
}

async function requestBy(client: Client, request: CurlRequest): Promise<Answer> {
  const outcome = await client.carryOut(clientCallOf(request))
  expect(observedOf(outcome)).toEqual(documentedOf(request, outcome))
  return outcome.answer
}

/** Emulators, by the address that the documents use for them: that of `vigil emulate`. */
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

type Surroundings = {
  environment: Record<string, string>
  folder: string
  client: Client | undefined
}

async function createWorld(
  stores: Stores,
  { app }: Http,
  { urls, trusting }: Providers,
  { environment, folder, client }: Surroundings,
): Promise<World> {
  const first = await setUpFirstOrganization(stores)
  if (!first) throw new Error('the database of the examples is not empty')
  const variables: Record<string, string> = {
    TEST_KEY: first.keys.test_secret,
    LIVE_KEY: first.keys.live_secret,
    PUBLIC_KEY: first.keys.live_public,
    TEST_PUBLIC_KEY: first.keys.test_public,
    ORG: first.org_id,
    PASSWORD: first.password,
    TOMORROW: new Date(Date.now() + DAY_MS).toISOString(),
  }
  const files = new Set<string>()
  const callService = async (options: InjectOptions): Promise<Answer> => {
    const { statusCode, body } = await app.inject(options)
    return { status: statusCode, text: body }
  }
  const callProvider = async (url: string, options: RequestInit): Promise<Answer> => {
    const answer = await fetch(url, { ...options, dispatcher: trusting })
    return { status: answer.status, text: await answer.text() }
  }
  const send = async (request: CurlRequest): Promise<Answer> => {
    const { method, url, headers, body } = request
    const { pathname, search, origin } = new URL(url)
    expect([SERVICE, ...urls.keys()]).toContain(origin)
    const path = pathname + search
    if (origin !== SERVICE) {
      return await callProvider(`${urls.get(origin)}${path}`, {
        method,
        headers,
        body: body ?? null,
      })
    }
    if (client && path.startsWith('/v1/')) return await requestBy(client, request)
    return await callService({ method, url: path, headers, payload: body ?? '' })
  }
  const request = async (words: string[], isResponseShown: boolean): Promise<string> => {
    const parsed = curlRequest(words)
    const answer = await send(parsed)
    if (!isResponseShown) expect([200, 204], answer.text).toContain(answer.status)
    const text = [...urls].reduce((out, [shown, real]) => out.replaceAll(real, shown), answer.text)
    if (parsed.file !== undefined) {
      writeFileSync(join(folder, parsed.file), answer.text)
      files.add(parsed.file)
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
