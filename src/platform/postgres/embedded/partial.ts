/**
 * Folders that are made under another name and renamed into place when they are whole, so that work
 * that is cut off leaves nothing that could be mistaken for the real thing.
 */
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const MARK = '.partial-'

/** Where this process makes what will become `path`. */
export const partialPath = (path: string): string => `${path}${MARK}${process.pid}`

/** Removes what processes left behind that were killed while they made `path`. */
export function removeAbandoned(path: string): void {
  const prefix = `${basename(path)}${MARK}`
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue
    try {
      rmSync(join(dirname(path), name), { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // Its maker's child may be writing its last; the next start tries again.
    }
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
