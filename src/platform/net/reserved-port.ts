/** Ports below 1024, which only root can open, and which are opened before the process gives up root. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

export type ReservedPort = {
  /** Makes a server listen on the open port in place of any other address. */
  handTo(server: Server): void
}

const UNPRIVILEGED_MIN = 1024

/** Whether the port has to be opened before the process gives up root. */
export const needsRoot = (port: number): boolean =>
  process.getuid?.() === 0 && port !== 0 && port < UNPRIVILEGED_MIN

/**
 * Until a server takes over the port, connections are closed.
 * @returns undefined when the port needs no root, or root does not run the program
 * @throws the system error when the port cannot be opened
 */
export async function reservePort(at: {
  host: string
  port: number
}): Promise<ReservedPort | undefined> {
  if (!needsRoot(at.port)) return undefined
  const reserved = createServer((socket) => socket.destroy())
  reserved.listen(at.port, at.host)
  await once(reserved, 'listening')
  return {
    handTo: (server) => {
      const listen = server.listen.bind(server) as (handle: Server, done?: () => void) => Server
      server.listen = ((_at: object, done?: () => void) =>
        listen(reserved, done)) as typeof server.listen
    },
  }
}
