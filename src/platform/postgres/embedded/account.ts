/**
 * PostgreSQL refuses to run as root. When the program is started by root, the server runs as an
 * account without privileges; otherwise as whoever runs the program.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

export type ServerAccount = { name: string; uid: number; gid: number }

const OWN_ACCOUNT = 'vigil'
const CANDIDATES = [OWN_ACCOUNT, 'postgres']

/** @returns undefined when the program does not run as root: no change of account is needed */
export function serverAccount(): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined
  return findAccount(CANDIDATES) ?? createAccount() ?? nobody()
}

function createAccount(): ServerAccount | undefined {
  try {
    execFileSync(
      'useradd',
      ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', OWN_ACCOUNT],
      { stdio: 'ignore', timeout: 10_000 },
    )
  } catch {
    // No useradd (a minimal container), or another process was faster: look again below.
  }
  return findAccount([OWN_ACCOUNT])
}

function nobody(): ServerAccount {
  const account = findAccount(['nobody'])
  if (account) return account
  throw new Error(
    'PostgreSQL refuses to run as root and no other account exists. Start Vigil as an ordinary user, or set DATABASE_URL.',
  )
}

function findAccount(names: string[]): ServerAccount | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const wanted of names) {
    for (const line of lines) {
      const [name, , uid, gid] = line.split(':')
      if (name === wanted && Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) }
    }
  }
  return undefined
}

/** Whether the account can walk to a path and execute it (or enter it, when it is a folder). */
export function canReach(account: ServerAccount | undefined, path: string): boolean {
  if (!account) return true
  for (let current = resolve(path); ; current = dirname(current)) {
    const { mode, uid, gid } = statSync(current)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (current === dirname(current)) return true
  }
}
