/**
 * Locks a folder for one process by a file that identifies the process. The process id alone is not
 * sufficient, because the next process of a container often has the same id, so the file includes the
 * start time where /proc provides it.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'agent.lock'
const ATTEMPTS = 5

export type Lock = { release: () => void }

/** @throws Error when another running process has locked the folder */
export function lockFolder(folder: string): Lock {
  const path = join(folder, NAME)
  const own = describeProcess(process.pid)
  const draft = join(folder, `${NAME}.${process.pid}.${process.hrtime.bigint()}`)
  writeFileSync(draft, own)
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (tryLink(draft, path)) return { release: () => release(path, own) }
      removeStale(path, `${draft}.stale`)
    }
    throw new Error(`${path} cannot be created`)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A hard link is created atomically, together with its content. */
function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Removes the lock of a process that has ended. */
function removeStale(path: string, aside: string): void {
  const holder = read(path)
  if (holder === undefined) return
  if (isAlive(holder)) {
    throw new Error(
      `The folder is in use by process ${pidOf(holder)}. Only one agent can use a folder; remove ${path} if that process is no agent.`,
    )
  }
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  // Another process may have replaced the stale lock by its own in the meantime.
  if (read(aside) !== holder) tryLink(aside, path)
  rmSync(aside, { force: true })
}

function release(path: string, own: string): void {
  if (read(path) === own) rmSync(path, { force: true })
}

function isAlive(holder: string): boolean {
  const pid = pidOf(holder)
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return describeProcess(pid) === holder
}

const pidOf = (holder: string): number => Number(holder.split(' ')[0])

/** Returns process id, boot id and start time since boot; the process id alone without /proc. */
function describeProcess(pid: number): string {
  const stat = read(`/proc/${pid}/stat`)
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim()
  // The name of the program, in parentheses, can contain any character.
  const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return started === undefined || boot === undefined ? `${pid}` : `${pid} ${boot} ${started}`
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
