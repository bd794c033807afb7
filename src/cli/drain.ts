/** Ends the connections of a server that stops accepting, each as soon as its request is answered. */
import type { Server, ServerResponse } from 'node:http'

/** What was just answered gets this long to leave before its connection is closed. */
const FLUSH_MS = 50

/**
 * Connections that ask for nothing (kept alive, or opened and silent) would otherwise hold up the
 * stop. Call `drain` once no new connection is accepted any more, or at the same moment.
 */
export function trackRequests(server: Server): { drain(): void } {
  const underWay = new Set<ServerResponse>()
  let isDraining = false
  const closeIfDone = () => {
    if (!isDraining || underWay.size > 0) return
    setTimeout(() => {
      if (underWay.size === 0) server.closeAllConnections()
    }, FLUSH_MS)
  }
  server.on('request', (_request, response) => {
    underWay.add(response)
    response.once('close', () => {
      underWay.delete(response)
      closeIfDone()
    })
  })
  return {
    drain: () => {
      isDraining = true
      for (const response of underWay) response.shouldKeepAlive = false
      closeIfDone()
    },
  }
}
