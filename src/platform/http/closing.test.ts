import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { trackConnections } from './closing.ts'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const HEAD_ONLY = 'POST / HTTP/1.1\r\nHost: x\r\n'

async function openServer(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response))
  const connections = trackConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve())
    })
    await connections.closeUntil(closed)
  }
  const { port } = server.address() as AddressInfo
  const open = async (): Promise<Socket> => {
    const client = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void client.destroy())
    await once(client, 'connect')
    return client
  }
  return { server, close, open }
}

// Without the closing, all of these wait for half a minute or more.
describe('closing a server', { timeout: 10_000 }, () => {
  it.each(['', HEAD_ONLY])('does not wait for a client that sent %j', async (sent) => {
    const { close, open } = await openServer((response) => void response.end())
    const client = await open()
    client.write(sent)
    await close()
  })

  it('closes idle connections, and those that begin while it closes', async () => {
    const { close, open, server } = await openServer((response) => void response.end('done'))
    const client = await open()
    client.write(GET)
    await once(client, 'data')
    const late = await open()
    const closing = close()
    late.write(GET)
    await closing
    expect(server.listening).toBe(false)
  })

  it('waits for the response to a request in progress, and closes its connection', async () => {
    const responses: ServerResponse[] = []
    const { close, open, server } = await openServer((response) => void responses.push(response))
    const client = await open()
    let received = ''
    client.on('data', (data) => {
      received += String(data)
    })
    const ended = once(client, 'close')
    client.write(GET)
    await once(server, 'request')
    let isClosed = false
    const closing = close().then(() => {
      isClosed = true
    })
    await new Promise((resolve) => {
      setTimeout(resolve, 150)
    })
    expect(isClosed).toBe(false)
    responses[0]?.end('the answer')
    await Promise.all([closing, ended])
    expect(received).toMatch(/connection: close[^]*the answer/i)
  })
})

describe('parting from clients', () => {
  it('answers the next request of each connection and then closes it', async () => {
    const { server, open, close } = await openServer((response) => void response.end('done'))
    const connections = trackConnections(server)
    const client = await open()
    client.write(GET)
    await once(client, 'data')
    connections.part()
    const parted = connections.parted()
    const ended = once(client, 'close')
    client.write(GET)
    const [answer] = (await once(client, 'data')) as [Buffer]
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK[^]*Connection: close/)
    await ended
    await parted
    await close()
  })
})
