/**
 * PostgreSQL refuses to run as root. When the program is started by root, the server runs as the
 * account that owns its files, or as one without privileges when there are none yet; otherwise as
 * whoever runs the program.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { OperatorError } from '../operator-error.ts'

export type ServerAccount = { name: string; uid: number; gid: number }

const OWN_ACCOUNT = 'vigil'
const CANDIDATES = [OWN_ACCOUNT, 'postgres']
const ACCOUNTS_FILE = '/etc/passwd'

/**
 * @param cluster folder of the database, which may not exist yet
 * @returns undefined when the program does not run as root: no change of account is needed
 */
export function serverAccount(cluster: string): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readAccounts()
  return (
    ownerOf(cluster) ??
    findAccount(accounts, CANDIDATES) ??
    createAccount() ??
    nobody(readAccounts())
  )
}

/** A command that root runs must not take the files of an ordinary user's service from it. */
function ownerOf(cluster: string): ServerAccount | undefined {
  if (!existsSync(cluster)) return undefined
  const { uid, gid } = statSync(cluster)
  return uid === 0 ? undefined : { name: `of uid ${uid}`, uid, gid }
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
  return findAccount(readAccounts(), [OWN_ACCOUNT])
}

function nobody(accounts: string): ServerAccount {
  const account = findAccount(accounts, ['nobody'])
  if (account) return account
  throw new OperatorError(
    'PostgreSQL refuses to run as root and no other account exists. Start Vigil as an ordinary user, or set DATABASE_URL.',
  )
}

function readAccounts(): string {
  return existsSync(ACCOUNTS_FILE) ? readFileSync(ACCOUNTS_FILE, 'utf8') : ''
}

/** The first of the wanted accounts that exists and is not another name of root. */
export function findAccount(accounts: string, wanted: string[]): ServerAccount | undefined {
  const lines = accounts.split('\n').map((line) => line.split(':'))
  for (const name of wanted) {
    const [, , uid = '', gid = ''] = lines.find(([candidate]) => candidate === name) ?? []
    if (Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}

/** Whether the account can walk to a path and execute it (or enter it, when it is a folder). */
export function canReach(account: ServerAccount | undefined, path: string): boolean {
  if (!account) return true
  for (let current = resolve(path); ; current = dirname(current)) {
    if (!isOpenTo(account, statSync(current))) return false
    if (current === dirname(current)) return true
  }
}

/** The server gets no further groups. Only the first class that fits an account counts. */
export function isOpenTo(
  account: ServerAccount,
  { mode, uid, gid }: Pick<Stats, 'mode' | 'uid' | 'gid'>,
): boolean {
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  return (mode & bit) !== 0
}
