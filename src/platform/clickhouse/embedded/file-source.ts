/** Rows of an insert as a file that the engine reads. It has no name, so that nothing remains after a crash. */
import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

export type FileSource = { path: string; bytes: number }

/** Opens the file of a descriptor. A path in the data folder could contain signs that the engine takes for a pattern. */
const DESCRIPTORS = '/dev/fd'
const PRIVATE = 0o600

export async function withFileSource<T>(
  folder: string,
  rows: Buffer,
  use: (source: FileSource) => Promise<T>,
): Promise<T> {
  const path = join(folder, `insert-${randomUUID()}`)
  const file = await open(path, 'wx+', PRIVATE)
  try {
    await unlink(path)
    // At a position, because some systems share the offset of a descriptor with those who open it again.
    for (let at = 0; at < rows.length; ) {
      const { bytesWritten } = await file.write(rows, at, rows.length - at, at)
      at += bytesWritten
    }
    return await use({ path: `${DESCRIPTORS}/${file.fd}`, bytes: rows.length })
  } finally {
    await file.close()
  }
}
