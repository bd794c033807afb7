/** What a body is recognised by when it comes again. */
import { createHash } from 'node:crypto'
import type { SpoolTarget } from '../../platform/postgres/tables/edge.ts'

/** @param bytes after decompression, so that another compression of it is the same body */
export const bodyHash = (target: SpoolTarget, bytes: Buffer): Buffer =>
  createHash('sha256').update(`${target}\0`).update(bytes).digest()
