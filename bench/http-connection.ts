/**
 * One keep-alive HTTP/1.1 connection with as little code as possible between request and response, so that
 * the load generator takes little processor time from what it measures. Responses need a Content-Length.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

export type HttpResponse = {
  status: number
  body: string
  /** The service closes the connection after this response. */
  is_last: boolean
}

export type HttpConnection = {
  /** Sends one request; the next may follow its response. Characters are bytes (Latin-1). */
  send(request: string): Promise<HttpResponse>
  close(): void
}

type Waiting = { resolve: (response: HttpResponse) => void; reject: (error: Error) => void }

const HEAD_END = '\r\n\r\n'
const STATUS_AT = 'HTTP/1.1 '.length

export async function openConnection(port: number): Promise<HttpConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.setEncoding('latin1')
  let pending = ''
  let waiting: Waiting | undefined
  let broken: Error | undefined
  const fail = (error: Error) => {
    broken ??= error
    waiting?.reject(broken)
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the service closed the connection')))
  socket.on('data', (chunk) => {
    pending += String(chunk)
    const response = readResponse(pending)
    if (!response) return
    pending = ''
    waiting?.resolve(response)
  })
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken)
        waiting = { resolve, reject }
        socket.write(request, 'latin1')
      }),
    close: () => void socket.destroy(),
  }
}

function readResponse(bytes: string): HttpResponse | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = bytes.slice(0, headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error('a response without Content-Length')
  const start = headEnd + HEAD_END.length
  if (bytes.length < start + Number(length)) return undefined
  return {
    status: Number(bytes.slice(STATUS_AT, STATUS_AT + 3)),
    body: bytes.slice(start),
    is_last: /\r\nconnection: close/i.test(head),
  }
}
