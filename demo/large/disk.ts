/** Refuses to fill a disk that cannot hold a large demo. */
import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../src/platform/operator-error.ts'

const GIGABYTE = 1e9
/** Measured at the full size, with the logs of the database. */
const NEEDED_BYTES = 18 * GIGABYTE
/** Size of the month itself, with the engines. */
const BASE_BYTES = 1 * GIGABYTE

export const neededBytes = (scale: number): number => BASE_BYTES + NEEDED_BYTES * scale

/** @throws OperatorError if the disk of the folder has not enough free space */
export function requireDisk(folder: string, scale: number): void {
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  const { bavail, bsize } = statfsSync(existing)
  const needed = neededBytes(scale)
  if (bavail * bsize >= needed) return
  const text = (bytes: number) => (bytes / GIGABYTE).toFixed(0)
  throw new OperatorError(
    `The large demo needs ${text(needed)} GB, and the disk of ${folder} has ${text(bavail * bsize)} GB free. Choose another folder with --data-dir, or a smaller share with --scale.`,
  )
}
