/**
 * Chooses the account of a program that root started, because neither the service nor its databases
 * run as root: the owner of the data directory, or else an account that only Vigil uses. Accounts that
 * other services share, such as `postgres` or `nobody`, could read and change the data.
 */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { OperatorError, reasonOf } from '../operator-error.ts'

export type ServerAccount = { name: string; uid: number; gid: number }

const OWN_ACCOUNT = 'vigil'
const ACCOUNTS_FILE = '/etc/passwd'

/**
 * @param dataDir which may not exist yet
 * @returns undefined if the program does not run as root and needs no other account
 * @throws OperatorError if there is no account and none can be created
 */
export function serverAccount(dataDir: string): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined
  return ownerOf(dataDir) ?? ownAccount({ read: readAccounts, create: runUseradd })
}

/** @throws OperatorError if the account does not exist and cannot be created */
export function ownAccount(system: { read: () => string; create: () => void }): ServerAccount {
  const found = findAccount(system.read(), OWN_ACCOUNT)
  if (found) return found
  let reason = 'it is not in /etc/passwd'
  try {
    system.create()
  } catch (error) {
    // Another process may have created the account first.
    reason = reasonOf(error)
  }
  const created = findAccount(system.read(), OWN_ACCOUNT)
  if (created) return created
  throw new OperatorError(
    `Vigil does not run as root, and the account ${OWN_ACCOUNT} that it would run as could not be created (${reason}). Start Vigil as another user, or create a system account ${OWN_ACCOUNT} first.`,
  )
}

/** @returns undefined if the folder does not exist or belongs to root */
function ownerOf(folder: string): ServerAccount | undefined {
  if (!existsSync(folder)) return undefined
  const { uid, gid } = statSync(folder)
  return uid === 0 ? undefined : { name: `with uid ${uid}`, uid, gid }
}

function runUseradd(): void {
  execFileSync(
    'useradd',
    ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', OWN_ACCOUNT],
    { stdio: 'ignore', timeout: 10_000 },
  )
}

function readAccounts(): string {
  return existsSync(ACCOUNTS_FILE) ? readFileSync(ACCOUNTS_FILE, 'utf8') : ''
}

/** Returns the account of that name unless it is another name of root. */
export function findAccount(accounts: string, name: string): ServerAccount | undefined {
  const lines = accounts.split('\n').map((line) => line.split(':'))
  const [, , uid = '', gid = ''] = lines.find(([candidate]) => candidate === name) ?? []
  return Number(uid) > 0 ? { name, uid: Number(uid), gid: Number(gid) } : undefined
}

/**
 * Whether the account can reach a path and execute it, or enter it if it is a folder.
 * @param account undefined for the account of this process
 */
export function canReach(account: ServerAccount | undefined, path: string): boolean {
  if (!account) return isExecutable(path)
  for (let current = resolve(path); ; current = dirname(current)) {
    if (!isOpenTo(account, statSync(current))) return false
    if (current === dirname(current)) return true
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The server has no supplementary groups. Only the first permission class that matches counts. */
export function isOpenTo(
  account: ServerAccount,
  { mode, uid, gid }: Pick<Stats, 'mode' | 'uid' | 'gid'>,
  /** The permission as a bit of the last class: execute or enter by default. */
  permission = constants.X_OK,
): boolean {
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return (mode & (permission << shift)) !== 0
}
