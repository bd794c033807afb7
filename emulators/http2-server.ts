/**
 * The HTTPS server of the push emulators: HTTP/2 with limits of streams, GOAWAY, and replies that are
 * late, broken or missing. HTTP/1.1 is accepted for token endpoints and the control interface.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Identity, issueCertificate } from './certificate.ts'
import { type GoawayPlan, serveStreams, type Traffic } from './http2-streams.ts'
import { collect, type Handle, reply, type Wire, type WireReply } from './http2-wire.ts'
import { listen } from './listen.ts'
import { createTimers } from './timers.ts'

export type Http2Emulator = {
  /** `https://127.0.0.1:5500`, without a slash at the end. */
  readonly url: string
  readonly port: number
  traffic: () => Traffic
  /** Announces a new limit of streams on all open connections. */
  allowStreams: (max: number) => void
  close: () => Promise<void>
}

export type Http2Options = {
  readonly port: number
  readonly host: string
  readonly authority: Identity
  /** Limit of streams that is announced at the start of a connection. */
  readonly streams_max: () => number
  readonly handle: Handle
  readonly goaway: () => GoawayPlan | undefined
}

const NAMES = ['localhost', 'push.test', '*.push.test', '127.0.0.1', '::1']

export async function startHttp2(options: Http2Options): Promise<Http2Emulator> {
  const identity = issueCertificate(options.authority, [...new Set([...NAMES, options.host])])
  const server = createSecureServer({
    ...identity,
    allowHTTP1: true,
    settings: { maxConcurrentStreams: options.streams_max() },
  })
  const timers = createTimers()
  const sockets = trackSockets(server)
  const wire: Wire = { handle: options.handle, timers, reset: sockets.reset }
  const { counts, sessions } = serveStreams(server, options, wire)
  serveHttp1(server, wire)
  const { port, address } = await listen(server, options)
  return {
    url: `https://${address}`,
    port,
    traffic: () => ({ ...counts }),
    allowStreams: (max) => {
      for (const { connection } of sessions.values()) connection.allowStreams(max)
    },
    close: () =>
      new Promise((resolve) => {
        timers.clear()
        server.close(() => resolve())
        sockets.destroyAll()
      }),
  }
}

const peerOf = (socket: Socket | undefined): string =>
  `${socket?.remoteAddress} ${socket?.remotePort}`

/** TLS hides the TCP socket that can be reset, so the sockets are found by the address of the peer. */
function trackSockets(server: Http2SecureServer) {
  const sockets = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    sockets.set(peer, socket)
    socket.once('close', () => sockets.delete(peer))
    // A client that disconnects must not stop the server.
    socket.on('error', () => undefined)
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => undefined)
  })
  server.on('tlsClientError', () => undefined)
  server.on('sessionError', () => undefined)
  return {
    reset: (socket: Socket | undefined) => {
      sockets.get(peerOf(socket))?.resetAndDestroy()
    },
    destroyAll: () => {
      for (const socket of sockets.values()) socket.destroy()
    },
  }
}

function serveHttp1(server: Http2SecureServer, wire: Wire): void {
  const streamListeners = server.listeners('stream')
  server.on('request', (incoming: unknown, response: unknown) => {
    serveOne(incoming as IncomingMessage, response as ServerResponse, wire)
  })
  // A 'request' listener makes the server emit HTTP/2 streams as requests too, which is undone here.
  for (const listener of server.listeners('stream')) {
    if (!streamListeners.includes(listener)) {
      server.removeListener('stream', listener as (...args: unknown[]) => void)
    }
  }
}

function serveOne(incoming: IncomingMessage, response: ServerResponse, wire: Wire): void {
  collect(incoming, (body) => {
    const request = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: incoming.headers,
      raw_headers: incoming.rawHeaders,
      body,
      connection: undefined,
    }
    const send = ({ fault, status, headers, text }: WireReply) => {
      if (fault === 'hang') return
      if (fault !== undefined) {
        wire.reset(response.socket ?? undefined)
        return
      }
      response.writeHead(status, headers)
      response.end(text)
    }
    reply(wire, request, send)
  })
}
