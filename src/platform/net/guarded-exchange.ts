/**
 * Sends one POST on a client and reads the response up to a limit. A stop ends the exchange
 * immediately, independent of the other side.
 */
import type { Client } from 'undici'
import type { Stop } from './stop.ts'

export type ExchangeRequest = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Maximum number of bytes of the response body to read; at least 1. */
  readonly response_bytes_max: number
  readonly stop: Stop
}

type Answered = {
  readonly kind: 'answered'
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** False when the body exceeds the limit. */
  readonly is_whole: boolean
}

export type Exchange =
  | Answered
  /** `was_sent`: the other side may have received a part of the request. */
  | {
      readonly kind: 'broken'
      readonly error: unknown
      readonly was_sent: boolean
      readonly was_answered: boolean
    }
  | { readonly kind: 'aborted' }

/** Never rejects. Unless the response was read to its end, the connection must not be reused. */
export function exchange(client: Client, request: ExchangeRequest): Promise<Exchange> {
  return new Promise((resolve) => {
    const { path, headers, body, response_bytes_max, stop } = request
    let wasSent = false
    let head: Pick<Answered, 'status' | 'headers'> | undefined
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (result: Exchange) => {
      stop.onStop(undefined)
      resolve(result)
    }
    const abort = () => settle({ kind: 'aborted' })
    const fail = (error: unknown) =>
      settle({ kind: 'broken', error, was_sent: wasSent, was_answered: head !== undefined })
    const finish = (is_whole: boolean) => {
      if (head === undefined) return
      const read = Buffer.concat(chunks).subarray(0, response_bytes_max)
      settle({ kind: 'answered', ...head, body: read, is_whole })
    }
    const handler: Parameters<Client['dispatch']>[1] = {
      onRequestStart: () => {
        wasSent = true
      },
      onResponseStart: (_controller, status, received) => {
        if (status >= 200) head = { status, headers: received }
      },
      onResponseData: (_controller, chunk) => {
        if (bytes >= response_bytes_max) return
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes >= response_bytes_max) finish(false)
      },
      onResponseEnd: () => finish(true),
      onResponseError: (_controller, error) => fail(error),
    }
    if (stop.isStopped) {
      abort()
      return
    }
    stop.onStop(abort)
    try {
      client.dispatch({ method: 'POST', path, headers, body }, handler)
    } catch (error) {
      fail(error)
    }
  })
}
