/** The hash that identifies a repeated request body. */
import { createHash } from 'node:crypto'

/** @param bytes the decompressed body, so that the compression does not matter */
export const bodyHash = (target: string, bytes: Buffer): Buffer =>
  createHash('sha256').update(`${target}\0`).update(bytes).digest()
