/**
 * Closes the connections of a server that stops, each after the response to its request. Others (idle,
 * or opened without a request) would delay the stop for up to a minute: Node.js and Fastify close idle
 * connections only once, and count one without a request as busy.
 */
import type { Server, ServerResponse } from 'node:http'

/** Time that a finished response gets to be sent before its connection is closed. */
const FLUSH_MS = 50

export type Connections = {
  /** Closes connections until the server, which the caller is closing, is closed. */
  closeUntil(closed: Promise<unknown>): Promise<void>
}

/** Called before the server accepts requests. */
export function trackConnections(server: Server): Connections {
  const pending = new Set<ServerResponse>()
  let answeredAt = 0
  server.on('request', (_request, response) => {
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
    closeUntil: async (closed) => {
      for (const response of pending) response.shouldKeepAlive = false
      // Repeated, because Fastify runs its hooks before it stops listening.
      const timer = setInterval(closeAll, FLUSH_MS)
      try {
        await closed
      } finally {
        clearInterval(timer)
      }
    },
  }
}
