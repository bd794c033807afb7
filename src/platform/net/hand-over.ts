/**
 * Hands work to the process that its key belongs to, because work on the same rows is cheapest in one
 * process (docs/decisions/0019-processes.md). Every process can do all work correctly, so when the
 * other one is not there, the work is done here.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, serverError } from '../http/errors.ts'
import { answerTo } from '../http/outage.ts'
import type { Channel } from '../processes/channel.ts'
import { openLines } from './line-socket.ts'
import { connectPeer, type Fault, type Peer } from './peer.ts'

export type HandOver = {
  /**
   * @param run does the work; its argument and its result must survive JSON
   * @returns does the work in the process of the key
   */
  route<Given, Result>(name: string, run: Run<Given, Result>): RoutedRun<Given, Result>
  /** Resolves when what others have handed over is done. */
  close(): Promise<void>
}

type Run<Given, Result> = (given: Given) => Promise<Result>
type RoutedRun<Given, Result> = (key: string, given: Given) => Promise<Result>

/** Sent to each process: sockets of the places of all processes, and its own place. */
export type Places = { sockets: (string | null)[]; own: number }

/** Others have learned by then that this process is leaving. */
const QUIET_MS = 200
const POLL_MS = 20
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** @param path socket at which this process takes work */
export async function openHandOver(path: string, channel: Channel): Promise<HandOver> {
  const works = new Map<string, Run<never, unknown>>()
  const peers = new Map<string, Peer>()
  let places: Places = { sockets: [], own: 0 }
  let running = 0
  let busyAt = performance.now()

  channel.on('places', (given) => {
    places = given as Places
    for (const [socket, peer] of peers) {
      if (!places.sockets.includes(socket)) {
        peers.delete(socket)
        peer.leave()
      }
    }
  })
  const isBusy = () => running > 0 || performance.now() - busyAt < QUIET_MS
  const peerAt = (socket: string): Peer => {
    const known = peers.get(socket)
    if (known) return known
    const peer = connectPeer(socket, () => peers.delete(socket))
    peers.set(socket, peer)
    return peer
  }
  const perform = async (line: string, reply: (line: string) => void): Promise<void> => {
    const [id = '', name = ''] = line.split(' ', 2)
    running += 1
    try {
      const work = works.get(name)
      if (!work) throw serverError()
      const result = await work(JSON.parse(line.slice(id.length + name.length + 2)) as never)
      reply(`${id} done ${JSON.stringify(result)}`)
    } catch (error) {
      reply(`${id} fault ${JSON.stringify(faultOf(error))}`)
    } finally {
      running -= 1
      busyAt = performance.now()
    }
  }
  const server = await listen(path, (socket) => {
    const reply = openLines(socket, (line) => void perform(line, reply))
  })
  return {
    route: (name, run) => {
      works.set(name, run)
      return async (key, given) => {
        const place = placeOf(key, places.sockets.length)
        const socket = place === places.own ? null : places.sockets[place]
        const peer = typeof socket === 'string' ? peerAt(socket) : undefined
        if (!peer?.isOpen()) return await run(given)
        return (await peer.ask(name, JSON.stringify(given))) as Awaited<ReturnType<typeof run>>
      }
    },
    close: async () => {
      while (isBusy()) await sleep(POLL_MS)
      server.close()
      for (const peer of peers.values()) peer.leave()
    },
  }
}

async function listen(path: string, onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.unref()
    onSocket(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve)
  })
  return server
}

/** Faults that no request has caused are reported by the process that had them. */
function faultOf(error: unknown): Fault {
  const known = error instanceof AppError ? error : answerTo(error)
  const { status, body, scheme, retry_after_seconds } = known
  return { status, body, scheme, retry_after_seconds }
}

/** The 32-bit hash of Fowler, Noll and Vo, which spreads ids evenly. */
function placeOf(key: string, places: number): number {
  let hash = FNV_OFFSET
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), FNV_PRIME)
  }
  return places === 0 ? 0 : (hash >>> 0) % places
}
