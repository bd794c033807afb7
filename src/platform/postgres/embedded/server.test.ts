import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { kill } from '../../../../test/e2e/processes.ts'
import { serverAccount } from '../../embedded/account.ts'
import { isAlive } from './lock-file.ts'
import { type EmbeddedPostgres, type PostgresAddress, startEmbeddedPostgres } from './server.ts'

let data_dir = ''
beforeAll(async () => {
  data_dir = mkdtempSync(join(tmpdir(), 'vigil-embedded-'))
  await letGo(await start())
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
// One test that fails must not hold the server on behalf of the next.
afterEach(async () => {
  for (const server of held.splice(0)) await letGo(server)
})

async function letGo(server: EmbeddedPostgres): Promise<void> {
  server.release()
  await server.stopped()
}

async function answer(address: PostgresAddress): Promise<unknown> {
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
  it('was made whole, and says what it does when that takes more than a moment', () => {
    expect(steps).toEqual([
      'Preparing the embedded PostgreSQL (once, a few seconds)',
      'Creating the database',
    ])
    expect(readdirSync(data_dir).toSorted()).toEqual(['postgres', 'run'])
  })

  it('is gone once the last one who holds it has waited for that', async () => {
    const first = await start()
    const second = await start()
    await letGo(first)
    expect(await answer(second.address)).toBe(2)
    await letGo(second)
    expect(isAlive(cluster())).toBe(false)
  })

  it('stays for whoever comes just when the last one goes', async () => {
    for (let round = 0; round < 12; round += 1) {
      const leaving = await start()
      leaving.release()
      await pause(round / 2)
      const coming = await start()
      const client = new Client(coming.address)
      await client.connect()
      await pause(60)
      // The connection is still the same one: the server was not stopped under it.
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      await client.end()
      await letGo(coming)
    }
  })

  it('starts although a killed one left its lock and another process has its number', async () => {
    const account = serverAccount(cluster())
    const other = spawn('sleep', ['60'], {
      stdio: 'ignore',
      ...(account && { uid: account.uid, gid: account.gid }),
    })
    onTestFinished(() => void other.kill())
    writeFileSync(join(cluster(), 'postmaster.pid'), `${other.pid}\n${cluster()}\n`)
    writeFileSync(join(data_dir, 'run', '.s.PGSQL.5432.lock'), `${other.pid}\n`)
    const server = await start()
    expect(await answer(server.address)).toBe(2)
    await letGo(server)
  })

  it('that cannot start says why, soon and in a sentence', async () => {
    const refused = start(['shared_buffers=plenty'])
    await expect(refused).rejects.toThrow(
      /^The embedded PostgreSQL did not start\. It says: invalid value for parameter "shared_buffers": "plenty"\. See .*postgres\.log$/,
    )
    expect(isAlive(cluster())).toBe(false)
  })

  it('that is killed is started again, as often as it takes', async () => {
    const server = await start()
    for (let round = 0; round < 2; round += 1) {
      const before = serverPid()
      kill(before, 'SIGKILL')
      while (!isAlive(cluster()) || serverPid() === before) await pause(20)
      while ((await answer(server.address).catch(() => 0)) !== 2) await pause(20)
    }
    expect(steps).toContain('The embedded PostgreSQL stopped unexpectedly; starting it again')
    await letGo(server)
  })

  it('is not started again for somebody who has let go', async () => {
    const server = await start()
    const pid = serverPid()
    kill(pid, 'SIGKILL')
    await letGo(server)
    await pause(500)
    expect(isAlive(cluster())).toBe(false)
  })

  it('removes what starts that were killed left behind', async () => {
    const dead = Number(execFileSync('sh', ['-c', 'echo $$']).toString())
    const left = join(data_dir, `postgres.partial-${dead}`)
    mkdirSync(join(left, 'base'), { recursive: true })
    rmSync(cluster(), { recursive: true })
    await letGo(await start())
    expect(readdirSync(data_dir).toSorted()).toEqual(['postgres', 'run'])
  })
})

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
