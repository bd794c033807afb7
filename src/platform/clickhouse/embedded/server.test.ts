import { spawn } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { kill, processesOf } from '../../../../test/e2e/processes.ts'
import { holdPipe } from '../../embedded/watchdog.ts'
import { isRunning } from '../../is-running.ts'
import { createLog } from '../../log.ts'
import { packageRoot } from '../../package-root.ts'
import { createClickHouse } from '../client.ts'
import { EngineUnavailable } from '../errors.ts'
import { placeOf } from './place.ts'
import { createEmbeddedClickHouse, type EmbeddedClickHouse } from './server.ts'
import { ensureRunning } from './start.ts'
import { readState } from './state-file.ts'

let data_dir = ''
beforeAll(() => {
  data_dir = mkdtempSync(join(tmpdir(), 'vigil-analytics-'))
})
afterAll(() => rmSync(data_dir, { recursive: true, force: true, maxRetries: 5 }))

const LIMITS = { memory_mb: 512, threads: 1 }
const held: EmbeddedClickHouse[] = []
const hold = (folder = data_dir): EmbeddedClickHouse => {
  const engine = createEmbeddedClickHouse({ data_dir: folder, ...LIMITS, log: createLog('silent') })
  held.push(engine)
  return engine
}
// A test that fails must not keep the engine running for the next one.
afterEach(async () => {
  await Promise.all(held.splice(0).map(async (engine) => await engine.close()))
})

const clientOf = (engine: EmbeddedClickHouse) =>
  createClickHouse({
    address: async () => ({ ...(await engine.address()), database: 'default' }),
    timeout_ms: 5000,
    log: createLog('silent'),
    onUnavailable: engine.suspect,
  })

const place = () => placeOf(data_dir)
const pid = () => readState(place().state_file)?.pid
const enginesOf = (folder: string) =>
  processesOf(folder).filter(
    ({ name, text }) => name !== 'sh' && text.includes('embedded/child.js'),
  )
const untilGone = async (folder: string) => {
  while (processesOf(folder).length > 0) await sleep(20)
}

describe('the embedded analytics engine', () => {
  it('does not start or create files before it is used', async () => {
    await hold().close()
    expect(readdirSync(data_dir)).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')(
    'is one separate process for all concurrent users',
    async () => {
      const [first, second] = await Promise.all([hold().address(), hold().address()])
      expect(first).toEqual(second)
      // The process that found the directory locked exits.
      while (enginesOf(data_dir).length > 1) await sleep(20)
      expect(enginesOf(data_dir).map((engine) => engine.pid)).toEqual([pid()])
      expect(readFileSync('/proc/self/maps', 'utf8')).not.toContain('libchdb')
      expect(statSync(place().state_file).mode & 0o777).toBe(0o600)
    },
  )

  it('runs until the last user releases it, finishes its work and stops', async () => {
    const first = hold()
    const second = hold()
    const { url, username, password } = await first.address()
    await second.address()
    const engine = pid() ?? 0
    await first.close()
    expect(isRunning(engine)).toBe(true)
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const query = encodeURIComponent("select sleep(1), 'done'")
    const work = fetch(`${url}/?query=${query}`, { headers: { authorization } })
    await sleep(200)
    await second.close()
    expect(await (await work).text()).toBe('0\tdone\n')
    expect(isRunning(engine)).toBe(false)
    await expect(second.address()).rejects.toThrow(EngineUnavailable)
  })

  it('fails immediately when it is killed and comes back with its rows and tokens', async () => {
    const engine = hold()
    const clickhouse = clientOf(engine)
    await clickhouse.command(`
      create table kept (a UInt8) engine = MergeTree order by a
      settings non_replicated_deduplication_window = 10, fsync_after_insert = 1`)
    const rows = [Buffer.from('{"a":1}\n')]
    await clickhouse.insert('kept', rows, 'once', AbortSignal.timeout(5000))
    kill(pid(), 'SIGKILL')
    const refusals: unknown[] = []
    for (;;) {
      const error = await clickhouse.query('select 1 as one').then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (error === undefined) break
      refusals.push(error)
      await sleep(20)
    }
    expect(refusals.length).toBeGreaterThan(0)
    expect(refusals.every((error) => error instanceof EngineUnavailable)).toBe(true)
    await clickhouse.insert('kept', rows, 'once', AbortSignal.timeout(5000))
    expect(await clickhouse.query('select count() as n from kept')).toEqual([{ n: 1 }])
    await clickhouse.close()
  })

  it.skipIf(process.platform !== 'linux')('stops when its only user is killed', async () => {
    const module = join(packageRoot(), 'dist/src/platform/clickhouse/embedded/server.js')
    const program = `
        const { createEmbeddedClickHouse } = await import(${JSON.stringify(module)})
        const log = { error: console.error, warn: console.error }
        const engine = createEmbeddedClickHouse({ ...${JSON.stringify({ data_dir, ...LIMITS })}, log })
        await engine.address()
        console.log('ready')
        setInterval(() => {}, 1000)`
    const user = spawn(process.execPath, ['--input-type=module', '-e', program])
    await new Promise((resolve) => user.stdout.once('data', resolve))
    expect(enginesOf(data_dir)).toHaveLength(1)
    user.kill('SIGKILL')
    await untilGone(data_dir)
  })

  it('whose directory is in use names the directory', async () => {
    const { state_file, pipe, directory } = place()
    await hold().address()
    rmSync(state_file)
    const user = holdPipe(pipe, undefined)
    onTestFinished(() => closeSync(user))
    const starting = ensureRunning({
      place: place(),
      limits: LIMITS,
      pipe: user,
      signal: AbortSignal.timeout(20_000),
      lock_patience_ms: 100,
    })
    await expect(starting).rejects.toThrow(`The directory ${directory} of the embedded`)
  })

  it('with damaged files reports them and starts when they are moved away', async () => {
    const damaged = join(data_dir, 'damaged')
    const metadata = join(damaged, 'clickhouse', 'metadata')
    mkdirSync(metadata, { recursive: true })
    writeFileSync(join(metadata, 'vigil.sql'), 'not SQL ((')
    const engine = hold(damaged)
    await expect(engine.address()).rejects.toThrow(
      /cannot open .*damaged\/clickhouse: .*Syntax error \(in file metadata\/vigil\.sql\).*move that folder away/,
    )
    rmSync(join(damaged, 'clickhouse'), { recursive: true })
    for (;;) {
      if (await engine.address().catch(() => undefined)) break
      await sleep(50)
    }
  })
})
