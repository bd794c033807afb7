/** The installation that `vigil login` has signed in to, in a file that only its owner can read. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { reasonOf } from '../../platform/operator-error.ts'
import { CommandError, type Io } from '../io.ts'

export type Login = {
  url: string
  token: string
  /** The default of `--org`. */
  org_id: string
  /** Undefined for a token from elsewhere. */
  expires_at?: string
}

type Environment = Pick<Io, 'environment'>

/** @throws CommandError without a home directory */
export function loginFile({ environment }: Environment): string {
  const { XDG_CONFIG_HOME: configured, HOME: home, APPDATA: roaming } = environment
  const folder = configured || (home && join(home, '.config')) || roaming
  if (!folder) throw new CommandError('Set HOME or XDG_CONFIG_HOME: the sign-in is stored there')
  return join(folder, 'vigil', 'login.json')
}

/** @returns undefined when there is none @throws CommandError for a damaged file */
export function findLogin(io: Environment): Login | undefined {
  let text: string
  let file: string
  try {
    file = loginFile(io)
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  try {
    const { url, token, org_id, expires_at } = JSON.parse(text) as Partial<Login>
    if (url === undefined || token === undefined || org_id === undefined) throw new Error('damaged')
    return { url, token, org_id, ...(expires_at !== undefined && { expires_at }) }
  } catch {
    throw new CommandError(`${file} is damaged: run vigil logout, then vigil login again`)
  }
}

/** Replaces the file, so that it never has other rights or a part of its content. */
export function writeLogin(io: Environment, login: Login): string {
  const file = loginFile(io)
  const partial = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(partial, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
    chmodSync(partial, 0o600)
    renameSync(partial, file)
  } catch (cause) {
    throw new CommandError(`Cannot write ${file}: ${reasonOf(cause)}`, { cause })
  }
  return file
}

export function removeLogin(io: Environment): void {
  rmSync(loginFile(io), { force: true })
}
