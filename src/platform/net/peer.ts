/** Another process of the service, to which work is handed over a socket. */
import { connect } from 'node:net'
import { AppError, serverError } from '../http/errors.ts'
import { openLines } from './line-socket.ts'

export type Peer = {
  isOpen(): boolean
  /**
   * @throws AppError that the work has thrown, or a 500 when it is unknown whether it was done
   */
  ask(name: string, given: string): Promise<unknown>
  /** Closes the connection when all answers have arrived. */
  leave(): void
}

/** The parts of an error that are sent. */
export type Fault = Pick<AppError, 'status' | 'body' | 'scheme'>

type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void }

/** Longer than steps wait for the database. */
const ANSWER_TIMEOUT_MS = 25_000

/** @param onClose called when the connection is closed or was refused */
export function connectPeer(path: string, onClose: () => void): Peer {
  const waiting = new Map<string, Waiting>()
  const socket = connect(path)
  let isOpen = false
  let isLeaving = false
  let numbers = 0
  const endIfDone = () => {
    if (isLeaving && waiting.size === 0) socket.end()
  }
  const send = openLines(socket, (line) => {
    const [id = '', kind = ''] = line.split(' ', 2)
    const content: unknown = JSON.parse(line.slice(id.length + kind.length + 2))
    const one = waiting.get(id)
    waiting.delete(id)
    if (kind === 'done') one?.resolve(content)
    else one?.reject(errorOf(content as Fault))
    endIfDone()
  })
  socket.on('connect', () => {
    isOpen = true
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isOpen = false
    for (const { reject } of waiting.values()) reject(serverError())
    waiting.clear()
    onClose()
  })
  return {
    isOpen: () => isOpen && !isLeaving,
    ask: async (name, given) =>
      await new Promise((resolve, reject) => {
        numbers += 1
        const id = String(numbers)
        const late = setTimeout(() => {
          waiting.delete(id)
          reject(serverError())
        }, ANSWER_TIMEOUT_MS)
        waiting.set(id, {
          resolve: (result) => {
            clearTimeout(late)
            resolve(result)
          },
          reject: (error) => {
            clearTimeout(late)
            reject(error)
          },
        })
        send(`${id} ${name} ${given}`)
      }),
    leave: () => {
      isLeaving = true
      endIfDone()
    },
  }
}

const errorOf = ({ status, body, scheme }: Fault): AppError => {
  const { success: _, ...rest } = body
  return new AppError(status, rest, scheme)
}
