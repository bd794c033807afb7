/** Root starts the program: nothing of it stays root. */
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { processesOf } from './processes.ts'
import { isLinux, isRoot, run, runJson, type Service, serve, useRoom } from './program.ts'

const newRoom = useRoom()

const uidsOf = (pid: number): string[] =>
  /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.split('\t') ?? []
const groupsOf = (pid: number): string =>
  /^Groups:(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.trim() ?? 'unknown'

async function sendLog({ ready }: Service): Promise<void> {
  const entry = { device_id: 'till-1', level: 'error', message: 'printer' }
  const answer = await fetch(`${ready.url}/edge/logs`, {
    method: 'POST',
    headers: {
      'x-api-key': ready.first_run?.keys.live_secret ?? '',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ logs: [entry] }),
  })
  expect(answer.status).toBe(200)
}

const engineRuns = (folder: string): boolean =>
  processesOf(folder).some(({ name, text }) => name !== 'sh' && text.includes('embedded/child.js'))

describe.skipIf(!isLinux || !isRoot)('started by root', () => {
  it('the service and both databases run as another account', async () => {
    const { folder: cwd } = newRoom()
    const service = await serve({ cwd })
    await sendLog(service)
    await expect.poll(() => engineRuns(cwd), { timeout: 30_000 }).toBe(true)
    const all = [service.pid, ...processesOf(join(cwd, 'data')).map(({ pid }) => pid)]
    const { uid } = statSync(join(cwd, 'data'))
    expect(uid).toBeGreaterThan(0)
    for (const pid of all) expect(uidsOf(pid)).toEqual(Array<string>(4).fill(String(uid)))
    expect(groupsOf(service.pid)).toBe('')
    expect((await service.stop()).status).toBe(0)
  })

  it('a data directory of a version that ran as root keeps its data', async () => {
    const { folder: cwd, empty } = newRoom()
    const first = await serve({ cwd })
    await first.stop()
    await empty()
    // Earlier versions left everything to root but the database, which ran as another account.
    expect((await run(['-R', '0:0', 'data'], { cwd, program: 'chown' })).status).toBe(0)
    expect((await run(['-R', '65534', 'data/postgres'], { cwd, program: 'chown' })).status).toBe(0)
    const org = first.ready.first_run?.org_id ?? ''
    const again = await runJson(['credits', 'balance', '--org', org], { cwd })
    expect(again).toMatchObject({ org_id: org })
    const { uid } = statSync(join(cwd, 'data', 'postgres', 'PG_VERSION'))
    expect([statSync(join(cwd, 'data')).uid, uid]).not.toContain(0)
    expect(uid).toBe(statSync(join(cwd, 'data')).uid)
  })

  it('a port that only root may open serves the account', async () => {
    const { folder: cwd } = newRoom()
    const port = await freePortOfRoot()
    const service = await serve({ cwd, env: { VIGIL_PORT: String(port) } })
    expect(service.ready.url).toBe(`http://127.0.0.1:${port}/v1`)
    expect((await fetch(service.ready.url.replace('/v1', '/healthz'))).status).toBe(200)
    expect(uidsOf(service.pid)).not.toContain('0')
    const taken = await run(['serve'], { cwd, env: { VIGIL_PORT: String(port) } })
    expect(taken.stderr).toMatch(
      new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is already in use`, 'm'),
    )
    expect((await service.stop()).status).toBe(0)
  })

  it('a folder with files of others is refused as data directory', async () => {
    const { folder: cwd } = newRoom()
    mkdirSync(join(cwd, 'home', 'ann'), { recursive: true })
    const env = { VIGIL_DATA_DIR: join(cwd, 'home') }
    const { status, stderr } = await run(['serve'], { cwd, env })
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('contains files of other programs (ann)') as string,
    })
    expect(statSync(join(cwd, 'home', 'ann')).uid).toBe(0)
  })
})

async function freePortOfRoot(): Promise<number> {
  for (let port = 1023; port > 512; port -= 1) {
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    server.close()
    if (isFree) return port
  }
  throw new Error('no port below 1024 is free')
}
