/**
 * The port of the service, which the supervisor keeps open. It accepts connections without reading
 * from them and hands each to a process in turn, so that the port stays open whichever process ends.
 * Processes that shared the port would lose its balance: one of them would accept most connections
 * that are opened together.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A process that takes connections. */
export type Taker = {
  /** Resolves when the process has the connection, or has ended. */
  take(socket: Socket): Promise<void>
}

export type Port = {
  address: AddressInfo
  add(taker: Taker): void
  /** Hands no further connections to the process. */
  remove(taker: Taker): void
  /** Refuses new connections and closes those that no process has taken. */
  close(): void
}

/** Connections that wait while every process is busy or none is ready. More are closed. */
const WAITING_MAX = 1024

/** @throws the system error when the port cannot be opened */
export async function openPort(at: { host: string; port: number }): Promise<Port> {
  const takers = new Set<Taker>()
  const free: Taker[] = []
  const waiting: Socket[] = []

  const handOver = async (socket: Socket, taker: Taker): Promise<void> => {
    await taker.take(socket)
    if (takers.has(taker)) free.push(taker)
    distribute()
  }
  const distribute = (): void => {
    while (waiting.length > 0 && free.length > 0) {
      const [socket, taker] = [waiting.shift(), free.shift()]
      if (socket && taker) void handOver(socket, taker)
    }
  }
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    socket.on('error', () => undefined)
    if (waiting.length >= WAITING_MAX) socket.destroy()
    else waiting.push(socket)
    distribute()
  })
  server.listen(at.port, at.host)
  await once(server, 'listening')
  return {
    address: server.address() as AddressInfo,
    add: (taker) => {
      takers.add(taker)
      free.push(taker)
      distribute()
    },
    remove: (taker) => {
      takers.delete(taker)
      const index = free.indexOf(taker)
      if (index >= 0) free.splice(index, 1)
    },
    close: () => {
      server.close()
      for (const socket of waiting.splice(0)) socket.destroy()
    },
  }
}
