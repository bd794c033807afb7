/** Folders of the embedded engines, which only their account can enter. */
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../operator-error.ts'
import { canReach, type ServerAccount, serverAccount } from './account.ts'

/**
 * Creates the data directory if needed. The service gave up root before this; tests and benchmarks that
 * root runs did not, so the engines get the directory and an account.
 */
export function prepareDataDir(folder: string): ServerAccount | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const account = serverAccount(folder)
  if (!account) return undefined
  if (statSync(folder).uid !== account.uid) chownSync(folder, account.uid, account.gid)
  if (canReach(account, folder)) return account
  throw new OperatorError(
    `The embedded databases do not run as root, and the account ${account.name} that they run as cannot enter ${dirname(folder)}.`,
  )
}

/** Creates a folder that only the account can enter. */
export function makeServerFolder(folder: string, account: ServerAccount | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  if (account) chownSync(folder, account.uid, account.gid)
}
