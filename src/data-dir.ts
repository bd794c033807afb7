/** Where the embedded PostgreSQL and the master key live. */
import { createHash } from 'node:crypto'
import { basename, join, resolve } from 'node:path'
import { canReach, serverAccount } from './platform/postgres/embedded/account.ts'

const SYSTEM_FOLDER = '/var/lib/vigil'

/**
 * `./data`, unless the program runs as root in a folder that the account of the server cannot
 * enter (PostgreSQL refuses to be root): then a folder of the system, one per working folder.
 */
export function chooseDataDir(configured: string | undefined, workingFolder: string): string {
  if (configured !== undefined) return resolve(workingFolder, configured)
  if (canReach(serverAccount(), workingFolder)) return join(workingFolder, 'data')
  const hash = createHash('sha256').update(workingFolder).digest('hex').slice(0, 8)
  return join(SYSTEM_FOLDER, `${basename(workingFolder)}-${hash}`)
}
