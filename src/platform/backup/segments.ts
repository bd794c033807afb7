/** Splits the rows of a table into segments while they are read, and joins them again. */
import { createDigest } from './digest.ts'
import {
  damaged,
  dataPrefix,
  readObject,
  type Segment,
  sealObject,
  type TableContent,
} from './format.ts'
import type { BackupStore } from './store.ts'

/** Several of them are in memory: one fills, one is encrypted and sent. */
const SEGMENT_BYTES = 16_777_216
const DIGITS = 6

export type SegmentWriter = {
  /** @returns a promise while earlier rows have to be stored first */
  add(row: Buffer): Promise<void> | undefined
  /** Adds several complete rows. */
  addLines(lines: Buffer): Promise<void> | undefined
  end(): Promise<TableContent>
}

export type SegmentSink = { store: BackupStore; id: string; key: Buffer; nextNumber: () => number }

export function createSegmentWriter({ store, id, key, nextNumber }: SegmentSink): SegmentWriter {
  const digest = createDigest()
  const segments: Segment[] = []
  let buffer = Buffer.allocUnsafe(SEGMENT_BYTES)
  let used = 0
  let rowsBefore = 0
  let sending: Promise<void> = Promise.resolve()

  const send = async (plain: Buffer, rows: number): Promise<void> => {
    const name = `${dataPrefix(id)}${String(nextNumber()).padStart(DIGITS, '0')}`
    const box = await sealObject(key, name, plain)
    await store.put(name, box)
    segments.push({ name, bytes: box.length, rows })
  }
  const flush = (): Promise<void> => {
    const plain = buffer.subarray(0, used)
    const { rows } = digest.value()
    const count = rows - rowsBefore
    rowsBefore = rows
    buffer = Buffer.allocUnsafe(SEGMENT_BYTES)
    used = 0
    const before = sending
    sending = before.then(async () => await send(plain, count))
    sending.catch(() => undefined)
    // While this segment is sent, the next one may fill.
    return before
  }
  const append = (bytes: Buffer, count: () => void): Promise<void> | undefined => {
    const previous = used > 0 && used + bytes.length > buffer.length ? flush() : undefined
    if (bytes.length > buffer.length) buffer = Buffer.allocUnsafe(bytes.length)
    bytes.copy(buffer, used)
    used += bytes.length
    count()
    return previous
  }
  return {
    add: (row) => append(row, () => digest.add(row)),
    addLines: (lines) => append(lines, () => digest.addLines(lines)),
    end: async () => {
      if (used > 0) await flush()
      await sending
      return { ...digest.value(), segments }
    },
  }
}

/** Yields the rows of a table, a segment at a time. */
export async function* readSegments(
  store: BackupStore,
  { id, key }: { id: string; key: Buffer },
  { segments }: Pick<TableContent, 'segments'>,
): AsyncGenerator<Buffer> {
  for (const { name } of segments) {
    if (!name.startsWith(dataPrefix(id))) throw damaged(id, 'it names foreign objects')
    yield await readObject(store, { id, key, name })
  }
}
