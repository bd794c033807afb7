/** When the program ends in any way, all its child processes end and no others. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { kill, killPostgres, processesOf, zombies } from './processes.ts'
import {
  createRoom,
  isLinux,
  launch,
  pause,
  type Room,
  run,
  runJson,
  type Service,
  serve,
  waitFor,
} from './program.ts'

/** Most tests share a data directory after the first start. */
let shared: Room | undefined
let first: First | undefined
let fresh: Room | undefined
beforeAll(async () => {
  if (!isLinux) return
  shared = createRoom()
  const service = await serve({ cwd: shared.folder })
  first = service.ready.first_run
  await service.stop()
})
afterAll(async () => {
  await shared?.close()
})
afterEach(async () => {
  await shared?.empty()
  await fresh?.close()
})

const sharedRoom = (): Room => {
  if (!shared) throw new Error('the directory exists only inside tests')
  return shared
}
const newRoom = (): Room => {
  fresh = createRoom()
  return fresh
}

const names = (folder: string): string[] => processesOf(folder).map(({ name }) => name)

const check = async (service: Service, key: string, body: object): Promise<Response> =>
  await fetch(`${service.ready.url}/check`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

type First = NonNullable<Service['ready']['first_run']>

describe.skipIf(!isLinux)('the service', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends with its server on %s',
    async (signal) => {
      const { folder: cwd, empty } = sharedRoom()
      const service = await serve({ cwd, detached: true })
      expect(names(cwd)).toEqual(expect.arrayContaining(['postgres', 'sh', 'cat']))
      // Ctrl-C signals the whole process group, which must not include the server.
      process.kill(-service.pid, signal)
      expect((await service.ended).status).toBe(0)
      await empty()
      expect(zombies().filter(({ ppid }) => ppid === process.pid)).toEqual([])
      const next = await serve({ cwd })
      expect(next.stderr()).not.toMatch(/crash|unexpectedly/)
      await next.stop()
    },
  )

  it('ends its server when it is killed', async () => {
    const { folder: cwd, empty } = sharedRoom()
    const service = await serve({ cwd })
    expect((await service.stop('SIGKILL')).signal).toBe('SIGKILL')
    await empty()
  })

  it('can be stopped while it starts, and leaves no partial state', async () => {
    const { folder: cwd, empty } = newRoom()
    const starting = launch(['serve', '--json'], { cwd, detached: true })
    await waitFor(starting, () => /Preparing/.exec(starting.stderr())?.[0])
    process.kill(-starting.pid, 'SIGINT')
    const { status, stdout, stderr } = await starting.ended
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).not.toMatch(/^ {4}at /m)
    await empty()
    const next = await serve({ cwd })
    expect(next.ready.first_run).toBeDefined()
    await next.stop()
  })

  it('finishes the request in progress and refuses new ones', async () => {
    const { folder: cwd } = sharedRoom()
    // A check waits for its look-up until the deadline, because this server never answers.
    const silent = createSocket('udp4').bind(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const env = {
      VIGIL_DNS_SERVERS: `127.0.0.1:${silent.address().port}`,
      VIGIL_CHECK_DEADLINE_MS: '800',
      VIGIL_LOOKUP_TIMEOUT_MS: '1000',
    }
    const service = await serve({ cwd, env })
    const key = first?.keys.live_secret ?? ''
    const queried = once(silent, 'message')
    const answer = check(service, key, { email: 'someone@unknown-domain.example.org' })
    await queried
    service.child.kill('SIGTERM')
    await waitFor(service, () => /"msg":"stopping"/.exec(service.stderr())?.[0])
    const isRefused = () =>
      check(service, key, {}).then(
        () => false,
        (error: Error) => error.message === 'fetch failed',
      )
    await expect.poll(isRefused).toBe(true)
    const { status, headers } = await answer
    expect(status).toBe(200)
    expect(headers.get('connection')).toBe('close')
    expect((await service.ended).status).toBe(0)
  })

  it.each([
    '',
    'POST /v1/check HTTP/1.1\r\nHost: x\r\n',
    'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  ])('does not wait for a client that sent %j and then nothing', async (sent) => {
    const { folder: cwd } = sharedRoom()
    const service = await serve({ cwd })
    const { hostname, port } = new URL(service.ready.url)
    const client = connect(Number(port), hostname)
    onTestFinished(() => void client.destroy())
    await once(client, 'connect')
    client.write(sent)
    await pause(100)
    expect(await service.stop()).toMatchObject({ status: 0, signal: null })
  })
})

/** A client as a load balancer is one: it keeps connections and sends nothing to a node that is not ready. */
function startClients(origin: string, key: string, count: number) {
  const state = { is_ready: true }
  const answers: (number | string)[] = []
  const sendUntilNotReady = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (state.is_ready) {
      const status = statusOf(origin, { agent, key })
      answers.push(await status.catch((error: Error) => error.message))
    }
    agent.destroy()
  }
  const watchReadiness = async () => {
    while ((await fetch(`${origin}/readyz`)).status === 200) await pause(20)
    state.is_ready = false
  }
  const clients = Array.from({ length: count }, sendUntilNotReady)
  return { answers, ended: Promise.all([watchReadiness(), ...clients]) }
}

