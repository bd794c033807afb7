/** A TCP port in front of the PostgreSQL server of the tests, which can be closed like that of a server that is down. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { isAbsolute, join } from 'node:path'
import type { PostgresAddress } from '../../src/platform/postgres/embedded/place.ts'
import { postgresAddress } from '../database.ts'

export type Relay = {
  port: number
  /** Connections that were refused. */
  refused(): number
  /** Forwards connections from now on. */
  open(): void
  /** Closes all connections, and refuses further ones. */
  interrupt(): void
  close(): void
}

/** Closes each connection immediately until it is opened. */
export async function startRelay(
  { host, port }: Pick<PostgresAddress, 'host' | 'port'> = postgresAddress(),
): Promise<Relay> {
  const sockets = new Set<Socket>()
  let refused = 0
  let isOpen = false
  const server = createServer((near) => {
    near.on('error', () => undefined)
    if (!isOpen) {
      refused += 1
      near.destroy()
      return
    }
    const behind = isAbsolute(host) ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port }
    const far = connect(behind).on('error', () => near.destroy())
    for (const socket of [near, far]) sockets.add(socket)
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const interrupt = () => {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    refused: () => refused,
    open: () => {
      isOpen = true
    },
    interrupt,
    close: () => {
      interrupt()
      server.close()
    },
  }
}
