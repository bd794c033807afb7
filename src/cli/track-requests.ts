/** Closes the connections of a stopping server, each after the response to its request. */
import type { Server, ServerResponse } from 'node:http'

/** Time that a finished response gets to be sent before its connection is closed. */
const FLUSH_MS = 50

/**
 * Idle connections (kept alive, or opened without a request) would otherwise delay the stop. Call
 * `drain` when the server no longer accepts connections.
 */
export function trackRequests(server: Server): { drain(): void } {
  const pending = new Set<ServerResponse>()
  let isDraining = false
  const closeIfDone = () => {
    if (!isDraining || pending.size > 0) return
    setTimeout(() => {
      if (pending.size === 0) server.closeAllConnections()
    }, FLUSH_MS)
  }
  server.on('request', (_request, response) => {
    pending.add(response)
    response.once('close', () => {
      pending.delete(response)
      closeIfDone()
    })
  })
  return {
    drain: () => {
      isDraining = true
      for (const response of pending) response.shouldKeepAlive = false
      closeIfDone()
    },
  }
}
