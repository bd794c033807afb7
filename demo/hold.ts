/** One process at a time has the folder of a demonstration: filling it anew deletes what is there. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../src/platform/operator-error.ts'

/** `started`: by the clock of the kernel, because numbers of processes are given again. */
type Holder = { pid: number; started: string }

export const HOLD_FILE = 'demo.lock'

/**
 * @param url where it is served, as far as that is known
 * @returns gives it back
 * @throws OperatorError while another one has it
 */
export function hold(folder: string, url?: string): () => void {
  const file = join(folder, HOLD_FILE)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const holder = readHolder(file)
  if (holder && isRunning(holder)) throw taken(folder, url)
  rmSync(file, { force: true })
  const own: Holder = { pid: process.pid, started: startOf(process.pid) }
  try {
    writeFileSync(file, JSON.stringify(own), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw (error as { code?: string }).code === 'EEXIST' ? taken(folder, url) : error
  }
  return () => rmSync(file, { force: true })
}

function taken(folder: string, url: string | undefined): OperatorError {
  const where = url === undefined ? folder : `${folder}, at ${url}`
  return new OperatorError(
    `This demonstration runs already: ${where}. Stop that one first, or name another folder by --data-dir.`,
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
    // That of somebody else, who may not be asked.
    if ((error as { code?: string }).code !== 'EPERM') return false
  }
  return startOf(pid) === started
}

/** Field 22 of `/proc/<pid>/stat`, behind the name in parentheses; empty where there is no such file. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
