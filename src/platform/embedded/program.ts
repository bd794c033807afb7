/**
 * How an account that is not root reaches Node.js and this program. Either may be in a folder that only
 * root can enter, such as its home. A child then finds the program in its working folder, and Node.js
 * under a descriptor that it inherits, neither of which needs access to the folders above.
 */
import { closeSync, openSync } from 'node:fs'
import { join, relative } from 'node:path'
import { installationFolder, packageRoot, WORKING_FOLDER } from '../package-root.ts'
import { canReach, type ServerAccount } from './account.ts'
import { INHERITED_FD } from './watchdog.ts'

export type Program = {
  node: string
  flags: string[]
  /** Folder of the program for the child. */
  root: string
  /** Whether the account can reach the folder by its path. */
  is_open: boolean
  working_folder: string
  /** Descriptor for the child to inherit. */
  node_fd: number | undefined
  close(): void
}

export function openProgram(account: ServerAccount | undefined): Program {
  const root = packageRoot()
  const installation = installationFolder(root)
  const is_open = !root.startsWith(WORKING_FOLDER) && canReach(account, root)
  const node_fd = canReach(account, process.execPath) ? undefined : openSync('/proc/self/exe', 'r')
  return {
    node: node_fd === undefined ? process.execPath : `/proc/self/fd/${INHERITED_FD}`,
    // Resolved links would be paths that lead through the closed folder.
    flags: is_open ? [] : ['--preserve-symlinks', '--preserve-symlinks-main'],
    root: is_open ? root : join(WORKING_FOLDER, relative(installation, root)),
    is_open,
    // It also has the packages of an engine, which are not in the folder of an installed package.
    working_folder: is_open ? '/' : installation,
    node_fd,
    close: () => {
      if (node_fd !== undefined) closeSync(node_fd)
    },
  }
}
