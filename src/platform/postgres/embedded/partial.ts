/**
 * Folders that are created under a temporary name and renamed when they are complete, so that
 * interrupted work is never mistaken for a complete folder.
 */
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRunning } from '../../is-running.ts'

const MARK = '.partial-'

/** Temporary path under which this process creates `path`. */
export const partialPath = (path: string): string => `${path}${MARK}${process.pid}`

/** Removes what processes left behind that were killed while creating `path`. */
export function removeAbandoned(path: string): void {
  const prefix = `${basename(path)}${MARK}`
  for (const name of readdirSync(dirname(path))) {
    const pid = Number(name.slice(prefix.length))
    if (!name.startsWith(prefix) || (pid !== process.pid && isRunning(pid))) continue
    try {
      rmSync(join(dirname(path), name), { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // A child of that process may still be writing; the next start tries again.
    }
  }
}
