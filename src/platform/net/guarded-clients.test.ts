import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { example, type Receiver, startReceiver } from '../../../emulators/receiver.ts'
import { createGuardedClients, type GuardedClients } from './guarded-clients.ts'
import { exchange } from './guarded-exchange.ts'
import { createStop, type Stop } from './stop.ts'
import { readTarget } from './target-url.ts'

let receiver: Receiver
let clients: GuardedClients | undefined

beforeAll(async () => {
  receiver = await startReceiver({ scenario: example })
})

afterEach(() => clients?.close())

afterAll(() => receiver.close())

function create(idle_max?: number): GuardedClients {
  clients = createGuardedClients({ ca: receiver.ca, connect_timeout_ms: 2_000, idle_max })
  return clients
}

function lease(partition: string, is_fresh = false) {
  const reading = readTarget(receiver.url)
  if (reading.kind === 'refused' || clients === undefined) throw new Error('not ready')
  return clients.lease({ target: reading.target, address: '127.0.0.1', partition, is_fresh })
}

const request = (path: string, stop: Stop) => ({
  path,
  headers: { 'x-service-signature': `t=1,v1=${'0'.repeat(64)}` },
  body: '',
  response_bytes_max: 1_000,
  stop,
})

/** Returns whether the connection had been used before. */
async function call(partition: string, is_fresh = false): Promise<boolean> {
  const { client, is_reused, release } = lease(partition, is_fresh)
  const exchanged = await exchange(client, request('/hook', createStop()))
  release(exchanged.kind === 'answered' && exchanged.is_whole)
  return is_reused
}

test('a connection is reused in its partition, unless a new one is requested', async () => {
  create()
  expect(await call('a')).toBe(false)
  expect(await call('a')).toBe(true)
  expect(await call('b')).toBe(false)
  expect(await call('a', true)).toBe(false)
  expect(receiver.connections()).toBe(3)
})

test('a connection that was not read to its end is closed without opening another', async () => {
  create()
  const { client, release } = lease('a')
  let connected = 0
  const stopper = createStop()
  client.on('connect', () => {
    connected += 1
    setTimeout(stopper.stop, 50)
  })
  expect(await exchange(client, request('/hang', stopper))).toEqual({ kind: 'aborted' })
  release(false)
  await expect.poll(receiver.connections).toBe(0)
  expect(connected).toBe(1)
  expect(await call('a')).toBe(false)
})

test('only the maximum number of idle connections stays open, the latest ones', async () => {
  create(2)
  for (const partition of ['a', 'b', 'c']) await call(partition)
  await expect.poll(receiver.connections).toBe(2)
  expect(await call('c')).toBe(true)
  expect(await call('b')).toBe(true)
  expect(await call('a')).toBe(false)
})

test('all connections end with close', async () => {
  const created = create()
  await call('a')
  // Those of the tests before are still closing.
  await expect.poll(receiver.connections).toBe(1)
  await created.close()
  await expect.poll(receiver.connections).toBe(0)
})
