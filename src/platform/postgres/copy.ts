/**
 * COPY to and from a connection, row by row in the text format of PostgreSQL
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY). `pg` leaves it to
 * submittable objects like these. Both directions wait for the slower side, so memory stays bounded.
 */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import type { Client, Submittable } from 'pg'

/** The part of the connection of `pg` that COPY needs; its types lack these members. */
type Wire = {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** Large chunks are copied by the driver, so they are sent in pieces. */
const PIECE_BYTES = 262_144

/**
 * Runs `COPY … TO STDOUT`.
 *
 * @param onRow receives each row with its line break, in memory that is reused after the call. The
 *   server waits while a promise that it returns is pending
 * @returns the number of rows
 */
export async function copyOut(
  client: Client,
  statement: string,
  onRow: (row: Buffer) => Promise<void> | undefined,
): Promise<number> {
  let failure: unknown
  return await submit(client, statement, {
    handleCopyData: ({ chunk }, wire) => {
      if (failure !== undefined) return
      const waiting = onRow(chunk)
      if (!waiting) return
      wire.stream.pause()
      waiting
        .catch((error: unknown) => {
          failure = error
          // The rest of a large table is not read.
          wire.stream.destroy(error as Error)
        })
        .finally(() => wire.stream.resume())
    },
    failure: () => failure,
  })
}

/**
 * Returns a receiver of rows for `copyOut` that writes them into a stream. Rows that had arrived when the stream was
 * full, which can be hundreds, wait for the same event.
 */
export function writeRowsTo(stream: Writable): (row: Buffer) => Promise<void> | undefined {
  let drained: Promise<void> | undefined
  return (row) => {
    if (stream.destroyed) {
      return Promise.reject(stream.errored ?? new Error('the stream of the rows is closed'))
    }
    // The memory of the row is reused.
    if (stream.write(Buffer.from(row))) return undefined
    drained ??= once(stream, 'drain').then(() => {
      drained = undefined
    })
    return drained
  }
}

/**
 * Runs `COPY … FROM STDIN`.
 *
 * @param source chunks of rows, which need not end where a row ends
 * @returns the number of rows
 * @throws the error of the source, or of the server; no row is stored then
 */
export async function copyIn(
  client: Client,
  statement: string,
  source: AsyncIterable<Buffer>,
): Promise<number> {
  let failure: unknown
  const ended = new AbortController()
  const feed = async (wire: Wire) => {
    for await (const chunk of source) {
      for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
        if (ended.signal.aborted) return
        wire.sendCopyFromChunk(chunk.subarray(start, start + PIECE_BYTES))
        if (wire.stream.writableNeedDrain) {
          await once(wire.stream, 'drain', { signal: ended.signal })
        }
      }
    }
    wire.endCopyFrom()
  }
  const work = submit(client, statement, {
    handleCopyInResponse: (wire) => {
      feed(wire).catch((error: unknown) => {
        if (ended.signal.aborted) return
        failure = error
        wire.sendCopyFail('the source of the rows failed')
      })
    },
    failure: () => failure,
  })
  return await work.finally(() => ended.abort())
}

type Handlers = {
  handleCopyData?: (message: { chunk: Buffer }, wire: Wire) => void
  handleCopyInResponse?: (wire: Wire) => void
  /** The reason why this side stopped, which explains the error of the server. */
  failure: () => unknown
}

async function submit(
  client: Client,
  statement: string,
  { failure, ...handlers }: Handlers,
): Promise<number> {
  return await new Promise((resolve, reject) => {
    let rows = 0
    const copy = {
      submit: (wire: Wire) => wire.query(statement),
      handleCommandComplete: ({ text }: { text: string }) => {
        rows = Number(/\d+$/.exec(text)?.[0] ?? 0)
      },
      // The client is ready for another statement when the server is; it does not say so here.
      handleError: (error: unknown) => reject(failure() ?? error),
      handleReadyForQuery: () => resolve(rows),
      ...handlers,
    }
    client.query(copy as unknown as Submittable)
  })
}
