/** Another process of the service, to which work is handed over a socket. */
import { connect } from 'node:net'
import { AppError, serverError } from '../http/errors.ts'
import { openLines } from './line-socket.ts'
import { createQuestions } from './questions.ts'

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
export type Fault = Pick<AppError, 'status' | 'body' | 'scheme' | 'retry_after_seconds'>

/** Longer than steps wait for the database. */
const ANSWER_TIMEOUT_MS = 25_000

/** @param onClose called when the connection is closed or was refused */
export function connectPeer(path: string, onClose: () => void): Peer {
  const questions = createQuestions(ANSWER_TIMEOUT_MS, serverError)
  const socket = connect(path)
  let isOpen = false
  let isLeaving = false
  const endIfDone = () => {
    if (isLeaving && questions.size() === 0) socket.end()
  }
  const send = openLines(socket, (line) => {
    const [id = '', kind = ''] = line.split(' ', 2)
    const content: unknown = JSON.parse(line.slice(id.length + kind.length + 2))
    if (kind === 'done') questions.answer(Number(id), content)
    else questions.refuse(Number(id), errorOf(content as Fault))
    endIfDone()
  })
  socket.on('connect', () => {
    isOpen = true
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isOpen = false
    questions.refuseAll(serverError)
    onClose()
  })
  return {
    isOpen: () => isOpen && !isLeaving,
    ask: async (name, given) => await questions.ask((id) => send(`${id} ${name} ${given}`)),
    leave: () => {
      isLeaving = true
      endIfDone()
    },
  }
}

const errorOf = ({ status, body, ...headers }: Fault): AppError => {
  const { success: _, ...rest } = body
  return new AppError(status, rest, headers)
}
