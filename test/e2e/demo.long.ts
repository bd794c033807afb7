/** `vigil demo`: the first start, a later start and a start after it was killed. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRoom, type Ended, launch, pause, type Room, type Running, run } from './program.ts'

type Ready = {
  url: string
  console: string
  data_dir: string
  state: 'began' | 'continued'
  org_id: string
  email: string
  password: string
  keys: Record<string, string>
}

/** A few days at a small scale, which take a tenth of the time. */
const SMALL = ['demo', '--days', '4', '--scale', '0.05', '--port', '0']
const FILLED_WITHIN_MS = 180_000
const TEST_MS = 3 * FILLED_WITHIN_MS
const POLL_MS = 50

let room: Room
beforeEach(() => {
  room = createRoom()
})
afterEach(async () => await room.close())

/** @throws Error when the program ends or the time is up before `find` returns a value */
async function until<T>(running: Running, find: () => T | undefined): Promise<T> {
  const deadline = Date.now() + FILLED_WITHIN_MS
  const end: { result?: Ended } = {}
  void running.ended.then((result) => {
    end.result = result
  })
  for (;;) {
    const found = find()
    if (found !== undefined) return found
    if (end.result || Date.now() > deadline)
      throw new Error(`${running.stdout()}\n${running.stderr()}`)
    await pause(POLL_MS)
  }
}

async function start(args: string[] = []): Promise<Running & { ready: Ready }> {
  const running = launch([...SMALL, '--json', ...args], { cwd: room.folder })
  const line = await until(running, () => /^\{.*\}$/m.exec(running.stdout())?.[0])
  return { ...running, ready: JSON.parse(line) as Ready }
}

async function stop(running: Running): Promise<Ended> {
  running.child.kill('SIGTERM')
  return await running.ended
}

async function signIn({ url, email, password }: Ready): Promise<string> {
  const answer = await fetch(`${url}/console/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  expect(answer.status).toBe(200)
  const { content } = (await answer.json()) as { content: { access_token: string } }
  return content.access_token
}

type Orders = { orders: { id: string; external_order_id: string }[] }

async function ordersOf({ url, org_id }: Ready, token: string): Promise<Orders['orders']> {
  const answer = await fetch(`${url}/console/api/orders?org_id=${org_id}&limit=200`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { content: Orders }).content.orders
}

describe('vigil demo', () => {
  it('serves a filled console at the first start, and continues at the next', {
    timeout: TEST_MS,
  }, async () => {
    const first = await start()
    expect(first.ready).toMatchObject({ state: 'began', data_dir: join(room.folder, 'data-demo') })
    const page = await fetch(first.ready.console)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<!doctype html')
    const before = await ordersOf(first.ready, await signIn(first.ready))
    expect(before.length).toBeGreaterThan(20)
    const ended = await stop(first)
    expect(ended).toMatchObject({ status: 0 })
    await room.empty()

    const second = await start()
    expect(second.ready).toMatchObject({
      state: 'continued',
      org_id: first.ready.org_id,
      password: first.ready.password,
    })
    const after = await ordersOf(second.ready, await signIn(second.ready))
    const known = new Set(after.map(({ id }) => id))
    expect(before.slice(0, 20).every(({ id }) => known.has(id))).toBe(true)
    expect(await stop(second)).toMatchObject({
      status: 0,
      stdout: expect.not.stringContaining('error') as string,
    })
    await room.empty()
  })

  it('starts again after it was killed while filling, and reports it', {
    timeout: TEST_MS,
  }, async () => {
    const killed = launch([...SMALL, '--json'], { cwd: room.folder })
    await until(killed, () => (killed.stderr().includes('Logs of the devices') ? true : undefined))
    killed.child.kill('SIGKILL')
    await killed.ended
    const next = await start()
    expect(next.ready.state).toBe('began')
    expect(next.stderr()).toContain('is incomplete')
    expect((await ordersOf(next.ready, await signIn(next.ready))).length).toBeGreaterThan(20)
    await stop(next)
    await room.empty()
  })

  it('is filled by one process at a time', {
    timeout: TEST_MS,
  }, async () => {
    const filling = launch([...SMALL, '--json'], { cwd: room.folder })
    await until(filling, () => (filling.stderr().includes(' s  ') ? true : undefined))
    const second = await run([...SMALL, '--reset'], { cwd: room.folder })
    expect(second).toMatchObject({ status: 1 })
    expect(second.stderr).toContain('is already running')
    await until(filling, () => /^\{.*\}$/m.exec(filling.stdout())?.[0])
    expect(await stop(filling)).toMatchObject({ status: 0 })
    await room.empty()
  })

  it('does not change a folder with other contents', { timeout: TEST_MS }, async () => {
    const folder = join(room.folder, 'thesis')
    const file = join(folder, 'chapter-1.txt')
    mkdirSync(folder)
    writeFileSync(file, 'It was a dark and stormy night')
    const { status, stderr } = await run([...SMALL, '--reset', '--data-dir', folder], {
      cwd: room.folder,
    })
    expect(status).toBe(1)
    expect(stderr).toContain('has contents other than a demo')
    expect(existsSync(file)).toBe(true)
  })
})
