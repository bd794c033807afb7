import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { kill } from '../../../../test/e2e/processes.ts'
import { serverAccount } from '../../embedded/account.ts'
import { isAlive } from './lock-file.ts'
import type { PostgresAddress } from './place.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './server.ts'

let data_dir = ''
beforeAll(async () => {
  data_dir = mkdtempSync(join(tmpdir(), 'vigil-embedded-'))
  await releaseServer(await start())
})
afterAll(() => rmSync(data_dir, { recursive: true, force: true, maxRetries: 5 }))

const cluster = (): string => join(data_dir, 'postgres')
const steps: string[] = []
const start = async (settings: string[] = []): Promise<EmbeddedPostgres> => {
  const server = await startEmbeddedPostgres({
    data_dir,
    settings: ['fsync=off', ...settings],
    progress: (step) => steps.push(step),
  })
  held.push(server)
  return server
}
const held: EmbeddedPostgres[] = []
// A test that fails must not keep the server running for the next one.
afterEach(async () => {
  for (const server of held.splice(0)) await releaseServer(server)
})

async function releaseServer(server: EmbeddedPostgres): Promise<void> {
  server.release()
  await server.stopped()
}

async function runQuery(address: PostgresAddress): Promise<unknown> {
  const client = new Client(address)
  await client.connect()
  try {
    return (await client.query<{ two: number }>('select 1 + 1 as two')).rows[0]?.two
  } finally {
    await client.end()
  }
}

const serverPid = (): number =>
  Number(readFileSync(join(cluster(), 'postmaster.pid'), 'utf8').split('\n')[0])

describe('the embedded server', () => {
  it('is created completely and reports slow steps', () => {
    // On a busy machine the server takes more than a second to start, which is reported as well.
    expect(steps.filter((step) => !step.startsWith('Waiting'))).toEqual([
      'Preparing the embedded PostgreSQL (once, a few seconds)',
      'Creating the database',
    ])
    expect(readdirSync(data_dir).toSorted()).toEqual(['postgres', 'run'])
  })

  it('has stopped after its last user awaited that', async () => {
    const first = await start()
    const second = await start()
    await releaseServer(first)
    expect(await runQuery(second.address)).toBe(2)
    await releaseServer(second)
    expect(isAlive(cluster())).toBe(false)
  })

  it('keeps running for a user that comes just when the last one leaves', async () => {
    for (let round = 0; round < 12; round += 1) {
      const leaving = await start()
      leaving.release()
      await pause(round / 2)
      const coming = await start()
      const client = new Client(coming.address)
      await client.connect()
      await pause(60)
      // The connection still works, so the server was not stopped.
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      await client.end()
      await releaseServer(coming)
    }
  })

  it('starts although a killed one left its lock and another process has its PID', async () => {
    const account = serverAccount(cluster())
    const other = spawn('sleep', ['60'], {
      stdio: 'ignore',
      ...(account && { uid: account.uid, gid: account.gid }),
    })
    onTestFinished(() => void other.kill())
    writeFileSync(join(cluster(), 'postmaster.pid'), `${other.pid}\n${cluster()}\n`)
    writeFileSync(join(data_dir, 'run', '.s.PGSQL.5432.lock'), `${other.pid}\n`)
    const server = await start()
    expect(await runQuery(server.address)).toBe(2)
    await releaseServer(server)
  })

  it('that cannot start reports the reason soon', async () => {
    const refused = start(['shared_buffers=plenty'])
    await expect(refused).rejects.toThrow(
      /^The embedded PostgreSQL did not start\. It reported: invalid value for parameter "shared_buffers": "plenty"\. See .*postgres\.log$/,
    )
    expect(isAlive(cluster())).toBe(false)
  })

  it('is restarted every time it is killed', async () => {
    const server = await start()
    for (let round = 0; round < 2; round += 1) {
      const before = serverPid()
      kill(before, 'SIGKILL')
      while (!isAlive(cluster()) || serverPid() === before) await pause(20)
      while ((await runQuery(server.address).catch(() => 0)) !== 2) await pause(20)
    }
    expect(steps).toContain('The embedded PostgreSQL stopped unexpectedly; restarting it')
    await releaseServer(server)
  })

  it('is not restarted after it was released', async () => {
    const server = await start()
    const pid = serverPid()
    kill(pid, 'SIGKILL')
    await releaseServer(server)
    await pause(500)
    expect(isAlive(cluster())).toBe(false)
  })

  it('removes the folders of interrupted starts', async () => {
    const dead = Number(execFileSync('sh', ['-c', 'echo $$']).toString())
    const left = join(data_dir, `postgres.partial-${dead}`)
    mkdirSync(join(left, 'base'), { recursive: true })
    rmSync(cluster(), { recursive: true })
    await releaseServer(await start())
    expect(readdirSync(data_dir).toSorted()).toEqual(['postgres', 'run'])
  })
})

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
