/**
 * One keep-alive HTTP/1.1 connection with as little code as possible between request and answer,
 * so that the load generator takes few turns from what it measures. Only for answers that carry a
 * Content-Length.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

export type HttpAnswer = { status: number; body: string }

export type HttpConnection = {
  /** Sends one request; the next one only after its answer. Characters are bytes (Latin-1). */
  ask(request: string, onAnswer: (answer: HttpAnswer) => void): void
  close(): void
}

const HEAD_END = '\r\n\r\n'
const STATUS_AT = 'HTTP/1.1 '.length

/** @param onBroken told once when the connection ends before it was closed from this side */
export async function openConnection(
  port: number,
  onBroken: (reason: string) => void,
): Promise<HttpConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.setEncoding('latin1')
  let pending = ''
  let waiting: ((answer: HttpAnswer) => void) | undefined
  let closed = false
  const broken = (reason: string) => {
    if (!closed) onBroken(reason)
    closed = true
  }
  socket.on('error', (error) => broken(error.message))
  socket.on('close', () => broken('the service closed the connection'))
  socket.on('data', (chunk) => {
    pending = pending === '' ? String(chunk) : pending + String(chunk)
    const answer = readAnswer(pending)
    if (!answer) return
    pending = ''
    const listener = waiting
    waiting = undefined
    listener?.(answer)
  })
  return {
    ask: (request, onAnswer) => {
      waiting = onAnswer
      socket.write(request, 'latin1')
    },
    close: () => {
      closed = true
      socket.destroy()
    },
  }
}

function readAnswer(bytes: string): HttpAnswer | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.slice(0, headEnd))?.[1]
  if (length === undefined) throw new Error('an answer without Content-Length')
  const start = headEnd + HEAD_END.length
  if (bytes.length < start + Number(length)) return undefined
  return { status: Number(bytes.slice(STATUS_AT, STATUS_AT + 3)), body: bytes.slice(start) }
}
