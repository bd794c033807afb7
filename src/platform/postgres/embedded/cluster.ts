/** Makes the database cluster (`initdb`) on first use, whole or not at all. */
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ServerAccount } from './account.ts'

const run = promisify(execFile)

export const SUPERUSER = 'vigil'

/**
 * `initdb` writes into a folder of its own that is renamed into place at the end, so a start that
 * is cut off leaves nothing that a later start could mistake for a cluster.
 */
export async function ensureCluster(
  binaries: string,
  folder: string,
  account: ServerAccount | undefined,
): Promise<void> {
  if (existsSync(join(folder, 'PG_VERSION'))) return
  const partial = `${folder}.partial-${process.pid}`
  rmSync(partial, { recursive: true, force: true })
  makeServerFolder(partial, account)
  const args = ['-D', partial, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--no-locale']
  try {
    await run(join(binaries, 'bin', 'initdb'), args, {
      cwd: '/',
      timeout: 120_000,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      ...(account && { uid: account.uid, gid: account.gid }),
    })
    if (!existsSync(join(folder, 'PG_VERSION'))) renameSync(partial, folder)
  } catch (cause) {
    // Another process that started at the same moment may have won the rename.
    if (!existsSync(join(folder, 'PG_VERSION'))) {
      throw new Error(`PostgreSQL could not make its data directory ${folder}`, { cause })
    }
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

/** A folder that only the server's account can enter. */
export function makeServerFolder(folder: string, account: ServerAccount | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  if (account) chownSync(folder, account.uid, account.gid)
}
