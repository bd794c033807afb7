/**
 * The lock file names the engines of every platform: npm forgets the packages of platforms that a
 * registry does not offer to this machine, and `npm ci` then refuses the file everywhere.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageRoot } from '../src/platform/package-root.ts'

type Package = { version?: string; optionalDependencies?: Record<string, string> }
const lock = JSON.parse(readFileSync(join(packageRoot(), 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package & { resolved?: string; link?: boolean }>
}

describe('package-lock.json', () => {
  it('has every optional package that another package names, in the version it names', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([, version]) => /^\d/.test(version))
        .filter(([name, version]) => !isThere(path, name, version))
        .map(([name, version]) => `${name}@${version} of ${path || 'the root'}`),
    )
    expect(missing).toEqual([])
  })

  it('names no registry', () => {
    // A workspace is resolved to its own folder.
    const named = Object.entries(lock.packages).filter(
      ([, { resolved, link }]) => resolved !== undefined && link !== true,
    )
    expect(named).toEqual([])
  })
})

function isThere(path: string, name: string, version: string): boolean {
  const nested = lock.packages[`${path}/node_modules/${name}`]
  return [nested, lock.packages[`node_modules/${name}`]].some((found) => found?.version === version)
}
