/**
 * Closes the connections of a server that stops, each after the response to its request. Others (idle,
 * or opened without a request) would delay the stop for up to a minute: Node.js and Fastify close idle
 * connections only once, and count one without a request as busy.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Time that a finished response gets to be sent before its connection is closed. */
const FLUSH_MS = 50

/** Clients that send requests all the time have sent one on each of their connections by then. */
const PARTING_MS = 5000

export type Connections = {
  /**
   * Answers requests as before, but closes each connection after its next response, so that no client
   * loses a request that is on its way.
   */
  part(): void
  /** Resolves when there are no connections after `part`, or they have long been idle. */
  parted(): Promise<void>
  /** Closes connections until the server, which the caller is closing, is closed. */
  closeUntil(closed: Promise<unknown>): Promise<void>
}

/** Called before the server accepts requests. */
export function trackConnections(server: Server): Connections {
  const pending = new Set<ServerResponse>()
  const sockets = new Set<Socket>()
  let answeredAt = 0
  let isParting = false
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Comes first, because a handler may write the head of its response immediately.
  server.prependListener('request', (_request, response) => {
    if (isParting) response.shouldKeepAlive = false
    pending.add(response)
    response.once('close', () => {
      pending.delete(response)
      answeredAt = performance.now()
    })
  })
  const closeAll = () => {
    if (pending.size === 0 && performance.now() - answeredAt >= FLUSH_MS) {
      server.closeAllConnections()
    }
  }
  return {
    part: () => {
      isParting = true
      for (const response of pending) response.shouldKeepAlive = false
    },
    parted: async () => {
      const until = performance.now() + PARTING_MS
      while (sockets.size > 0 && performance.now() < until) await sleep(FLUSH_MS)
    },
    closeUntil: async (closed) => {
      for (const response of pending) response.shouldKeepAlive = false
      // Repeated, because Fastify runs its hooks before it stops listening.
      const timer = setInterval(closeAll, FLUSH_MS)
      try {
        await closed
        // A server that was handed its connections does not wait for them.
        while (sockets.size > 0) await sleep(FLUSH_MS)
      } finally {
        clearInterval(timer)
      }
    },
  }
}
