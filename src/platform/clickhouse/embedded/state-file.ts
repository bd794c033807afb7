/** Where the process of the embedded engine is, and its password: a file that only the owner reads. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

export type EngineState = {
  pid: number
  port: number
  username: string
  password: string
  version: string
}

/** Whole or not at all. */
export function writeState(file: string, state: EngineState): void {
  const partial = `${file}.${process.pid}`
  rmSync(partial, { force: true })
  writeFileSync(partial, JSON.stringify(state), { mode: 0o600, flag: 'wx' })
  renameSync(partial, file)
}

export function readState(file: string): EngineState | undefined {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as Partial<EngineState>
    const { pid, port, username, password, version } = state
    if (typeof pid !== 'number' || typeof port !== 'number') return undefined
    if (typeof username !== 'string' || typeof password !== 'string') return undefined
    return { pid, port, username, password, version: version ?? '' }
  } catch {
    return undefined
  }
}

/** Only the one of that process. */
export function removeState(file: string, pid: number): void {
  if (readState(file)?.pid === pid) rmSync(file, { force: true })
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
