import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createSecureContext, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../../emulators/receiver.ts'
import { guardedConnect, isPeer } from './guarded-connect.ts'

let receiver: Receiver
let silent: Server
beforeAll(async () => {
  receiver = await startReceiver()
  silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
})
afterAll(async () => {
  silent.close()
  await receiver.close()
})

type Target = {
  address?: string
  port?: number
  name?: string
  timeout_ms?: number
  session?: Buffer
  onSession?: (session: Buffer, isResumed: boolean) => void
}

/** The host that undici requests, which must be ignored. */
const requested = { hostname: 'evil.example', protocol: 'https:', port: '1' }

function connect({
  address = '127.0.0.1',
  port = receiver.port,
  name = 'localhost',
  timeout_ms = 2_000,
  session,
  onSession = () => undefined,
}: Target) {
  const secure_context = createSecureContext({ ca: receiver.ca })
  const options = { address, port, name, secure_context, timeout_ms, session, onSession }
  return new Promise<TLSSocket | string>((resolve) => {
    guardedConnect(options)(requested, (error, socket) => {
      resolve(error === null ? (socket as TLSSocket) : String((error as { code?: string }).code))
    })
  })
}

describe('a connection', () => {
  test('goes to the specified address with the specified name', async () => {
    const socket = (await connect({ name: 'a.receiver.test' })) as TLSSocket
    expect(socket.remoteAddress).toBe('127.0.0.1')
    expect(socket.remotePort).toBe(receiver.port)
    expect(socket.authorized).toBe(true)
    expect(socket.alpnProtocol).toBe('http/1.1')
    socket.destroy()
  })

  test('is never made to a name, even a local one', async () => {
    expect(await connect({ address: 'localhost' })).toBe('EACCES')
  })

  test('is not made when the certificate is for another name', async () => {
    expect(await connect({ name: 'other.test' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('resumes the session of an earlier one', async () => {
    const offered: Buffer[] = []
    const onSession = (session: Buffer) => void offered.push(session)
    const first = (await connect({ onSession })) as TLSSocket
    // Sessions arrive behind the handshake, with what is read.
    first.resume()
    await expect.poll(() => offered.length).toBeGreaterThan(0)
    const [session] = offered
    const second = (await connect(session ? { session } : {})) as TLSSocket
    expect([first, second].map((socket) => socket.isSessionReused())).toEqual([false, true])
    for (const socket of [first, second]) socket.destroy()
  })

  test('ends when the handshake times out', async () => {
    const { port } = silent.address() as AddressInfo
    expect(await connect({ port, timeout_ms: 50 })).toBe('ETIMEDOUT')
  })
})

describe('the peer', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['2001:db8::1', '2001:DB8:0:0::1'],
  ])('%s is %s', (remote, expected) => expect(isPeer(remote, expected)).toBe(true))

  test.each([
    ['127.0.0.1', '93.184.216.34'],
    ['::ffff:93.184.216.34', '93.184.216.34'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, '93.184.216.34'],
    ['', ''],
  ])('%j is not %j', (remote, expected) => expect(isPeer(remote, expected)).toBe(false))
})
