/**
 * Locks the folder of a demo: only one process may use it, because filling it again deletes its
 * contents.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../src/platform/operator-error.ts'

/** `started` is the start time of the process by the kernel's clock, because process ids are reused. */
type Holder = { pid: number; started: string }

export const LOCK_FILE = 'demo.lock'

/**
 * @param url where the demo is served, if known
 * @returns a function that releases the lock
 * @throws OperatorError while another process holds the lock
 */
export function lockFolder(folder: string, url?: string): () => void {
  const file = join(folder, LOCK_FILE)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const holder = readHolder(file)
  if (holder && isRunning(holder)) throw locked(folder, url)
  rmSync(file, { force: true })
  const own: Holder = { pid: process.pid, started: startOf(process.pid) }
  try {
    writeFileSync(file, JSON.stringify(own), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw (error as { code?: string }).code === 'EEXIST' ? locked(folder, url) : error
  }
  return () => rmSync(file, { force: true })
}

function locked(folder: string, url: string | undefined): OperatorError {
  const where = url === undefined ? folder : `${folder}, at ${url}`
  return new OperatorError(
    `This demo is already running: ${where}. Stop it first, or choose another folder with --data-dir.`,
  )
}

function readHolder(file: string): Holder | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined
  } catch {
    return undefined
  }
}

function isRunning({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user exists although it may not be signaled.
    if ((error as { code?: string }).code !== 'EPERM') return false
  }
  return startOf(pid) === started
}

/** Field 22 of `/proc/<pid>/stat`, after the name in parentheses; empty on systems without that file. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
