/** The file with the address and password of the embedded engine, readable by its owner only. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

export type EngineState = {
  pid: number
  port: number
  username: string
  password: string
  version: string
}

/** Writes the file atomically. */
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

/** Removes the file only if that process wrote it. */
export function removeState(file: string, pid: number): void {
  if (readState(file)?.pid === pid) rmSync(file, { force: true })
}