const statusOf = async (origin: string, { agent, key }: { agent: Agent; key: string }) =>
  await new Promise<number | string>((resolve, reject) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const sent = request(`${origin}/v1/check`, { agent, headers, method: 'POST' }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('error', reject)
    sent.end(JSON.stringify({ email: 'jane@mailinator.com' }))
  })

describe.skipIf(!isLinux)('requests under load', () => {
  it.each(['1', '3'])('are all answered while %s processes stop', async (processes) => {
    const { folder: cwd } = sharedRoom()
    const env = { VIGIL_DRAIN_SECONDS: '1', VIGIL_PROCESSES: processes }
    const service = await serve({ cwd, env })
    const { origin } = new URL(service.ready.url)
    const { answers, ended } = startClients(origin, first?.keys.test_secret ?? '', 8)
    await waitFor(service, () => answers.length > 50 || undefined)
    service.child.kill('SIGTERM')
    await ended
    expect((await service.ended).status).toBe(0)
    expect(new Set(answers)).toEqual(new Set([200]))
  })
})

describe.skipIf(!isLinux)('programs that share a data directory', () => {
  it('use one server, which stops when the last of them ends', async () => {
    const { folder: cwd, empty } = sharedRoom()
    const early = await serve({ cwd, args: ['--role', 'api'] })
    const second = await serve({ cwd, args: ['--role', 'api'] })
    const worker = launch(['serve', '--role', 'worker', '--json'], { cwd })
    await waitFor(worker, () => /"role":"worker"/.exec(worker.stdout())?.[0])
    expect(second.ready.first_run).toBeUndefined()
    const answers = async (service: Service) =>
      (await check(service, first?.keys.live_secret ?? '', { email: 'jane@mailinator.com' })).status
    expect(await answers(second)).toBe(200)

    await early.stop('SIGKILL')
    expect(await answers(second)).toBe(200)
    worker.child.kill('SIGTERM')
    expect((await worker.ended).status).toBe(0)
    await runJson(['credits', 'balance', '--org', first?.org_id ?? ''], { cwd })
    expect(await answers(second)).toBe(200)
    expect(names(cwd).filter((name) => name === 'cat')).toHaveLength(1)
    expect(second.stderr()).not.toContain('unexpectedly')
    await second.stop()
    await empty()
  })

  it('can start at the same time on an empty directory, and one of them creates the owner', async () => {
    const { folder: cwd, empty } = newRoom()
    const services = await Promise.all([serve({ cwd }), serve({ cwd }), serve({ cwd })])
    const firstRuns = services.filter(({ ready }) => ready.first_run !== undefined)
    expect(firstRuns).toHaveLength(1)
    for (const service of services) expect((await service.stop()).status).toBe(0)
    await empty()
  })

  it('can start while the last one ends', async () => {
    const { folder: cwd, empty } = sharedRoom()
    for (const delayMs of [200, 400, 600]) {
      const leaving = launch(['key', 'list', '--org', 'nobody', '--json'], { cwd })
      await pause(delayMs)
      const { status, stdout, stderr } = await run(['migrate', '--json'], { cwd })
      expect({ status, stdout, stderr }).toEqual({
        status: 0,
        stdout: '{"applied":[]}\n',
        stderr: '',
      })
      expect((await leaving.ended).stdout).toBe('{"error":"Organization nobody does not exist"}\n')
    }
    await empty()
  })
})

describe.skipIf(!isLinux)('a server that is killed', () => {
  it('is started again, and the service answers again', async () => {
    const { folder: cwd, empty } = sharedRoom()
    const service = await serve({ cwd })
    const base = service.ready.url.replace(/\/v1$/, '')
    const readiness = async () => (await fetch(`${base}/readyz`)).status
    expect(await readiness()).toBe(200)

    killPostgres(cwd)
    expect(await readiness()).toBe(503)
    const untilReady = async () => {
      const seen = new Set<number>()
      const look = () => void readiness().then((status) => seen.add(status))
      await waitFor(service, () => (seen.has(200) ? true : look()))
    }
    await untilReady()
    const key = first?.keys.live_secret ?? ''
    expect((await check(service, key, { email: 'jane@mailinator.com' })).status).toBe(200)
    const report = 'stopped unexpectedly; restarting it'
    await waitFor(service, () => service.stderr().includes(report) || undefined)

    // When one of its children is killed, PostgreSQL restarts all of them itself.
    const backend = await waitFor(service, () =>
      processesOf(cwd).find(({ text }) => text.includes('idle')),
    )
    const ended = () => processesOf(cwd).every(({ pid }) => pid !== backend.pid)
    kill(backend.pid, 'SIGKILL')
    await waitFor(service, () => ended() || undefined)
    await pause(1000)
    await untilReady()
    expect(names(cwd).filter((name) => name === 'cat')).toHaveLength(1)
    await service.stop()
    await empty()
  })
})
