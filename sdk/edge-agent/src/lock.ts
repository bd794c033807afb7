/**
 * One process per folder: a file that names the process. The number of a process alone is not enough,
 * because in a container the next one often has the same; so its start time is named too, where the
 * system tells it.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'agent.lock'
const ATTEMPTS = 5

export type Lock = { release: () => void }

/** @throws Error when another live process has the folder */
export function lockFolder(folder: string): Lock {
  const path = join(folder, NAME)
  const mine = describeProcess(process.pid)
  const draft = join(folder, `${NAME}.${process.pid}.${process.hrtime.bigint()}`)
  writeFileSync(draft, mine)
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (tryLink(draft, path)) return { release: () => release(path, mine) }
      takeAway(path, `${draft}.stale`)
    }
    throw new Error(`${path} cannot be taken`)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A link appears with its content, or not at all. */
function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Removes the lock of a process that is gone. */
function takeAway(path: string, aside: string): void {
  const holder = read(path)
  if (holder === undefined) return
  if (isAlive(holder)) {
    throw new Error(
      `The folder is in use by process ${pidOf(holder)}. One agent per folder; remove ${path} if that is none.`,
    )
  }
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  // Somebody faster may have taken it away and put theirs there in between.
  if (read(aside) !== holder) tryLink(aside, path)
  rmSync(aside, { force: true })
}

function release(path: string, mine: string): void {
  if (read(path) === mine) rmSync(path, { force: true })
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

/** Number, boot and start time since boot; the number alone where there is no /proc. */
function describeProcess(pid: number): string {
  const stat = read(`/proc/${pid}/stat`)
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim()
  // The name of the program, in parentheses, may contain anything.
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
